"""A report as one HTML page that loads nothing, light or dark as the reader's system is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Final

from tamis.lab.report.report import Chart, Report, ReportTable, Section

_STYLE: Final = """
:root { color-scheme: light dark; --paper: #fdfcfa; --ink: #22242a; --soft: #6a6f7a;
  --rule: #e2dfd8; --raised: #f4f2ed; --good: #e2f1e4; --bad: #fbe6e1; --warn: #fdf1d5;
  --k0: #2563c9; --k1: #d9622b; --k2: #2a8a57; --k3: #b8338a; --k4: #7a5cc8; --k5: #b58a00;
  --k6: #0f8c9c; --k7: #7a6652; }
@media (prefers-color-scheme: dark) { :root { --paper: #17191d; --ink: #e4e5e8; --soft: #9aa0ab;
  --rule: #33373f; --raised: #202329; --good: #1d3526; --bad: #46251f; --warn: #40351a;
  --k0: #6ea3ff; --k1: #ff9560; --k2: #5cc98c; --k3: #f07cc4; --k4: #b29cff; --k5: #e6c14a;
  --k6: #4fcfdf; --k7: #c4ab92; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem 1.25rem 5rem; max-width: 64rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.9rem; margin: 0 0 .2rem; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 3rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .2rem; }
h4 { margin: .6rem 0 .2rem; font-size: .8rem; text-transform: uppercase; color: var(--soft);
  letter-spacing: .06em; }
p { margin: .3rem 0 .8rem; } .lead, figcaption, .remarks { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .86rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .34rem .55rem; border-bottom: 1px solid var(--rule); text-align: right;
  vertical-align: top; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; } th:first-child, td:first-child { text-align: left; }
tr.bold td:first-child { font-weight: 650; } td.best { font-weight: 650; color: var(--k2); }
figure { margin: .4rem 0 1.6rem; } figcaption { font-size: .86rem; max-width: 52rem; }
svg { display: block; max-width: 100%; height: auto; font: 12px system-ui, "Segoe UI", Roboto,
  "Noto Sans", sans-serif; }
svg text { fill: var(--ink); } svg .tick { fill: var(--soft); font-size: 11px; }
svg .axis { fill: var(--ink); } svg .grid { stroke: var(--rule); }
svg .label { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
svg .lane { stroke: var(--rule); stroke-dasharray: 2 4; } svg .leader { stroke: var(--soft); }
svg .curve { fill: none; stroke: var(--k0); stroke-width: 2; }
svg .own { stroke: var(--k); }
svg .contour { fill: none; stroke: var(--soft); opacity: .45; stroke-dasharray: 3 3; }
svg .ideal { stroke: var(--soft); stroke-dasharray: 4 4; } svg .count { fill: var(--rule); }
svg .hollow { fill: var(--paper); stroke-width: 2; } svg .veil { opacity: .55; }
.c0 { --k: var(--k0); } .c1 { --k: var(--k1); } .c2 { --k: var(--k2); } .c3 { --k: var(--k3); }
.c4 { --k: var(--k4); } .c5 { --k: var(--k5); } .c6 { --k: var(--k6); } .c7 { --k: var(--k7); }
svg .solid, svg .veil { fill: var(--k); } svg .solid { stroke: var(--paper); }
svg .hollow { stroke: var(--k); } svg .whisker { stroke: var(--ink); stroke-width: 1.3; }
svg .dashed { stroke-dasharray: 5 4; }
.contents ol { columns: 24rem 2; column-gap: 2.6rem; padding-left: 1.4rem; font-size: .9rem; }
a { color: var(--k0); } code { background: var(--raised); padding: .15rem .4rem; border-radius: 4px;
  font: 12.5px/1.45 ui-monospace, "DejaVu Sans Mono", "Noto Sans Mono", monospace; }
th.text { text-align: left; } td.text { white-space: normal; text-align: left; }
section[id] th, section[id] td { white-space: normal; } section[id] td:first-child
  { min-width: 11rem; } .range { white-space: nowrap; color: var(--soft); font-size: .78rem; }
.grid2 { display: grid; gap: 0 1.5rem;
  grid-template-columns: repeat(auto-fit, minmax(24rem, 1fr)); }
details { border: 1px solid var(--rule); border-radius: 8px; margin: .5rem 0; overflow: hidden; }
summary { padding: .5rem .8rem; cursor: pointer; background: var(--raised); }
summary .figures { float: right; color: var(--soft); font-variant-numeric: tabular-nums; }
details > :not(summary) { margin-left: .8rem; margin-right: .8rem; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; } .sides > div { min-width: 0; }
pre { max-height: 22rem; overflow: auto; margin: 0; padding: .6rem; background: var(--raised);
  border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 12.5px/1.45 ui-monospace, "DejaVu Sans Mono", "Noto Sans Mono", monospace; }
.blocks { margin: 1rem .8rem; width: calc(100% - 1.6rem); table-layout: fixed; font-size: .8rem; }
.blocks th, .blocks td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
.blocks th:nth-child(1) { width: 15%; } .blocks th:nth-child(2), .blocks th:nth-child(3)
  { width: 8%; } .blocks th:nth-child(4) { width: 8%; } .blocks th:nth-child(5) { width: 22%; }
.hit { background: var(--good); } .extra { background: var(--bad); }
.lost { background: var(--warn); } .noise { color: var(--soft); }
.url { color: var(--soft); font-size: .8rem; overflow-wrap: anywhere; margin-top: .5rem; }
.failure { color: var(--k1); } .key span { padding: .1rem .5rem; border-radius: 4px; }
@media (max-width: 48rem) { .sides { grid-template-columns: 1fr; } }
"""

_MAX_CELL_LENGTH: Final = 40  # of a cell that is not wrapped
_INTERVAL: Final = re.compile(r"([\d.]+) (\([\d.]+–[\d.]+\))")

# The page loads nothing, and runs nothing that a measured page smuggled in.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def render_html(report: Report) -> str:
    """Return a report as a page: tables, remarks, charts, appendix."""
    lead = f'<p class="lead">{escape(report.lead)}</p>' if report.lead else ""
    remarks = "".join(f"<p>{escape(remark)}</p>" for remark in report.remarks)
    tables = [] if report.sections else report.tables
    sections = [
        *(_section(table.title, _render_table(table)) for table in tables),
        f'<div class="remarks">{remarks}</div>' if remarks else "",
        _contents(report.sections),
        *map(_render_section, report.sections),
        *_chart_sections(report),
        report.appendix(),
    ]
    title = escape(report.title)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{title}</h1>{lead}{''.join(sections)}</body></html>\n"
    )


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def _contents(sections: Sequence[Section]) -> str:
    """Return a table of contents."""
    links = "".join(
        f'<li><a href="#{escape(part.anchor)}">{escape(part.title)}</a></li>' for part in sections
    )
    return f'<nav class="contents"><h2>Contents</h2><ol>{links}</ol></nav>' if links else ""


def _render_section(section: Section) -> str:
    """Return a section: tables, folded tables, charts, and the command that makes it."""
    tables = "".join(map(_render_table, section.tables))
    details = "".join(
        f"<details><summary>{escape(table.title)}</summary>{_render_table(table)}</details>"
        for table in section.details
    )
    charts = "".join(
        f"<h3>{escape(chart.title)}</h3>{_render_chart(chart)}" for chart in section.charts()
    )
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in section.paragraphs)
    command = f"<p><code>{escape(section.command)}</code></p>" if section.command else ""
    return (
        f'<section id="{escape(section.anchor)}"><h2>{escape(section.title)}</h2>'
        f'{tables}{details}{charts}<div class="remarks">{paragraphs}</div>{command}</section>'
    )


def _render_table(table: ReportTable) -> str:
    is_text = [head in table.text_heads for head in table.heads]
    head = "".join(
        f'<th class="text">{escape(cell)}</th>' if text else f"<th>{escape(cell)}</th>"
        for cell, text in zip(table.heads, is_text, strict=True)
    )
    rows = []
    for number, row in enumerate(table.rows):
        cells = "".join(
            _render_cell(
                cell,
                is_best=(number, column) in table.best_cells,
                is_text=is_text[column] or len(cell) > _MAX_CELL_LENGTH,
            )
            for column, cell in enumerate(row)
        )
        rows.append(
            f'<tr class="bold">{cells}</tr>' if number in table.bold_rows else f"<tr>{cells}</tr>"
        )
    caption = f'<p class="lead">{escape(table.caption)}</p>' if table.caption else ""
    return (
        f'{caption}<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _render_cell(cell: str, *, is_best: bool, is_text: bool) -> str:
    """Return a cell; the range of an interval may go to a line of its own."""
    if is_best:
        return f'<td class="best">{escape(cell)} ★</td>'
    match = _INTERVAL.fullmatch(cell)
    if match:
        return f'<td>{match[1]} <span class="range">{match[2]}</span></td>'
    return f'<td class="text">{escape(cell)}</td>' if is_text else f"<td>{escape(cell)}</td>"


def _chart_sections(report: Report) -> list[str]:
    """Return one section per chart, or per group of charts."""
    sections = []
    for group, charts in groupby(report.charts(), key=lambda chart: chart.group):
        if group:
            cells = (f"<div><h3>{escape(c.title)}</h3>{_render_chart(c)}</div>" for c in charts)
            sections.append(_section(group, f'<div class="grid2">{"".join(cells)}</div>'))
        else:
            sections += [_section(chart.title, _render_chart(chart)) for chart in charts]
    return sections


def _render_chart(chart: Chart) -> str:
    caption = f"<figcaption>{escape(chart.caption)}</figcaption>"
    return f'<figure><div class="scroll">{chart.svg}</div>{caption}</figure>'

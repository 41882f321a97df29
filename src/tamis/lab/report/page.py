"""The style sheet of the report: one column, light or dark as the reader's system is.

The report: one HTML page that needs nothing but itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from tamis.lab.report.figures import (
    blocks_figure,
    calibration_figures,
    kinds_figure,
    precision_figure,
    score_figures,
    time_figure,
)
from tamis.lab.report.svg import Figure
from tamis.lab.report.worst import worst_pages
from tamis.lab.results import Results
from tamis.lab.studies.records import html_tables
from tamis.lab.summary import REFERENCE, Row, Summary
from tamis.lab.terminal import HEADS, number, remarks, with_error

STYLE: Final = """
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
tr.ours td:first-child { font-weight: 650; } td.best { font-weight: 650; color: var(--k2); }
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
svg .hollow { stroke: var(--k); }
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
.address { color: var(--soft); font-size: .8rem; overflow-wrap: anywhere; margin-top: .5rem; }
.failure { color: var(--k1); } .key span { padding: .1rem .5rem; border-radius: 4px; }
@media (max-width: 48rem) { .sides { grid-template-columns: 1fr; } }
"""


# Nothing is loaded, and nothing that a page smuggled in could run.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def report_page(results: Results, found: Summary, extras: Sequence[Figure] = ()) -> str:
    """Return the report on a run; `extras` are further plots, shown in a section of their own."""
    plots = [kinds_figure(found), time_figure(found), precision_figure(found)]
    blocks = blocks_figure(found)
    sections = [
        section("Systems", summary_table(found) + kind_table(found)),
        section("Differences", difference_table(found)) if found.differences else "",
        *(section(plot.title, figure(plot)) for plot in plots),
        section(blocks.title, figure(blocks)) if blocks else "",
        many("Scores of blocks", score_figures(results)),
        many("Calibration of the confidence", calibration_figures(results)),
        many("More figures", extras),
        records_section(results) if found.truth == "records" else worst_section(results, found),
    ]
    lead = (
        f"{found.pages:,} pages, {len(found.rows)} systems, truth: {found.truth}, "
        f"gold {found.digest[:12]}"
    )
    return framed(f"tamis on {found.dataset}", lead, sections)


def framed(title: str, lead: str, sections: Sequence[str]) -> str:
    """Return sections as a whole page."""
    said = f'<p class="lead">{escape(lead)}</p>' if lead else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
        f"<h1>{escape(title)}</h1>{said}{''.join(sections)}</body></html>\n"
    )


def section(title: str, body: str) -> str:
    """Return a section of the page."""
    return f"<section><h2>{escape(title)}</h2>{body}</section>"


def figure(plot: Figure) -> str:
    """Return a plot with its caption."""
    caption = f"<figcaption>{escape(plot.caption)}</figcaption>"
    return f'<figure><div class="scroll">{plot.svg}</div>{caption}</figure>'


def many(title: str, plots: Sequence[Figure]) -> str:
    """Return a section of several plots, each with its title, or nothing."""
    if not plots:
        return ""
    bodies = (f"<div><h3>{escape(plot.title)}</h3>{figure(plot)}</div>" for plot in plots)
    return section(title, f'<div class="grid2">{"".join(bodies)}</div>')


def summary_table(found: Summary) -> str:
    """Return quality and time of all systems."""
    has = [name for name in HEADS if any(name in row.means for row in found.rows)]
    heads = ["system", "F1 ± se", *(HEADS[name] for name in has), "failed", "ms/page"]
    rows = [
        (
            row,
            [
                with_error(row.f1),
                *(number(row.means.get(name)) for name in has),
                str(len(row.failures)),
                f"{row.milliseconds:.2f}",
                "–" if row.ratio is None else f"{row.ratio:.2f}",
            ],
        )
        for row in found.rows
    ]
    said = "".join(f"<p>{escape(line)}</p>" for line in remarks(found))
    return table([*heads, f"× {REFERENCE}"], rows) + f'<div class="remarks">{said}</div>'


def kind_table(found: Summary) -> str:
    """Return the F1 of all systems by kind of page, the best of each kind marked."""
    if len(found.kinds) < 2:
        return ""
    best = {
        kind: max(found.rows, key=lambda row, kind=kind: row.by_kind[kind].value).name  # type: ignore[misc]
        for kind in found.kinds
    }
    rows = [
        (row, [marked(number(row.by_kind[k]), row.name == best[k]) for k in found.kinds])
        for row in found.rows
    ]
    return "<h3>F1 by kind of page</h3>" + table(["system", *found.kinds], rows)


def marked(text: str, is_best: bool) -> str:
    """Return a figure, marked with a star if it is the best of its column."""
    return f"{text} ★" if is_best else text


def difference_table(found: Summary) -> str:
    """Return how the best method of tamis compares with the other systems."""
    rows = []
    for row in found.rows:
        apart = found.differences.get(row.name)
        if apart:
            clear = "clear" if apart.is_clear else "not clear"
            rows.append((row, [f"{apart.value:+.3f}", apart.interval, clear]))
    lead = (
        f"F1 of {found.best} minus that of the others, paired by page, with an interval that "
        "holds the true difference 19 times in 20 (bootstrap over pages)."
    )
    heads = [f"{found.best} against", "difference", "95 % interval", ""]
    return f'<p class="lead">{escape(lead)}</p>{table(heads, rows)}'


def table(heads: Sequence[str], rows: Sequence[tuple[Row, Sequence[str]]]) -> str:
    """Return a table with a row for each system."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
    lines = []
    for row, cells in rows:
        inner = "".join(
            f'<td class="{"best" if cell.endswith("★") else ""}">{escape(cell)}</td>'
            for cell in cells
        )
        style = "peer" if row.is_peer else "ours"
        lines.append(f'<tr class="{style}"><td>{escape(row.label)}</td>{inner}</tr>')
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def records_section(results: Results) -> str:
    """Return the tables of records by site and by category."""
    return section("Records", html_tables(results))


def worst_section(results: Results, found: Summary) -> str:
    """Return the worst pages of the best method of tamis."""
    result = next((s for s in results.systems if s.system.name == found.best), None)
    if result is None:
        return ""
    key = (
        '<p class="key"><span class="hit">kept, rightly</span> <span class="extra">kept, but '
        'noise</span> <span class="lost">dropped, but content</span> <span class="noise">dropped, '
        "rightly</span></p>"
    )
    title = f"The worst pages of {result.system.label}"
    return section(title, key + worst_pages(result, results.dataset))

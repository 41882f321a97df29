"""The report: one HTML page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from tamis.evaluate.record_tables import html_tables
from tamis.evaluate.report.distributions import calibration_figures, score_figures
from tamis.evaluate.report.figures import (
    blocks_figure,
    kinds_figure,
    precision_figure,
    time_figure,
)
from tamis.evaluate.report.style import STYLE
from tamis.evaluate.report.svg import Figure
from tamis.evaluate.report.worst import worst_pages
from tamis.evaluate.results import Results
from tamis.evaluate.summary import REFERENCE, Row, Summary
from tamis.evaluate.terminal import HEADS, number, remarks, with_error

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

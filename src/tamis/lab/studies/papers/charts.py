"""Charts of the papers' items: bars with intervals, and marks where the paper has a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tamis.lab.report import svg
from tamis.lab.report.report import Chart
from tamis.lab.report.svg import WIDTH, Scale
from tamis.lab.studies.papers.items import Estimate, PaperRow

_STEP: Final = 24.0
_TOP: Final = 30.0
_PAPER_COLOUR: Final = 1
_OURS_COLOUR: Final = 0


def interval_bars(title: str, caption: str, rows: Sequence[PaperRow], measure: str) -> Chart:
    """Return a bar per row with the interval of ours, and a diamond at the paper's value."""
    shown = [row for row in rows if _ours(row, measure) or row.paper.get(measure)]
    left = max((svg.text_width(row.label) for row in shown), default=0.0) + 16
    greatest = max(
        (cell.high or cell.value for row in shown if (cell := _ours(row, measure))), default=1.0
    )
    has_paper = any(isinstance(row.paper.get(measure), float) for row in shown)
    x = Scale(0.0, max(greatest, 1.0), left, WIDTH - 150)
    bottom = _TOP + _STEP * len(shown) + 4
    parts = [svg.x_axis(x, _TOP - 6, bottom, measure), _legend(left, has_paper=has_paper)]
    for index, row in enumerate(shown):
        parts += _bar(row, measure, x, _TOP + _STEP * index)
    return Chart(title, caption, svg.canvas(WIDTH, bottom + 46, parts, title))


def _ours(row: PaperRow, measure: str) -> Estimate | None:
    cell = row.ours.get(measure)
    return cell if isinstance(cell, Estimate) else None


def _legend(left: float, *, has_paper: bool) -> str:
    """Return what bars and, if there are any, diamonds are."""
    parts = [
        svg.bar(left, 2, 22, 10, f"c{_OURS_COLOUR} solid"),
        svg.text(left + 28, 11, "ours, with 95 % interval", "tick"),
    ]
    if has_paper:
        parts += [
            svg.mark(left + 196, 7, _PAPER_COLOUR + svg.COLOURS, hollow=True),
            svg.text(left + 206, 11, "the paper", "tick"),
        ]
    return "".join(parts)


def _bar(row: PaperRow, measure: str, x: Scale, y: float) -> list[str]:
    """Return the bar of a row."""
    parts = [svg.text(x.start - 8, y + 13, row.label, "label", "end")]
    ours, paper = _ours(row, measure), row.paper.get(measure)
    middle = y + 8
    labels = []
    if ours is not None:
        width = x(ours.value) - x.start
        parts.append(svg.bar(x.start, y + 2, width, 13, f"c{_OURS_COLOUR} solid", ours.text))
        if ours.low is not None and ours.high is not None:
            low, high = x(ours.low), x(ours.high)
            parts += [svg.line(low, middle, high, middle, "whisker")]
            parts += [svg.line(end, middle - 4, end, middle + 4, "whisker") for end in (low, high)]
        labels.append(f"{ours.value:.3f}")
    if isinstance(paper, float):
        tooltip = f"the paper: {paper:.3f}"
        number = _PAPER_COLOUR + svg.COLOURS
        parts.append(svg.mark(x(paper), middle, number, hollow=True, tooltip=tooltip))
        labels.append(f"paper {paper:.3f}")
    parts.append(svg.text(x.stop + 10, y + 13, " · ".join(labels), "tick"))
    return parts

"""The charts of a comparison.

Quality by kind of page, against time, precision against recall, decisions on blocks; and two groups
with one chart per system: scores of blocks, and quality against confidence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.lab.metrics.statistics import Calibration, calibration
from tamis.lab.report import Chart, svg
from tamis.lab.report.charts import quality_range
from tamis.lab.report.svg import WIDTH, Box, Point, Scale, point_labels
from tamis.lab.results import Results, SystemResult
from tamis.lab.summary import Row, Summary

_HALF_WIDTH: Final = 420.0  # of a chart beside another
_BINS: Final = 40
_MIN_LABELLED_BAR: Final = 28.0  # width of a bar with its value above it


def comparison_charts(results: Results, totals: Summary) -> list[Chart]:
    """Return all charts of a comparison."""
    return [
        _kind_chart(totals),
        _time_chart(totals),
        _precision_chart(totals),
        *_block_charts(totals),
        *_score_charts(results),
        *_confidence_charts(results),
    ]


def _kind_chart(totals: Summary) -> Chart:
    """Return the F1 of every system by kind of page: a line of marks per kind."""
    single_kinds = totals.kinds if len(totals.kinds) > 1 else ()
    kinds = ("all pages", *single_kinds)
    left, top, step = 190.0, 10.0, 40.0
    bottom = top + step * len(kinds)
    values = [[row.f1.value, *(row.by_kind[k].value for k in single_kinds)] for row in totals.rows]
    numbers = [value for line in values for value in line if not math.isnan(value)]
    low = math.floor(10 * min(numbers, default=0.0)) / 10
    x = Scale(low, 1.0, left, WIDTH - 20)
    parts = [svg.x_axis(x, top, bottom, "F1")]
    marks = _mark_numbers(totals.rows)
    for index, kind in enumerate(kinds):
        y = top + step * (index + 0.5)
        count = totals.pages if not index else totals.rows[0].by_kind[kind].count
        parts.append(svg.line(left, y, WIDTH - 20, y, "lane"))
        parts.append(svg.text(left - 12, y + 4, f"{kind} ({count:,})", "axis", "end"))
        for number in reversed(range(len(values))):  # the best on top
            row, value = totals.rows[number], values[number][index]
            if not math.isnan(value):
                tooltip = f"{row.label}, {kind}: {value:.3f}"
                height = y + 6 if row.is_peer else y - 6
                parts.append(
                    svg.mark(x(value), height, marks[number], hollow=row.is_peer, tooltip=tooltip)
                )
    legend, height = _legend(totals.rows, 20, bottom + 56)
    return Chart(
        "F1 by kind of page",
        "Each mark is a system: the discs above a line are methods of tamis, the squares and "
        "diamonds below it are peers. In brackets the number of pages.",
        svg.canvas(WIDTH, height, [*parts, *legend], "F1 by kind of page"),
    )


def _mark_numbers(rows: Sequence[Row]) -> list[int]:
    """Return the numbers of the marks of systems; methods and peers are counted apart."""
    counts = {True: 0, False: 0}
    numbers = []
    for row in rows:
        numbers.append(counts[row.is_peer])
        counts[row.is_peer] += 1
    return numbers


def _legend(rows: Sequence[Row], left: float, top: float) -> tuple[list[str], float]:
    """Return the marks of systems with their names, and the lower end of them."""
    parts, x, y = [], left, top
    for number, row in zip(_mark_numbers(rows), rows, strict=True):
        width = svg.text_width(row.label) + 34
        if x + width > WIDTH:
            x, y = left, y + 22
        parts.append(svg.mark(x + 6, y, number, hollow=row.is_peer))
        parts.append(svg.text(x + 16, y + 4, row.label, "label"))
        x += width
    return parts, y + 16


def _time_chart(totals: Summary) -> Chart:
    """Return quality against time, the time on a logarithmic scale."""
    times = [row.milliseconds for row in totals.rows]
    left, right, top, bottom = 70.0, WIDTH - 20, 16.0, 400.0
    x = Scale(max(min(times), 0.01) / 1.6, max(times) * 2.2, left, right, is_log=True)
    y = Scale(*quality_range([row.f1.value for row in totals.rows]), bottom, top)
    points = [(x(row.milliseconds), y(row.f1.value)) for row in totals.rows]
    parts = [
        svg.x_axis(x, top, bottom, "milliseconds per page (logarithmic)"),
        svg.y_axis(y, left, right, "F1"),
        *_system_marks(totals.rows, points),
        *point_labels(points, [row.label for row in totals.rows], Box(left, top, right, bottom)),
    ]
    names = ", ".join(totals.timed_apart)
    return Chart(
        "Quality against time",
        "Up and to the left is better. Time is from decoded text to text, one thread."
        + (f" Timed in another run than the reference: {names}." if names else ""),
        svg.canvas(WIDTH, bottom + 46, parts, "F1 against milliseconds per page"),
    )


def _system_marks(rows: Sequence[Row], points: Sequence[Point]) -> list[str]:
    return [
        svg.mark(x, y, number, hollow=row.is_peer, tooltip=f"{row.label}: F1 {row.f1.value:.3f}")
        for number, row, (x, y) in zip(_mark_numbers(rows), rows, points, strict=True)
    ]


def _precision_chart(totals: Summary) -> Chart:
    """Return precision against recall, with curves of equal F1."""
    rows = totals.rows
    recalls = [row.means["recall"].value for row in rows]
    precisions = [row.means["precision"].value for row in rows]
    left, right, top, bottom = 70.0, WIDTH - 20, 16.0, 440.0
    x = Scale(*quality_range(recalls), left, right)
    y = Scale(*quality_range(precisions), bottom, top)
    points = [(x(r), y(p)) for r, p in zip(recalls, precisions, strict=True)]
    parts = [
        svg.x_axis(x, top, bottom, "recall"),
        svg.y_axis(y, left, right, "precision"),
        *(part for f1 in range(1, 10) for part in _equal_f1_curve(f1 / 10, x, y)),
        *_system_marks(rows, points),
        *point_labels(points, [row.label for row in rows], Box(left, top, right, bottom)),
    ]
    return Chart(
        "Precision and recall",
        "In words. The thin curves join points of equal F1; where precision and recall are means "
        "over pages, the mean of the pages' F1 is less than the curves say.",
        svg.canvas(WIDTH, bottom + 46, parts, "precision against recall"),
    )


def _equal_f1_curve(f1: float, x: Scale, y: Scale) -> list[str]:
    """Return the visible part of the curve of points with one F1, if it is long enough."""
    points = []
    for step in range(201):
        recall = x.low + (x.high - x.low) * step / 200
        precision = f1 * recall / (2 * recall - f1) if 2 * recall > f1 else 2.0
        if y.low <= precision <= y.high:
            points.append((x(recall), y(precision)))
    if len(points) < 12:
        return []
    end_x, end_y = points[-1]
    return [svg.path(points, "contour"), svg.text(end_x - 4, end_y - 4, f"{f1:g}", "tick", "end")]


def _block_charts(totals: Summary) -> list[Chart]:
    """Return b-precision, b-recall and b-F of methods as bars, as the papers show them."""
    rows = [row for row in totals.rows if "b_f1" in row.means]
    if not rows:
        return []
    names = {"b_precision": "b-precision", "b_recall": "b-recall", "b_f1": "b-F"}
    left, right, top, bottom = 70.0, WIDTH - 20, 16.0, 300.0
    y = Scale(0.0, 1.0, bottom, top)
    parts = [svg.y_axis(y, left, right, "blocks")]
    step = (right - left) / len(rows)
    width = min(step * 0.8 / 3, 46.0)
    for index, row in enumerate(rows):
        start = left + step * (index + 0.5) - 1.5 * width
        for number, (name, label) in enumerate(names.items()):
            value, x = row.means[name].value, start + number * width
            tooltip = f"{row.label}, {label}: {value:.3f}"
            style = f"c{number} solid"
            parts.append(svg.bar(x + 1, y(value), width - 2, bottom - y(value), style, tooltip))
            if width >= _MIN_LABELLED_BAR:
                middle = x + width / 2
                parts.append(svg.text(middle, y(value) - 4, f"{value:.2f}", "tick", "middle"))
        parts.append(svg.text(start + 1.5 * width, bottom + 18, row.label, "axis", "middle"))
    for number, label in enumerate(names.values()):
        x = left + 130 * number
        parts.append(svg.bar(x, bottom + 34, 12, 12, f"c{number} solid"))
        parts.append(svg.text(x + 18, bottom + 44, label, "label"))
    chart = Chart(
        "Decisions on blocks",
        "Kept blocks against those that an ideal choice of blocks would keep, means over pages. "
        "Methods cut pages in different ways, so figures compare only with care.",
        svg.canvas(WIDTH, bottom + 56, parts, "b-precision, b-recall and b-F of methods"),
    )
    return [chart]


def _score_charts(results: Results) -> list[Chart]:
    """Return a histogram of the scores of blocks for each method."""
    return [
        _score_chart(system) for system in results.systems if any(p.scores for p in system.pages)
    ]


def _score_chart(result: SystemResult) -> Chart:
    """Return a histogram of the scores of blocks: content in truth, and noise."""
    scores = np.array([score for page in result.pages for score in page.scores])
    wanted = np.array([truth for page in result.pages for truth in page.wanted], dtype=np.bool_)
    low, high = _score_range(scores)
    edges = np.linspace(low, high, _BINS + 1)
    clipped = np.clip(scores, low, high)
    shares = [_share_by_bin(clipped[wanted], edges), _share_by_bin(clipped[~wanted], edges)]
    height, top = 220.0, 26.0
    bottom = height - 46
    x = Scale(low, high, 40, _HALF_WIDTH - 10)
    y = Scale(0.0, float(max(share.max() for share in shares)) or 1.0, bottom, top)
    parts = [svg.x_axis(x, top, bottom, "score")]
    step = (x.stop - x.start) / _BINS
    for share, style in zip(shares, ("c2 veil", "c1 veil"), strict=True):
        for number, value in enumerate(share):
            bar_top = y(float(value))
            left = x.start + number * step
            parts.append(svg.bar(left, bar_top, step - 0.5, bottom - bar_top, style))
    for number, (name, style) in enumerate((("content", "c2 veil"), ("noise", "c1 veil"))):
        parts.append(svg.bar(44 + 100 * number, 4, 12, 12, style))
        parts.append(svg.text(62 + 100 * number, 14, name, "label"))
    counts = f"{int(wanted.sum()):,} blocks of content, {int((~wanted).sum()):,} of noise"
    return Chart(
        result.system.label,
        f"{counts}. Each adds up to 1; scores beyond the ends are in the last bars.",
        svg.canvas(_HALF_WIDTH, height, parts, f"scores of blocks by {result.system.label}"),
        "Scores of blocks",
    )


def _score_range(scores: NDArray[np.float64]) -> tuple[float, float]:
    """Return the ends of a histogram: 0 and 1 for shares, else what holds nearly all scores."""
    if not len(scores):
        return 0.0, 1.0
    if scores.min() >= 0 and scores.max() <= 1 and scores.max() > 0.5:
        return 0.0, 1.0
    low, high = (float(end) for end in np.quantile(scores, (0.01, 0.98)))
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def _share_by_bin(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return which share of values lies in each bin."""
    counts, _ = np.histogram(values, edges)
    return counts / max(len(values), 1)


def _confidence_charts(results: Results) -> list[Chart]:
    """Return a reliability chart for each system that gives a confidence."""
    charts = []
    for system in results.systems:
        pages = [page for page in system.pages if page.confidence is not None]
        if pages:
            confidence = [page.confidence or 0.0 for page in pages]
            fit = calibration(confidence, [page.f1 for page in pages])
            charts.append(_confidence_chart(system.system.label, fit, len(pages)))
    return charts


def _confidence_chart(label: str, fit: Calibration, pages: int) -> Chart:
    """Return quality against confidence, with the number of pages below."""
    left, right, top, bottom = 56.0, _HALF_WIDTH - 10, 12.0, 320.0
    x, y = Scale(0.0, 1.0, left, right), Scale(0.0, 1.0, bottom, top)
    max_count = max((b.count for b in fit.bins), default=1)
    points = [(x(b.confidence), y(b.quality)) for b in fit.bins]
    parts = [
        *(_page_bar(x(b.confidence), b.count / max_count, bottom, b.count) for b in fit.bins),
        svg.x_axis(x, top, bottom, "confidence"),
        svg.y_axis(y, left, right, "F1"),
        svg.line(x(0), y(0), x(1), y(1), "ideal"),
        svg.path(points),
        *(svg.mark(*point, 0, hollow=False) for point in points),
    ]
    return Chart(
        label,
        f"{pages:,} pages. Expected calibration error {fit.expected_error:.3f}; Brier score "
        f"{fit.brier:.4f}, of the constant mean {fit.constant_brier:.4f}. Bars: pages.",
        svg.canvas(_HALF_WIDTH, bottom + 46, parts, f"F1 against confidence of {label}"),
        "Calibration of the confidence",
    )


def _page_bar(x: float, share: float, bottom: float, count: int) -> str:
    """Return a bar for the number of pages of a bin."""
    height = 70 * share
    return svg.bar(x - 9, bottom - height, 18, height, "count", f"{count:,} pages")

"""The plots of a report that show distributions: scores of blocks, and confidence.

The plots of a report: quality by kind of page, against time, precision against recall.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.lab.metrics.statistics import Calibration, calibration
from tamis.lab.report import svg
from tamis.lab.report.svg import Box, Figure, Scale, point_labels
from tamis.lab.results import Results, SystemResult
from tamis.lab.summary import Row, Summary

BINS: Final = 40
SCORE_PLOT_WIDTH: Final = 420.0
HEIGHT: Final = 220.0


def score_figures(results: Results) -> list[Figure]:
    """Return a histogram of the scores of blocks for each method."""
    return [
        score_figure(system) for system in results.systems if any(p.scores for p in system.pages)
    ]


def score_figure(result: SystemResult) -> Figure:
    """Return a histogram of the scores of blocks: content in truth, and noise."""
    scores = np.array([score for page in result.pages for score in page.scores])
    wanted = np.array([truth for page in result.pages for truth in page.wanted], dtype=np.bool_)
    low, high = score_range(scores)
    edges = np.linspace(low, high, BINS + 1)
    inside = np.clip(scores, low, high)
    shares = [share_by_bin(inside[wanted], edges), share_by_bin(inside[~wanted], edges)]
    x = Scale(low, high, 40, SCORE_PLOT_WIDTH - 10)
    top, bottom = 26.0, HEIGHT - 46
    y = Scale(0.0, float(max(share.max() for share in shares)) or 1.0, bottom, top)
    parts = [svg.x_axis(x, top, bottom, "score")]
    step = (x.stop - x.start) / BINS
    for share, style in zip(shares, ("c2 veil", "c1 veil"), strict=True):
        for number, value in enumerate(share):
            at = y(float(value))
            parts.append(svg.bar(x.start + number * step, at, step - 0.5, bottom - at, style))
    for number, (name, style) in enumerate((("content", "c2 veil"), ("noise", "c1 veil"))):
        parts.append(svg.bar(44 + 100 * number, 4, 12, 12, style))
        parts.append(svg.words(62 + 100 * number, 14, name, "label"))
    count = f"{int(wanted.sum()):,} blocks of content, {int((~wanted).sum()):,} of noise"
    return Figure(
        result.system.label,
        f"{count}. Each adds up to 1; scores beyond the ends are in the last bars.",
        svg.canvas(SCORE_PLOT_WIDTH, HEIGHT, parts, f"scores of blocks by {result.system.label}"),
    )


def score_range(scores: NDArray[np.float64]) -> tuple[float, float]:
    """Return the ends of a histogram: 0 and 1 for shares, else what holds nearly all scores."""
    if not len(scores):
        return 0.0, 1.0
    if scores.min() >= 0 and scores.max() <= 1 and scores.max() > 0.5:
        return 0.0, 1.0
    low, high = (float(end) for end in np.quantile(scores, (0.01, 0.98)))
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def share_by_bin(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return which share of values lies in each bin."""
    counts, _ = np.histogram(values, edges)
    return counts / max(len(values), 1)


def calibration_figures(results: Results) -> list[Figure]:
    """Return a reliability plot for each system that says how sure it is."""
    figures = []
    for system in results.systems:
        pages = [page for page in system.pages if page.confidence is not None]
        if pages:
            sure = [page.confidence or 0.0 for page in pages]
            found = calibration(sure, [page.f1 for page in pages])
            figures.append(calibration_figure(system.system.label, found, len(pages)))
    return figures


def calibration_figure(label: str, found: Calibration, pages: int) -> Figure:
    """Return quality against confidence, with the number of pages below."""
    left, right, top, bottom = 56.0, SCORE_PLOT_WIDTH - 10, 12.0, 320.0
    x, y = Scale(0.0, 1.0, left, right), Scale(0.0, 1.0, bottom, top)
    most = max((b.count for b in found.bins), default=1)
    parts = [
        *(pages_bar(x(b.confidence), b.count / most, bottom, b.count) for b in found.bins),
        svg.x_axis(x, top, bottom, "confidence"),
        svg.y_axis(y, left, right, "F1"),
        svg.line(x(0), y(0), x(1), y(1), "ideal"),
        svg.path(joined(found, x, y)),
        *(svg.mark(px, py, 0, hollow=False) for px, py in joined(found, x, y)),
    ]
    return Figure(
        label,
        f"{pages:,} pages. Expected calibration error {found.expected_error:.3f}; Brier score "
        f"{found.brier:.4f}, of the constant mean {found.constant_brier:.4f}. Bars: pages.",
        svg.canvas(SCORE_PLOT_WIDTH, bottom + 46, parts, f"F1 against confidence of {label}"),
    )


def pages_bar(x: float, share: float, bottom: float, count: int) -> str:
    """Return a bar for the number of pages of a bin."""
    height = 70 * share
    return svg.bar(x - 9, bottom - height, 18, height, "count", f"{count:,} pages")


def joined(found: Calibration, x: Scale, y: Scale) -> Sequence[tuple[float, float]]:
    """Return the places of bins."""
    return [(x(b.confidence), y(b.quality)) for b in found.bins]


WIDTH = 940.0


def kinds_figure(found: Summary) -> Figure:
    """Return the F1 of every system by kind of page: a line of dots for each kind."""
    apart = found.kinds if len(found.kinds) > 1 else ()
    kinds = ("all pages", *apart)
    left, top, step = 190.0, 10.0, 40.0
    bottom = top + step * len(kinds)
    values = [[row.f1.value, *(row.by_kind[k].value for k in apart)] for row in found.rows]
    known = [value for line in values for value in line if not math.isnan(value)]
    low = math.floor(10 * min(known, default=0.0)) / 10
    scale = Scale(low, 1.0, left, WIDTH - 20)
    parts = [svg.x_axis(scale, top, bottom, "F1")]
    colours = colour_numbers(found.rows)
    for place, kind in enumerate(kinds):
        y = top + step * (place + 0.5)
        count = found.pages if not place else found.rows[0].by_kind[kind].count
        parts.append(svg.line(left, y, WIDTH - 20, y, "lane"))
        parts.append(svg.words(left - 12, y + 4, f"{kind} ({count:,})", "axis", "end"))
        for number in reversed(range(len(values))):  # the best on top
            row, value = found.rows[number], values[number][place]
            if not math.isnan(value):
                said = f"{row.label}, {kind}: {value:.3f}"
                at = y + 6 if row.is_peer else y - 6
                parts.append(
                    svg.mark(scale(value), at, colours[number], hollow=row.is_peer, said=said)
                )
    legend, height = legend_of(found.rows, 20, bottom + 56)
    return Figure(
        "F1 by kind of page",
        "Each mark is a system: the discs above a line are methods of tamis, the squares and "
        "diamonds below it are peers. In brackets the number of pages.",
        svg.canvas(WIDTH, height, [*parts, *legend], "F1 by kind of page"),
    )


def colour_numbers(rows: Sequence[Row]) -> list[int]:
    """Return the numbers of the marks of systems; methods and peers have marks of their own."""
    seen = {True: 0, False: 0}
    numbers = []
    for row in rows:
        numbers.append(seen[row.is_peer])
        seen[row.is_peer] += 1
    return numbers


def legend_of(rows: Sequence[Row], left: float, top: float) -> tuple[list[str], float]:
    """Return the marks of systems with their names, and where they end."""
    parts, x, y = [], left, top
    for number, row in zip(colour_numbers(rows), rows, strict=True):
        width = svg.text_width(row.label) + 34
        if x + width > WIDTH:
            x, y = left, y + 22
        parts.append(svg.mark(x + 6, y, number, hollow=row.is_peer))
        parts.append(svg.words(x + 16, y + 4, row.label, "label"))
        x += width
    return parts, y + 16


def time_figure(found: Summary) -> Figure:
    """Return quality against time, the time on a logarithmic scale."""
    times = [row.milliseconds for row in found.rows]
    left, right, top, bottom = 70.0, WIDTH - 20, 16.0, 400.0
    x = Scale(max(min(times), 0.01) / 1.6, max(times) * 2.2, left, right, is_log=True)
    y = Scale(*quality_range([row.f1.value for row in found.rows]), bottom, top)
    points = [(x(row.milliseconds), y(row.f1.value)) for row in found.rows]
    parts = [
        svg.x_axis(x, top, bottom, "milliseconds a page (logarithmic)"),
        svg.y_axis(y, left, right, "F1"),
        *marks(found.rows, points),
        *point_labels(points, [row.label for row in found.rows], Box(left, top, right, bottom)),
    ]
    apart = ", ".join(found.timed_apart)
    return Figure(
        "Quality against time",
        "Up and to the left is better. Time is from decoded text to text, one thread."
        + (f" Timed in another run than the reference: {apart}." if apart else ""),
        svg.canvas(WIDTH, bottom + 46, parts, "F1 against milliseconds a page"),
    )


def quality_range(values: Sequence[float]) -> tuple[float, float]:
    """Return round ends around values between 0 and 1."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    return max(math.floor(low * 20 - 0.5) / 20, 0.0), min(math.ceil(high * 20 + 0.5) / 20, 1.0)


def marks(rows: Sequence[Row], points: Sequence[tuple[float, float]]) -> list[str]:
    """Return the marks of systems at points."""
    return [
        svg.mark(x, y, number, hollow=row.is_peer, said=f"{row.label}: F1 {row.f1.value:.3f}")
        for number, row, (x, y) in zip(colour_numbers(rows), rows, points, strict=True)
    ]


def precision_figure(found: Summary) -> Figure:
    """Return precision against recall, with lines of equal F1."""
    rows = found.rows
    recalls = [row.means["recall"].value for row in rows]
    precisions = [row.means["precision"].value for row in rows]
    left, right, top, bottom = 70.0, WIDTH - 20, 16.0, 440.0
    x = Scale(*quality_range(recalls), left, right)
    y = Scale(*quality_range(precisions), bottom, top)
    points = [(x(r), y(p)) for r, p in zip(recalls, precisions, strict=True)]
    parts = [
        svg.x_axis(x, top, bottom, "recall"),
        svg.y_axis(y, left, right, "precision"),
        *(part for f1 in range(1, 10) for part in equal_f1(f1 / 10, x, y)),
        *marks(rows, points),
        *point_labels(points, [row.label for row in rows], Box(left, top, right, bottom)),
    ]
    return Figure(
        "Precision and recall",
        "In words. The thin curves join points of equal F1; where precision and recall are means "
        "over pages, the mean of the pages' F1 is less than the curves say.",
        svg.canvas(WIDTH, bottom + 46, parts, "precision against recall"),
    )


def equal_f1(f1: float, x: Scale, y: Scale) -> list[str]:
    """Return the curve of points with one F1, as far as it is in sight."""
    points = []
    for step in range(201):
        recall = x.low + (x.high - x.low) * step / 200
        precision = f1 * recall / (2 * recall - f1) if 2 * recall > f1 else 2.0
        if y.low <= precision <= y.high:
            points.append((x(recall), y(precision)))
    if len(points) < 12:
        return []
    at = points[-1]
    return [svg.path(points, "contour"), svg.words(at[0] - 4, at[1] - 4, f"{f1:g}", "tick", "end")]


def blocks_figure(found: Summary) -> Figure | None:
    """Return b-precision, b-recall and b-F of methods as bars, as the papers show them."""
    rows = [row for row in found.rows if "b_f1" in row.means]
    if not rows:
        return None
    names = {"b_precision": "b-precision", "b_recall": "b-recall", "b_f1": "b-F"}
    left, right, top, bottom = 70.0, WIDTH - 20, 16.0, 300.0
    y = Scale(0.0, 1.0, bottom, top)
    parts = [svg.y_axis(y, left, right, "blocks")]
    room = (right - left) / len(rows)
    width = min(room * 0.8 / 3, 46.0)
    for place, row in enumerate(rows):
        start = left + room * (place + 0.5) - 1.5 * width
        for number, (name, shown) in enumerate(names.items()):
            value, at = row.means[name].value, start + number * width
            said = f"{row.label}, {shown}: {value:.3f}"
            style = f"c{number} solid"
            parts.append(svg.bar(at + 1, y(value), width - 2, bottom - y(value), style, said))
            if width >= 28:
                parts.append(
                    svg.words(at + width / 2, y(value) - 4, f"{value:.2f}", "tick", "middle")
                )
        parts.append(svg.words(start + 1.5 * width, bottom + 18, row.label, "axis", "middle"))
    for number, shown in enumerate(names.values()):
        at = left + 130 * number
        parts.append(svg.bar(at, bottom + 34, 12, 12, f"c{number} solid"))
        parts.append(svg.words(at + 18, bottom + 44, shown, "label"))
    return Figure(
        "Decisions on blocks",
        "Kept blocks against those that an ideal choice of blocks would keep, means over pages. "
        "Methods cut pages in different ways, so figures compare only with care.",
        svg.canvas(WIDTH, bottom + 56, parts, "b-precision, b-recall and b-F of methods"),
    )

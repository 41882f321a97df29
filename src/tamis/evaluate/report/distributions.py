"""The plots of a report that show distributions: scores of blocks, and confidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.evaluate.calibration import Calibration, calibration
from tamis.evaluate.report import svg
from tamis.evaluate.report.svg import Figure, Scale
from tamis.evaluate.results import Results, SystemResult

BINS: Final = 40
WIDTH: Final = 420.0
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
    x = Scale(low, high, 40, WIDTH - 10)
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
        svg.canvas(WIDTH, HEIGHT, parts, f"scores of blocks by {result.system.label}"),
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
    left, right, top, bottom = 56.0, WIDTH - 10, 12.0, 320.0
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
        svg.canvas(WIDTH, bottom + 46, parts, f"F1 against confidence of {label}"),
    )


def pages_bar(x: float, share: float, bottom: float, count: int) -> str:
    """Return a bar for the number of pages of a bin."""
    height = 70 * share
    return svg.bar(x - 9, bottom - height, 18, height, "count", f"{count:,} pages")


def joined(found: Calibration, x: Scale, y: Scale) -> Sequence[tuple[float, float]]:
    """Return the places of bins."""
    return [(x(b.confidence), y(b.quality)) for b in found.bins]

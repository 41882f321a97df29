"""Visual score: how much a region looks like the main list, on a page with layout.

It is the mean of the position, layout and appearance features of the tag-window paper §3.1. Each
record is a box around its cells; each feature is a number between 0 and 1.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.page import Layout, tags
from tamis.records.cells import Cells
from tamis.records.signatures import Floats, Int64s

_MIN_SCORE: Final = 0.1  # the score of records that are not shown
_TOLERANCE: Final = 4.0  # pixels between two edges or gaps that look the same

_IMG: Final = tags.CODE["img"]


class Boxes(NamedTuple):
    """The edges of the records that are shown."""

    left: Floats
    top: Floats
    right: Floats
    bottom: Floats


def compute_visual_score(layout: Layout, cells: Cells, cell: Int64s, record: Int64s) -> float:
    """Return how much records look like the main list of a page: the mean of the features.

    `cell` and `record` are parallel: the cells of the records and the record of each. The score is
    the minimum if fewer than two records are shown.
    """
    rows = cells.first_row[cell]
    shown = layout.shown[rows] & (layout.width[rows] > 0) & (layout.height[rows] > 0)
    rows, record = rows[shown], record[shown]
    starts = np.flatnonzero(np.diff(record, prepend=-1))
    if len(starts) < 2:
        return _MIN_SCORE
    boxes = Boxes(
        np.minimum.reduceat(layout.x[rows], starts),
        np.minimum.reduceat(layout.y[rows], starts),
        np.maximum.reduceat(layout.x[rows] + layout.width[rows], starts),
        np.maximum.reduceat(layout.y[rows] + layout.height[rows], starts),
    )
    images = np.add.reduceat((cells.page.tag[rows] == _IMG).astype(np.int64), starts)
    features = (
        score_centering(boxes, layout.size),
        score_size(boxes, layout.size),
        score_left_alignment(boxes),
        score_spacing(boxes),
        score_uniformity(images),
        score_uniformity(layout.font_size[rows[starts]]),
    )
    return max(_MIN_SCORE, float(np.mean(features)))


def score_centering(boxes: Boxes, size: tuple[float, float]) -> float:
    """Return how near the records are to the middle between the page's sides (PF1)."""
    middle = (boxes.left.min() + boxes.right.max()) / 2
    return float(max(0.0, 1 - abs(2 * middle / max(size[0], 1.0) - 1)))


def score_size(boxes: Boxes, size: tuple[float, float]) -> float:
    """Return how much of the page's height and width the records take (PF2)."""
    width = (boxes.right.max() - boxes.left.min()) / max(size[0], 1.0)
    height = (boxes.bottom.max() - boxes.top.min()) / max(size[1], 1.0)
    return float(np.sqrt(min(width, 1.0) * min(height, 1.0)))


def score_left_alignment(boxes: Boxes) -> float:
    """Return the share of records that share their left edge with others (LF1)."""
    _, group, sizes = np.unique(
        np.round(boxes.left / _TOLERANCE), return_inverse=True, return_counts=True
    )
    return float(np.mean(sizes[group] > 1))


def score_spacing(boxes: Boxes) -> float:
    """Return the share of neighbours without overlap and at the usual distance (LF2, LF3).

    Neighbours stand one below the other, or side by side.
    """
    below, beside = boxes.top[1:] - boxes.bottom[:-1], boxes.left[1:] - boxes.right[:-1]
    gaps = np.where(beside > -_TOLERANCE, beside, below)
    return float(np.mean((gaps > -_TOLERANCE) & (abs(gaps - np.median(gaps)) < _TOLERANCE)))


def score_uniformity(values: NDArray[np.generic]) -> float:
    """Return the share of records that have the most frequent value (AF1, AF2)."""
    return float(np.unique(values, return_counts=True)[1].max() / len(values))

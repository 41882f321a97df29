"""How records look, on a page with layout: 002's features of position, layout and appearance.

Records are seen as boxes around their cells. Each feature of 002 §3.1 is a number between 0 and 1.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.page import Layout, tags
from tamis.records.cells import Cells, Numbers

Floats = NDArray[np.float64]

LEAST: Final = 0.1  # that records count by their looks, also where nothing of them is shown
NEAR: Final = 4.0  # pixels between two edges or gaps that are the same to the eye

_IMG: Final = tags.CODE["img"]


class Boxes(NamedTuple):
    """The edges of the records that are shown."""

    left: Floats
    top: Floats
    right: Floats
    bottom: Floats


def looks(layout: Layout, cells: Cells, cell: Numbers, record: Numbers) -> float:
    """Return how much records look like those of a page's main list: the mean of the features.

    It is the least where fewer than two records are shown.
    """
    rows = cells.first[cell]
    shown = layout.shown[rows] & (layout.width[rows] > 0) & (layout.height[rows] > 0)
    rows, record = rows[shown], record[shown]
    begins = np.flatnonzero(np.diff(record, prepend=-1))
    if len(begins) < 2:
        return LEAST
    boxes = Boxes(
        np.minimum.reduceat(layout.x[rows], begins),
        np.minimum.reduceat(layout.y[rows], begins),
        np.maximum.reduceat(layout.x[rows] + layout.width[rows], begins),
        np.maximum.reduceat(layout.y[rows] + layout.height[rows], begins),
    )
    pictures = np.add.reduceat((cells.page.tag[rows] == _IMG).astype(np.int64), begins)
    features = (
        centred(boxes, layout.size),
        large(boxes, layout.size),
        flush(boxes),
        even(boxes),
        usual(pictures),
        usual(layout.font_size[rows[begins]]),
    )
    return max(LEAST, float(np.mean(features)))


def centred(boxes: Boxes, size: tuple[float, float]) -> float:
    """Return how near the records are to the middle between the page's sides (PF1)."""
    middle = (boxes.left.min() + boxes.right.max()) / 2
    return float(max(0.0, 1 - abs(2 * middle / max(size[0], 1.0) - 1)))


def large(boxes: Boxes, size: tuple[float, float]) -> float:
    """Return how much of the page's height and width the records take (PF2)."""
    width = (boxes.right.max() - boxes.left.min()) / max(size[0], 1.0)
    height = (boxes.bottom.max() - boxes.top.min()) / max(size[1], 1.0)
    return float(np.sqrt(min(width, 1.0) * min(height, 1.0)))


def flush(boxes: Boxes) -> float:
    """Return the share of records that have their left edge with others (LF1)."""
    _, group, sizes = np.unique(
        np.round(boxes.left / NEAR), return_inverse=True, return_counts=True
    )
    return float(np.mean(sizes[group] > 1))


def even(boxes: Boxes) -> float:
    """Return the share of neighbours that adjoin without overlap, at the usual distance (LF2, 3).

    Neighbours stand one below the other, or side by side.
    """
    below, beside = boxes.top[1:] - boxes.bottom[:-1], boxes.left[1:] - boxes.right[:-1]
    gaps = np.where(beside > -NEAR, beside, below)
    return float(np.mean((gaps > -NEAR) & (abs(gaps - np.median(gaps)) < NEAR)))


def usual(values: NDArray[np.generic]) -> float:
    """Return the share of records that have the commonest of some values (AF1, AF2)."""
    return float(np.unique(values, return_counts=True)[1].max() / len(values))

"""Boxes of blocks: where each block is on a page with layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tamis.page.layout import Layout
from tamis.page.page import Ints

if TYPE_CHECKING:
    from tamis.blocks.blocks import Blocks

Boxes = NDArray[np.float64]


def block_boxes(blocks: Blocks, layout: Layout) -> Boxes:
    """Return x, y, width and height of each block: around those of its rows that are shown.

    An element that ends after the block is no part of it. A block that shows nothing has an empty
    box at 0, 0.
    """
    if not len(blocks):
        return np.zeros((0, 4))
    x, y, width, height = (
        column.astype(np.float64) for column in (layout.x, layout.y, layout.width, layout.height)
    )
    rows = np.flatnonzero(layout.shown & (width > 0) & (height > 0))
    holder = holders(blocks, rows)
    rows, holder = rows[holder >= 0], holder[holder >= 0]
    low = np.full((2, len(blocks)), np.inf)
    high = np.full((2, len(blocks)), -np.inf)
    for axis, (start, size) in enumerate(((x, width), (y, height))):
        np.minimum.at(low[axis], holder, start[rows])
        np.maximum.at(high[axis], holder, start[rows] + size[rows])
    inner = np.flatnonzero(blocks.parent >= 0)[::-1]  # what is inside comes after what is around
    for index, above in zip(inner.tolist(), blocks.parent[inner].tolist(), strict=True):
        low[:, above] = np.minimum(low[:, above], low[:, index])
        high[:, above] = np.maximum(high[:, above], high[:, index])
    boxes = np.concatenate((low, high - low)).T
    boxes[~np.isfinite(low[0])] = 0.0
    return boxes


def holders(blocks: Blocks, rows: NDArray[np.int64]) -> Ints:
    """Return for each of some rows the innermost block that holds all of it, or -1."""
    holder = innermost(len(blocks.page), blocks.first, blocks.stop, blocks.parent)[rows]
    ends = blocks.page.end[rows]
    while len(out := np.flatnonzero((holder >= 0) & (ends > blocks.stop[holder]))):
        holder[out] = blocks.parent[holder[out]]
    return holder


def innermost(rows: int, first: Ints, stop: Ints, parent: Ints) -> Ints:
    """Return for each row the innermost block around it, or -1."""
    # From its first row on a block is around the rows, from its stop on the block around it is. Of
    # several writes to one row the last one counts: outer stops, then inner starts.
    inner = np.full(rows + 1, -1, dtype=np.int32)
    written = np.zeros(rows + 1, dtype=np.int32)
    inner[stop[::-1]] = parent[::-1]
    inner[first] = np.arange(len(first))
    written[stop] = stop
    written[first] = first
    return inner[np.maximum.accumulate(written)][:-1]

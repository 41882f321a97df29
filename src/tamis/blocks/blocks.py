"""Blocks: the parts of a page that a segmenter made.

`Blocks` has one column per property and one value per block, as `Page` has per row. `Block` is a
view of a single block, for reading. Segmenters build blocks with `build_nested_blocks` or
`build_blocks`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tamis.page import (
    UNLIMITED,
    Bools,
    Box,
    Budget,
    Ints,
    Layout,
    Page,
    freeze,
    join_text,
    row_xpath,
    tags,
)

Boxes = NDArray[np.float64]
Range = tuple[int, int, int]  # element, first row, stop row

_IS_OBJECT = tags.tag_table(tags.OBJECTS + tags.FRAMES + tags.CONTROLS)


@runtime_checkable
class Segmenter(Protocol):
    """Makes blocks of a page. A frozen dataclass whose fields are the paper's parameters."""

    def segment(self, page: Page) -> Blocks:
        """Return the blocks of a page."""
        ...


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of a page in document order: a forest, parents before children.

    Block `i` is the rows `first[i]` to `stop[i]`, inside (or equal to) the element `node[i]`.
    `owner` gives for each row of the page the block that owns it, or -1: for a leaf, the innermost
    block around it. Each visible text row has an owner.
    """

    page: Page
    node: Ints
    first: Ints
    stop: Ints
    parent: Ints
    owner: Ints

    def __len__(self) -> int:
        return len(self.node)

    def __iter__(self) -> Iterator[Block]:
        return (Block(self, index) for index in range(len(self)))

    def __getitem__(self, index: int) -> Block:
        return Block(self, range(len(self))[index])

    def owned(self, values: NDArray[np.generic]) -> NDArray[np.float64]:
        """Return, for each block, the sum of a column over the rows that it owns."""
        sums = np.bincount(self.owner + 1, weights=values, minlength=len(self) + 1)
        return sums[1:].astype(np.float64, copy=False)

    def inside(self, values: NDArray[np.generic]) -> NDArray[np.float64]:
        """Return, for each block, the sum of a column over all its rows, child blocks included."""
        sums = np.zeros(len(self.page) + 1)
        np.cumsum(values, out=sums[1:])
        return sums[self.stop] - sums[self.first]

    def within(self, marked: Bools) -> Bools:
        """Return which blocks are marked or have a marked block around them."""
        inside = marked.tolist()
        for index, parent in enumerate(self.parent.tolist()):
            if parent >= 0 and inside[parent]:
                inside[index] = True
        return np.array(inside, dtype=np.bool_)

    @cached_property
    def text_rows(self) -> list[Ints]:
        """The visible text rows that each block owns."""
        rows = np.flatnonzero(self.page.visible).astype(np.int32)
        order = np.argsort(self.owner[rows], kind="stable")
        bounds = np.searchsorted(self.owner[rows][order], np.arange(len(self) + 1))
        return [rows[order[start:stop]] for start, stop in pairwise(bounds.tolist())]

    def text(self, index: int) -> str:
        """Return the text that a block owns."""
        return join_text(self.page, self.text_rows[index])

    def full_text(self, index: int) -> str:
        """Return the text of a block and of its child blocks."""
        rows = np.arange(self.first[index], self.stop[index], dtype=np.int32)
        return join_text(self.page, rows[self.page.visible[rows]])

    def span(self, index: int) -> tuple[int, int]:
        """Return the start and end offset of a block in the page's source."""
        page, node = self.page, self.node[index]
        first, stop = self.first[index], self.stop[index]
        if first == node and stop == page.end[node]:
            return int(page.start[node]), int(page.stop[node])
        complete = np.flatnonzero(page.end[first:stop] <= stop) + first
        if not len(complete):  # only start tags, as of a button whose text is another block
            return int(page.start[first]), int(page.head[stop - 1])
        return int(page.start[complete].min()), int(page.stop[complete].max())

    def box(self, index: int) -> Box | None:
        """Return the box of a block on a page with layout: x, y, width and height in pixels."""
        if self.page.layout is None:
            return None
        x, y, width, height = self.boxes[index].tolist()
        return x, y, width, height

    @cached_property
    def boxes(self) -> Boxes:
        """The boxes of all blocks, one row per block; zeros on a page without layout."""
        layout = self.page.layout
        return np.zeros((len(self), 4)) if layout is None else _block_boxes(self, layout)

    @cached_property
    def labels(self) -> list[str]:
        """The numbers of the blocks, as in Figure 3 of the tag-window paper: B-1, B-1-1, …"""
        labels: list[str] = []
        children = [0] * (len(self) + 1)
        for parent in self.parent.tolist():
            children[parent] += 1
            labels.append(f"{labels[parent] if parent >= 0 else 'B'}-{children[parent]}")
        return labels


class BlockVerdict(Protocol):
    """The part of a verdict that `Block` shows; the verdict itself is of a room above."""

    @property
    def score(self) -> NDArray[np.float64]:
        """The score of each block."""
        ...

    @property
    def informative(self) -> Bools:
        """Whether each block is informative."""
        ...

    def reason(self, index: int) -> str:
        """Return the reason for the decision on a block."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A block with its text, its position in the page and, if there is one, its verdict."""

    blocks: Blocks
    index: int
    verdict: BlockVerdict | None = None
    budget: Budget = UNLIMITED  # that of the document

    def __repr__(self) -> str:
        return f"<Block {self.index} {self.xpath} {self.text[:40]!r}>"

    @property
    def text(self) -> str:
        """The text that the block owns, without that of its child blocks."""
        with self.budget.spending("reading a block"):
            return self.blocks.text(self.index)

    @property
    def full_text(self) -> str:
        """The text of the block and of its child blocks."""
        with self.budget.spending("reading a block"):
            return self.blocks.full_text(self.index)

    @property
    def html(self) -> str:
        """The block's part of the normalised source."""
        with self.budget.spending("reading a block"):
            start, stop = self.span
            return self.blocks.page.source[start:stop].decode("utf-8", "replace")

    @property
    def tag(self) -> str:
        """The name of the block's element, or of the element around the block."""
        return self.blocks.page.name(int(self.blocks.node[self.index]))

    @property
    def xpath(self) -> str:
        """The XPath of that element."""
        with self.budget.spending("writing an XPath"):
            return row_xpath(self.blocks.page, int(self.blocks.node[self.index]))

    @property
    def span(self) -> tuple[int, int]:
        """The block's start and end offset in `page.source`, in bytes."""
        return self.blocks.span(self.index)

    @property
    def box(self) -> Box | None:
        """The block's box on a page with layout: x, y, width and height."""
        return self.blocks.box(self.index)

    @property
    def label(self) -> str:
        """The block's number in its forest: B-1, B-1-1, …"""
        return self.blocks.labels[self.index]

    @property
    def parent(self) -> Block | None:
        """The block around this one."""
        parent = int(self.blocks.parent[self.index])
        return Block(self.blocks, parent, self.verdict, self.budget) if parent >= 0 else None

    @property
    def score(self) -> float | None:
        """The score that the identifier gave."""
        return float(self.verdict.score[self.index]) if self.verdict else None

    @property
    def informative(self) -> bool | None:
        """Whether the identifier takes the block for content."""
        return bool(self.verdict.informative[self.index]) if self.verdict else None

    @property
    def reason(self) -> str | None:
        """The reason for that decision."""
        return self.verdict.reason(self.index) if self.verdict else None

    def as_dict(self) -> dict[str, Any]:
        """Return the block as plain data."""
        with self.budget.spending("describing a block"):
            return self._as_dict()

    def _as_dict(self) -> dict[str, Any]:
        box, parent = self.box, int(self.blocks.parent[self.index])
        return {
            "index": self.index,
            "label": self.label,
            "parent": parent if parent >= 0 else None,
            "tag": self.tag,
            "xpath": row_xpath(self.blocks.page, int(self.blocks.node[self.index])),
            "span": list(self.span),
            **({"box": [round(side, 2) for side in box]} if box else {}),
            "informative": self.informative,
            "score": None if self.score is None else round(self.score, 6),
            "reason": self.reason,
            "text": self.blocks.text(self.index),
        }


def leaf_rows(page: Page) -> Bools:
    """Return which rows are leaves: visible text, and elements that show something themselves."""
    parent_flags = page.flags[page.parent]  # the root gets those of any row, and shows nothing
    is_object: Bools = _IS_OBJECT[page.tag] & ((parent_flags & tags.INVISIBLE) == 0)
    return page.visible | is_object


def covered_rows(count: int, ranges: list[Range]) -> Bools:
    """Return which of `count` rows lie in at least one of the ranges."""
    edges = np.array(ranges, dtype=np.int64).reshape(-1, 3)[:, 1:]
    opened, closed = (np.bincount(column, minlength=count + 1) for column in edges.T)
    return np.cumsum(opened - closed)[:-1] > 0


def build_nested_blocks(page: Page, node: Ints, first: Ints, stop: Ints) -> Blocks:
    """Return blocks for row ranges, which are given in document order, outer ones first."""
    stops = stop.tolist()
    parents: list[int] = []
    open_blocks: list[int] = []  # outermost first
    for index, begin in enumerate(first.tolist()):
        while open_blocks and stops[open_blocks[-1]] <= begin:
            open_blocks.pop()
        parents.append(open_blocks[-1] if open_blocks else -1)
        open_blocks.append(index)
    parent = np.array(parents, dtype=np.int32)
    owner = _innermost_blocks(len(page), first, stop, parent)
    return build_blocks(page, node, first, stop, parent, owner)


def build_blocks(
    page: Page, node: Ints, first: Ints, stop: Ints, parent: Ints, owner: Ints
) -> Blocks:
    """Return blocks whose columns have 32 bits and are read-only."""
    columns = (node, first, stop, parent, owner)
    return Blocks(page, *(freeze(np.asarray(column, dtype=np.int32)) for column in columns))


def _innermost_blocks(row_count: int, first: Ints, stop: Ints, parent: Ints) -> Ints:
    """Return for each row the innermost block around it, or -1."""
    # From its first row on, a block is the innermost one; from its stop on, its parent is. If
    # several blocks write to one row the last write counts: outer stops, then inner starts.
    inner = np.full(row_count + 1, -1, dtype=np.int32)
    written = np.zeros(row_count + 1, dtype=np.int32)
    inner[stop[::-1]] = parent[::-1]
    inner[first] = np.arange(len(first))
    written[stop] = stop
    written[first] = first
    return inner[np.maximum.accumulate(written)][:-1]


def _block_boxes(blocks: Blocks, layout: Layout) -> Boxes:
    """Return x, y, width and height of each block: the box around those of its rows that are shown.

    An element that ends after the block is not part of it. A block that shows nothing has an empty
    box at 0, 0.
    """
    if not len(blocks):
        return np.zeros((0, 4))
    x, y, width, height = (
        column.astype(np.float64) for column in (layout.x, layout.y, layout.width, layout.height)
    )
    rows = np.flatnonzero(layout.shown & (width > 0) & (height > 0))
    holder = _holding_blocks(blocks, rows)
    rows, holder = rows[holder >= 0], holder[holder >= 0]
    low = np.full((2, len(blocks)), np.inf)
    high = np.full((2, len(blocks)), -np.inf)
    for axis, (start, size) in enumerate(((x, width), (y, height))):
        np.minimum.at(low[axis], holder, start[rows])
        np.maximum.at(high[axis], holder, start[rows] + size[rows])
    inner = np.flatnonzero(blocks.parent >= 0)[::-1]  # children come after their parents
    for index, parent in zip(inner.tolist(), blocks.parent[inner].tolist(), strict=True):
        low[:, parent] = np.minimum(low[:, parent], low[:, index])
        high[:, parent] = np.maximum(high[:, parent], high[:, index])
    boxes = np.concatenate((low, high - low)).T
    boxes[~np.isfinite(low[0])] = 0.0
    return boxes


def _holding_blocks(blocks: Blocks, rows: NDArray[np.int64]) -> Ints:
    """Return for each row the innermost block that contains its whole subtree, or -1."""
    holder = _innermost_blocks(len(blocks.page), blocks.first, blocks.stop, blocks.parent)[rows]
    ends = blocks.page.end[rows]
    while len(outside := np.flatnonzero((holder >= 0) & (ends > blocks.stop[holder]))):
        holder[outside] = blocks.parent[holder[outside]]
    return holder

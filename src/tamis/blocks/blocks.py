"""Blocks: a page cut into pieces, as columns.

Boxes of blocks: where each block is on a page with layout.

Block: one block of a page, for people.
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

_IS_OBJECT = tags.tag_table(tags.OBJECTS + tags.FRAMES + tags.CONTROLS)


@runtime_checkable
class Segmenter(Protocol):
    """Cuts a page into blocks. A frozen dataclass whose fields are the paper's parameters."""

    def segment(self, page: Page) -> Blocks:
        """Return the blocks of a page."""
        ...


@dataclass(frozen=True, eq=False)
class Blocks:
    """The blocks of a page in document order: a forest, parents before children.

    Block `i` is the rows `first[i]` to `stop[i]`, inside (or equal to) the element `node[i]`.
    `owner` gives for each row of the page the block that owns it, or -1: for leaves the innermost
    block around them. Each visible text row has an owner (the partition law of ALGORITHMS.md).
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
        """Return which blocks are marked or lie, as blocks, in one that is."""
        inside = marked.tolist()
        for index, above in enumerate(self.parent.tolist()):
            if above >= 0 and inside[above]:
                inside[index] = True
        return np.array(inside, dtype=np.bool_)

    @cached_property
    def text_rows(self) -> list[Ints]:
        """The visible text rows that each block owns."""
        rows = np.flatnonzero(self.page.visible).astype(np.int32)
        order = np.argsort(self.owner[rows], kind="stable")
        bounds = np.searchsorted(self.owner[rows][order], np.arange(len(self) + 1))
        return [rows[order[a:b]] for a, b in pairwise(bounds.tolist())]

    def text(self, index: int) -> str:
        """Return the text that a block owns."""
        return join_text(self.page, self.text_rows[index])

    def full_text(self, index: int) -> str:
        """Return the text of a block with that of its child blocks."""
        rows = np.arange(self.first[index], self.stop[index], dtype=np.int32)
        return join_text(self.page, rows[self.page.visible[rows]])

    def span(self, index: int) -> tuple[int, int]:
        """Return the place of a block in the page's normalised source."""
        page, node = self.page, self.node[index]
        first, stop = self.first[index], self.stop[index]
        if first == node and stop == page.end[node]:
            return int(page.start[node]), int(page.stop[node])
        whole = np.flatnonzero(page.end[first:stop] <= stop) + first
        if not len(whole):  # nothing but start tags, as of a button whose text is another block
            return int(page.start[first]), int(page.head[stop - 1])
        return int(page.start[whole].min()), int(page.stop[whole].max())

    def box(self, index: int) -> Box | None:
        """Return the box of a block on a page with layout: x, y, width and height in pixels."""
        if self.page.layout is None:
            return None
        x, y, width, height = self.boxes[index].tolist()
        return x, y, width, height

    @cached_property
    def boxes(self) -> Boxes:
        """The boxes of all blocks, a row each; of a page without layout they are empty."""
        layout = self.page.layout
        return np.zeros((len(self), 4)) if layout is None else block_boxes(self, layout)

    @cached_property
    def labels(self) -> list[str]:
        """The numbers of the blocks in their forest, as in 002's Figure 3: B-1, B-1-1, …"""
        labels: list[str] = []
        children = [0] * (len(self) + 1)
        for above in self.parent.tolist():
            children[above] += 1
            labels.append(f"{labels[above] if above >= 0 else 'B'}-{children[above]}")
        return labels


def leaf_rows(page: Page) -> Bools:
    """Return which rows are leaves: visible text, and elements that show something themselves."""
    above = page.flags[page.parent]  # of the root, which shows nothing itself, any row's
    shown: Bools = _IS_OBJECT[page.tag] & ((above & tags.INVISIBLE) == 0)
    return page.visible | shown


def build_nested_blocks(page: Page, node: Ints, first: Ints, stop: Ints) -> Blocks:
    """Make blocks of row ranges, given in document order with outer ones before inner ones."""
    stops = stop.tolist()
    parents: list[int] = []
    around: list[int] = []  # the blocks that are open, outermost first
    for index, begin in enumerate(first.tolist()):
        while around and stops[around[-1]] <= begin:
            around.pop()
        parents.append(around[-1] if around else -1)
        around.append(index)
    parent = np.array(parents, dtype=np.int32)
    owner = innermost(len(page), first, stop, parent)
    return build_blocks(page, node, first, stop, parent, owner)


def build_blocks(
    page: Page, node: Ints, first: Ints, stop: Ints, parent: Ints, owner: Ints
) -> Blocks:
    """Return blocks whose columns are 32 bits wide and not writeable."""
    columns = (freeze(np.asarray(c, dtype=np.int32)) for c in (node, first, stop, parent, owner))
    return Blocks(page, *columns)


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


class BlockVerdict(Protocol):
    """What a verdict says about blocks, seen from below."""

    @property
    def score(self) -> NDArray[np.float64]:
        """Score of each block."""
        ...

    @property
    def informative(self) -> Bools:
        """Whether each block is informative."""
        ...

    def reason(self, index: int) -> str:
        """Return why a block got its verdict."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A block with its text, its place in the page and, if there is one, the verdict on it."""

    blocks: Blocks
    index: int
    opinion: BlockVerdict | None = None
    budget: Budget = UNLIMITED  # of the document that it is of

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
        """The name of the element that the block is, or lies in."""
        return self.blocks.page.name(int(self.blocks.node[self.index]))

    @property
    def xpath(self) -> str:
        """The place of that element in the page."""
        with self.budget.spending("writing an XPath"):
            return row_xpath(self.blocks.page, int(self.blocks.node[self.index]))

    @property
    def span(self) -> tuple[int, int]:
        """The block's place in `page.source`, in bytes."""
        return self.blocks.span(self.index)

    @property
    def box(self) -> Box | None:
        """The block's place on the screen, on a page with layout: x, y, width and height."""
        return self.blocks.box(self.index)

    @property
    def label(self) -> str:
        """The block's number in its forest: B-1, B-1-1, …"""
        return self.blocks.labels[self.index]

    @property
    def parent(self) -> Block | None:
        """The block around this one."""
        above = int(self.blocks.parent[self.index])
        return Block(self.blocks, above, self.opinion, self.budget) if above >= 0 else None

    @property
    def score(self) -> float | None:
        """The score that the identifier gave."""
        return float(self.opinion.score[self.index]) if self.opinion else None

    @property
    def informative(self) -> bool | None:
        """Whether the identifier takes the block for content."""
        return bool(self.opinion.informative[self.index]) if self.opinion else None

    @property
    def reason(self) -> str | None:
        """Why."""
        return self.opinion.reason(self.index) if self.opinion else None

    def as_dict(self) -> dict[str, Any]:
        """Return all that is known of the block as plain data."""
        with self.budget.spending("describing a block"):
            return self._as_dict()

    def _as_dict(self) -> dict[str, Any]:
        box, above = self.box, int(self.blocks.parent[self.index])
        return {
            "index": self.index,
            "label": self.label,
            "parent": above if above >= 0 else None,
            "tag": self.tag,
            "xpath": row_xpath(self.blocks.page, int(self.blocks.node[self.index])),
            "span": list(self.span),
            **({"box": [round(side, 2) for side in box]} if box else {}),
            "informative": self.informative,
            "score": None if self.score is None else round(self.score, 6),
            "reason": self.reason,
            "text": self.blocks.text(self.index),
        }

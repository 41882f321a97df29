"""Blocks: a page cut into pieces, as columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.block import Block
from tamis.blocks.boxes import Boxes, block_boxes, innermost
from tamis.page import Page, tags
from tamis.page.layout import Box
from tamis.page.page import Bools, Ints, frozen
from tamis.page.reading import text_of

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
        return text_of(self.page, self.text_rows[index])

    def full_text(self, index: int) -> str:
        """Return the text of a block with that of its child blocks."""
        rows = np.arange(self.first[index], self.stop[index], dtype=np.int32)
        return text_of(self.page, rows[self.page.visible[rows]])

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


def leaves(page: Page) -> Bools:
    """Return which rows are leaves: visible text, and elements that show something themselves."""
    above = page.flags[page.parent]  # of the root, which shows nothing itself, any row's
    shown: Bools = _IS_OBJECT[page.tag] & ((above & tags.INVISIBLE) == 0)
    return page.visible | shown


def nested_blocks(page: Page, node: Ints, first: Ints, stop: Ints) -> Blocks:
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
    return made_blocks(page, node, first, stop, parent, owner)


def made_blocks(
    page: Page, node: Ints, first: Ints, stop: Ints, parent: Ints, owner: Ints
) -> Blocks:
    """Return blocks whose columns are 32 bits wide and not writeable."""
    columns = (frozen(np.asarray(c, dtype=np.int32)) for c in (node, first, stop, parent, owner))
    return Blocks(page, *columns)

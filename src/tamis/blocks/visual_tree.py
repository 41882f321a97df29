"""Sight: the page as it is seen. What a row is to a reader, which children count, what differs.

The general parameters of blocks: what a reader sees of them (003 §5.3).

Ranges of rows that were seen as blocks → blocks that own the whole page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.blocks import Blocks, build_nested_blocks, leaf_rows
from tamis.errors import NeedsLayout
from tamis.page import DISPLAYS, Bools, Box, Layout, Page, tags

WHITE: Final = 0xFFFFFFFF
ALPHA: Final = 0xFF
INLINE: Final = np.array([name.startswith(("inline", "ruby", "math")) for name in DISPLAYS])


@dataclass(frozen=True, eq=False)
class VisualTree:
    """The node classes of 003 §5.3 for each row of a page with layout.

    A leaf is a text or an object (picture, control, frame) that takes room. Valid is what holds a
    leaf or takes room itself without holding anything: an empty element, such as `hr`. All else is
    invalid. Inline is what causes no new line; virtual text is inline with nothing but text in it.
    """

    page: Page
    layout: Layout
    leaf: Bools
    empty: Bools
    inline: Bools

    @cached_property
    def leaves_before(self) -> NDArray[np.int64]:
        """The number of leaves before each row, and in all."""
        return np.concatenate(([0], np.cumsum(self.leaf)))

    def count(self, first: int, stop: int) -> int:
        """Return the number of leaves in a range of rows."""
        return int(self.leaves_before[stop] - self.leaves_before[first])

    @cached_property
    def rules_before(self) -> NDArray[np.int64]:
        """The number of horizontal rules (`hr`) before each row, and in all."""
        return np.concatenate(([0], np.cumsum(self.page.tag == tags.CODE["hr"])))

    @cached_property
    def letters_before(self) -> NDArray[np.int64]:
        """The number of letters that are seen before each row, and in all."""
        return np.concatenate(([0], np.cumsum(self.page.chars * self.leaf)))

    def letters(self, first: int, stop: int) -> int:
        """Return the number of letters that are seen in a range of rows."""
        return int(self.letters_before[stop] - self.letters_before[first])

    @cached_property
    def valid(self) -> Bools:
        """Rows that hold a leaf, and empty elements that take room."""
        return (self.page.below(self.leaf) > 0) | self.empty

    @cached_property
    def virtual(self) -> Bools:
        """Rows that are text, or inline elements with nothing but text in them."""
        text = self.page.tag == tags.TEXT
        other = self.valid & ~text & (~self.inline | self.leaf)
        alone: Bools = text | (self.inline & (self.page.below(other) == 0))
        return self.valid & alone

    @cached_property
    def children(self) -> list[list[int]]:
        """The valid children of each row; a leaf has none."""
        found: list[list[int]] = [[] for _ in range(len(self.page))]
        leaf = self.leaf.tolist()
        parents = self.page.parent.tolist()
        for row in np.flatnonzero(self.valid).tolist():
            above = parents[row]
            if above >= 0 and not leaf[above]:
                found[above].append(row)
        return found

    @cached_property
    def holders(self) -> list[list[int]]:
        """The valid children of each row that hold a leaf: all but the empty ones."""
        empty = self.empty.tolist()
        return [[kid for kid in kids if not empty[kid]] for kids in self.children]

    @cached_property
    def before(self) -> list[int]:
        """The sibling that holds a leaf before each row that does, or -1."""
        found = [-1] * len(self.page)
        for kids in self.holders:
            for one, two in pairwise(kids):
                found[two] = one
        return found

    @cached_property
    def ground(self) -> NDArray[np.uint32]:
        """The colour behind each row: its own background, or that of what it lies on."""
        own = self.layout.background
        ground = np.where(own & ALPHA, own, 0).astype(np.uint32)
        # Rows come after their parents, so each round reaches one row further at least; a round
        # that doubles the steps upwards needs only as many rounds as the depth has digits.
        above = np.where(ground > 0, np.arange(len(own)), np.maximum(self.page.parent, 0))
        while True:
            further = above[above]
            if np.array_equal(further, above):
                break
            above = further
        found = ground[above]
        return np.where(found > 0, found, WHITE).astype(np.uint32)

    @cached_property
    def boxes(self) -> NDArray[np.float64]:
        """The box around the leaves and empty elements below each row: left, top, right, bottom."""
        layout, page = self.layout, self.page
        own = np.stack((layout.x, layout.y, layout.x + layout.width, layout.y + layout.height))
        own = own.astype(np.float64)
        counted = layout.shown & (layout.width > 0) & (layout.height > 0)
        own[:2, ~counted], own[2:, ~counted] = np.inf, -np.inf
        columns = [column.tolist() for column in own]
        parents = page.parent.tolist()
        left, top, right, bottom = columns
        for row in range(len(page) - 1, 0, -1):
            above = parents[row]
            if left[row] < left[above]:
                left[above] = left[row]
            if top[row] < top[above]:
                top[above] = top[row]
            if right[row] > right[above]:
                right[above] = right[row]
            if bottom[row] > bottom[above]:
                bottom[above] = bottom[row]
        found = np.array(columns)
        found[:, ~np.isfinite(found).all(axis=0)] = 0
        return found

    def box(self, rows: Sequence[int]) -> Box:
        """Return the box around rows and all below them."""
        boxes = self._boxes
        found = [box for row in rows if (box := boxes[row])[2] > box[0] and box[3] > box[1]]
        if not found:
            return (0.0, 0.0, 0.0, 0.0)
        left, top = min(box[0] for box in found), min(box[1] for box in found)
        right, bottom = max(box[2] for box in found), max(box[3] for box in found)
        return (left, top, right - left, bottom - top)

    @cached_property
    def _boxes(self) -> list[list[float]]:
        boxes: list[list[float]] = self.boxes.T.tolist()
        return boxes

    def distance(self, row: int, other: int, tolerance: float) -> int:
        """Return the visual distance of two rows: in how many of seven properties they differ.

        Width, height and font size differ when one exceeds the other by more than a share.
        """
        sizes = self._sizes
        far = sum(
            abs(one - two) > tolerance * max(one, two, 1.0)
            for one, two in zip(sizes[row], sizes[other], strict=True)
        )
        return far + sum(
            a != b for a, b in zip(self._styles[row], self._styles[other], strict=True)
        )

    @cached_property
    def _sizes(self) -> list[list[float]]:
        box = self.boxes
        stacked = np.stack((box[2] - box[0], box[3] - box[1], self.layout.font_size), axis=1)
        sizes: list[list[float]] = stacked.tolist()
        return sizes

    @cached_property
    def _styles(self) -> list[list[int]]:
        layout = self.layout
        columns = (layout.colour, self.ground, layout.floated, layout.cleared)
        stacked = np.stack([column.astype(np.int64) for column in columns], axis=1)
        styles: list[list[int]] = stacked.tolist()
        return styles


def build_visual_tree(page: Page, wanted_by: str, *, all_rows: bool = False) -> VisualTree:
    """Return the sight of a page; NeedsLayout if it has no layout.

    With `all_rows` what a reader does not see is not removed (003's rule 1 does not hold).
    """
    layout = page.layout
    if layout is None:
        raise NeedsLayout(
            f"{wanted_by} looks at pages, and this one has no layout: "
            "render it with tamis.render.render(html)"
        )
    room = layout.shown & (layout.width > 0) & (layout.height > 0)
    leaf = leaf_rows(page) & (room | all_rows)
    inline = INLINE[layout.display]
    holds_none = page.below(leaf) == 0
    empty = room & holds_none & ~inline & (page.tag != tags.TEXT)
    return VisualTree(page, layout, leaf, empty, inline)


_INTERACTIVE = tags.tag_table(tags.CONTROLS)
_IMAGES = tags.tag_table(("img", "picture", "svg", "canvas", "video"))

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BlockParameters:
    """Per block, with all that it holds: counts of what is seen, and its place on the page."""

    terms: Numbers
    plain: Numbers  # letters outside links
    linked: Numbers  # letters in links
    marks: Numbers  # of punctuation
    links: Numbers
    images: Numbers
    interactive: Numbers
    area: Numbers  # share of the page
    offset: Numbers  # of its centre from the page's centre line, in widths of the page
    first_screen: Numbers  # share of its area that is seen without scrolling

    @property
    def link_density(self) -> Numbers:
        """The share of letters that are in links; 1 of a block without letters."""
        total = self.plain + self.linked
        return np.where(total > 0, self.linked / np.maximum(total, 1), 1.0)


def measure_parameters(blocks: Blocks, wanted_by: str) -> BlockParameters:
    """Return the general parameters of blocks of a page with layout; only what is seen counts."""
    page = blocks.page
    seen = build_visual_tree(page, wanted_by)
    chars, link = page.chars * seen.leaf, page.in_link
    width, height = (max(side, 1.0) for side in seen.layout.size)
    x, y, wide, high = blocks.boxes.T
    above_fold = np.clip(np.minimum(y + high, seen.layout.screen[1]) - np.maximum(y, 0), 0, None)
    return BlockParameters(
        blocks.inside(page.terms * seen.leaf),
        blocks.inside(chars * ~link),
        blocks.inside(chars * link),
        blocks.inside(page.marks * seen.leaf),
        blocks.inside((page.tag == tags.CODE["a"]) & seen.valid),
        blocks.inside(_IMAGES[page.tag] & seen.leaf),
        blocks.inside(_INTERACTIVE[page.tag] & seen.leaf),
        wide * high / (width * height),
        np.abs(x + wide / 2 - width / 2) / width,
        above_fold / np.maximum(high, 1.0),
    )


Range = tuple[int, int, int]  # node, first row, stop row


def build_visual_blocks(page: Page, found: Iterable[Range], *, nested: bool) -> Blocks:
    """Return ranges as blocks; what lies in none of them is in a block of the whole page.

    With `nested=False` only innermost ranges stay, and what lies in none of them is in blocks of
    its own: the largest pieces that hold none of them.
    """
    shown = leaf_rows(page)
    ranges = sorted(set(found), key=lambda r: (r[1], -r[2], r[0]))
    if not nested:
        ranges = innermost(ranges)
        ranges = sorted(
            [*ranges, *pieces_between(page, shown, ranges)], key=lambda r: (r[1], -r[2])
        )
    elif (shown & ~covered(len(page), ranges)).any():
        root = whole(page, shown)
        ranges = [(root, root, int(page.end[root])), *(r for r in ranges if r[0] != root)]
        ranges.sort(key=lambda r: (r[1], -r[2], r[0]))
    columns = np.array(ranges, dtype=np.int32).reshape(-1, 3).T
    return build_nested_blocks(page, *columns)


def covered(size: int, ranges: list[Range]) -> Bools:
    """Return which of so many rows lie in at least one of the ranges."""
    edges = np.array(ranges, dtype=np.int64).reshape(-1, 3)[:, 1:]
    opened, closed = (np.bincount(column, minlength=size + 1) for column in edges.T)
    return np.cumsum(opened - closed)[:-1] > 0


def innermost(ranges: list[Range]) -> list[Range]:
    """Return the ranges that hold no other; they are given in document order, outer ones first."""
    inner = [here for here, after in pairwise(ranges) if after[1] >= here[2]]
    return [*inner, *ranges[-1:]]


def whole(page: Page, shown: Bools) -> int:
    """Return the innermost row that holds all leaves."""
    count = page.below(shown)
    return int(np.flatnonzero(count == count[0])[-1]) if count[0] else 0


def pieces_between(page: Page, shown: Bools, ranges: list[Range]) -> list[Range]:
    """Return the largest runs of siblings that hold leaves and no part of any range."""
    taken = covered(len(page), ranges)
    free = page.below(taken) == 0
    around = np.append(free, False)[page.parent]  # the root has no parent: place -1
    rows = np.flatnonzero(free & ~around & (page.below(shown) > 0))
    before = np.concatenate(([0], np.cumsum(taken)))
    found: list[Range] = []
    for row in rows.tolist():
        parent, stop = int(page.parent[row]), int(page.end[row])
        if found and found[-1][0] == parent and before[row] == before[found[-1][2]]:
            found[-1] = (parent, found[-1][1], stop)
        else:
            found.append((parent, row, stop))
    return [
        (first, first, stop) if page.end[first] == stop else (node, first, stop)
        for node, first, stop in found
    ]

"""The visual tree: a page with layout as a reader sees it (Win & Thwin §5.3).

`VisualTree` says which rows are seen, which children of a row count and how rows differ to the
eye. `measure_parameters` gives the paper's parameters of blocks, and `build_visual_blocks` makes
blocks of the ranges that a segmenter found in the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.blocks import Blocks, Range, build_nested_blocks, covered_rows, leaf_rows
from tamis.errors import NeedsLayout
from tamis.page import DISPLAYS, Bools, Box, Layout, Page, tags

WHITE: Final = 0xFFFFFFFF
_ALPHA: Final = 0xFF
_IS_INLINE: Final = np.array([name.startswith(("inline", "ruby", "math")) for name in DISPLAYS])
_IS_CONTROL: Final = tags.tag_table(tags.CONTROLS)
_IS_IMAGE: Final = tags.tag_table(("img", "picture", "svg", "canvas", "video"))

_Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class VisualTree:
    """The node classes of Win & Thwin §5.3 for each row of a page with layout.

    A leaf is a text or an object (image, control, frame) with an area. A row is valid if it
    contains a leaf, or if it has an area and contains nothing: an empty element, such as `hr`. An
    inline element causes no new line; virtual text is text, or an inline element that contains
    only text.
    """

    page: Page
    layout: Layout
    leaf: Bools
    empty: Bools
    inline: Bools

    def count_leaves(self, first: int, stop: int) -> int:
        """Return the number of leaves in a range of rows."""
        return int(self._leaves_before[stop] - self._leaves_before[first])

    def count_chars(self, first: int, stop: int) -> int:
        """Return the number of characters in the leaves of a range of rows."""
        return int(self._chars_before[stop] - self._chars_before[first])

    @cached_property
    def rules_before(self) -> NDArray[np.int64]:
        """The number of horizontal rules (`hr`) before each row, and in all."""
        return np.concatenate(([0], np.cumsum(self.page.tag == tags.CODE["hr"])))

    @cached_property
    def _leaves_before(self) -> NDArray[np.int64]:
        """The number of leaves before each row, and in all."""
        return np.concatenate(([0], np.cumsum(self.leaf)))

    @cached_property
    def _chars_before(self) -> NDArray[np.int64]:
        """The number of characters in leaves before each row, and in all."""
        return np.concatenate(([0], np.cumsum(self.page.chars * self.leaf)))

    @cached_property
    def valid(self) -> Bools:
        """Rows that contain a leaf, and empty elements with an area."""
        return (self.page.below(self.leaf) > 0) | self.empty

    @cached_property
    def virtual(self) -> Bools:
        """Rows that are text, or inline elements that contain only text."""
        text = self.page.tag == tags.TEXT
        other = self.valid & ~text & (~self.inline | self.leaf)
        only_text: Bools = text | (self.inline & (self.page.below(other) == 0))
        return self.valid & only_text

    @cached_property
    def children(self) -> list[list[int]]:
        """The valid children of each row; a leaf has none."""
        children: list[list[int]] = [[] for _ in range(len(self.page))]
        leaf = self.leaf.tolist()
        parents = self.page.parent.tolist()
        for row in np.flatnonzero(self.valid).tolist():
            parent = parents[row]
            if parent >= 0 and not leaf[parent]:
                children[parent].append(row)
        return children

    @cached_property
    def content_children(self) -> list[list[int]]:
        """The valid children of each row that contain a leaf: all but the empty ones."""
        empty = self.empty.tolist()
        return [[child for child in children if not empty[child]] for children in self.children]

    @cached_property
    def previous_sibling(self) -> list[int]:
        """For each content child, the content child before it in the same parent, or -1."""
        previous = [-1] * len(self.page)
        for children in self.content_children:
            for row, following in pairwise(children):
                previous[following] = row
        return previous

    @cached_property
    def background(self) -> NDArray[np.uint32]:
        """The colour behind each row: its own background, or that of the nearest row around it."""
        declared = self.layout.background
        background = np.where(declared & _ALPHA, declared, 0).astype(np.uint32)
        # Each round doubles the steps upwards, so that it takes only as many rounds as the depth
        # has binary digits.
        source = np.where(background > 0, np.arange(len(declared)), np.maximum(self.page.parent, 0))
        while True:
            further = source[source]
            if np.array_equal(further, source):
                break
            source = further
        colours = background[source]
        return np.where(colours > 0, colours, WHITE).astype(np.uint32)

    @cached_property
    def boxes(self) -> NDArray[np.float64]:
        """The box around all that is shown in each row: left, top, right and bottom columns."""
        layout, page = self.layout, self.page
        edges = np.stack((layout.x, layout.y, layout.x + layout.width, layout.y + layout.height))
        edges = edges.astype(np.float64)
        has_area = layout.shown & (layout.width > 0) & (layout.height > 0)
        edges[:2, ~has_area], edges[2:, ~has_area] = np.inf, -np.inf
        columns = [column.tolist() for column in edges]
        parents = page.parent.tolist()
        left, top, right, bottom = columns
        for row in range(len(page) - 1, 0, -1):
            parent = parents[row]
            if left[row] < left[parent]:
                left[parent] = left[row]
            if top[row] < top[parent]:
                top[parent] = top[row]
            if right[row] > right[parent]:
                right[parent] = right[row]
            if bottom[row] > bottom[parent]:
                bottom[parent] = bottom[row]
        boxes = np.array(columns)
        boxes[:, ~np.isfinite(boxes).all(axis=0)] = 0
        return boxes

    def box(self, rows: Sequence[int]) -> Box:
        """Return the box around rows and all below them."""
        row_boxes = self._row_boxes
        boxes = [box for row in rows if (box := row_boxes[row])[2] > box[0] and box[3] > box[1]]
        if not boxes:
            return (0.0, 0.0, 0.0, 0.0)
        left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
        right, bottom = max(box[2] for box in boxes), max(box[3] for box in boxes)
        return (left, top, right - left, bottom - top)

    @cached_property
    def _row_boxes(self) -> list[list[float]]:
        """The boxes as Python lists, one per row."""
        boxes: list[list[float]] = self.boxes.T.tolist()
        return boxes

    def distance(self, row: int, other: int, tolerance: float) -> int:
        """Return the visual distance of two rows: in how many of seven properties they differ.

        Width, height and font size differ if the difference exceeds the share `tolerance`.
        """
        different_sizes = sum(
            abs(a - b) > tolerance * max(a, b, 1.0)
            for a, b in zip(self._sizes[row], self._sizes[other], strict=True)
        )
        return different_sizes + sum(
            a != b for a, b in zip(self._styles[row], self._styles[other], strict=True)
        )

    @cached_property
    def _sizes(self) -> list[list[float]]:
        """Width, height and font size of each row."""
        box = self.boxes
        stacked = np.stack((box[2] - box[0], box[3] - box[1], self.layout.font_size), axis=1)
        sizes: list[list[float]] = stacked.tolist()
        return sizes

    @cached_property
    def _styles(self) -> list[list[int]]:
        """Colour, background, float and clear of each row."""
        layout = self.layout
        columns = (layout.colour, self.background, layout.floated, layout.cleared)
        stacked = np.stack([column.astype(np.int64) for column in columns], axis=1)
        styles: list[list[int]] = stacked.tolist()
        return styles


def build_visual_tree(page: Page, method: str, *, all_rows: bool = False) -> VisualTree:
    """Return the visual tree of a page; raise NeedsLayout, naming the method, if it has no layout.

    With `all_rows` leaves without an area are kept (Win & Thwin's rule 1 does not hold).
    """
    layout = page.layout
    if layout is None:
        raise NeedsLayout(
            f"{method} looks at pages, and this one has no layout: "
            "render it with tamis.render.render(html)"
        )
    has_area = layout.shown & (layout.width > 0) & (layout.height > 0)
    leaf = leaf_rows(page) & (has_area | all_rows)
    inline = _IS_INLINE[layout.display]
    has_no_leaf = page.below(leaf) == 0
    empty = has_area & has_no_leaf & ~inline & (page.tag != tags.TEXT)
    return VisualTree(page, layout, leaf, empty, inline)


@dataclass(frozen=True, eq=False)
class BlockParameters:
    """The paper's parameters of blocks: counts of what is seen in each, and its position."""

    terms: _Numbers
    plain_chars: _Numbers  # characters outside links
    link_chars: _Numbers  # characters in links
    punctuation: _Numbers
    links: _Numbers
    images: _Numbers
    controls: _Numbers
    area: _Numbers  # share of the page
    offset: _Numbers  # of its centre from the page's centre line, in widths of the page
    first_screen: _Numbers  # share of its area that is seen without scrolling

    @property
    def link_density(self) -> _Numbers:
        """The share of characters that are in links; 1 for a block without characters."""
        total = self.plain_chars + self.link_chars
        return np.where(total > 0, self.link_chars / np.maximum(total, 1), 1.0)


def measure_parameters(blocks: Blocks, method: str) -> BlockParameters:
    """Return the parameters of the blocks of a page with layout; only what is seen counts."""
    page = blocks.page
    tree = build_visual_tree(page, method)
    chars, in_link = page.chars * tree.leaf, page.in_link
    page_width, page_height = (max(side, 1.0) for side in tree.layout.size)
    x, y, width, height = blocks.boxes.T
    bottom = np.minimum(y + height, tree.layout.screen[1])
    height_on_screen = np.clip(bottom - np.maximum(y, 0), 0, None)
    return BlockParameters(
        terms=blocks.inside(page.terms * tree.leaf),
        plain_chars=blocks.inside(chars * ~in_link),
        link_chars=blocks.inside(chars * in_link),
        punctuation=blocks.inside(page.marks * tree.leaf),
        links=blocks.inside((page.tag == tags.CODE["a"]) & tree.valid),
        images=blocks.inside(_IS_IMAGE[page.tag] & tree.leaf),
        controls=blocks.inside(_IS_CONTROL[page.tag] & tree.leaf),
        area=width * height / (page_width * page_height),
        offset=np.abs(x + width / 2 - page_width / 2) / page_width,
        first_screen=height_on_screen / np.maximum(height, 1.0),
    )


def build_visual_blocks(page: Page, ranges: Iterable[Range], *, nested: bool) -> Blocks:
    """Return ranges as blocks; leaves outside all ranges are in a block of the whole page.

    With `nested=False` only innermost ranges are blocks, and the leaves outside them are in further
    blocks: the largest runs of siblings that contain none of the ranges.
    """
    leaves = leaf_rows(page)
    ordered = sorted(set(ranges), key=lambda r: (r[1], -r[2], r[0]))
    if not nested:
        inner = _innermost_ranges(ordered)
        between = _ranges_between(page, leaves, inner)
        ordered = sorted([*inner, *between], key=lambda r: (r[1], -r[2]))
    elif (leaves & ~covered_rows(len(page), ordered)).any():
        root = _innermost_root(page, leaves)
        ordered = [(root, root, int(page.end[root])), *(r for r in ordered if r[0] != root)]
        ordered.sort(key=lambda r: (r[1], -r[2], r[0]))
    columns = np.array(ordered, dtype=np.int32).reshape(-1, 3).T
    return build_nested_blocks(page, *columns)


def _innermost_ranges(ranges: list[Range]) -> list[Range]:
    """Return the ranges that contain no other; they are in document order, outer ones first."""
    inner = [this for this, following in pairwise(ranges) if following[1] >= this[2]]
    return [*inner, *ranges[-1:]]


def _innermost_root(page: Page, leaves: Bools) -> int:
    """Return the innermost row that contains all leaves."""
    count = page.below(leaves)
    return int(np.flatnonzero(count == count[0])[-1]) if count[0] else 0


def _ranges_between(page: Page, leaves: Bools, ranges: list[Range]) -> list[Range]:
    """Return the largest runs of siblings that contain leaves and no part of any range."""
    taken = covered_rows(len(page), ranges)
    free = page.below(taken) == 0
    is_parent_free = np.append(free, False)[page.parent]  # the parent of the root has index -1
    rows = np.flatnonzero(free & ~is_parent_free & (page.below(leaves) > 0))
    taken_before = np.concatenate(([0], np.cumsum(taken)))
    runs: list[Range] = []
    for row in rows.tolist():
        parent, stop = int(page.parent[row]), int(page.end[row])
        if runs and runs[-1][0] == parent and taken_before[row] == taken_before[runs[-1][2]]:
            runs[-1] = (parent, runs[-1][1], stop)
        else:
            runs.append((parent, row, stop))
    return [
        (first, first, stop) if page.end[first] == stop else (node, first, stop)
        for node, first, stop in runs
    ]

"""vips: the Vision-based Page Segmentation of Cai et al. 2003.

`Vips` divides the nodes of the visual tree into a pool of blocks, `find_separators` finds the free
stripes between them, and `build_structure` divides the pool at the heaviest separators first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.blocks import Blocks, Range
from tamis.blocks.visual_tree import VisualTree, build_visual_blocks, build_visual_tree
from tamis.errors import check_number
from tamis.page import Page, tags

MAX_COHERENCE: Final = 10  # the degree of coherence of a uniform block
_MAX_WIDTH: Final = 40.0  # pixels from which on a wider separator weighs no more
_WEIGHT_TOLERANCE: Final = 0.5  # separators whose weights differ by less divide together

_HR: Final = tags.CODE["hr"]
# The kinds of nodes that rules about dividing distinguish, as in Table 1 of the report.
_IS_TABLE: Final = tags.tag_table(("table", "tbody", "thead", "tfoot", "tr"))
_IS_CELL: Final = tags.tag_table(("td", "th"))

_Part = list[int]
_Rows = NDArray[np.int64]
_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Vips:
    """Divides a page from the top by what separates its parts to the eye (VIPS).

    Each round divides a node by tag, colour, text and size into a pool of blocks, finds the
    separators between them (the free stripes across all of them), weighs each by its width and by
    how its sides differ, and builds the content structure: the heaviest separators divide first. A
    block has a degree of coherence (1 to 10, never below that of the block around it). Blocks
    below `pdoc`, the permitted degree, are divided in the next round, at most `rounds` times.
    `size` is the share of the page below which a node is small.

    Blocks are runs of the source. If the eye groups what is apart in the source, each of its runs
    in the source is a block.
    """

    pdoc: int = 6
    rounds: int = 10
    size: float = 0.05
    needs_layout: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("pdoc", self.pdoc, 1, MAX_COHERENCE, whole=True)
        check_number("rounds", self.rounds, 1, whole=True)
        check_number("size", self.size, 0, 1)

    def segment(self, page: Page) -> Blocks:
        """Return the content structure of a page with layout."""
        tree = build_visual_tree(page, "vips")
        return build_visual_blocks(page, self._find_ranges(tree), nested=True)

    def _find_ranges(self, tree: VisualTree) -> Iterator[Range]:
        """Yield the blocks of the content structure, round by round."""
        waiting = [(0, 1, 1)] if len(tree.page) else []
        while waiting:
            node, degree, turn = waiting.pop()
            pool = self._divide(tree, node, degree)
            if len(pool) < 2:
                continue
            coherence = dict(pool)
            rows = [row for row, _ in pool]
            for first, stop, inner_degree in build_structure(tree, rows, degree, self.rounds):
                yield _enclose(tree, first, stop)
                if first in coherence and tree.page.end[first] == stop:
                    coherence[first] = max(coherence[first], inner_degree)
            if turn < self.rounds:
                waiting += (
                    (row, row_degree, turn + 1)
                    for row, row_degree in coherence.items()
                    if row_degree < self.pdoc
                )

    def _divide(self, tree: VisualTree, root: int, min_degree: int) -> list[tuple[int, int]]:
        """Return the pool of blocks of one round, each with its degree of coherence.

        A block is the outermost element that shows nothing else.
        """
        pool: list[tuple[int, int]] = []
        waiting = [(root, root)]
        undivided: set[int] = set()
        while waiting:
            node, outer = waiting.pop()
            degree = None if node == root else self._coherence(tree, node, undivided)
            children = tree.content_children[node]
            if degree is None:
                is_single = len(children) == 1 and node != root
                waiting += ((child, outer if is_single else child) for child in reversed(children))
            else:
                undivided.add(node)
                pool.append((outer, max(min_degree, degree)))
        return pool

    def _coherence(self, tree: VisualTree, node: int, undivided: set[int]) -> int | None:
        """Return the degree of coherence of a node, None if the node is to be divided."""
        children = tree.content_children[node]
        if not children:
            return MAX_COHERENCE
        if len(children) == 1 and not tree.virtual[children[0]]:
            return None
        if all(tree.virtual[child] for child in children):
            return MAX_COHERENCE if _has_one_font(tree, children) else MAX_COHERENCE - 1
        code = tree.page.tag[node]
        is_table = _IS_TABLE[code]
        if not is_table and any(tree.page.tag[child] == _HR for child in tree.children[node]):
            return None
        background = tree.background
        if is_table and any(background[child] != background[node] for child in children):
            return None
        has_line_breaks = any(not tree.inline[child] for child in children)
        if tree.inline[node] and has_line_breaks:
            return None
        area = self._area_share(tree, node)
        if area < self.size and any(tree.virtual[child] for child in children):
            return 8 if area < self.size / 4 else 7
        if max(self._area_share(tree, child) for child in children) < self.size:
            return 7 if area < self.size else 6
        if _IS_CELL[code] and tree.previous_sibling[node] in undivided:
            return 6
        return 5 if is_table and area < 4 * self.size else None

    def _area_share(self, tree: VisualTree, node: int) -> float:
        """Return the share of the page's area that a node covers."""
        _, _, width, height = tree.box([node])
        page_width, page_height = tree.layout.size
        return width * height / max(page_width * page_height, 1.0)


def build_structure(
    tree: VisualTree, pool: list[int], min_degree: int, max_depth: int
) -> Iterator[tuple[int, int, int]]:
    """Yield the content structure over a pool of blocks: first row, stop row, coherence.

    The heaviest separators divide the pool, then the next ones inside each part, down to
    `max_depth`. The coherence of the parts falls with the weight of their separators.
    """
    waiting = [(pool, min_degree, max_depth)]
    while waiting:
        rows, outer_degree, depth_left = waiting.pop()
        parts, weight = split_at_heaviest(tree, rows)
        degree = max(outer_degree, MAX_COHERENCE - round(weight))
        for part in parts:
            yield part[0], int(tree.page.end[part[-1]]), degree
            if len(part) > 1 and len(parts) > 1 and depth_left > 1:
                waiting.append((part, degree, depth_left - 1))


def split_at_heaviest(tree: VisualTree, rows: Sequence[int]) -> tuple[list[_Part], float]:
    """Return blocks split at the heaviest separators between them, and their weight, 0 to 9.

    Separators of about the same weight split together. Blocks that have no separator between them,
    because they overlap, stay together if they follow each other in the source.
    """
    blocks = np.asarray(rows, dtype=np.int64)
    by_axis = {axis: find_separators(tree, blocks, axis) for axis in (1, 0)}
    heaviest = max(float(weights.max(initial=-1.0)) for _, weights in by_axis.values())
    if heaviest < 0:
        return [[row] for row in rows], 0.0
    axis, (ends, weights) = next(
        (axis, stripes)
        for axis, stripes in by_axis.items()
        if stripes[1].max(initial=-1.0) == heaviest
    )
    ends = ends[weights >= heaviest - _WEIGHT_TOLERANCE]
    groups = np.searchsorted(ends, tree.boxes[axis, blocks], side="right")
    return group_runs(rows, groups.tolist()), heaviest


def group_runs(rows: Sequence[int], groups: Sequence[int]) -> list[_Part]:
    """Return rows in runs that are of one group and follow each other in the source."""
    parts: list[_Part] = [[rows[0]]]
    for (_, previous), (row, group) in pairwise(zip(rows, groups, strict=True)):
        if group == previous:
            parts[-1].append(row)
        else:
            parts.append([row])
    return parts


def find_separators(tree: VisualTree, rows: _Rows, axis: int) -> tuple[_Floats, _Floats]:
    """Return the free stripes across all blocks: the end of each, and its weight.

    The report starts with one separator over everything and splits and shrinks it by each block.
    What remains are the gaps between the blocks' extents along one axis.
    """
    low, high = tree.boxes[axis, rows], tree.boxes[axis + 2, rows]
    order = np.argsort(low, kind="stable")
    rows, low, high = rows[order], low[order], high[order]
    reached = np.maximum.accumulate(high)
    furthest = np.maximum.accumulate(np.where(high >= reached, np.arange(len(high)), 0))
    gaps = low[1:] - reached[:-1]
    free = np.flatnonzero(gaps >= 0)
    before, after = rows[furthest[free]], rows[free + 1]
    return low[free + 1], separator_weights(tree, before, after, gaps[free])


def separator_weights(tree: VisualTree, before: _Rows, after: _Rows, gaps: _Floats) -> _Floats:
    """Return the weights of stripes: by width, a rule between the blocks, colours and fonts."""
    layout, rules = tree.layout, tree.rules_before
    first, last = np.minimum(before, after), np.maximum(before, after)
    weights: _Floats = (
        4 * np.minimum(gaps, _MAX_WIDTH) / _MAX_WIDTH
        + 2 * (rules[last] > rules[np.minimum(tree.page.end[first], last)])
        + 2 * (tree.background[before] != tree.background[after])
        + (layout.font_size[before] != layout.font_size[after])
        + (layout.font_weight[before] != layout.font_weight[after]) / 2
    )
    return weights


def _has_one_font(tree: VisualTree, rows: Sequence[int]) -> bool:
    """Say whether texts have one font size and weight."""
    size, weight = tree.layout.font_size, tree.layout.font_weight
    return len({(float(size[row]), float(weight[row])) for row in rows}) == 1


def _enclose(tree: VisualTree, first: int, stop: int) -> Range:
    """Return a run of rows with the innermost element that contains all of it."""
    node = first
    while tree.page.end[node] < stop:
        node = int(tree.page.parent[node])
    return node, first, stop

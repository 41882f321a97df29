"""layout: blocks by how much of a page a reader sees in them, for the level that they are on.

A page is divided like a map: the large parts first, then the parts of these. Each step down costs
a part something, so that what is small and deep is left to the part around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import ClassVar, Final

from tamis.blocks.blocks import Blocks, Range
from tamis.blocks.visual_tree import VisualTree, build_visual_blocks, build_visual_tree
from tamis.errors import check_number
from tamis.page import Page

_MAX_LEVELS: Final = 7  # steps of the visual tree below the root
_MIN_SIDE: Final = 10.0  # pixels that a block is high and wide
_MAX_SAME: Final = 0.97  # share of its parent's characters; what has more is the parent
_MIN_AREA: Final = 1e-5  # share of the page's area below which areas are the same


@dataclass(frozen=True)
class ByLayout:
    """Divides a page into the parts that are prominent enough for the level that they are on.

    The prominence of a part is the logarithm of its leaves (texts, images, controls), and that of
    its share of the page's area times `area_weight`, less `level_cost` for each step from the root
    and `single_cost` if it is a single leaf. A part of `limit` or more is a block. Wrappers count
    as what they contain, and lines of text are not divided.

    Gaps, borders, backgrounds, alignment and steps of the font size were tried as further terms,
    and do not help on sites that they were not fitted to (docs/visual.md).
    """

    limit: float = -1.6
    level_cost: float = 0.65
    area_weight: float = 0.2
    single_cost: float = 1.5
    needs_layout: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("limit", self.limit, -100)
        for name in ("level_cost", "area_weight", "single_cost"):
            check_number(name, getattr(self, name), 0)

    def segment(self, page: Page) -> Blocks:
        """Return the blocks of a page with layout, nested as they are seen."""
        return self.cut(build_visual_tree(page, "layout"))

    def cut(self, tree: VisualTree) -> Blocks:
        """Return the blocks of a page whose visual tree is built already."""
        return build_visual_blocks(tree.page, self._find_ranges(tree), nested=True)

    def _find_ranges(self, tree: VisualTree) -> Iterator[Range]:
        """Yield the nodes that are blocks."""
        page_area = _page_area(tree)
        waiting = [(_skip_wrappers(tree, 0), 1)] if len(tree.page) else []
        while waiting:
            node, level = waiting.pop()
            children = tree.content_children[node]
            if level > 1 and all(tree.virtual[child] for child in children):
                continue
            chars = tree.count_chars(node, int(tree.page.end[node]))
            for child in children:
                stop = int(tree.page.end[child])
                is_parent = tree.count_chars(child, stop) > _MAX_SAME * max(chars, 1)
                if not is_parent and self._prominence(tree, child, level, page_area) >= self.limit:
                    yield (child, child, stop)
            if level < _MAX_LEVELS:
                waiting += ((_skip_wrappers(tree, child), level + 1) for child in children)

    def _prominence(self, tree: VisualTree, row: int, level: int, page_area: float) -> float:
        """Return how prominent a node is; what is too small to be seen as a part is not at all."""
        _, _, width, height = tree.box([row])
        if min(width, height) < _MIN_SIDE:
            return float("-inf")
        leaves = tree.count_leaves(row, int(tree.page.end[row]))
        share = max(width * height / page_area, _MIN_AREA)
        prominence = log(leaves) + self.area_weight * log(share) - self.level_cost * level
        return prominence - self.single_cost * (leaves == 1)


def _page_area(tree: VisualTree) -> float:
    """Return the area of a page with all that is shown on it, at least one pixel."""
    width, height = tree.layout.size
    right, bottom = tree.boxes[2].max(initial=0.0), tree.boxes[3].max(initial=0.0)
    return max(width, float(right), 1.0) * max(height, float(bottom), 1.0)


def _skip_wrappers(tree: VisualTree, node: int) -> int:
    """Return the node that a chain of single children leads to."""
    while len(tree.content_children[node]) == 1:
        node = tree.content_children[node][0]
    return node

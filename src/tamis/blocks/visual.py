"""visual: EVBE, the Effective Visual Block Extractor of Win & Thwin §5.

`Visual` walks the visual tree. The functions below it are the rules of §5.3 that look at the
children of a node: rules 5, 8 and 9 divide them into groups, rules 6, 7 and 10 make blocks of some
of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Final

from tamis.blocks.blocks import Blocks, Range
from tamis.blocks.visual_tree import (
    WHITE,
    VisualTree,
    build_visual_blocks,
    build_visual_tree,
)
from tamis.errors import check_argument, check_number
from tamis.page import DISPLAYS, FLOATS, Page, tags

RULES: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
# docs/visual.md shows what each rule does to the score.
DEFAULT_RULES: Final = (1, 2, 3, 4, 6)

_Group = list[int]  # children that belong together

_COLUMN_DISPLAYS: Final = frozenset(
    DISPLAYS.index(name) for name in ("flex", "inline-flex", "grid", "inline-grid")
)
_HR: Final = tags.CODE["hr"]
_DIV: Final = tags.CODE["div"]
_TR: Final = tags.CODE["tr"]
_LI: Final = tags.CODE["li"]
_LEFT: Final = FLOATS.index("left")


@dataclass(frozen=True)
class Visual:
    """Divides a page where it looks different (EVBE, Win & Thwin §5.3).

    From the root downwards, the paper's rules are applied to each node: only what is seen counts
    (1), a single text is no block (2), a node with a single child is that child (3), virtual text
    is not divided (4), and separators (5, 7), columns (6, 8) and borders (9, 10) divide. A node is
    a block as well if its visual distance from its parent exceeds `limit`, or that from its next
    sibling `sibling_limit`. `rules` are the rules that hold.

    The paper leaves open the limits and how small a block may be: both were found on data
    (docs/visual.md). A block is at least `min_height` pixels high, covers `min_area` of the page,
    is at most `levels` steps of the visual tree below the root, and contains at most `same` of its
    parent's characters, or else it is that parent. Items of lists are blocks only with `items`.
    `nested=False` gives the innermost blocks and what is left between them, as in Figure 4.
    """

    rules: tuple[int, ...] = DEFAULT_RULES
    limit: int = 0
    sibling_limit: int = 2
    tolerance: float = 0.1
    levels: int = 5
    min_height: float = 15.0
    min_area: float = 0.005
    same: float = 0.95
    items: bool = False
    nested: bool = True
    needs_layout: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_argument("rules", self.rules, tuple, "a tuple of the numbers of rules")
        for rule in self.rules:
            check_number("a rule", rule, 1, 10, whole=True)
        for name in ("limit", "sibling_limit"):
            check_number(name, getattr(self, name), 0, whole=True)
        check_number("levels", self.levels, 1, whole=True)
        check_number("tolerance", self.tolerance, -1)  # below 0 all sizes differ
        check_number("min_height", self.min_height, 0)
        for name in ("min_area", "same"):
            check_number(name, getattr(self, name), 0, 1)

    def segment(self, page: Page) -> Blocks:
        """Return the blocks of a page with layout, nested as they are seen."""
        return self.cut(build_visual_tree(page, "visual", all_rows=1 not in self.rules))

    def cut(self, tree: VisualTree) -> Blocks:
        """Return the blocks of a page whose visual tree is built already."""
        return build_visual_blocks(tree.page, self._find_ranges(tree), nested=self.nested)

    def _find_ranges(self, tree: VisualTree) -> Iterator[Range]:
        """Yield the nodes and the groups of nodes that are blocks."""
        waiting = [(self._skip_single(tree, 0), 1)] if len(tree.page) else []
        while waiting:
            node, level = waiting.pop()
            if self._is_single_text(tree, node) or self._is_virtual_only(tree, node):
                continue
            children = tree.children[node]
            inner = [self._skip_single(tree, child) for child in children]
            forced = _forced_children(tree, node, children, inner, self.rules)
            groups = _group_children(tree, node, children, self.rules)
            if len(groups) > 1:
                forced.update(group[0] for group in groups if len(group) == 1)
                for group in groups:
                    if len(group) > 1 and self._is_large(tree, group, node):
                        yield (node, group[0], int(tree.page.end[group[-1]]))
            for index, child in enumerate(children):
                sibling = children[index + 1] if index + 1 < len(children) else None
                is_block = child in forced or self._stands_out(
                    tree, child, inner[index], sibling, node
                )
                if is_block and self._is_large(tree, [child], node):
                    yield (child, child, int(tree.page.end[child]))
            if level < self.levels:
                waiting += ((row, level + 1) for row in inner)

    def _skip_single(self, tree: VisualTree, node: int) -> int:
        """Return the node that a chain of single children leads to (rule 3)."""
        while 3 in self.rules and len(tree.content_children[node]) == 1:
            node = tree.content_children[node][0]
        return node

    def _is_single_text(self, tree: VisualTree, node: int) -> bool:
        """Say whether a node contains a single text, and so is no block (rule 2).

        Several texts are separated by line breaks or elements: rule 4 is about these.
        """
        return 2 in self.rules and tree.count_leaves(node, int(tree.page.end[node])) <= 1

    def _is_virtual_only(self, tree: VisualTree, node: int) -> bool:
        """Say whether a node contains only virtual text, and so is a block (rule 4)."""
        children = tree.content_children[node]
        return 4 in self.rules and bool(children) and all(tree.virtual[row] for row in children)

    def _stands_out(
        self, tree: VisualTree, child: int, inner: int, sibling: int | None, node: int
    ) -> bool:
        """Say whether a child is a block because of its content or its looks."""
        if tree.empty[child] or self._is_single_text(tree, inner):
            return False
        if not self.items and tree.page.tag[child] == _LI:
            return False
        if self._is_virtual_only(tree, inner):
            return True
        if tree.distance(child, node, self.tolerance) > self.limit:
            return True
        if sibling is None:
            return False
        return tree.distance(child, sibling, self.tolerance) > self.sibling_limit

    def _is_large(self, tree: VisualTree, group: Sequence[int], node: int) -> bool:
        """Say whether children are large enough for a block, but smaller than their parent."""
        _, _, width, height = tree.box(group)
        page_width, page_height = tree.layout.size
        if height < self.min_height or width * height < self.min_area * page_width * page_height:
            return False
        first, stop = group[0], int(tree.page.end[group[-1]])
        if not tree.count_leaves(first, stop):
            return False
        chars = tree.count_chars(first, stop)
        return chars == 0 or chars <= self.same * tree.count_chars(node, int(tree.page.end[node]))


def _group_children(
    tree: VisualTree, node: int, children: Sequence[int], rules: Sequence[int]
) -> list[_Group]:
    """Return the children of a node in the groups that rules 5, 8 and 9 divide them into."""
    groups: list[_Group] = [list(children)]
    for rule, split in _SPLITS.items():
        if rule in rules:
            groups = [part for group in groups for part in split(tree, node, group)]
    return groups


def _split_at_separators(tree: VisualTree, node: int, group: _Group) -> Iterator[_Group]:
    """Yield the children before, between and after separators: `hr` and empty nodes (rule 5)."""
    part: _Group = []
    for child in group:
        if tree.page.tag[child] == _HR or tree.empty[child]:
            if part:
                yield part
            part = []
        else:
            part.append(child)
    if part:
        yield part


def _split_at_borders(tree: VisualTree, node: int, group: _Group) -> Iterator[_Group]:
    """Yield the parts that borders separate (rule 9).

    A child with a border above begins a part, a child with a border below ends it, a child with
    both is a part by itself.
    """
    layout = tree.layout
    part: _Group = []
    for child in group:
        above, below = layout.border_top[child] > 0, layout.border_bottom[child] > 0
        if above and part:
            yield part
            part = []
        part.append(child)
        if below:
            yield part
            part = []
    if part:
        yield part


def _split_at_columns(tree: VisualTree, node: int, group: _Group) -> Iterator[_Group]:
    """Yield each column by itself, and the children between columns together (rule 8)."""
    columns = _find_columns(tree, node, group)
    part: _Group = []
    for child in group:
        if child in columns:
            if part:
                yield part
            part = []
            yield [child]
        else:
            part.append(child)
    if part:
        yield part


_SPLITS: Final[dict[int, Callable[[VisualTree, int, _Group], Iterator[_Group]]]] = {
    5: _split_at_separators,
    9: _split_at_borders,
    8: _split_at_columns,
}


def _find_columns(tree: VisualTree, node: int, children: Sequence[int]) -> set[int]:
    """Return the children that are columns side by side.

    Two adjacent children are columns if the first is floated to the left, the second is floated
    and not cleared, and together they are no wider than their parent. Flex and grid items, which
    may also be stacked, are columns if they are side by side.
    """
    layout = tree.layout
    x, y, width, height = layout.x, layout.y, layout.width, layout.height
    is_flexible = int(layout.display[node]) in _COLUMN_DISPLAYS
    columns: set[int] = set()
    for a, b in pairwise(children):
        if is_flexible:
            apart = x[b] >= x[a] + width[a] - 1 or x[a] >= x[b] + width[b] - 1
            level = y[b] < y[a] + height[a] and y[a] < y[b] + height[b]
            are_columns = apart and level
        else:
            are_floated = layout.floated[a] == _LEFT and layout.floated[b] > 0
            are_columns = are_floated and layout.cleared[b] == 0
            are_columns = are_columns and width[a] + width[b] <= width[node] + 1
        if are_columns:
            columns |= {a, b}
    return columns


def _forced_children(
    tree: VisualTree,
    node: int,
    children: Sequence[int],
    inner: Sequence[int],
    rules: Sequence[int],
) -> set[int]:
    """Return the children of a node that rules 6, 7 and 10 make blocks.

    `inner` gives for each child the node that its chain of single children leads to.
    """
    forced: set[int] = set()
    # A column of several table rows is no run of the source: the cells of each row are divided.
    is_table_row = 6 in rules and tree.page.tag[node] == _TR
    if is_table_row and len({int(tree.background[child]) for child in children}) > 1:
        forced.update(children)
    if 7 in rules:
        for index, row in enumerate(inner):
            below = tree.children[row]
            if below and _is_coloured_gap(tree, below[0]):
                forced.update(children[max(index - 1, 0) : index + 1])
            if below and _is_coloured_gap(tree, below[-1]):
                forced.update(children[index : index + 2])
    if 10 in rules:
        forced.update(child for child in children if _is_framed(tree, child))
    return forced


def _is_coloured_gap(tree: VisualTree, row: int) -> bool:
    """Say whether a row is an empty `div` with a height and a background that is not white."""
    empty = tree.page.tag[row] == _DIV and tree.empty[row]
    return bool(empty and tree.layout.height[row] > 0 and tree.background[row] != WHITE)


def _is_framed(tree: VisualTree, row: int) -> bool:
    """Say whether a row has borders left and right, and above or below (rule 10)."""
    layout = tree.layout
    sides = layout.border_left[row] > 0 and layout.border_right[row] > 0
    return bool(sides and (layout.border_top[row] > 0 or layout.border_bottom[row] > 0))

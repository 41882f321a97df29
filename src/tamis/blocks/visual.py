"""The rules of EVBE (003 §5.3) that cut the children of a node: 5 to 10.

visual: EVBE, the Effective Visual Block Extractor of 003 §5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Final

from tamis.blocks.blocks import Blocks
from tamis.blocks.visual_tree import (
    WHITE,
    Range,
    VisualTree,
    build_visual_blocks,
    build_visual_tree,
)
from tamis.page import DISPLAYS, FLOATS, Page, tags

RULES: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
# Those that hold by default; what each does to the score is told in docs/visual.md.
DEFAULT_RULES: Final = (1, 2, 3, 4, 6)

Group = list[int]  # children that stand together

_COLUMNS: Final = frozenset(
    DISPLAYS.index(name) for name in ("flex", "inline-flex", "grid", "inline-grid")
)
_HR: Final = tags.CODE["hr"]
_DIV: Final = tags.CODE["div"]
_ROW: Final = tags.CODE["tr"]
_LEFT: Final = FLOATS.index("left")


def cut_children(
    seen: VisualTree, node: int, kids: Sequence[int], rules: Sequence[int]
) -> list[Group]:
    """Return the children of a node in the groups that rules 5, 8 and 9 cut them into."""
    groups: list[Group] = [list(kids)]
    for rule, cut in CUTS.items():
        if rule in rules:
            groups = [part for group in groups for part in cut(seen, node, group)]
    return groups


def parted_by_separators(seen: VisualTree, node: int, group: Group) -> Iterator[Group]:
    """Yield what stands before, between and after separators: `hr` and empty nodes (rule 5)."""
    part: Group = []
    for kid in group:
        if is_separator(seen, kid):
            if part:
                yield part
            part = []
        else:
            part.append(kid)
    if part:
        yield part


def parted_by_borders(seen: VisualTree, node: int, group: Group) -> Iterator[Group]:
    """Yield what borders part (rule 9).

    A child with a border above opens a part, one with a border below closes it, one with both is
    a part of its own.
    """
    layout = seen.layout
    part: Group = []
    for kid in group:
        above, below = layout.border_top[kid] > 0, layout.border_bottom[kid] > 0
        if above and part:
            yield part
            part = []
        part.append(kid)
        if below:
            yield part
            part = []
    if part:
        yield part


def parted_by_floats(seen: VisualTree, node: int, group: Group) -> Iterator[Group]:
    """Yield columns one by one, and what stands between them together (rule 8)."""
    columns = column_rows(seen, node, group)
    part: Group = []
    for kid in group:
        if kid in columns:
            if part:
                yield part
            part = []
            yield [kid]
        else:
            part.append(kid)
    if part:
        yield part


CUTS: Final[dict[int, Callable[[VisualTree, int, Group], Iterator[Group]]]] = {
    5: parted_by_separators,
    9: parted_by_borders,
    8: parted_by_floats,
}


def is_separator(seen: VisualTree, kid: int) -> bool:
    """Say whether a child is `hr`, or takes room and holds nothing."""
    return bool(seen.page.tag[kid] == _HR or seen.empty[kid])


def column_rows(seen: VisualTree, node: int, kids: Sequence[int]) -> set[int]:
    """Return the children that stand side by side as columns.

    Two adjacent ones, the first floated to the left, the second floated and not cleared, which
    together are no wider than their parent. Flex and grid items count as floated when they do
    stand side by side, as they may also be rows.
    """
    layout = seen.layout
    x, y, width, height = layout.x, layout.y, layout.width, layout.height
    flexible = int(layout.display[node]) in _COLUMNS
    found: set[int] = set()
    for one, two in pairwise(kids):
        if flexible:
            apart = x[two] >= x[one] + width[one] - 1 or x[one] >= x[two] + width[two] - 1
            level = y[two] < y[one] + height[one] and y[one] < y[two] + height[two]
            fits = apart and level
        else:
            floats = layout.floated[one] == _LEFT and layout.floated[two] > 0
            fits = floats and layout.cleared[two] == 0
            fits = fits and width[one] + width[two] <= width[node] + 1
        if fits:
            found |= {one, two}
    return found


def forced_rows(
    seen: VisualTree, node: int, kids: Sequence[int], deep: Sequence[int], rules: Sequence[int]
) -> set[int]:
    """Return the children of a node that rules 6, 7 and 10 make blocks.

    `deep` gives for each child the node that it is when all that holds only one thing is taken for
    that thing.
    """
    found: set[int] = set()
    # A column of several rows is no run of the source: the cells of each row are cut.
    is_row = 6 in rules and seen.page.tag[node] == _ROW
    if is_row and len({int(seen.ground[kid]) for kid in kids}) > 1:
        found.update(kids)
    if 7 in rules:
        for place, kid in enumerate(deep):
            inside = seen.children[kid]
            if inside and is_coloured_gap(seen, inside[0]):
                found.update(kids[max(place - 1, 0) : place + 1])
            if inside and is_coloured_gap(seen, inside[-1]):
                found.update(kids[place : place + 2])
    if 10 in rules:
        found.update(kid for kid in kids if is_framed(seen, kid))
    return found


def is_coloured_gap(seen: VisualTree, kid: int) -> bool:
    """Say whether a child is an empty `div` with height and a background that is not white."""
    empty = seen.page.tag[kid] == _DIV and seen.empty[kid]
    return bool(empty and seen.layout.height[kid] > 0 and seen.ground[kid] != WHITE)


def is_framed(seen: VisualTree, kid: int) -> bool:
    """Say whether a node has borders left and right, and above or below (rule 10)."""
    layout = seen.layout
    sides = layout.border_left[kid] > 0 and layout.border_right[kid] > 0
    return bool(sides and (layout.border_top[kid] > 0 or layout.border_bottom[kid] > 0))


@dataclass(frozen=True)
class Visual:
    """Cuts a page where it looks different (003 §5.3, EVBE).

    From the root downwards each node gets the paper's rules: what is seen counts (1), a single text
    is no block (2), what holds only one thing is that thing (3), virtual text is not cut (4), and
    separators (5, 7), columns (6, 8) and borders (9, 10) cut. A node is a block as well when its
    visual distance from its parent exceeds `limit`, or that from its next sibling `sibling_limit`.
    `rules` are those that hold.

    The paper leaves the limits open, and how small a block may be: both were found on data
    (docs/visual.md). A block is at least `min_height` pixels high, covers `min_area` of the page,
    is at most `levels` steps of the visual tree below the root, and holds at most `same` of its
    parent's letters, or it is that parent. Items of lists are blocks only with `items`.
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

    def segment(self, page: Page) -> Blocks:
        """Return the blocks of a page with layout, nested as they are seen."""
        return self.cut(build_visual_tree(page, "visual", all_rows=1 not in self.rules))

    def cut(self, seen: VisualTree) -> Blocks:
        """Return the blocks of a page whose sight is known already."""
        return build_visual_blocks(seen.page, self._found(seen), nested=self.nested)

    def _found(self, seen: VisualTree) -> Iterator[Range]:
        """Yield the nodes and the groups of nodes that are blocks."""
        waiting = [(self._deep(seen, 0), 1)] if len(seen.page) else []
        while waiting:
            node, level = waiting.pop()
            if self._is_text(seen, node) or self._is_pooled(seen, node):
                continue
            kids = seen.children[node]
            deep = [self._deep(seen, kid) for kid in kids]
            forced = forced_rows(seen, node, kids, deep, self.rules)
            groups = cut_children(seen, node, kids, self.rules)
            if len(groups) > 1:
                forced.update(group[0] for group in groups if len(group) == 1)
                for group in groups:
                    if len(group) > 1 and self._is_large(seen, group, node):
                        yield (node, group[0], int(seen.page.end[group[-1]]))
            for place, kid in enumerate(kids):
                after = kids[place + 1] if place + 1 < len(kids) else None
                stands = kid in forced or self._stands_out(seen, kid, deep[place], after, node)
                if stands and self._is_large(seen, [kid], node):
                    yield (kid, kid, int(seen.page.end[kid]))
            if level < self.levels:
                waiting += ((inner, level + 1) for inner in deep)

    def _deep(self, seen: VisualTree, node: int) -> int:
        """Return what a node is that holds only one thing: that thing (rule 3)."""
        while 3 in self.rules and len(seen.holders[node]) == 1:
            node = seen.holders[node][0]
        return node

    def _is_text(self, seen: VisualTree, node: int) -> bool:
        """Say whether a node holds a single text, and so is no block (rule 2).

        Several texts are parted by line breaks or elements: these are rule 4's.
        """
        return 2 in self.rules and seen.count(node, int(seen.page.end[node])) <= 1

    def _is_pooled(self, seen: VisualTree, node: int) -> bool:
        """Say whether a node holds virtual text only, and so is a block (rule 4)."""
        kids = seen.holders[node]
        return 4 in self.rules and bool(kids) and all(seen.virtual[kid] for kid in kids)

    def _stands_out(
        self, seen: VisualTree, kid: int, deep: int, after: int | None, node: int
    ) -> bool:
        """Say whether a child is a block for what it holds or for its looks."""
        if seen.empty[kid] or self._is_text(seen, deep):
            return False
        if not self.items and seen.page.tag[kid] == tags.CODE["li"]:
            return False
        if self._is_pooled(seen, deep):
            return True
        if seen.distance(kid, node, self.tolerance) > self.limit:
            return True
        far = self.sibling_limit
        return after is not None and seen.distance(kid, after, self.tolerance) > far

    def _is_large(self, seen: VisualTree, group: Sequence[int], node: int) -> bool:
        """Say whether children are large enough for a block, and not all that their parent is."""
        _, _, width, height = seen.box(group)
        page_width, page_height = seen.layout.size
        if height < self.min_height or width * height < self.min_area * page_width * page_height:
            return False
        end = seen.page.end
        inside = seen.letters(group[0], int(end[group[-1]]))
        if not seen.count(group[0], int(end[group[-1]])):
            return False
        return inside == 0 or inside <= self.same * seen.letters(node, int(end[node]))

"""The rules of EVBE (003 §5.3) that cut the children of a node: 5 to 10."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from tamis.blocks.sight import WHITE, Sight
from tamis.page import tags
from tamis.page.layout import DISPLAYS, FLOATS

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


def cut_children(seen: Sight, node: int, kids: Sequence[int], rules: Sequence[int]) -> list[Group]:
    """Return the children of a node in the groups that rules 5, 8 and 9 cut them into."""
    groups: list[Group] = [list(kids)]
    for rule, cut in CUTS.items():
        if rule in rules:
            groups = [part for group in groups for part in cut(seen, node, group)]
    return groups


def parted_by_separators(seen: Sight, node: int, group: Group) -> Iterator[Group]:
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


def parted_by_borders(seen: Sight, node: int, group: Group) -> Iterator[Group]:
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


def parted_by_floats(seen: Sight, node: int, group: Group) -> Iterator[Group]:
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


CUTS: Final[dict[int, Callable[[Sight, int, Group], Iterator[Group]]]] = {
    5: parted_by_separators,
    9: parted_by_borders,
    8: parted_by_floats,
}


def is_separator(seen: Sight, kid: int) -> bool:
    """Say whether a child is `hr`, or takes room and holds nothing."""
    return bool(seen.page.tag[kid] == _HR or seen.empty[kid])


def column_rows(seen: Sight, node: int, kids: Sequence[int]) -> set[int]:
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
    seen: Sight, node: int, kids: Sequence[int], deep: Sequence[int], rules: Sequence[int]
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


def is_coloured_gap(seen: Sight, kid: int) -> bool:
    """Say whether a child is an empty `div` with height and a background that is not white."""
    empty = seen.page.tag[kid] == _DIV and seen.empty[kid]
    return bool(empty and seen.layout.height[kid] > 0 and seen.ground[kid] != WHITE)


def is_framed(seen: Sight, kid: int) -> bool:
    """Say whether a node has borders left and right, and above or below (rule 10)."""
    layout = seen.layout
    sides = layout.border_left[kid] > 0 and layout.border_right[kid] > 0
    return bool(sides and (layout.border_top[kid] > 0 or layout.border_bottom[kid] > 0))

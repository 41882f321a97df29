"""Columns → those that do not only say once more what another says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final

from tamis.page import tags
from tamis.records.column import Column, first_text, in_heading
from tamis.records.column_names import is_old
from tamis.records.links import link
from tamis.records.regions import Region
from tamis.values import SLACK, value_type

ECHO: Final = 0.9  # share of texts that another column has as well
OWN: Final = 0.5  # share of records whose texts must differ
BEGINNING: Final = 15  # characters that texts have on average which others may begin with
MOST_LONG: Final = 20  # columns of such texts that are looked at
CUT: Final = " .…"  # what a text may end with that is cut
MARKS: Final = ("…", "...")

_A: Final = tags.CODE["a"]


def without_echoes(region: Region, found: Sequence[Column]) -> Iterator[Column]:
    """Yield columns but for those that only say once more what another says.

    That is one before them with the same texts, or any with longer ones that these are cut from.
    """
    said: set[tuple[int, str]] = set()
    cut = cut_ones(region, found)
    kept: list[Column] = []
    for one in region.cells.budget.watch(found):
        values = {pair for pair in enumerate(one.texts) if pair[1]}
        again = bool(values) and len(values & said) >= ECHO * len(values)
        if one in cut or (again and any(is_echo(region, one, other) for other in kept)):
            continue
        said |= values
        kept.append(one)
        yield one


def is_echo(region: Region, one: Column, other: Column) -> bool:
    """Say whether a column has the texts of another.

    Few different texts may be the same by chance, as two numbers are, or words of which each has a
    class of its own. Typed values must be the same in all records, and an old price is no price.
    """
    same = sum(a == b != "" for a, b in zip(one.texts, other.texts, strict=True))
    if same < ECHO * one.fill:
        return False
    is_typed = value_type(first_text(one)) != "text"
    if is_typed and same < one.fill:
        return False
    few = len(set(one.texts)) <= OWN * one.fill
    if few and (is_typed or classes_differ(region, one, other)):
        return False
    return is_old(region, one) == is_old(region, other)


def classes_differ(region: Region, one: Column, other: Column) -> bool:
    """Say whether the elements of two columns have each a class, and not the same."""
    names = region.cells.classes.symbol
    first, second = (names[region.cells.node[some.first]] for some in (one, other))
    return bool(first and second and first != second)


def cut_ones(region: Region, found: Sequence[Column]) -> set[Column]:
    """Return the columns whose texts are those of another, cut for less room.

    What a text begins with may be its title. So a heading is cut only from a heading, a link only
    from a link or a heading; and where no mark says that texts are cut, the whole ones are a link
    or a heading too, and another link to the same place where the cut ones are a link.
    """
    long = [one for one in found if is_long(one)][:MOST_LONG]
    pairs = region.cells.budget.watch(permutations(long, 2))
    return {one for one, other in pairs if begins(one, other) and may_be_cut(region, one, other)}


def may_be_cut(region: Region, one: Column, other: Column) -> bool:
    """Say whether a column whose texts another's begin with is no title of these."""
    (rank, own), (above, place) = lead_of(region, one), lead_of(region, other)
    lacks = own is None or (own != place and same_place(region, own, place))
    return above >= rank and (is_marked(one) or bool(above and lacks))


def lead_of(region: Region, one: Column) -> tuple[int, int | None]:
    """Return 2 for a heading, 1 for a link in a record, else 0; and the row of that link."""
    page, row = region.page, int(region.cells.first[one.first])
    place = None
    while page.depth[row] > region.level:
        if page.tag[row] == _A:
            place = row
        row = int(page.parent[row])
    return 2 if in_heading(region, one) else int(place is not None), place


def same_place(region: Region, one: int, other: int | None) -> bool:
    """Say whether two links lead to one place."""
    page = region.page
    return other is not None and link(page, one, None) == link(page, other, None)


def is_long(one: Column) -> bool:
    """Say whether a column's texts are so long that others do not begin so by chance."""
    return not one.is_picture and sum(map(len, one.texts)) >= BEGINNING * one.fill


def is_marked(one: Column) -> bool:
    """Say whether most texts of a column say that they are cut."""
    return 2 * sum(text.endswith(MARKS) for text in one.texts) > one.fill


def begins(one: Column, other: Column) -> bool:
    """Say whether the texts of a column are the beginnings of another's, cut for less room."""
    if one.records & ~other.records:
        return False
    left = (1 - ECHO) * one.fill + SLACK
    for a, b in zip(one.texts, other.texts, strict=True):
        if a and not b.startswith(a.rstrip(CUT)):
            left -= 1
            if left < 0:
                return False
    return sum(map(len, other.texts)) > sum(map(len, one.texts))

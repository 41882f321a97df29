"""Duplicate columns: those that only repeat what another column has.

A duplicate has the texts of a column before it, or the beginnings of the texts of any other
column, cut to fit into less space.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final, NamedTuple

from tamis.page import tags
from tamis.records.column import Column, is_in_heading
from tamis.records.column_names import is_list_price
from tamis.records.links import link_url
from tamis.records.regions import Region
from tamis.values import SLACK, value_type

_MIN_EQUAL_SHARE: Final = 0.9  # share of texts that another column must have as well
_MIN_DISTINCT_SHARE: Final = 0.5  # share of distinct texts that are not equal by chance
_MIN_LENGTH: Final = 15  # mean length of texts that others do not begin with by chance
_MAX_LONG_COLUMNS: Final = 20  # columns of such texts that are compared
_CUT_ENDING: Final = " .…"  # what a cut text may end with
_CUT_MARKS: Final = ("…", "...")

_A: Final = tags.CODE["a"]


def drop_duplicates(region: Region, columns: Sequence[Column]) -> Iterator[Column]:
    """Yield columns without those that only repeat another."""
    known_texts: set[tuple[int, str]] = set()  # with their records
    cut_columns = _find_cut_columns(region, columns)
    distinct: list[Column] = []
    for column in region.cells.budget.watch(columns):
        texts = {pair for pair in enumerate(column.texts) if pair[1]}
        if column in cut_columns:
            continue
        # The common set rules most columns out at once.
        may_repeat = bool(texts) and len(texts & known_texts) >= _MIN_EQUAL_SHARE * len(texts)
        if may_repeat and any(_is_duplicate(region, column, other) for other in distinct):
            continue
        known_texts |= texts
        distinct.append(column)
        yield column


def _is_duplicate(region: Region, column: Column, other: Column) -> bool:
    """Say whether a column has the texts of another.

    A few different texts may be equal by chance, as two numbers are, or words that have each a
    class of their own. Typed values must be equal in all records. A list price is not a price.
    """
    equal = sum(a == b != "" for a, b in zip(column.texts, other.texts, strict=True))
    if equal < _MIN_EQUAL_SHARE * column.record_count:
        return False
    is_typed = value_type(column.first_text) != "text"
    if is_typed and equal < column.record_count:
        return False
    has_few_texts = len(set(column.texts)) <= _MIN_DISTINCT_SHARE * column.record_count
    if has_few_texts and (is_typed or _have_different_classes(region, column, other)):
        return False
    return is_list_price(region, column) == is_list_price(region, other)


def _have_different_classes(region: Region, column: Column, other: Column) -> bool:
    """Say whether the elements of two columns both have a class, and not the same."""
    class_symbol, element = region.cells.classes.symbol, region.cells.element
    first, second = class_symbol[element[[column.first_cell, other.first_cell]]]
    return bool(first and second and first != second)


# Cut texts --------------------------------------------------------------------------------------


class _Prominence(NamedTuple):
    """How prominent a column is: 2 for a heading, 1 for a link, else 0; and the row of the link."""

    rank: int
    link: int | None


def _find_cut_columns(region: Region, columns: Sequence[Column]) -> set[Column]:
    """Return the columns whose texts are those of another, cut to fit into less space."""
    long_columns = [column for column in columns if _is_long(column)][:_MAX_LONG_COLUMNS]
    pairs = region.cells.budget.watch(permutations(long_columns, 2))
    return {
        column
        for column, other in pairs
        if _has_beginnings(column, other) and not _may_be_title(region, column, other)
    }


def _may_be_title(region: Region, column: Column, other: Column) -> bool:
    """Say whether a column may be the title of another whose texts begin with it.

    A heading is cut only from a heading, a link only from a link or heading. If no mark tells that
    texts are cut, the full texts are a link or a heading, too, and if the cut ones are a link, the
    full ones are another link to the same page.
    """
    mine, others = _find_prominence(region, column), _find_prominence(region, other)
    if others.rank < mine.rank:
        return True
    if _has_cut_marks(column):
        return False
    is_other_link = mine.link is None or (
        mine.link != others.link and _have_same_target(region, mine.link, others.link)
    )
    return not (others.rank and is_other_link)


def _find_prominence(region: Region, column: Column) -> _Prominence:
    """Return how prominent the cells of a column are in their records."""
    page, row = region.page, int(region.cells.first_row[column.first_cell])
    link = None
    while page.depth[row] > region.record_depth:
        if page.tag[row] == _A:
            link = row
        row = int(page.parent[row])
    return _Prominence(2 if is_in_heading(region, column) else int(link is not None), link)


def _have_same_target(region: Region, link: int, other: int | None) -> bool:
    """Say whether two links have the same URL."""
    page = region.page
    return other is not None and link_url(page, link, None) == link_url(page, other, None)


def _is_long(column: Column) -> bool:
    """Say whether a column's texts are so long that others do not begin with them by chance."""
    return not column.is_image and sum(map(len, column.texts)) >= _MIN_LENGTH * column.record_count


def _has_cut_marks(column: Column) -> bool:
    """Say whether most texts of a column end with an ellipsis."""
    return 2 * sum(text.endswith(_CUT_MARKS) for text in column.texts) > column.record_count


def _has_beginnings(column: Column, other: Column) -> bool:
    """Say whether the texts of a column are beginnings of another's, which is longer."""
    if column.record_bits & ~other.record_bits:
        return False
    exceptions_left = (1 - _MIN_EQUAL_SHARE) * column.record_count + SLACK
    for text, full_text in zip(column.texts, other.texts, strict=True):
        if text and not full_text.startswith(text.rstrip(_CUT_ENDING)):
            exceptions_left -= 1
            if exceptions_left < 0:
                return False
    return sum(map(len, other.texts)) > sum(map(len, column.texts))

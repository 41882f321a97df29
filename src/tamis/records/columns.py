"""Column → its values: of a type, or a badge that some records have.

Region → columns: its cells aligned, so that a missing value never shifts another.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from tamis.records.column import (
    Column,
    Texts,
    apart,
    both,
    first_text,
    in_heading,
    is_single,
    parts,
    single,
)
from tamis.records.column_names import is_old
from tamis.records.duplicate_columns import without_echoes
from tamis.records.regions import Region
from tamis.values import Locale, TypedColumn, infer_column, value_type

FULL: Final = 0.9  # share of records that have what all of them have
LONG: Final = 3  # words of a badge

_SAID_WITH_WORDS: Final = ("money", "date", "rating")  # words may stand beside these


def typed_column(
    region: Region, column: Column, home: Locale, *, named: bool = False
) -> TypedColumn:
    """Return the values of a column.

    A text that some records have and others lack is a badge: it says all, unless the column has a
    name. A heading with a price or a day in it stays a heading.
    """
    if column.is_picture:
        return TypedColumn("image", (None,) * len(column.cells))
    texts = set(filter(None, column.texts))
    alone = len(texts) == 1 and column.fill < FULL * len(column.cells)
    if alone and not named and is_badge(next(iter(texts))):
        return TypedColumn("flag", tuple(bool(text) for text in column.texts), next(iter(texts)))
    found = infer_column(column.texts, home)
    if found.type in _SAID_WITH_WORDS and in_heading(region, column):
        return infer_column(column.texts, home, max_residuals=0)
    return found


def is_badge(text: str) -> bool:
    """Say whether a text is a few words without a number."""
    return len(text.split()) <= LONG and not any(map(str.isdigit, text))


SHORT: Final = 40  # characters of a price
SEPARATORS: Final = " ,;:.|/\\()[]{}<>·•‧∙-–—…›»«‹"


_SMALL: Final = re.compile(r"[^\d\s]{1,4}\s?\d[\d,]{0,8}\s?(?P<cents>\d\d)(?:\D.{0,20})?")


def columns_of(region: Region) -> list[Column]:
    """Return the columns of a region in the order that its records have them."""
    text = cell_texts(region)
    order = np.argsort(region.column, kind="stable")
    edges = np.flatnonzero(np.diff(region.column[order], prepend=-1, append=-1)).tolist()
    records, cells = region.record[order].tolist(), region.cell[order].tolist()
    found: list[Column] = []
    budget = region.cells.budget
    for start, stop in budget.watch(pairwise(edges)):
        owners, own = records[start:stop], cells[start:stop]
        if len(set(owners)) == len(owners):
            found.append(single(region, owners, own, text))
            continue
        held: list[list[int]] = [[] for _ in range(len(region))]
        for record, cell in zip(owners, own, strict=True):
            held[record].append(cell)
        found += parts(region, held, text)
    found = [one for one in joined(region, found) if not is_rare(one) and not only_parts(one)]
    low = region.cells.before[region.start].tolist()
    return list(without_echoes(region, sorted(found, key=lambda one: place(one, low))))


def is_rare(one: Column) -> bool:
    """Say whether of many records one has a column, and it is no price, which may be a sale's."""
    return is_single(one) and value_type(first_text(one)) != "money"


def joined(region: Region, found: Sequence[Column]) -> list[Column]:
    """Join columns that no record has both of, and that differ in what is around them only.

    They are on one path of tags, or in elements of one class that are in elements of one class.
    """
    kept: list[Column] = []
    alike: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for one in region.cells.budget.watch(sorted(found, key=lambda one: -one.fill)):
        if one.fill == len(region):
            kept.append(one)
            continue
        marks = [mark for mark in (tag_path(region, one), class_path(region, one)) if mark]
        places = dict.fromkeys(place for mark in marks for place in alike[mark])
        for place in places:
            if apart(one, kept[place]) and alike_in_kind(region, one, kept[place]):
                kept[place] = both(kept[place], one)
                break
        else:
            place = len(kept)
            kept.append(one)
        for mark in marks:
            alike[mark].append(place)
    return kept


def alike_in_kind(region: Region, one: Column, other: Column) -> bool:
    """Say whether two columns are of one type, and both of them old prices or neither."""
    kind = value_type(first_text(one))
    if kind != value_type(first_text(other)):
        return False
    return kind != "money" or is_old(region, one) == is_old(region, other)


def only_parts(one: Column) -> bool:
    """Say whether a column holds nothing but signs that stand between others, such as a bracket."""
    if one.is_picture or first_text(one).strip(SEPARATORS):
        return False
    return not any(text.strip(SEPARATORS) for text in one.texts)


def tag_path(region: Region, one: Column) -> tuple[int, ...]:
    """Return the tags from a column's cells up to the child of the region that they are in.

    Empty for a column of a table: all of them are on one path.
    """
    if one.grid is not None:
        return ()
    page = region.page
    row = region.cells.node.item(one.first)
    path: list[int] = []
    for _ in range(region.level, page.depth.item(row) + 1):
        path.append(page.tag.item(row))
        row = page.parent.item(row)
    return tuple(path)


def class_path(region: Region, one: Column) -> tuple[int, ...]:
    """Return tag and class of the element around a column's cells, or around that.

    Of several names the most frequent one counts. Empty where neither has a class.
    """
    page, names = region.page, region.cells.classes.symbol
    row = region.cells.node.item(one.first)
    if name := names.item(row):
        return page.tag.item(row), name
    above = page.parent.item(row)
    if above < 0 or not (name := names.item(above)):
        return ()
    return page.tag.item(row), 0, page.tag.item(above), name


def cell_texts(region: Region) -> Texts:
    """Return the texts of a region's cells; an amount has a point before small cents."""
    several = region.cell[region.cells.last[region.cell] - region.cells.first[region.cell] > 1]
    text = region.text_of
    small = [cell for cell in several.tolist() if len(text[cell]) < SHORT]
    pointed = {cell: with_point(region, cell) for cell in small if _SMALL.fullmatch(text[cell])}
    return {**text, **pointed} if pointed else text


def with_point(region: Region, cell: int) -> str:
    """Return an amount with a point before its cents, if these stand in an element of their own."""
    page, cells, text = region.page, region.cells, region.text_of[cell]
    rows = range(int(cells.first[cell]), int(cells.last[cell]) + 1)
    said = [page.text[page.text_start[row] : page.text_stop[row]].strip() for row in rows]
    pieces = [piece for row, piece in zip(rows, said, strict=True) if page.visible[row]]
    found = _SMALL.fullmatch(text)
    if found is None or found["cents"] not in pieces[1:]:
        return text
    return f"{text[: found.start('cents')].rstrip()}.{text[found.start('cents') :]}"


def place(one: Column, low: Sequence[int]) -> float:
    """Return where in a record a column stands, on average."""
    places = [some[0] - low[record] for record, some in enumerate(one.cells) if some]
    return sum(places) / len(places)

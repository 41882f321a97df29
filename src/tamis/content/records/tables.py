"""Rows of a table → columns by their place in its grid, with cells that span rows in each row."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from tamis.blocks.regions import Region
from tamis.content.kept import span
from tamis.content.records.columns import Column, cell_texts, column
from tamis.content.table import MAX_SPAN
from tamis.page import tags
from tamis.page.attributes import attributes

_TR: Final = tags.CODE["tr"]
_IS_CELL: Final = tags.tag_table(("td", "th"))

Key = tuple[int, bool, int]  # column of the grid, whether it is a picture, number in the table cell
Hanging = dict[int, tuple[int, list[tuple[bool, int]]]]  # column → rows left, and what hangs there


def is_table(region: Region) -> bool:
    """Say whether each record of a region is a row of a table, and no two share a row."""
    page = region.page
    rows = bool((page.tag[region.start] == _TR).all())
    return rows and bool((region.stop == page.end[region.start]).all())


def table_columns(region: Region) -> list[tuple[int, Column]]:
    """Return the columns of a table with their numbers in its grid."""
    found: defaultdict[Key, dict[int, list[int]]] = defaultdict(dict)
    inside = cells_by_row(region)
    text = cell_texts(region)
    hanging: Hanging = {}
    for record, row in enumerate(region.start.tolist()):
        at = 0
        for cell, wide, high in table_cells(region, row):
            at = filled(hanging, at, record, found)
            own = [(not text[n], n) for n in inside.get(cell, ())]
            put(found, at, record, own)
            if high > 1:
                hanging |= {
                    place: (high - 1, own * (place == at)) for place in range(at, at + wide)
                }
            at += wide
        filled(hanging, at, record, found, to_end=True)
    return [
        (key[0], column(region, [places.get(n, []) for n in range(len(region))], text))
        for key, places in sorted(found.items(), key=lambda item: (item[0][0], item[0][2]))
    ]


def filled(
    hanging: Hanging,
    at: int,
    record: int,
    found: defaultdict[Key, dict[int, list[int]]],
    *,
    to_end: bool = False,
) -> int:
    """Put cells that hang down from above where they belong; return the next free place."""
    last = max(hanging, default=-1) if to_end else at
    while at in hanging or at < last:
        if at in hanging:
            left, own = hanging.pop(at)
            put(found, at, record, own)
            if left > 1:
                hanging[at] = left - 1, own
        at += 1
    return at


def put(
    found: defaultdict[Key, dict[int, list[int]]],
    at: int,
    record: int,
    own: list[tuple[bool, int]],
) -> None:
    """Put the cells of a table cell into their columns."""
    for number, (is_picture, cell) in enumerate(own):
        found[at, is_picture, number][record] = [cell]


def table_cells(region: Region, row: int) -> list[tuple[int, int, int]]:
    """Return the cells of a table row with the columns and rows that each spans."""
    page = region.page
    cells: list[tuple[int, int, int]] = []
    child = row + 1
    while child < page.end[row]:
        if _IS_CELL[page.tag[child]]:
            head = page.source[page.start[child] : page.head[child]]
            wide = high = 1
            if b"span" in head:
                said = attributes(page, child)
                wide = min(span(said.get("colspan")), MAX_SPAN)
                high = span(said.get("rowspan"))
            cells.append((child, wide, high))
        child = int(page.end[child])
    return cells


def cells_by_row(region: Region) -> dict[int, list[int]]:
    """Return the cells of a region by the table cell that holds them."""
    page = region.page
    found: dict[int, list[int]] = {}
    for cell in region.cell.tolist():
        row = int(region.cells.first[cell])
        while row > 0 and page.tag[page.parent[row]] != _TR:
            row = int(page.parent[row])
        found.setdefault(row, []).append(cell)
    return found

"""Rows of a table → columns by their place in its grid, with cells that span rows in each row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations
from typing import Final

import numpy as np

from tamis.blocks.regions import Region
from tamis.content.kept import span
from tamis.content.records.column import Column, apart, both
from tamis.content.records.columns import cell_texts, joined
from tamis.content.records.places import parts
from tamis.content.table import MAX_SPAN
from tamis.page import Page, tags
from tamis.page.attributes import attributes

_TR: Final = tags.CODE["tr"]
_TH: Final = tags.CODE["th"]
_CELLS: Final = {_TH, tags.CODE["td"]}
_IS_CELL: Final = tags.tag_table(("td", "th"))
_STEP: Final = 0x5851F42D4C957F2D

Cells = dict[int, list[int]]  # of a table cell, by a number for their path in it
Found = defaultdict[tuple[int, int], dict[int, list[int]]]  # (grid, path) → record → cells
Hanging = dict[int, tuple[int, Cells]]  # column of the grid → rows left, and what hangs there


def is_table(region: Region) -> bool:
    """Say whether each record of a region is a row of a table, and no two share a row."""
    page = region.page
    rows = bool((page.tag[region.start] == _TR).all())
    return rows and bool((region.stop == page.end[region.start]).all())


def is_header(page: Page, row: int) -> bool:
    """Say whether a row of a table has headers only."""
    within = range(row + 1, int(page.end[row]))
    cells = {int(page.tag[one]) for one in within if page.parent[one] == row} & _CELLS
    return bool(page.tag[row] == _TR) and cells == {_TH}


def table_columns(region: Region, *, named: bool) -> list[Column]:
    """Return the columns of a table in the order of its grid.

    A table cell may hold several columns. Where columns have no names of their own (`named`), those
    that no row has both of may be one.
    """
    found: Found = defaultdict(dict)
    inside = cells_by_row(region)
    text = cell_texts(region)
    hanging: Hanging = {}
    for record, row in enumerate(region.start.tolist()):
        at = 0
        for cell, wide, high in table_cells(region.page, row):
            at = filled(hanging, at, record, found)
            own = inside.get(cell, {})
            put(found, at, record, own)
            if high > 1:
                hanging |= {
                    place: (high - 1, own if place == at else {}) for place in range(at, at + wide)
                }
            at += wide
        filled(hanging, at, record, found, to_end=True)
    columns = [
        replace(part, grid=key[0])
        for key, places in found.items()
        for part in parts(region, [places.get(n, []) for n in range(len(region))], text)
    ]
    columns = in_places(columns)
    columns = columns if named else joined(region, columns)
    return sorted(columns, key=lambda one: (one.grid, one.first))


def in_places(found: Sequence[Column]) -> list[Column]:
    """Join columns in one place of the grid if no row has two of them: some lack a link, say."""
    alike: defaultdict[tuple[int | None, bool], list[Column]] = defaultdict(list)
    for one in found:
        alike[one.grid, one.is_picture].append(one)
    kept: list[Column] = []
    for some in alike.values():
        alone = all(apart(one, other) for one, other in combinations(some, 2))
        kept += [reduce(both, some)] if alone else some
    return kept


def filled(
    hanging: Hanging,
    at: int,
    record: int,
    found: Found,
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


def put(found: Found, at: int, record: int, own: Cells) -> None:
    """Put the cells of a table cell into their columns."""
    for column, cells in own.items():
        found[at, column][record] = cells


def table_cells(page: Page, row: int) -> list[tuple[int, int, int]]:
    """Return the cells of a table row with the columns and rows that each spans."""
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


def cells_by_row(region: Region) -> dict[int, Cells]:
    """Return the cells of a region by the table cell that holds them, each by its path in there."""
    page = region.page
    found: dict[int, Cells] = {}
    level = int(page.depth[region.start[0]]) + 1
    node = region.cells.node[region.cell]
    path = np.zeros(len(node), dtype=np.int64)
    while (inner := page.depth[node] > level).any():
        step = page.tag[node] + (page.class_key[node].astype(np.int64) << 8)
        path = np.where(inner, path * _STEP + step, path)
        node = np.where(inner, page.parent[node], node)
    cells = zip(node.tolist(), path.tolist(), region.cell.tolist(), strict=True)
    for row, column, cell in cells:
        found.setdefault(row, {}).setdefault(column, []).append(cell)
    return found

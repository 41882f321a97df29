"""Rows of a table → columns by their place in its grid, with cells that span rows in each row.

Rows of headers above a region → the names of its table columns.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, combinations, dropwhile, takewhile
from typing import Final

import numpy as np

from tamis.page import (
    GridCell,
    Page,
    SpanningCell,
    build_grid,
    columns_spanned,
    row_attributes,
    rows_spanned,
    slot_limit,
    tags,
)
from tamis.records.column import Column, apart, both, parts, within_budget
from tamis.records.columns import cell_texts, joined
from tamis.records.regions import Region

_TR: Final = tags.CODE["tr"]
_TH: Final = tags.CODE["th"]
_IMG: Final = tags.CODE["img"]
_CELLS: Final = {_TH, tags.CODE["td"]}
_IS_CELL: Final = tags.tag_table(("td", "th"))
_STEP: Final = 0x5851F42D4C957F2D

Cells = dict[int, list[int]]  # of a table cell, by a number for their path in it
Found = defaultdict[tuple[int, int], dict[int, list[int]]]  # (grid, path) → record → cells


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
    found = with_one_path(region, cells_by_column(region))
    text = cell_texts(region)
    columns = [
        replace(part, grid=key[0])
        for key, places in region.cells.budget.watch(within_budget(found, len(region)).items())
        for part in parts(region, [places.get(n, []) for n in range(len(region))], text)
    ]
    columns = in_places(columns)
    columns = columns if named else joined(region, columns)
    return sorted(columns, key=lambda one: (one.grid, one.first))


def cells_by_column(region: Region) -> Found:
    """Return the cells of a table by their column; those of a cell that spans rows in each row."""
    found: Found = defaultdict(dict)
    inside = cells_by_row(region)
    room = slot_limit(len(region.cell))  # for what is in further rows than its own
    grid = table_grid(region.page, region.start.tolist())
    for record, line in enumerate(region.cells.budget.watch(grid)):
        for place in line:
            held = inside.get(place.cell, {})
            room -= 0 if place.starts_here else len(held)
            if place.starts_here or room >= 0:
                for path, cells in held.items():
                    found[place.column, path][record] = cells
    return found


def with_one_path(region: Region, found: Found) -> Found:
    """Join paths in one place of the grid as `in_places` joins columns, where no row has two cells.

    A table with a class of its own in each row has as many paths as rows, and each would have a
    value for every row.
    """
    page, row_of = region.page, region.row_of
    alike: defaultdict[tuple[int, bool], list[tuple[int, int]]] = defaultdict(list)
    for key, held in found.items():
        first = next(iter(held.values()))[0]
        alike[key[0], bool(page.tag[row_of[first]] == _IMG)].append(key)
    kept: Found = defaultdict(dict)
    for keys in alike.values():
        rows = Counter(chain.from_iterable(found[key] for key in keys))
        several = any(len(cells) > 1 for key in keys for cells in found[key].values())
        if several or len(rows) < rows.total():
            kept |= {key: found[key] for key in keys}
        else:
            for key in keys:
                kept[keys[0]] |= found[key]
    return kept


def table_grid(page: Page, rows: Sequence[int]) -> list[list[GridCell[int]]]:
    """Return the cells of table rows by their columns; beyond the budget as if none spanned any."""
    cells = [table_cells(page, row) for row in rows]
    grid = build_grid(cells, slot_limit(sum(map(len, cells))))
    if grid is not None:
        return grid
    return [
        [GridCell(at, 1, one.cell, starts_here=True) for at, one in enumerate(line)]
        for line in cells
    ]


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


def table_cells(page: Page, row: int) -> list[SpanningCell[int]]:
    """Return the cells of a table row with the columns and rows that each spans."""
    cells: list[SpanningCell[int]] = []
    child = row + 1
    while child < page.end[row]:
        if _IS_CELL[page.tag[child]]:
            head = page.source[page.start[child] : page.head[child]]
            wide = high = 1
            if b"span" in head:
                said = row_attributes(page, child)
                wide = columns_spanned(said.get("colspan"))
                high = rows_spanned(said.get("rowspan"))
            cells.append(SpanningCell(child, wide, high))
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


_TABLE_ROW: Final = tags.CODE["tr"]
_HEADER_CELL: Final = tags.CODE["th"]
_TABLE: Final = tags.CODE["table"]
_IS_BOLD: Final = tags.tag_table(("th", "b", "strong"))


def header_names(region: Region) -> dict[int, str]:
    """Return the names of table columns by their number.

    Where there are several rows of headers, a name is what all of them say of a column. Without
    cells for headers, these are a first row that is bold throughout.
    """
    page, first = region.page, int(region.start[0])
    if page.tag[first] != _TABLE_ROW:
        return {}
    table = first
    while table > 0 and page.tag[table] != _TABLE:
        table = int(page.parent[table])
    above = [row for row in range(table, first) if page.tag[row] == _TABLE_ROW]
    rest = dropwhile(lambda row: not has_headers(page, row), above)
    heads = list(takewhile(lambda row: has_headers(page, row), rest))
    if not heads and above and is_bold(page, above[0]) and not is_bold(page, first):
        heads = above[:1]
    return grid_names(page, heads)


def has_headers(page: Page, row: int) -> bool:
    """Say whether the cells of a table row are headers, but for one at most."""
    cells = [cell for cell, _, _ in table_cells(page, row)]
    heads = sum(bool(page.tag[cell] == _HEADER_CELL) for cell in cells)
    return heads > 1 and heads >= len(cells) - 1


def is_bold(page: Page, row: int) -> bool:
    """Say whether all texts of a table row are bold, and none is a link, in several cells."""
    inside = np.arange(row, page.end[row])
    texts = inside[page.visible[inside]]
    if len(texts) < 2 or page.in_link[texts].any() or len(table_cells(page, row)) < 2:
        return False
    bold = page.within(inside[_IS_BOLD[page.tag[inside]]])
    return bool(bold[texts].all())


def grid_names(page: Page, rows: list[int]) -> dict[int, str]:
    """Return what rows of headers say by the column that it is said of.

    What spans several columns is said of all of them, but is the name of the first one alone.
    """
    said: defaultdict[int, dict[str, None]] = defaultdict(dict)
    named: set[int] = set()
    for line in table_grid(page, rows):
        for column, columns, cell, own in line:
            if not own:
                continue
            text = " ".join(page.text[page.text_start[cell] : page.text_stop[cell]].split())
            if not text:
                continue
            named |= {column} if text not in said[column] else set()
            for place in range(column, column + columns):
                said[place][text] = None
    return {place: " ".join(said[place]) for place in sorted(named)}

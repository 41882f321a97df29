"""Tables: columns by their position in the grid of a table, and names from its header rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
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
from tamis.records.column import Column, Texts, build_column, combine_columns
from tamis.records.columns import (
    has_only_separators,
    join_disjoint_columns,
    limit_columns,
    read_cell_texts,
    split_into_columns,
)
from tamis.records.regions import Region

_TABLE: Final = tags.CODE["table"]
_TR: Final = tags.CODE["tr"]
_TH: Final = tags.CODE["th"]
_IMG: Final = tags.CODE["img"]
_CELL_TAGS: Final = {_TH, tags.CODE["td"]}
_IS_TABLE_CELL: Final = tags.tag_table(("td", "th"))
_IS_BOLD: Final = tags.tag_table(("th", "b", "strong"))
_MIN_PARTS: Final = 4  # columns under one header from which on they may be parts of one
_MIN_PART_SHARE: Final = 0.5  # share of rows that have a part that is no exception
_HASH_STEP: Final = 0x5851F42D4C957F2D

_PathCells = dict[int, list[int]]  # the cells in a table cell, by a key for their path in it
# (table column, path key) → record → cells
_ColumnCells = defaultdict[tuple[int, int], dict[int, list[int]]]


def is_table(region: Region) -> bool:
    """Say whether each record of a region is exactly one row of a table."""
    page = region.page
    are_rows = bool((page.tag[region.start] == _TR).all())
    return are_rows and bool((region.stop == page.end[region.start]).all())


def is_header_row(page: Page, row: int) -> bool:
    """Say whether an element is a table row that has only header cells."""
    children = (child for child in range(row + 1, int(page.end[row])) if page.parent[child] == row)
    cell_tags = {int(page.tag[child]) for child in children} & _CELL_TAGS
    return bool(page.tag[row] == _TR) and cell_tags == {_TH}


# Columns ----------------------------------------------------------------------------------------


def build_table_columns(region: Region, *, has_headers: bool) -> list[Column]:
    """Return the columns of a table in the order of its grid.

    A table cell may hold several columns. If the table has no headers, columns of which no row has
    both may be one.
    """
    record_count, texts = len(region), read_cell_texts(region)
    cells_by_column = _join_paths(region, _collect_column_cells(region))
    groups = limit_columns(cells_by_column, record_count)
    columns = [
        replace(column, table_column=table_column)
        for (table_column, _), cells in region.cells.budget.watch(groups.items())
        for column in split_into_columns(
            region, [cells.get(record, []) for record in range(record_count)], texts
        )
    ]
    columns = _join_columns_of_grid(columns)
    if has_headers:
        columns = list(_join_irregular_parts(region, columns, texts))
    else:
        columns = join_disjoint_columns(region, columns)
    columns = list(_drop_separators(columns))
    return sorted(columns, key=lambda column: (column.table_column, column.first_cell))


def _drop_separators(columns: Sequence[Column]) -> Iterator[Column]:
    """Yield columns without those that only separate others in the same column of the grid."""
    has_words = {column.table_column for column in columns if not has_only_separators(column)}
    for column in columns:
        if column.table_column not in has_words or not has_only_separators(column):
            yield column


def _collect_column_cells(region: Region) -> _ColumnCells:
    """Return the cells of a table by their column; cells that span rows are in each of them."""
    cells_by_column: _ColumnCells = defaultdict(dict)
    cells_by_row = _collect_row_cells(region)
    capacity = slot_limit(len(region.cell))  # for copies of cells that span rows
    grid = _build_table_grid(region.page, region.start.tolist())
    for record, grid_row in enumerate(region.cells.budget.watch(grid)):
        for grid_cell in grid_row:
            path_cells = cells_by_row.get(grid_cell.cell, {})
            capacity -= 0 if grid_cell.starts_here else len(path_cells)
            if grid_cell.starts_here or capacity >= 0:
                for path, cells in path_cells.items():
                    cells_by_column[grid_cell.column, path][record] = cells
    return cells_by_column


def _collect_row_cells(region: Region) -> dict[int, _PathCells]:
    """Return the cells of a region by the row of their table cell and their path in it."""
    page = region.page
    table_cell_depth = int(page.depth[region.start[0]]) + 1
    row = region.cells.element[region.cell]
    path = np.zeros(len(row), dtype=np.int64)
    while (is_inside := page.depth[row] > table_cell_depth).any():
        symbol = page.tag[row] + (page.class_key[row].astype(np.int64) << 8)
        path = np.where(is_inside, path * _HASH_STEP + symbol, path)
        row = np.where(is_inside, page.parent[row], row)
    cells_by_row: dict[int, _PathCells] = {}
    cells = zip(row.tolist(), path.tolist(), region.cell.tolist(), strict=True)
    for table_cell, path_key, cell in cells:
        cells_by_row.setdefault(table_cell, {}).setdefault(path_key, []).append(cell)
    return cells_by_row


def _join_paths(region: Region, cells_by_column: _ColumnCells) -> _ColumnCells:
    """Join the paths in a column of the grid, if no row has two cells there.

    A table with another class in each row has as many paths as rows, and each would be a column
    with a value for every row. `_join_columns_of_grid` joins the same columns later.
    """
    page, cell_rows = region.page, region.cell_rows
    keys_by_column: defaultdict[tuple[int, bool], list[tuple[int, int]]] = defaultdict(list)
    for key, cells_by_record in cells_by_column.items():
        first_cell = next(iter(cells_by_record.values()))[0]
        is_image = bool(page.tag[cell_rows[first_cell]] == _IMG)
        keys_by_column[key[0], is_image].append(key)
    joined: _ColumnCells = defaultdict(dict)
    for keys in keys_by_column.values():
        records = Counter(chain.from_iterable(cells_by_column[key] for key in keys))
        has_several_cells = any(
            len(cells) > 1 for key in keys for cells in cells_by_column[key].values()
        )
        if has_several_cells or len(records) < records.total():
            joined |= {key: cells_by_column[key] for key in keys}
        else:
            for key in keys:
                joined[keys[0]] |= cells_by_column[key]
    return joined


def _join_columns_of_grid(columns: Sequence[Column]) -> list[Column]:
    """Join the columns in one column of the grid if no row has two: some lack a link, say."""
    groups: defaultdict[tuple[int | None, bool], list[Column]] = defaultdict(list)
    for column in columns:
        groups[column.table_column, column.is_image].append(column)
    joined: list[Column] = []
    for group in groups.values():
        are_disjoint = all(first.is_disjoint(second) for first, second in combinations(group, 2))
        joined += [reduce(combine_columns, group)] if are_disjoint else group
    return joined


def _join_irregular_parts(
    region: Region, columns: Sequence[Column], texts: Texts
) -> Iterator[Column]:
    """Yield columns; those of one header are one if most of them are in few rows.

    Such cells hold now this and now that: a name, or three of them with a note and an exception.
    """
    groups: defaultdict[tuple[int | None, bool], list[Column]] = defaultdict(list)
    for column in columns:
        groups[column.table_column, column.is_image].append(column)
    for (table_column, is_image), group in groups.items():
        rare = sum(column.record_count < _MIN_PART_SHARE * len(region) for column in group)
        if is_image or len(group) < _MIN_PARTS or 2 * rare <= len(group):
            yield from group
            continue
        cells = [
            sorted(chain.from_iterable(record_cells))
            for record_cells in zip(*(column.cells for column in group), strict=True)
        ]
        yield replace(build_column(region, cells, texts), table_column=table_column)


# The grid ---------------------------------------------------------------------------------------


def _build_table_grid(page: Page, rows: Sequence[int]) -> list[list[GridCell[int]]]:
    """Return the cells of table rows by their columns.

    If spans make the grid too large, they are ignored.
    """
    cells = [_find_table_cells(page, row) for row in rows]
    grid = build_grid(cells, slot_limit(sum(map(len, cells))))
    if grid is not None:
        return grid
    return [
        [GridCell(column, 1, cell.cell, starts_here=True) for column, cell in enumerate(row_cells)]
        for row_cells in cells
    ]


def _find_table_cells(page: Page, row: int) -> list[SpanningCell[int]]:
    """Return the cells of a table row with the columns and rows that each spans."""
    cells: list[SpanningCell[int]] = []
    child = row + 1
    while child < page.end[row]:
        if _IS_TABLE_CELL[page.tag[child]]:
            columns = rows = 1
            if b"span" in page.source[page.start[child] : page.head[child]]:
                attributes = row_attributes(page, child)
                columns = columns_spanned(attributes.get("colspan"))
                rows = rows_spanned(attributes.get("rowspan"))
            cells.append(SpanningCell(child, columns, rows))
        child = int(page.end[child])
    return cells


# Headers ----------------------------------------------------------------------------------------


def find_header_names(region: Region) -> dict[int, str]:
    """Return the names of table columns by their index.

    If there are several header rows, a name is made of the texts of all of them. If there are no
    header cells, a first row that is bold throughout is the header.
    """
    page, first = region.page, int(region.start[0])
    if page.tag[first] != _TR:
        return {}
    table = first
    while table > 0 and page.tag[table] != _TABLE:
        table = int(page.parent[table])
    rows_above = [row for row in range(table, first) if page.tag[row] == _TR]
    from_header = dropwhile(lambda row: not _has_header_cells(page, row), rows_above)
    headers = list(takewhile(lambda row: _has_header_cells(page, row), from_header))
    if not headers and rows_above and _is_bold(page, rows_above[0]) and not _is_bold(page, first):
        headers = rows_above[:1]
    return _read_header_names(page, headers)


def _has_header_cells(page: Page, row: int) -> bool:
    """Say whether the cells of a table row are header cells, except for one at most."""
    cells = [cell for cell, _, _ in _find_table_cells(page, row)]
    header_count = sum(bool(page.tag[cell] == _TH) for cell in cells)
    return header_count > 1 and header_count >= len(cells) - 1


def _is_bold(page: Page, row: int) -> bool:
    """Say whether a table row has several cells, and all its texts are bold and no links."""
    inside = np.arange(row, page.end[row])
    texts = inside[page.visible[inside]]
    if len(texts) < 2 or page.in_link[texts].any() or len(_find_table_cells(page, row)) < 2:
        return False
    is_bold = page.within(inside[_IS_BOLD[page.tag[inside]]])
    return bool(is_bold[texts].all())


def _read_header_names(page: Page, rows: list[int]) -> dict[int, str]:
    """Return the texts of header rows by the index of their column.

    A text that spans several columns is a part of all their names, but names only the first one by
    itself.
    """
    texts: defaultdict[int, dict[str, None]] = defaultdict(dict)
    named_columns: set[int] = set()
    for grid_row in _build_table_grid(page, rows):
        for first_column, columns, cell, own in grid_row:
            if not own:
                continue
            text = " ".join(page.text[page.text_start[cell] : page.text_stop[cell]].split())
            if not text:
                continue
            if text not in texts[first_column]:
                named_columns.add(first_column)
            for column in range(first_column, first_column + columns):
                texts[column][text] = None
    return {column: " ".join(texts[column]) for column in sorted(named_columns)}

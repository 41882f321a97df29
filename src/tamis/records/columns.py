"""Region → columns: its cells aligned, so that a missing value never shifts another.

Cells on one path are a column. If records have several cells on a path, these are split into
columns. Columns that differ only in the elements around them are joined.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence, Sized
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np

from tamis.records.column import (
    Column,
    Texts,
    build_column,
    build_single_cell_column,
    combine_columns,
)
from tamis.records.column_names import is_list_price
from tamis.records.duplicate_columns import drop_duplicates
from tamis.records.regions import Region
from tamis.values import value_type

MAX_VALUES: Final = 1_000_000  # of all columns; each has one per record, empty or not

_MAX_COLUMNS_PER_PATH: Final = 12  # further cells join the last column
_MIN_REGULAR_SHARE: Final = 0.95  # share of records that must have as many cells as most have
_MIN_USUAL_RECORDS: Final = 2  # records with a text at one index that make the index usual for it
_MIN_PROSE_LENGTH: Final = 80  # characters that paragraphs have on average
_MAX_PRICE_LENGTH: Final = 40  # characters
_SEPARATORS: Final = " ,;:.|/\\()[]{}<>·•‧∙-–—…›»«‹"
_PRICE_WITH_CENTS: Final = re.compile(
    r"[^\d\s]{1,4}\s?\d[\d,]{0,8}\s?(?P<cents>\d\d)(?:\D.{0,20})?"
)

_RecordCells = list[list[int]]  # the cells of each record
_Key = TypeVar("_Key", bound=Hashable)
_CellGroup = TypeVar("_CellGroup", bound=Sized)


def build_columns(region: Region) -> list[Column]:
    """Return the columns of a region in the order in which its records have them."""
    texts = read_cell_texts(region)
    order = np.argsort(region.column, kind="stable")
    edges = np.flatnonzero(np.diff(region.column[order], prepend=-1, append=-1)).tolist()
    records, cells = region.record[order].tolist(), region.cell[order].tolist()
    columns: list[Column] = []
    for start, stop in region.cells.budget.watch(pairwise(edges)):
        path_records, path_cells = records[start:stop], cells[start:stop]
        if len(set(path_records)) == len(path_records):
            columns.append(build_single_cell_column(region, path_records, path_cells, texts))
            continue
        record_cells: _RecordCells = [[] for _ in range(len(region))]
        for record, cell in zip(path_records, path_cells, strict=True):
            record_cells[record].append(cell)
        columns += split_into_columns(region, record_cells, texts)
    columns = [
        column
        for column in join_disjoint_columns(region, columns)
        if not _is_rare(column) and not has_only_separators(column)
    ]
    first_cells = region.cells.cells_before[region.start].tolist()
    columns.sort(key=lambda column: _mean_position(column, first_cells))
    return list(drop_duplicates(region, columns))


def _is_rare(column: Column) -> bool:
    """Say whether only one of many records has a column that is no price; that may be a sale's."""
    return column.is_in_single_record() and value_type(column.first_text) != "money"


def has_only_separators(column: Column) -> bool:
    """Say whether a column has nothing but signs that separate others, such as a bracket."""
    if column.is_image or column.first_text.strip(_SEPARATORS):
        return False
    return not any(text.strip(_SEPARATORS) for text in column.texts)


def _mean_position(column: Column, first_cells: Sequence[int]) -> float:
    """Return the mean position of a column's cells in their records."""
    positions = [
        cells[0] - first_cells[record] for record, cells in enumerate(column.cells) if cells
    ]
    return sum(positions) / len(positions)


# Joining columns --------------------------------------------------------------------------------


def join_disjoint_columns(region: Region, columns: Sequence[Column]) -> list[Column]:
    """Join columns of which no record has both, and that differ only in what is around them.

    They are on one path of tags, or in elements of one class that are in elements of one class.
    """
    joined: list[Column] = []
    indexes_by_path: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    by_count = sorted(columns, key=lambda column: -column.record_count)
    for column in region.cells.budget.watch(by_count):
        if column.record_count == len(region):
            joined.append(column)
            continue
        paths = [path for path in (_tag_path(region, column), _class_path(region, column)) if path]
        for index in dict.fromkeys(index for path in paths for index in indexes_by_path[path]):
            other = joined[index]
            if column.is_disjoint(other) and _have_same_type(region, column, other):
                joined[index] = combine_columns(other, column)
                break
        else:
            index = len(joined)
            joined.append(column)
        for path in paths:
            indexes_by_path[path].append(index)
    return joined


def _have_same_type(region: Region, first: Column, second: Column) -> bool:
    """Say whether two columns are of one type, and if of money, both list prices or neither."""
    first_type = value_type(first.first_text)
    if first_type != value_type(second.first_text):
        return False
    return first_type != "money" or is_list_price(region, first) == is_list_price(region, second)


def _tag_path(region: Region, column: Column) -> tuple[int, ...]:
    """Return the tags from a column's cells up to the child of the region that they are in.

    Empty for a column of a table: all of its cells are on one path.
    """
    if column.table_column is not None:
        return ()
    page = region.page
    row = region.cells.element.item(column.first_cell)
    path: list[int] = []
    for _ in range(region.record_depth, page.depth.item(row) + 1):
        path.append(page.tag.item(row))
        row = page.parent.item(row)
    return tuple(path)


def _class_path(region: Region, column: Column) -> tuple[int, ...]:
    """Return tag and class of the element around a column's cells, or else of its parent.

    Empty if neither has a class.
    """
    page, class_symbol = region.page, region.cells.classes.symbol
    row = region.cells.element.item(column.first_cell)
    if symbol := class_symbol.item(row):
        return page.tag.item(row), symbol
    parent = page.parent.item(row)
    if parent < 0 or not (symbol := class_symbol.item(parent)):
        return ()
    return page.tag.item(row), 0, page.tag.item(parent), symbol


# Splitting the cells of one path ----------------------------------------------------------------


def split_into_columns(region: Region, cells: _RecordCells, texts: Texts) -> Iterator[Column]:
    """Yield one column for the cells of a path, or several if records have several of them.

    If their number varies, cells are separated by type, and prose is the paragraphs of one text.
    """
    max_count = max(map(len, cells))
    if max_count == 1:
        yield build_column(region, cells, texts)
        return
    counts = Counter(len(record_cells) for record_cells in cells if record_cells)
    if counts[max_count] >= _MIN_REGULAR_SHARE * counts.total():
        yield from _split_by_index(region, cells, texts)
        return
    by_type: defaultdict[str, _RecordCells] = defaultdict(lambda: [[] for _ in cells])
    distinct_texts = {texts[cell] for record_cells in cells for cell in record_cells}
    types = {text: value_type(text) for text in distinct_texts}
    for record, record_cells in enumerate(cells):
        for cell in record_cells:
            by_type[types[texts[cell]]][record].append(cell)
    for typed_cells in by_type.values():
        lengths = [len(texts[cell]) for record_cells in typed_cells for cell in record_cells]
        if sum(lengths) > _MIN_PROSE_LENGTH * len(lengths):
            yield build_column(region, typed_cells, texts)
        else:
            yield from _split_by_index(region, typed_cells, texts)


def _split_by_index(region: Region, cells: _RecordCells, texts: Texts) -> Iterator[Column]:
    """Yield one column for the first cells of all records, one for the second ones, and so on.

    Cells beyond the last column join it. A record that lacks cells has the others at the index
    that complete records have the same texts at, else from the first index on.
    """
    max_count = max(map(len, cells))
    has_short_records = any(0 < len(record_cells) < max_count for record_cells in cells)
    if max_count <= _MAX_COLUMNS_PER_PATH and has_short_records:
        for column_cells in zip(*_align_short_records(cells, texts, max_count), strict=True):
            yield build_column(region, column_cells, texts)
        return
    for index in range(min(max_count, _MAX_COLUMNS_PER_PATH)):
        stop = None if index == _MAX_COLUMNS_PER_PATH - 1 else index + 1
        yield build_column(region, [record_cells[index:stop] for record_cells in cells], texts)


def _align_short_records(
    cells: _RecordCells, texts: Texts, column_count: int
) -> Iterator[_RecordCells]:
    """Yield, for each record, its cells by the index of their column."""
    complete = [record_cells for record_cells in cells if len(record_cells) == column_count]
    usual_index = _find_usual_indexes(
        [[texts[cell] for cell in record_cells] for record_cells in complete]
    )
    for record_cells in cells:
        by_index: _RecordCells = [[] for _ in range(column_count)]
        indexes: Sequence[int] = range(len(record_cells))
        if usual_index and 0 < len(record_cells) < column_count:
            usual = [usual_index.get(texts[cell]) for cell in record_cells]
            indexes = assign_indexes(usual, column_count)
        for index, cell in zip(indexes, record_cells, strict=True):
            by_index[index].append(cell)
        yield by_index


def _find_usual_indexes(complete: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the index at which most records that have a text, and several, have it."""
    counts = Counter((text, index) for texts in complete for index, text in enumerate(texts))
    total_counts = Counter(text for texts in complete for text in texts)
    return {
        text: index
        for (text, index), count in counts.items()
        if count >= _MIN_USUAL_RECORDS and 2 * count > total_counts[text]
    }


def assign_indexes(usual: Sequence[int | None], column_count: int) -> tuple[int, ...]:
    """Return increasing indexes for cells, so that as many as possible are at their usual index.

    Of several solutions it is the one with the lowest indexes.
    """
    free = column_count - len(usual)  # indexes that stay empty
    # The best number of matches, with its indexes, by the number of indexes skipped at most.
    best: list[tuple[int, tuple[int, ...]]] = [(0, ())] * (free + 1)
    for number, usual_index in enumerate(usual):
        longer: list[tuple[int, tuple[int, ...]]] = []
        for skipped in range(free + 1):
            matches, indexes = best[skipped]
            index = number + skipped
            option = (matches + (usual_index == index), (*indexes, index))
            longer.append(option if not longer or option[0] > longer[-1][0] else longer[-1])
        best = longer
    return best[-1][1]


def limit_columns(
    groups: Mapping[_Key, _CellGroup], record_count: int
) -> Mapping[_Key, _CellGroup]:
    """Return the groups of cells that may become columns: the fullest ones if there are too many.

    Each column has a value per record, so that many columns of many records take much memory.
    """
    max_columns = max(1, MAX_VALUES // max(record_count, 1))
    if len(groups) <= max_columns:
        return groups
    fullest = set(sorted(groups, key=lambda key: -len(groups[key]))[:max_columns])
    return {key: group for key, group in groups.items() if key in fullest}


# Texts ------------------------------------------------------------------------------------------


def read_cell_texts(region: Region) -> Texts:
    """Return the texts of a region's cells; amounts have a point before cents in small print."""
    texts, cells = region.cell_texts, region.cells
    has_several_rows = cells.last_row[region.cell] - cells.first_row[region.cell] > 1
    with_points = {
        cell: _add_decimal_point(region, cell)
        for cell in region.cell[has_several_rows].tolist()
        if len(texts[cell]) < _MAX_PRICE_LENGTH and _PRICE_WITH_CENTS.fullmatch(texts[cell])
    }
    return {**texts, **with_points} if with_points else texts


def _add_decimal_point(region: Region, cell: int) -> str:
    """Return an amount with a point before its cents, if these are in an element of their own."""
    page, cells, text = region.page, region.cells, region.cell_texts[cell]
    rows = range(int(cells.first_row[cell]), int(cells.last_row[cell]) + 1)
    parts = [
        page.text[page.text_start[row] : page.text_stop[row]].strip()
        for row in rows
        if page.visible[row]
    ]
    price = _PRICE_WITH_CENTS.fullmatch(text)
    if price is None or price["cents"] not in parts[1:]:
        return text
    offset = price.start("cents")
    return f"{text[:offset].rstrip()}.{text[offset:]}"

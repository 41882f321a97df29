"""Column: aligned cells of a region, usually one or none per record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from tamis.page import tags
from tamis.records.regions import Region
from tamis.values import TypedColumn

MIN_FULL_SHARE: Final = 0.9  # share of records from which on a column counts as one that all have

_MIN_MANY_RECORDS: Final = 5  # from here on, what a single record has is no column

_IMG: Final = tags.CODE["img"]
_IS_HEADING: Final = tags.tag_table(tags.HEADINGS)

Texts = Mapping[int, str]  # by cell


@dataclass(frozen=True, eq=False)
class Column:
    """Aligned cells: for each record its cells, empty if it has none, and their joined text."""

    cells: tuple[tuple[int, ...], ...]
    texts: tuple[str, ...]
    is_image: bool
    record_bits: int  # bit `i` is set if record `i` has the column
    table_column: int | None = None  # index of the table column that it is in

    @property
    def record_count(self) -> int:
        """How many records have the column."""
        return self.record_bits.bit_count()

    @cached_property
    def first_cell(self) -> int:
        """The first of its cells."""
        return next(cells[0] for cells in self.cells if cells)

    @cached_property
    def first_text(self) -> str:
        """The first text that is not empty."""
        return next(filter(None, self.texts), "")

    def is_disjoint(self, other: Column) -> bool:
        """Say whether no record has both columns."""
        return not self.record_bits & other.record_bits

    def is_in_single_record(self) -> bool:
        """Say whether only one of many records has the column."""
        return self.record_count == 1 and len(self.cells) >= _MIN_MANY_RECORDS


@dataclass(frozen=True, eq=False)
class ColumnCandidate:
    """A column before its name and type are settled."""

    column: Column
    typed: TypedColumn
    name: str | None
    is_name_given: bool = False  # by a table header or a label: no guess is better
    label: str | None = None

    @property
    def is_text(self) -> bool:
        """Whether it holds words."""
        return self.typed.type == "text" and not self.column.is_image


def build_column(region: Region, cells: Sequence[Sequence[int]], texts: Texts) -> Column:
    """Return the column of given cells, a sequence of them per record."""
    column_texts = [""] * len(cells)
    record_bits, first_cell = 0, -1
    for record, record_cells in enumerate(cells):
        if len(record_cells) == 1:
            column_texts[record] = texts[record_cells[0]]
        elif record_cells:
            column_texts[record] = " ".join([texts[cell] for cell in record_cells])
        if record_cells:
            record_bits |= 1 << record
            first_cell = record_cells[0] if first_cell < 0 else first_cell
    is_image = _is_image(region, first_cell)
    return Column(tuple(map(tuple, cells)), tuple(column_texts), is_image, record_bits)


def build_single_cell_column(
    region: Region, records: list[int], cells: list[int], texts: Texts
) -> Column:
    """Return the column of cells that each belong to another record: `build_column`, but faster."""
    column_cells: list[tuple[int, ...]] = [()] * len(region)
    column_texts = [""] * len(region)
    has_cell = bytearray(len(region))
    for record, cell in zip(records, cells, strict=True):
        column_cells[record] = (cell,)
        column_texts[record] = texts[cell]
        has_cell[record] = 1
    bits = np.packbits(np.frombuffer(has_cell, dtype=np.uint8), bitorder="little")
    record_bits = int.from_bytes(bits.tobytes(), "little")
    is_image = _is_image(region, cells[0])
    return Column(tuple(column_cells), tuple(column_texts), is_image, record_bits)


def _is_image(region: Region, cell: int) -> bool:
    """Say whether a cell is an image."""
    return bool(region.page.tag[region.cell_rows[cell]] == _IMG)


def combine_columns(first: Column, second: Column) -> Column:
    """Return a column with the cells of two; the first one's if a record has both."""
    cells = tuple(a or b for a, b in zip(first.cells, second.cells, strict=True))
    texts = tuple(a or b for a, b in zip(first.texts, second.texts, strict=True))
    record_bits = first.record_bits | second.record_bits
    return Column(cells, texts, first.is_image, record_bits, first.table_column)


def is_in_heading(region: Region, column: Column) -> bool:
    """Say whether the cells of a column are in headings inside the records."""
    page, row = region.page, int(region.cells.first_row[column.first_cell])
    while row >= 0 and page.depth[row] >= region.record_depth:
        if _IS_HEADING[page.tag[row]]:
            return True
        row = int(page.parent[row])
    return False

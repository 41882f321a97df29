"""The grid of a table: which slots its cells take up, within a limit on slots.

The words are those of the HTML standard: a table is a grid of slots, and a cell covers one slot or,
with `colspan` and `rowspan`, several. A table of a few kilobytes can cover more slots than there is
memory for. So spans are limited, and so is the number of slots per cell: a table with more is
page layout, or an attack.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

MAX_COLUMNS: Final = 100  # that a cell spans: HTML allows 1000, no table of data has as many
MAX_ROWS: Final = 65_534  # that a cell spans, by the HTML standard
_MAX_SLOTS_PER_CELL: Final = 20

T = TypeVar("T")


class SpanningCell(NamedTuple, Generic[T]):
    """A cell, and how many columns and rows it spans."""

    cell: T
    columns: int = 1
    rows: int = 1


class GridCell(NamedTuple, Generic[T]):
    """A cell in a row of the grid, from its first column on.

    `starts_here` is false in the further rows of a cell that spans rows.
    """

    column: int
    columns: int
    cell: T
    starts_here: bool


def columns_spanned(value: str | None) -> int:
    """Return how many columns a cell spans, from its attribute `colspan`."""
    return _parse_span(value, MAX_COLUMNS)


def rows_spanned(value: str | None) -> int:
    """Return how many rows a cell spans, from its attribute `rowspan`."""
    return _parse_span(value, MAX_ROWS)


def _parse_span(value: str | None, limit: int) -> int:
    """Return the number in an attribute, at most `limit`; 1 where it is no positive number."""
    digits = (value or "").strip().lstrip("0")
    if not (digits.isascii() and digits.isdigit()):
        return 1
    return min(int(digits), limit) if len(digits) < 6 else limit


def slot_limit(cells: int) -> int:
    """Return how many slots the grid of a table with so many cells may have."""
    return _MAX_SLOTS_PER_CELL * (10 + cells)


def _rows_left(slot: tuple[GridCell[T] | None, int]) -> int:
    """Return how many rows a cell from above goes on for."""
    return slot[1]


def build_grid(
    rows: Iterable[Sequence[SpanningCell[T]]], max_slots: int
) -> list[list[GridCell[T]]] | None:
    """Return the cells of each row of a grid, ordered by column.

    A cell that spans rows is in each of them. The result is None if the grid would have more than
    `max_slots` slots; this is noticed before memory is spent on them.
    """
    grid: list[list[GridCell[T]]] = []
    slots = 0
    # Column → the cell from above that begins there, None in its further columns; and rows left.
    from_above: dict[int, tuple[GridCell[T] | None, int]] = {}
    for row in rows:
        line = [cell for cell, _ in from_above.values() if cell is not None]
        below = {col: (cell, left - 1) for col, (cell, left) in from_above.items() if left > 1}
        slots += len(from_above)
        column = 0
        for cell, width, height in row:
            while column in from_above:
                column += 1
            slots += width
            if slots > max_slots:
                return None
            line.append(GridCell(column, width, cell, starts_here=True))
            if height > 1:
                for col in range(column + 1, column + width):  # cells from above may reach further
                    below[col] = max(below.get(col, (None, 0)), (None, height - 1), key=_rows_left)
                below[column] = line[-1]._replace(starts_here=False), height - 1
            column += width
        grid.append(sorted(line, key=lambda grid_cell: grid_cell.column))
        from_above = below
        if slots > max_slots:
            return None
    return grid

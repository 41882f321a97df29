"""Rows of cells that span columns and rows → the places that they have in a grid, within a budget.

A table of a few kilobytes can span more places than there is memory. So spans have limits, and a
grid may have so many places to a cell; one with more is a page's layout, or an attack.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

MAX_COLUMNS: Final = 100  # that a cell spans: HTML allows 1000, no table of data has as many
MAX_ROWS: Final = 65_534  # that a cell spans, by the HTML standard
MAX_EMPTY: Final = 20  # places to a cell

T = TypeVar("T")


class SpanningCell(NamedTuple, Generic[T]):
    """A cell, and how many columns and rows it spans."""

    cell: T
    columns: int = 1
    rows: int = 1


class GridCell(NamedTuple, Generic[T]):
    """Where a cell stands in a row: its first column. `own` cells begin in that row."""

    column: int
    columns: int
    cell: T
    own: bool


def columns_spanned(value: str | None) -> int:
    """Return how many columns a cell spans by its attribute."""
    return _spanned(value, MAX_COLUMNS)


def rows_spanned(value: str | None) -> int:
    """Return how many rows a cell spans by its attribute."""
    return _spanned(value, MAX_ROWS)


def _spanned(value: str | None, most: int) -> int:
    """Return how many places an attribute tells, of at least one and at most as many as may be."""
    digits = (value or "").strip().lstrip("0")
    if not (digits.isascii() and digits.isdigit()):
        return 1
    return min(int(digits), most) if len(digits) < 6 else most


def room_for(cells: int) -> int:
    """Return how many places the grid of so many cells may have."""
    return MAX_EMPTY * (10 + cells)


def build_grid(
    rows: Iterable[Sequence[SpanningCell[T]]], most: int
) -> list[list[GridCell[T]]] | None:
    """Return the cells of each row of a grid in the order of its columns.

    A cell that spans rows is in each of them. None where the grid has more than `most` places: it
    is given up before it is made.
    """
    grid: list[list[GridCell[T]]] = []
    places = 0
    hanging: dict[int, tuple[GridCell[T] | None, int]] = {}  # column → what begins there, rows left
    for row in rows:
        line = [place for place, _ in hanging.values() if place is not None]
        below = {column: (place, left - 1) for column, (place, left) in hanging.items() if left > 1}
        places += len(hanging)
        at = 0
        for cell, columns, high in row:
            while at in hanging:
                at += 1
            places += columns
            if places > most:
                return None
            line.append(GridCell(at, columns, cell, own=True))
            if high > 1:
                below |= dict.fromkeys(range(at + 1, at + columns), (None, high - 1))
                below[at] = line[-1]._replace(own=False), high - 1
            at += columns
        grid.append(sorted(line, key=lambda place: place.column))
        hanging = below
        if places > most:
            return None
    return grid

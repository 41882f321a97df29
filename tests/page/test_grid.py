"""The grid of a table: where cells stand, and how much a table may span."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tamis
from helpers.growth import LINEAR, growth
from tamis.blocks import TagSet
from tamis.page import (
    MAX_COLUMNS,
    MAX_ROWS,
    SpanningCell,
    build_grid,
    columns_spanned,
    rows_spanned,
    slot_limit,
)
from tamis.records import MAX_VALUES, Field
from tamis.verdict import Importance

EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))

Rows = list[list[SpanningCell[int]]]
spans = st.tuples(st.integers(1, 4), st.integers(1, 4))
shapes = st.lists(st.lists(spans, max_size=4), max_size=6)


def numbered(shape: list[list[tuple[int, int]]]) -> Rows:
    return [
        [SpanningCell(100 * y + x, *span) for x, span in enumerate(row)]
        for y, row in enumerate(shape)
    ]


def slots(rows: Rows) -> dict[tuple[int, int], set[int]]:
    """The cells in each slot, by the words of the HTML standard's algorithm for forming a table."""
    found: dict[tuple[int, int], set[int]] = {}
    for y, row in enumerate(rows):
        x = 0
        for cell, width, height in row:
            while (x, y) in found:
                x += 1
            for dx in range(width):
                for dy in range(min(height, len(rows) - y)):
                    found.setdefault((x + dx, y + dy), set()).add(cell)
            x += width
    return found


@settings(deadline=None)
@given(shapes)
@example([[(2, 2)], [(1, 4), (2, 2)], [(4, 2)], [(3, 3)], [(2, 4), (2, 3)]])  # cells overlap
def test_cells_stand_where_the_standard_puts_them(shape: list[list[tuple[int, int]]]) -> None:
    rows = numbered(shape)
    grid = build_grid(rows, max_slots=10_000)
    assert grid is not None
    owned = {place.cell: place.column for line in grid for place in line if place.starts_here}
    expected: dict[int, int] = {}
    for (x, _), cells in slots(rows).items():
        for cell in cells:
            expected[cell] = min(x, expected.get(cell, x))
    assert owned == expected
    for line in grid:
        assert [place.column for place in line] == sorted(place.column for place in line)


def test_a_cell_is_in_each_row_that_it_spans() -> None:
    grid = build_grid(
        [[SpanningCell("a", 2, 3), SpanningCell("b")], [SpanningCell("c")], [], []], max_slots=100
    )
    assert grid is not None
    assert [[(place.column, place.cell, place.starts_here) for place in line] for line in grid] == [
        [(0, "a", True), (2, "b", True)],
        [(0, "a", False), (2, "c", True)],
        [(0, "a", False)],
        [],
    ]


@pytest.mark.parametrize(
    ("value", "columns", "rows"),
    [
        ("3", 3, 3),
        (" 3 ", 3, 3),
        ("1000", MAX_COLUMNS, 1000),
        ("65534", MAX_COLUMNS, 65534),
        ("9" * 5000, MAX_COLUMNS, MAX_ROWS),
        ("0", 1, 1),
        ("-2", 1, 1),
        ("٣", 1, 1),
        ("x", 1, 1),
        ("", 1, 1),
        (None, 1, 1),
    ],
)
def test_a_span_is_a_number_within_limits(value: str | None, columns: int, rows: int) -> None:
    assert (columns_spanned(value), rows_spanned(value)) == (columns, rows)


def test_a_row_of_too_many_places_is_given_up_within_the_row() -> None:
    taken: list[int] = []

    class Row(list[SpanningCell[int]]):
        def __iter__(self) -> Iterator[SpanningCell[int]]:
            for cell in super().__iter__():
                taken.append(cell.cell)
                yield cell

    row = Row(SpanningCell(n, MAX_COLUMNS, MAX_ROWS) for n in range(1000))
    assert build_grid([row], max_slots=slot_limit(100)) is None
    assert len(taken) <= slot_limit(100) // MAX_COLUMNS + 1


# Tables that span more than they say ----------------------------------------------------------


def spanning(count: int) -> str:
    row = "<tr>" + "<td rowspan=1000 colspan=1000>two words</td>" * 40 + "</tr>"
    return f"<body><table>{row * count}</table>"


def spanning_heads(count: int) -> str:
    row = "<tr>" + "<th rowspan=1000 colspan=1000>two words</th>" * 40 + "</tr>"
    return f"<body><table>{row * count}{'<tr><td>a b</td><td>c d</td></tr>' * 9}</table>"


def ragged(count: int) -> str:
    first = "<td rowspan=65534>a b</td>" * count
    rest = "<tr><td>c d</td><td>e</td></tr>" * count
    return f"<body><table><tr>{first}</tr>{rest}</table>"


def rich_cell(count: int) -> str:
    first = "".join(f"<p class=k{n}>w{n}</p>" for n in range(count))
    rest = "<tr><td>c d</td><td>e</td></tr>" * count
    return f"<body><table><tr><td rowspan=65534>{first}</td><td>b</td></tr>{rest}</table>"


def own_classes(count: int) -> str:
    rows = (f"<tr><td>a {n}</td><td><i class=k{n}>b{n}</i></td></tr>" for n in range(count))
    return f"<body><table>{''.join(rows)}</table>"


TABLES = [(spanning, 8), (spanning_heads, 8), (ragged, 1100), (rich_cell, 1100), (own_classes, 300)]


Make = Callable[[int], str]


def fields_of(document: tamis.Document) -> list[Field]:
    return [field for records in document.regions for field in records.fields]


def fresh(document: tamis.Document) -> tamis.Document:
    """The same document with nothing computed yet."""
    return tamis.Document(document.page, document.segments, document.verdict, document.method)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "count"), TABLES)
def test_the_fields_of_a_table_take_time_by_its_size(make: Make, count: int) -> None:
    small, large = (tamis.extract(make(n), method=EVERYTHING) for n in (count, 8 * count))
    assert growth(lambda: fields_of(fresh(small)), lambda: fields_of(fresh(large))) <= LINEAR


@pytest.mark.parametrize(("make", "count"), [(spanning, 60), (ragged, 3000), (rich_cell, 3000)])
def test_the_fields_of_a_table_hold_no_more_than_the_budget(make: Make, count: int) -> None:
    fields = fields_of(tamis.extract(make(count), method=EVERYTHING))
    assert fields
    assert sum(len(field.values) for field in fields) <= 1.01 * MAX_VALUES


def test_a_column_of_many_classes_loses_no_value() -> None:
    document = tamis.extract(own_classes(1500), method=EVERYTHING)
    texts = {field.texts for field in fields_of(document)}
    assert tuple(f"b{n}" for n in range(1500)) in texts


def test_a_cell_that_spans_all_rows_is_in_each_record() -> None:
    rows = "".join(f"<tr><td>Name {n}</td><td>{n}</td></tr>" for n in range(6))
    html = (
        "<body><table><tr><th>Group</th><th>Name</th><th>Number</th></tr>"
        f"<tr><td rowspan=65534>All</td>{rows.removeprefix('<tr>')}</table>"
    )
    document = tamis.extract(html, method="tagwindow")
    assert [one["group"] for one in document.regions[0]] == ["All"] * 6
    assert [one["number"] for one in document.regions[0]] == list(range(6))
    assert "|  | Name 5 | 5 |" in tamis.extract(html, method=EVERYTHING).markdown

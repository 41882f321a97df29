"""Rows of tables: which are records, what their columns are called, what is in one place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import tamis
from tamis.records import Records

NAMES = ("Grey heron", "Tawny owl", "Reed bunting", "House martin", "Mute swan", "Coal tit")
HEAD = "<tr><th>Bird</th><th>Seen</th><th>Fee</th></tr>"


def table(rows: Iterable[str], head: str = HEAD) -> Records:
    page = f"<body><main><table>{head}{''.join(rows)}</table></main>"
    return tamis.extract(page, method="tagwindow").records


def row(name: str, number: int, *, linked: bool = True) -> str:
    title = f"<a href=/{number}>{name}</a>" if linked else name
    return f"<tr><td>{title}</td><td>{number}</td><td>$1{number}</td></tr>"


def names(records: Records) -> list[str]:
    return [field.name for field in records.fields]


def values(records: Records, name: str) -> list[Any]:
    return [record[name] for record in records]


@pytest.mark.parametrize("bare", [{3}, {0, 3}, {1, 3, 5}, {0}, {5}, set()])
def test_rows_with_and_without_a_link_are_records_alike(bare: set[int]) -> None:
    records = table(row(name, n, linked=n not in bare) for n, name in enumerate(NAMES))
    assert values(records, "bird") == list(NAMES)
    assert values(records, "seen") == list(range(6))
    assert values(records, "url") == [None if n in bare else f"/{n}" for n in range(6)]
    assert names(records) == ["bird", "seen", "fee", "currency", "url"]


@pytest.mark.parametrize("last", ["<tr><td>Total</td><td>15</td><td>$75</td></tr>", HEAD])
def test_a_row_after_the_records_is_no_part_of_the_last(last: str) -> None:
    rows = [row(name, n) for n, name in enumerate(NAMES)]
    records = table([*rows[:3], HEAD, *rows[3:], last])
    assert values(records, "bird")[:6] == list(NAMES)
    assert values(records, "fee")[:6] == [10.0 + n for n in range(6)]
    assert names(records) == ["bird", "seen", "fee", "currency", "url"]


def test_rows_that_belong_together_in_pairs_are_one_record() -> None:
    pair = (
        "<tr><td>#.</td><td><a href=/#>Title number #</a></td></tr>"
        "<tr><td></td><td>words that tell more of number #</td></tr>"
    )
    records = table([pair.replace("#", str(n)) for n in range(6)], "")
    assert values(records, "title") == [f"Title number {n}" for n in range(6)]
    assert values(records, "description")[2] == "words that tell more of number 2"


def test_several_rows_of_headers_are_one_name() -> None:
    head = (
        "<tr><th rowspan=2>Bird</th><th colspan=2>Spring</th><th colspan=2>Autumn</th></tr>"
        "<tr><th>Seen</th><th>Heard</th><th>Seen</th><th>Heard</th></tr>"
    )
    rows = [
        f"<tr><td>{name}</td><td>{n}</td><td>7</td><td>5{n}</td><td>8{n}</td></tr>"
        for n, name in enumerate(NAMES)
    ]
    for header in (head, f"<thead>{head}</thead>"):
        records = table(rows, header)
        assert names(records) == [
            "bird",
            "spring_seen",
            "spring_heard",
            "autumn_seen",
            "autumn_heard",
        ]
        assert list(records[2].values()) == ["Reed bunting", 2, 7, 52, 82]


def test_a_header_over_two_columns_is_the_name_of_the_first() -> None:
    head = "<tr><th>Bird</th><th colspan=2>Seen</th></tr>"
    records = table([row(name, n, linked=False) for n, name in enumerate(NAMES)], head)
    assert names(records) == ["bird", "seen", "price", "currency"]


def test_a_first_row_in_bold_is_a_header() -> None:
    head = "<tr><td><b>Bird</b></td><td><b>Seen</b></td><td><strong>Fee</strong></td></tr>"
    for linked in (True, False):
        records = table([row(name, n, linked=linked) for n, name in enumerate(NAMES)], head)
        assert values(records, "bird") == list(NAMES)
        assert names(records)[:3] == ["bird", "seen", "fee"]


def test_what_a_named_column_says_in_some_rows_is_its_text() -> None:
    head = HEAD.replace("</tr>", "<th>Note</th></tr>")
    rows = [
        row(name, n).replace("</tr>", f"<td>{'rare' * (n % 2)}</td></tr>")
        for n, name in enumerate(NAMES)
    ]
    assert values(table(rows, head), "note") == [None, "rare"] * 3


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("Sunday 10:1#", "description", "Sunday 10:12"),
        ("Starts: 10:1#", "starts", "10:12"),
        ("Ring 12:#0", "text_2", "Ring 12:20"),
        ("Ring size: 1#", "ring_size", 12),
    ],
)
def test_a_colon_in_a_time_ends_no_label(text: str, name: str, value: object) -> None:
    items = "".join(
        f"<li><h3><a href=/{n}>{bird}</a></h3><p>{text.replace('#', str(n))}</p></li>"
        for n, bird in enumerate(NAMES)
    )
    records = tamis.extract(f"<body><main><ul>{items}</ul></main>", method="tagwindow").records
    assert records[2].get(name) == value


def test_rows_of_headers_are_no_records_where_each_row_begins_with_one() -> None:
    head = "<tr><th>Year<th>Bird<th>Seen</tr>"
    rows = [
        f"<tr><th>{1990 + n}<td><a href=/{n}>{name}</a><td>{n}</tr>" for n, name in enumerate(NAMES)
    ]
    records = tamis.extract(
        f"<main><table>{head}{''.join(rows)}{head}</table></main>", method="tagwindow"
    ).records
    assert values(records, "year") == list(range(1990, 1990 + len(NAMES)))
    assert names(records) == ["year", "bird", "seen", "url"]


def test_a_cell_that_holds_now_this_now_that_is_one_column() -> None:
    parts = (
        "<a href=/@>@</a>",
        "<a href=/@>@</a>;<br><a href=/x>Reed and Sons</a>",
        "<a href=/@>@</a>;<br><a href=/x>Reed</a>;<br><span><a href=/y>Moor</a></span>",
        "<a href=/@>@</a><br><i><b>None since</b></i>",
        "<div><a href=/@>@</a></div><p>Cancelled</p>",
    )
    rows = "".join(
        f"<tr><td>{n}<td>{parts[n % 5].replace('@', name + str(n))}<td>{n}</tr>"
        for n, name in enumerate(NAMES * 3)
    )
    page = f"<main><table><tr><th>Year<th>Bird<th>Seen</tr>{rows}</table></main>"
    records = tamis.extract(page, method="tagwindow").records
    assert names(records) == ["year", "bird", "seen", "url"]
    assert records[2]["bird"] == f"{NAMES[2]}2 ; Reed ; Moor"

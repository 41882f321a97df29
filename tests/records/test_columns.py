"""Columns: which are joined, which are duplicates, and which column a cell belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from tamis.records import Records, assign_indexes

NAMES = ("Grey heron", "Tawny owl", "Reed bunting", "House martin", "Mute swan", "Coal tit")


def extract_list(items: Sequence[str]) -> Records:
    """Return the records of a list; # stands for the number of an item, @ for a name."""
    numbered = [
        f"<li><h3><a href=/{n}>@ print</a></h3>{item}</li>".replace("#", str(n)).replace("@", name)
        for n, (name, item) in enumerate(zip(NAMES * 3, items, strict=False))
    ]
    page = f"<body><main><ul>{''.join(numbered)}</ul></main>"
    records = tamis.extract(page, method="tagwindow").records
    assert len(records) == len(items)
    return records


def values(records: Records, name: str) -> list[Any]:
    return [row.get(name) for row in records]


PLAIN = "<span class=price><span class=amount><bdi>$6#.00</bdi></span></span>"
SALE = (
    "<span class=price><del><span class=amount><bdi>$5#.00</bdi></span></del> "
    "<ins><span class=amount><bdi>$4#.00</bdi></span></ins></span>"
)


@pytest.mark.parametrize("sale", [{3}, {0}, {1, 3, 5}, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4, 5}])
def test_a_struck_price_is_never_the_price(sale: set[int]) -> None:
    records = extract_list([SALE if n in sale else PLAIN for n in range(6)])
    assert values(records, "price") == [40.0 + n if n in sale else 60.0 + n for n in range(6)]
    assert values(records, "list_price") == [50.0 + n if n in sale else None for n in range(6)]


def test_an_amount_that_one_record_alone_has_is_no_column() -> None:
    records = extract_list(
        ["<b class=price>$5#</b>" + "<i class=fee>$3 fee</i>" * (n == 2) for n in range(6)]
    )
    assert values(records, "price") == [50.0 + n for n in range(6)]
    assert [field.name for field in records.fields if field.type == "money"] == ["price"]


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>@ print on paper, ready to ship</p>", ["@ print", "@ print on paper, ready to ship"]),
        ("<p class=a>Berlin</p><p class=b>Berlin</p>", ["@ print", "Berlin", "Berlin"]),
        ("<p class=a>Berlin</p><p class=a>Berlin</p>", ["@ print", "Berlin"]),
        ("<b class=beds>2</b><b class=baths>2</b>", ["@ print", "2", "2"]),
        ("<b class=wide>$1#.50</b><b class=narrow>$1#.50</b>", ["@ print", "$1#.50"]),
        ("<b class=price>$1#.50</b><b class=old-price>$1#.50</b>", ["@ print", "$1#.50", "$1#.50"]),
        ("<p>@ print on pap…</p><div>@ print on paper</div>", ["@ print", "@ print on paper"]),
        ("<a href=/#><div>@ print on paper</div></a>", ["@ print", "@ print on paper"]),
    ],
)
def test_a_duplicate_adds_nothing(html: str, texts: list[str]) -> None:
    records = extract_list([html] * 6)
    wanted = [text.replace("@", NAMES[2]).replace("#", "2") for text in texts]
    assert [field.texts[2] for field in records.all_fields if any(field.texts)] == wanted


def test_one_value_that_differs_keeps_a_typed_column() -> None:
    items = [f"<b class=p>$1{n}</b><b class=q>${1 + (n == 4)}{n}</b>" for n in range(12)]
    records = extract_list(items)
    assert sorted(row for row in records[4].values() if isinstance(row, float)) == [14.0, 24.0]


def test_a_title_that_is_there_once_more_in_full_is_one_column() -> None:
    whole = "<p><a href=/t#>@ and more birds of the mill</a></p>"
    item = f"<a href=/t#><div>@ and more birds</div></a>{whole}"
    items = "".join(
        f"<li><b>kind #</b>{item}</li>".replace("#", str(n)).replace("@", name)
        for n, name in enumerate(NAMES)
    )
    records = tamis.extract(f"<body><main><ul>{items}</ul></main>", method="tagwindow").records
    assert [field.texts[1] for field in records.fields if any(field.texts)] == [
        "kind 1",
        "Tawny owl and more birds of the mill",
    ]


CAR = ("Diesel", "Manual", "Red")


@pytest.mark.parametrize("lost", [{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}])
def test_a_record_without_one_of_like_cells_shifts_no_other(lost: set[int]) -> None:
    short = [text for index, text in enumerate(CAR) if index not in lost]
    lists = [short if n in (1, 4) else CAR for n in range(9)]
    records = extract_list(
        ["<ul>" + "".join(f"<li>{text}</li>" for text in cells) + "</ul>" for cells in lists]
    )
    texts = [field.texts for field in records.fields if set(field.texts) & set(CAR)]
    assert len(texts) == 3
    for index, column in enumerate(texts):
        missing = index in lost
        assert column == tuple("" if missing and n in (1, 4) else CAR[index] for n in range(9))


def test_a_cell_that_nobody_else_has_leaves_the_others_in_their_columns() -> None:
    lists = [("Gas", "Red") if n == 2 else CAR for n in range(9)]
    records = extract_list(
        ["<ul>" + "".join(f"<li>{text}</li>" for text in cells) + "</ul>" for cells in lists]
    )
    texts = [field.texts for field in records.fields if set(field.texts) & set(CAR)]
    assert [column[2] for column in texts] == ["Gas", "", "Red"]


@given(st.lists(st.none() | st.integers(0, 5), min_size=1, max_size=6), st.integers(0, 4))
def test_indexes_are_the_first_of_the_best(usual: list[int | None], free: int) -> None:
    column_count = len(usual) + free

    def count_matches(indexes: tuple[int, ...]) -> int:
        return sum(index == wanted for index, wanted in zip(indexes, usual, strict=True))

    options = combinations(range(column_count), len(usual))  # in order, the lowest ones first
    assert assign_indexes(usual, column_count) == max(options, key=count_matches)

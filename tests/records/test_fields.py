"""Prices, days and marks of whole pages: currencies beside prices, headings that stay headings."""

from __future__ import annotations

import pytest

import tamis
from helpers.lists import NAMES, listed, numbered, table
from tamis.records import Records


def values(records: Records, name: str) -> list[object]:
    return [row[name] for row in records]


def test_each_price_has_its_currency() -> None:
    records = listed(*(f"<b>{text}</b>" for text in ("5 €", "$6", "£7", "8 kr", "9 zł")))
    assert values(records, "currency") == ["EUR", "USD", "GBP", "SEK", "PLN"]


def test_two_currencies_of_a_record_are_two_fields() -> None:
    records = table("Item|US price|EU price", "$10|€9", "$11|€10", "$12|€11", "$13|€12")
    assert [field.name for field in records.fields] == [
        "item",
        "us_price",
        "currency",
        "eu_price",
        "eu_price_currency",
    ]
    assert records[0] == {
        "item": "Oak chair",
        "us_price": 10.0,
        "currency": "USD",
        "eu_price": 9.0,
        "eu_price_currency": "EUR",
    }


def test_one_currency_is_that_of_all_prices_of_a_record() -> None:
    prices = [f"<del>${n + 50}</del> <span class=price>${n + 40}</span>" for n in range(2)]
    prices += [f"<span class=price>${n + 60}</span>" for n in range(2, 5)]
    records = listed(*prices)
    assert values(records, "list_price") == [50.0, 51.0, None, None, None]
    assert values(records, "currency") == ["USD"] * 5
    assert records.value_xpath(4, "currency") == records.value_xpath(4, "price")


def test_signs_that_stand_alone_are_read_as_the_page_means_them() -> None:
    records = listed(*(f"<i>kr</i><b>{n}</b>" for n in range(20, 25)), lang="da")
    assert values(records, "currency") == ["DKK"] * 5
    assert values(records, "price") == [20.0, 21.0, 22.0, 23.0, 24.0]


def test_the_upper_ends_of_ranges_are_beside_the_lower() -> None:
    records = listed("<b>£5 - £10</b>", "<b>£6</b>", "<b>£7 - £12</b>", "<b>£8</b>")
    assert values(records, "price") == [5.0, 6.0, 7.0, 8.0]
    assert values(records, "price_max") == [10.0, None, 12.0, None]


@pytest.mark.parametrize("text", ["Voucher {} $25", "Fee of $2{}", "Agenda, {} March 2024"])
def test_a_heading_stays_one(text: str) -> None:
    items = "".join(
        f"<li><h3>{text.format(n)}</h3><p>{name}</p></li>" for n, name in enumerate(NAMES)
    )
    records = tamis.extract(f"<body><main><ul>{items}</ul></main>", method="tagwindow").records
    assert values(records, "title") == [text.format(n) for n in range(len(NAMES))]


def test_a_price_that_is_a_heading_is_a_price() -> None:
    records = listed(*(f"<h4>from ${n}</h4>" for n in range(20, 25)))
    assert values(records, "price") == [20.0, 21.0, 22.0, 23.0, 24.0]


def test_numbers_beyond_any_scale_are_no_ratings() -> None:
    rating = "<b class=rating>4.#</b><p>words of #</p>"
    assert numbered(rating)[3]["rating"] == 4.3
    assert numbered(rating.replace("4.#", "4#7"))[3]["reviews"] == 437


def test_the_label_of_a_box_names_no_column() -> None:
    box = "<div><input type=checkbox id=c#><label for=c#>Compare</label></div>"
    assert "compare" not in numbered(f"{box}<b>words of #</b>")[3]
    assert "compare" in numbered("<div><label>Compare</label></div><b>words of #</b>")[3]


def test_signs_between_texts_belong_to_neither() -> None:
    row = numbered("<div>Oslo # •</div><div>| Rome #</div>")[3]
    assert {"Oslo 3", "Rome 3"} <= set(row.values())

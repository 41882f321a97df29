"""Which amount of several is the price, and what the others are."""

from __future__ import annotations

import pytest

import tamis
from helpers.lists import numbered
from helpers.phones import PHONES, shop_page
from tamis.records import find_amount_purpose, parse_was_and_now


@pytest.mark.parametrize(
    ("beside", "name", "amount"),
    [
        ("$0.1#/oz", "unit_price", 0.12),
        ("1 kg = $4.8#", "unit_price", 4.82),
        ("$9.5# per litre", "unit_price", 9.52),
        ("Save $20.#0", "saving", 20.2),
        ("$5.#0 off", "saving", 5.2),
        ("Du sparst 5.#0 €", "saving", 5.2),
        ("+ $4.9# shipping", "shipping", 4.92),
        ("Delivery: $4.9#", "shipping", 4.92),
        ("+ $3.#0", "amount", 3.2),
        ("3 payments of $2#", "amount", 22.0),
    ],
)
def test_what_is_beside_a_price_is_neither_price_nor_list_price(
    beside: str, name: str, amount: float
) -> None:
    for price, other in (("$6#.00", beside), (beside, "$6#.00")):
        row = numbered(f"<div class=a>{price}</div><div class=b>{other}</div>")[2]
        assert row["price"] == 62.0
        assert row[name] == amount
        assert "list_price" not in row


@pytest.mark.parametrize("price", ["$#2/mo", "$#2 per night", "2 for $#2"])
def test_the_only_amount_is_the_price(price: str) -> None:
    assert numbered(f"<div>{price}</div><p>words of #</p>")[3]["price"] == 32.0


@pytest.mark.parametrize("saving", ["Save $#2", "You save $#2.50", "-$#2", "$#2 off"])
def test_a_saving_is_no_price_even_alone(saving: str) -> None:
    row = numbered(f"<div>{saving}</div><p>words of #</p>")[3]
    assert "price" not in row
    assert row["saving"] in (32.0, 32.5, -32.0)


def test_a_percentage_in_the_element_of_a_price_is_a_discount() -> None:
    row = numbered("<i class=price-discount>-2#%</i><b class=price>$#2</b>")[3]
    assert (row["discount"], row["price"]) == (-23, 32.0)


def test_a_saving_and_a_price_of_others_are_not_one() -> None:
    sale = "<b class=new>$4#</b><i class=less>Save $1#</i>"
    items = "".join(
        f"<li><h3><a href=/{n}>Title number {n}</a></h3>{(sale, '<u>$6#</u>')[n % 2]}</li>".replace(
            "#", str(n)
        )
        for n in range(6)
    )
    records = tamis.extract(f"<body><main><ul>{items}</ul></main>", method="tagwindow").records
    assert [row["price"] for row in records] == [40.0, 61.0, 42.0, 63.0, 44.0, 65.0]
    assert [row["saving"] for row in records] == [10.0, None, 12.0, None, 14.0, None]


@pytest.mark.parametrize(
    ("text", "was", "now"),
    [
        ("Was $50 Now $4#", 50.0, 42.0),
        ("Now $4# (was $50)", 50.0, 42.0),
        ("statt 50 € nur 4# €", 50.0, 42.0),
        ("RRP £50 £4#", 50.0, 42.0),
        ("$4# – $50", None, 42.0),
    ],
)
def test_words_tell_which_of_two_amounts_is_former(
    text: str, was: float | None, now: float
) -> None:
    row = numbered(f"<div>{text}</div><p>words of #</p>")[2]
    assert (row.get("list_price"), row["price"]) == (was, now)


@pytest.mark.parametrize("text", ["", "words", "$5 $6 $7", "was now", "$" * 70])
def test_no_two_amounts_say_nothing_of_an_old_price(text: str) -> None:
    assert parse_was_and_now(text)[0] is None


@pytest.mark.parametrize(
    "text", ["$5", "from $5", "ab 5 €", "Price: $5", "Sparpreis 5 €", "$5 – $6"]
)
def test_little_beside_an_amount_leaves_it_a_price(text: str) -> None:
    assert find_amount_purpose(text) is None


def test_a_price_in_parts_is_the_price_beside_other_amounts() -> None:
    pieces = "<span><sup>$</sup><b>3#</b><sup>99</sup></span>"
    row = numbered(f"{pieces}<p class=s>+ $4.50 shipping</p><p class=u>$0.5# per litre</p>")[2]
    assert (row["price"], row["shipping"], row["unit_price"]) == (32.99, 4.5, 0.52)


@pytest.mark.parametrize("layout", ["table", "divs", "cards", "dl", "nested tables"])
def test_the_phones_of_the_papers_table_1_are_records(layout: str) -> None:
    records = tamis.extract(shop_page(layout, linked=True)).records
    assert [row["price"] for row in records] == [3942.0, 3942.0, 12149.0, 3890.0]
    assert {row["currency"] for row in records} == {"INR"}
    models = [model for _, model, _ in PHONES]
    assert [set(row.values()) & set(models) for row in records] == [{model} for model in models]


def test_a_price_from_which_others_begin_is_a_price() -> None:
    assert find_amount_purpose("$599+") is None
    assert find_amount_purpose("+$599") == "amount"
    row = numbered("<b class=a>$#00+</b><b class=b>+ $#0</b>")[3]
    assert (row["price"], row["amount"]) == (300.0, 30.0)


@pytest.mark.parametrize("name", ["list-item-price", "product-list__price price", "listing-price"])
def test_the_price_in_a_list_is_no_list_price(name: str) -> None:
    row = numbered(f"<b class='{name}'>$#2</b><p>words of #</p>")[3]
    assert row["price"] == 32.0


@pytest.mark.parametrize("name", ["list-price", "price list_price", "listPrice", "price--old"])
def test_a_list_price_is_named_so(name: str) -> None:
    row = numbered(f"<b class='{name}'>$#2</b><b class=price>$#1</b><p>words of #</p>")[3]
    assert (row["list_price"], row["price"]) == (32.0, 31.0)


def test_a_price_for_screen_readers_is_read_if_what_is_shown_is_hidden_from_them() -> None:
    html = (
        "<span class=a-offscreen>EUR #7.50</span>"
        "<span aria-hidden=true><i>EUR</i><b>#7</b><sup>50</sup></span><p>words of #</p>"
    )
    assert numbered(html)[3]["price"] == 37.5
    icon = html.replace("<i>EUR</i><b>#7</b><sup>50</sup>", "")  # nothing that is shown
    assert "price" not in numbered(icon)[3]

"""Texts become values of the right type, and only where most of a column agrees."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.html_strategies import patient
from tamis.content.records.ago import day_ago
from tamis.content.records.values import (
    amount,
    count,
    currency,
    day,
    money,
    number,
    rating,
    typed,
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("$38.00", (38.0, "USD")),
        ("$1,234.50", (1234.5, "USD")),
        ("1.234,50 €", (1234.5, "EUR")),
        ("€ 19", (19.0, "EUR")),
        ("CDN$ 2.19", (2.19, "CAD")),
        ("CAD$138.95 (P)", (138.95, "CAD")),
        ("Rs 3,942", (3942.0, "INR")),
        ("from £6.50", (6.5, "GBP")),
        ("12 345 kr", (12345.0, "SEK")),
        ("USD 20", (20.0, "USD")),
        ("¥1,200", (1200.0, "JPY")),
        ("20 results", None),
        ("no price", None),
        ("A song about $5 and a very long story of how it was lost and found again", None),
    ],
)
def test_money(text: str, wanted: tuple[float, str] | None) -> None:
    assert money(text) == wanted


PRICES = ["$38.00", "$1,234.50", "1.234,50 €", "€ 19", "£6.50", "12,99 €", "$0.99", "Rs 3,942",
          "USD 20", "$1,299", "1 299,00 €", "€1.299,00", "$12,345,678.90"]  # fmt: skip


@pytest.mark.parametrize("text", PRICES)
def test_money_is_what_price_parser_reads(text: str) -> None:
    parser = pytest.importorskip("price_parser")
    found = money(text)
    assert found is not None
    assert found[0] == parser.Price.fromstring(text).amount_float


@patient
@given(
    st.integers(0, 10**9), st.integers(0, 99), st.sampled_from([(",", "."), (".", ","), (" ", ",")])
)
def test_amounts_in_all_ways_of_writing(whole: int, cents: int, signs: tuple[str, str]) -> None:
    text = f"{whole:,}".replace(",", signs[0]) + f"{signs[1]}{cents:02}"
    assert amount(text) == float(f"{whole}.{cents:02}")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("4.5 out of 5", 4.5),
        ("4,5 von 5", 4.5),
        ("8/10", 8.0),
        ("Rated 3 of 5 stars", 3.0),
        ("★★★★☆", 4.0),
        ("4.5 stars", 4.5),
        ("page 4 of 12", None),
        ("12/5/2020", None),
    ],
)
def test_ratings(text: str, wanted: float | None) -> None:
    found = rating(text)
    assert (found[0] if found else None) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(173)", (173, None)),
        ("1,145 points", (1145, "points")),
        ("1.2k views", (1200, "views")),
        ("2 comments", (2, "comments")),
        ("12 angry men and a dog", None),
        ("views", None),
    ],
)
def test_counts(text: str, wanted: tuple[int, str | None] | None) -> None:
    assert count(text) == wanted


def test_numbers_and_days() -> None:
    assert number("-12.5") == (-12.5, None)
    assert number("45 %") == (45, None)
    assert number("iPhone 6") is None
    assert day("Posted on 5 March 2012") == ("2012-03-05", None)
    assert day("March came and went") is None


def test_a_column_has_one_type_and_misses_what_is_not_of_it() -> None:
    found = typed(["$5.00", "$6.00", "", "$7.00", "$8.00", "call us"])
    assert found.type == "money"
    assert found.values == (5.0, 6.0, None, 7.0, 8.0, None)
    assert found.note == "USD"


def test_titles_with_numbers_stay_titles() -> None:
    assert typed(["12 Monkeys", "7 Samurai", "8 Women", "101 Dalmatians"]).type == "text"
    assert typed(["1984", "Emma", "Dune", "Ulysses"]).type == "text"


def test_empty_columns_are_text() -> None:
    assert typed([]).values == ()
    assert typed(["", ""]).values == (None, None)


@patient
@given(st.lists(st.text(max_size=80), max_size=30))
def test_any_texts_become_as_many_values(texts: list[str]) -> None:
    found = typed(texts)
    assert len(found.values) == len(texts)
    assert all(value is None for text, value in zip(texts, found.values, strict=True) if not text)


TODAY = date(2024, 3, 31)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("3 days ago", "2024-03-28"),
        ("yesterday", "2024-03-30"),
        ("Yesterday, 14:02", "2024-03-30"),
        ("submitted 2 hours ago", "2024-03-31"),
        ("30 hours ago", "2024-03-30"),
        ("about a year ago", "2023-03-31"),
        ("1 month ago", "2024-02-29"),
        ("2 years 1 month ago", "2022-03-31"),
        ("2 weeks ago", "2024-03-17"),
        ("vor 2 Wochen", "2024-03-17"),
        ("il y a 3 jours", "2024-03-28"),
        ("hace 2 meses", "2024-01-31"),
        ("just now", "2024-03-31"),
        ("3 bottles ago", None),
        ("Today's specials", "2024-03-31"),
        ("long ago", None),
        ("9999 years ago", None),
        ("days ago", None),
    ],
)
def test_days_that_are_some_time_ago(text: str, wanted: str | None) -> None:
    found = day_ago(text, TODAY)
    assert (found.isoformat() if found else None) == wanted


def test_a_column_of_relative_days_is_one_of_dates() -> None:
    found = typed(["3 days ago", "yesterday", "2 weeks ago", "5 minutes ago", "March 3, 2021"])
    assert found.type == "date"
    assert found.values[-1] == "2021-03-03"
    assert None not in found.values


@patient
@given(st.text(max_size=60), st.dates())
def test_no_text_breaks_the_calendar(text: str, today: date) -> None:
    found = day_ago(f"{text} ago", today)
    assert found is None or found <= today


@pytest.mark.parametrize(
    ("text", "wanted"), [("$", "USD"), ("CA$", "CAD"), ("€", "EUR"), ("x", None), ("$5", None)]
)
def test_signs_of_currencies(text: str, wanted: str | None) -> None:
    assert currency(text) == wanted

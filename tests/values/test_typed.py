"""Typed values: texts become values of a type if most of their column has that type."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.html_strategies import patient
from tamis.values import (
    CURRENCIES,
    Locale,
    TypedColumn,
    Value,
    infer_column,
    parse_column,
    parse_count,
    parse_day,
    parse_rating,
    value_type,
)


def money(text: str, locale: Locale | None = None) -> tuple[Value, str | None]:
    """Return the amount and the currency of a column with a single text."""
    column = infer_column([text], locale or Locale())
    assert column.type == "money", text
    return column.values[0], column.currencies[0]


@pytest.mark.parametrize(
    ("text", "expected"),
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
        ("10,000원", (10000.0, "KRW")),
        ("AED 1,250.00", (1250.0, "AED")),
        ("1.299 TL", (1299.0, "TRY")),
        ("99,- Kč", (99.0, "CZK")),
        ("5 000 ₸", (5000.0, "KZT")),
        ("3,50 Euro", (3.5, "EUR")),
        ("C$19", (19.0, "CAD")),
        ("$20.00 CAD", (20.0, "CAD")),
        ("₹1,00,000", (100000.0, "INR")),
        ("45¢", (0.45, "USD")),
        ("-$46.10", (-46.1, "USD")),
        ("−£3", (-3.0, "GBP")),
        ("$-5", (-5.0, "USD")),
        ("$1.25M", (1_250_000.0, "USD")),
        ("£3bn", (3e9, "GBP")),
        ("¥3.5万", (35_000.0, "JPY")),
        ("$8.2 billion", (8.2e9, "USD")),
        ("$0.0125", (0.0125, "USD")),
        ("$3.459", (3.459, "USD")),
        ("1.299 €", (1299.0, "EUR")),
        ("$2.49 / kg", (2.49, "USD")),
        ("Now only $5", (5.0, "USD")),
    ],
)
def test_money(text: str, expected: tuple[float, str]) -> None:
    assert money(text) == expected


PRICES = ["$38.00", "$1,234.50", "1.234,50 €", "€ 19", "£6.50", "12,99 €", "$0.99", "Rs 3,942",
          "USD 20", "$1,299", "1 299,00 €", "€1.299,00", "$12,345,678.90", "AED 1,250.00",
          "1.299 TL", "5 000 ₸", "10,000원", "3,50 Euro", "$0.0125", "C$19", "199 Kč",
          "R$ 1.299,90", "Rp 25.000", "₫ 120.000", "CHF 1'299.00"]  # fmt: skip


@pytest.mark.parametrize("text", PRICES)
def test_money_is_what_price_parser_reads(text: str) -> None:
    parser = pytest.importorskip("price_parser")
    # price_parser ends a number at an apostrophe.
    assert money(text)[0] == parser.Price.fromstring(text.replace("'", "")).amount_float


@pytest.mark.parametrize(
    ("text", "locale", "expected"),
    [
        ("¥199.00", Locale("zh", "CN"), "CNY"),
        ("¥199", Locale("ja", "JP"), "JPY"),
        ("1.250 kr", Locale("da", "DK"), "DKK"),
        ("1.250 kr.", Locale("nb", "NO"), "NOK"),
        ("1.250 kr", Locale(), "SEK"),
        ("$5", Locale("en", "AU"), "AUD"),
        ("US$5", Locale("en", "AU"), "USD"),
        ("Rs 5", Locale("ur", "PK"), "PKR"),
    ],
)
def test_a_shared_sign_means_the_currency_of_the_locale(
    text: str, locale: Locale, expected: str
) -> None:
    assert money(text, locale)[1] == expected


def test_each_amount_has_its_own_currency() -> None:
    column = infer_column(["$5", "6 €", "", "£7"])
    assert column.values == (5.0, 6.0, None, 7.0)
    assert column.currencies == ("USD", "EUR", None, "GBP")


def test_pence_are_money_beside_pounds() -> None:
    assert infer_column(["£1.20", "99p", "45p"]).values == (1.2, 0.99, 0.45)
    assert infer_column(["72p", "99p"], Locale("en", "GB")).values == (0.72, 0.99)
    assert infer_column(["24p", "48p", "96p"]).type == "text"


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("£5 - £10", 5.0, 10.0),
        ("$100K - $120K a year", 100_000.0, 120_000.0),
        ("$100-120K", 100_000.0, 120_000.0),
        ("5–10 €", 5.0, 10.0),
        ("$5 to $10", 5.0, 10.0),
        ("$900 - $1.2K", 900.0, 1200.0),
    ],
)
def test_a_range_has_both_ends(text: str, low: float, high: float) -> None:
    column = infer_column([text, "$3"])
    assert column.values == (low, 3.0)
    assert column.upper == (high, None)


def test_a_lower_second_amount_is_no_end_of_a_range() -> None:
    assert infer_column(["$5.00 - 2 pack", "$6.00 - 3 pack"]).upper == ()


def test_brackets_are_a_minus_where_others_have_none() -> None:
    assert infer_column(["$5.00", "($6.00)", "$7.00"]).values == (5.0, -6.0, 7.0)
    assert infer_column(["($5.00)", "($6.00)"]).values == (5.0, 6.0)
    assert infer_column(["1,200", "(300)", "17"]).values == (1200, -300, 17)
    assert infer_column(["(173)", "(12)"]).values == (173, 12)


@pytest.mark.parametrize(
    ("texts", "locale", "expected"),
    [
        (["0.259", "0.310"], Locale(), (0.259, 0.31)),
        (["1.259", "1.3", "0.7"], Locale(), (1.259, 1.3, 0.7)),
        (["1.259", "1.259.000"], Locale("en"), (1259, 1259000)),
        (["1.259", "3,5"], Locale(), (1259, 3.5)),
        (["1.259", "2.310"], Locale("en"), (1.259, 2.31)),
        (["1.259", "2.310"], Locale("de"), (1259, 2310)),
        (["1,259", "2,310"], Locale("de"), (1.259, 2.31)),
        (["1,259", "2,310"], Locale("en"), (1259, 2310)),
        (["1.259", "2.310"], Locale(), (1259, 2310)),
        (["1.259", "2.310"], Locale("en", "DE"), (1259, 2310)),
        (["−1.25", "+2.5", "-3"], Locale(), (-1.25, 2.5, -3)),
        (["1.2B", "3M", "4K"], Locale(), (1_200_000_000, 3_000_000, 4_000)),
        (["1.1852", "1.1853"], Locale(), (1.1852, 1.1853)),
    ],
)
def test_a_column_decides_what_a_point_means(
    texts: list[str], locale: Locale, expected: tuple[float, ...]
) -> None:
    column = infer_column(texts, locale)
    assert (column.type, column.values) == ("number", expected)


def test_a_currency_decides_what_a_point_means_for_its_own_amounts_only() -> None:
    column = infer_column(["1.299,00 €", "45 €", "$1,299", "$5.00"], Locale("en"))
    assert column.values == (1299.0, 45.0, 1299.0, 5.0)


@pytest.mark.parametrize(
    "texts", [["02130", "10115"], ["0017", "0018"], ["+49 301", "+49 302"], ["1.2.3", "1.2.4"]]
)
def test_codes_are_no_numbers(texts: list[str]) -> None:
    assert infer_column(texts).type == "text"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4.5 out of 5", 4.5),
        ("4,5 von 5", 4.5),
        ("8/10", 8.0),
        ("Rated 3 of 5 stars", 3.0),
        ("★★★★☆", 4.0),
        ("4.5 stars", 4.5),
        ("page 4 of 12", None),
        ("12/5/2020", None),
        ("1/10/2024", None),
        ("★★★★★ would buy it again and again, says my aunt", None),
    ],
)
def test_ratings(text: str, expected: float | None) -> None:
    reading = parse_rating(text)
    assert (reading.value if reading else None) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(173)", (173, None)),
        ("1,145 points", (1145, "points")),
        ("1.2k views", (1200, "views")),
        ("2 comments", (2, "comments")),
        ("12 angry men and a dog", None),
        ("views", None),
        ("25m pool", None),
        ("3m views", (3_000_000, "views")),
        ("+5 points", (5, "points")),
    ],
)
def test_counts(text: str, expected: tuple[int, str | None] | None) -> None:
    count = parse_count(text)
    assert (count and (count.value(), count.unit)) == expected


def test_numbers_and_dates() -> None:
    assert infer_column(["-12.5", "45 %"]).values == (-12.5, 45)
    assert parse_count("iPhone 6") is None
    assert parse_day("Posted on 5 March 2012") == ("2012-03-05", "")
    assert parse_day("5 May 1985") == ("1985-05-05", "")
    assert parse_day("March came and went") is None
    assert value_type("12 replies") == "count replie"
    assert value_type("12") == "number"


@pytest.mark.parametrize(
    ("texts", "locale", "expected"),
    [
        (["03/04/2024", "13/04/2024"], Locale("en", "US"), ("2024-04-03", "2024-04-13")),
        (["03/04/2024", "04/13/2024"], Locale("de"), ("2024-03-04", "2024-04-13")),
        (["03/04/2024", "05/04/2024"], Locale("en"), ("2024-03-04", "2024-05-04")),
        (["03/04/2024", "05/04/2024"], Locale("en", "GB"), ("2024-04-03", "2024-04-05")),
        (["03/04/2024", "05/04/2024"], Locale("fr"), ("2024-04-03", "2024-04-05")),
        (["13/04/2024", "04/14/2024"], Locale("en"), ("2024-04-13", "2024-04-14")),
    ],
)
def test_a_column_decides_whether_the_month_comes_first(
    texts: list[str], locale: Locale, expected: tuple[str, ...]
) -> None:
    assert infer_column(texts, locale).values == expected


@pytest.mark.parametrize(
    "texts",
    [
        [f"Minutes of the {word} meeting, 3 March 2024" for word in ("first", "next", "last")],
        [f"{word} sold at the fair yesterday" for word in ("Chair", "Table", "Clock")],
        [f"12 Mar 2024 by agent {n}" for n in range(3)],
        [f"3 March 2024 – {n} March 2024" for n in range(5, 8)],
        [f"Card {word} $25.00" for word in ("red", "blue", "green")],
    ],
)
def test_texts_with_different_other_words_stay_texts(texts: list[str]) -> None:
    assert infer_column(texts).values == tuple(texts)


def test_words_that_all_texts_share_are_dropped() -> None:
    column = infer_column([f"Last seen on 1{n} Mar 2024, 10:0{n} pm" for n in range(3)])
    assert column.values == ("2024-03-10", "2024-03-11", "2024-03-12")
    assert infer_column(["Fee of $5", "Fee of $6"]).values == (5.0, 6.0)
    assert infer_column(["Fee of $5", "Fee of $6"], max_residuals=0).type == "text"


def test_a_column_has_one_type_and_other_values_are_missing() -> None:
    column = infer_column(["$5.00", "$6.00", "", "$7.00", "$8.00", "call us"])
    assert column.type == "money"
    assert column.values == (5.0, 6.0, None, 7.0, 8.0, None)
    assert column.currencies == ("USD", "USD", None, "USD", "USD", None)


def test_titles_with_numbers_stay_titles() -> None:
    assert infer_column(["12 Monkeys", "7 Samurai", "8 Women", "101 Dalmatians"]).type == "text"
    assert infer_column(["1984", "Emma", "Dune", "Ulysses"]).type == "text"


def test_empty_columns_are_text() -> None:
    assert infer_column([]).values == ()
    assert infer_column(["", ""]).values == (None, None)


@patient
@given(st.lists(st.text(max_size=80), max_size=30))
def test_there_is_one_value_per_text(texts: list[str]) -> None:
    column = infer_column(texts)
    assert len(column.values) == len(texts)
    assert all(value is None for text, value in zip(texts, column.values, strict=True) if not text)


def test_a_column_of_relative_dates_has_type_date() -> None:
    texts = ["3 days ago", "yesterday", "2 weeks ago", "5 minutes ago", "March 3, 2021"]
    column = infer_column(texts, Locale(fetched=date(2021, 3, 20)))
    assert column.type == "date"
    assert column.values == ("2021-03-17", "2021-03-19", "2021-03-06", "2021-03-20", "2021-03-03")


def test_relative_dates_stay_text_if_the_day_of_fetching_is_unknown() -> None:
    texts = ["3 days ago", "yesterday", "2 weeks ago", "5 minutes ago", "March 3, 2021"]
    assert infer_column(texts) == TypedColumn("text", tuple(texts))


def test_texts_are_read_as_a_given_type() -> None:
    column = parse_column("count", ["12", "13", ""])
    assert column is not None
    assert (column.type, column.values) == ("count", (12, 13, None))
    assert parse_column("money", ["12", "13"]) is None
    assert parse_column("text", ["12", ""]) == TypedColumn("text", ("12", None))
    assert parse_column("date", ["", ""]) is None
    column = parse_column("date", ["03/04/2024", "13/04/2024"])
    assert column is not None
    assert column.values == ("2024-04-03", "2024-04-13")


def test_integers_are_exact() -> None:
    assert infer_column([f"{10**21 + n:,}" for n in range(3)]).values == tuple(
        10**21 + n for n in range(3)
    )


@pytest.mark.parametrize("sign", sorted(CURRENCIES))
def test_every_currency_sign_is_read(sign: str) -> None:
    for text in (f"{sign}12", f"{sign} 12", f"12{sign}", f"12 {sign}"):
        assert money(text) == (12.0, CURRENCIES[sign])


def test_the_first_of_equally_frequent_units_names_a_count() -> None:
    """The order must not depend on the run, as that of a set does."""
    words = "point view reply comment photo vote like share guest seat".split()
    for word in words:
        assert infer_column((f"1 {word}", f"2 {word}s")).note == word
        assert infer_column((f"2 {word}s", f"1 {word}")).note == f"{word}s"

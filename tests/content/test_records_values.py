"""Texts become values of the right type, and only where most of a column agrees."""

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
    find_amounts,
    infer_column,
    parse_column,
    parse_count,
    parse_currency,
    parse_day,
    parse_money,
    parse_number,
    parse_rating,
    parse_relative_date,
    value_type,
)


def one(text: str, home: Locale | None = None) -> tuple[Value, str | None]:
    """Return the value and the currency of a column of one text."""
    found = infer_column([text], home or Locale())
    assert found.type == "money", text
    return found.values[0], found.currencies[0]


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
def test_money(text: str, wanted: tuple[float, str]) -> None:
    assert one(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "20 results",
        "no price",
        "Oak chair with arms voucher $25",
        "The 25 EUR that nobody wanted to have",
        "$1.2.3",
        "TOP 10",
        "A song about $5 and a very long story of how it was lost and found again",
    ],
)
def test_what_is_no_money(text: str) -> None:
    assert parse_money(text) is None


PRICES = ["$38.00", "$1,234.50", "1.234,50 €", "€ 19", "£6.50", "12,99 €", "$0.99", "Rs 3,942",
          "USD 20", "$1,299", "1 299,00 €", "€1.299,00", "$12,345,678.90", "AED 1,250.00",
          "1.299 TL", "5 000 ₸", "10,000원", "3,50 Euro", "$0.0125", "C$19", "199 Kč",
          "R$ 1.299,90", "Rp 25.000", "₫ 120.000", "CHF 1'299.00"]  # fmt: skip


@pytest.mark.parametrize("text", PRICES)
def test_money_is_what_price_parser_reads(text: str) -> None:
    parser = pytest.importorskip("price_parser")
    # It takes an apostrophe for the end of a number.
    assert one(text)[0] == parser.Price.fromstring(text.replace("'", "")).amount_float


@pytest.mark.parametrize(
    ("text", "home", "wanted"),
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
def test_signs_of_several_lands_are_those_of_the_page(text: str, home: Locale, wanted: str) -> None:
    assert one(text, home)[1] == wanted


def test_each_amount_has_its_own_currency() -> None:
    found = infer_column(["$5", "6 €", "", "£7"])
    assert found.values == (5.0, 6.0, None, 7.0)
    assert found.currencies == ("USD", "EUR", None, "GBP")


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
    found = infer_column([text, "$3"])
    assert found.values == (low, 3.0)
    assert found.upper == (high, None)


def test_a_lower_second_amount_is_no_end_of_a_range() -> None:
    assert infer_column(["$5.00 - 2 pack", "$6.00 - 3 pack"]).upper == ()


def test_brackets_are_a_minus_where_others_have_none() -> None:
    assert infer_column(["$5.00", "($6.00)", "$7.00"]).values == (5.0, -6.0, 7.0)
    assert infer_column(["($5.00)", "($6.00)"]).values == (5.0, 6.0)
    assert infer_column(["1,200", "(300)", "17"]).values == (1200, -300, 17)
    assert infer_column(["(173)", "(12)"]).values == (173, 12)


@pytest.mark.parametrize(
    ("texts", "home", "wanted"),
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
def test_a_column_tells_what_a_point_means(
    texts: list[str], home: Locale, wanted: tuple[float, ...]
) -> None:
    found = infer_column(texts, home)
    assert (found.type, found.values) == ("number", wanted)


def test_a_currency_tells_what_a_point_means_of_its_own_amounts_only() -> None:
    found = infer_column(["1.299,00 €", "45 €", "$1,299", "$5.00"], Locale("en"))
    assert found.values == (1299.0, 45.0, 1299.0, 5.0)


@pytest.mark.parametrize(
    "texts", [["02130", "10115"], ["0017", "0018"], ["+49 301", "+49 302"], ["1.2.3", "1.2.4"]]
)
def test_codes_are_no_numbers(texts: list[str]) -> None:
    assert infer_column(texts).type == "text"


@patient
@given(
    st.integers(0, 10**9), st.integers(0, 99), st.sampled_from([(",", "."), (".", ","), (" ", ",")])
)
def test_amounts_in_all_ways_of_writing(whole: int, cents: int, signs: tuple[str, str]) -> None:
    text = f"{whole:,}".replace(",", signs[0]) + f"{signs[1]}{cents:02}"
    assert parse_number(text) == float(f"{whole}.{cents:02}")


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
        ("1/10/2024", None),
        ("★★★★★ would buy it again and again, says my aunt", None),
    ],
)
def test_ratings(text: str, wanted: float | None) -> None:
    found = parse_rating(text)
    assert (found.value if found else None) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
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
def test_counts(text: str, wanted: tuple[int, str | None] | None) -> None:
    found = parse_count(text)
    assert (found and (found.value(), found.note)) == wanted


def test_numbers_and_days() -> None:
    assert infer_column(["-12.5", "45 %"]).values == (-12.5, 45)
    assert parse_count("iPhone 6") is None
    assert parse_day("Posted on 5 March 2012") == ("2012-03-05", "")
    assert parse_day("5 May 1985") == ("1985-05-05", "")
    assert parse_day("March came and went") is None
    assert value_type("12 replies") == "count replie"
    assert value_type("12") == "number"


@pytest.mark.parametrize(
    ("texts", "home", "wanted"),
    [
        (["03/04/2024", "13/04/2024"], Locale("en", "US"), ("2024-04-03", "2024-04-13")),
        (["03/04/2024", "04/13/2024"], Locale("de"), ("2024-03-04", "2024-04-13")),
        (["03/04/2024", "05/04/2024"], Locale("en"), ("2024-03-04", "2024-05-04")),
        (["03/04/2024", "05/04/2024"], Locale("en", "GB"), ("2024-04-03", "2024-04-05")),
        (["03/04/2024", "05/04/2024"], Locale("fr"), ("2024-04-03", "2024-04-05")),
        (["13/04/2024", "04/14/2024"], Locale("en"), ("2024-04-13", "2024-04-14")),
    ],
)
def test_a_column_tells_whether_the_month_is_first(
    texts: list[str], home: Locale, wanted: tuple[str, ...]
) -> None:
    assert infer_column(texts, home).values == wanted


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
def test_texts_that_say_more_than_a_value_stay_texts(texts: list[str]) -> None:
    assert infer_column(texts).values == tuple(texts)


def test_words_that_all_texts_have_are_lost_without_loss() -> None:
    found = infer_column([f"Last seen on 1{n} Mar 2024, 10:0{n} pm" for n in range(3)])
    assert found.values == ("2024-03-10", "2024-03-11", "2024-03-12")
    assert infer_column(["Fee of $5", "Fee of $6"]).values == (5.0, 6.0)
    assert infer_column(["Fee of $5", "Fee of $6"], max_residuals=0).type == "text"


def test_a_column_has_one_type_and_misses_what_is_not_of_it() -> None:
    found = infer_column(["$5.00", "$6.00", "", "$7.00", "$8.00", "call us"])
    assert found.type == "money"
    assert found.values == (5.0, 6.0, None, 7.0, 8.0, None)
    assert found.currencies == ("USD", "USD", None, "USD", "USD", None)


def test_titles_with_numbers_stay_titles() -> None:
    assert infer_column(["12 Monkeys", "7 Samurai", "8 Women", "101 Dalmatians"]).type == "text"
    assert infer_column(["1984", "Emma", "Dune", "Ulysses"]).type == "text"


def test_empty_columns_are_text() -> None:
    assert infer_column([]).values == ()
    assert infer_column(["", ""]).values == (None, None)


@patient
@given(st.lists(st.text(max_size=80), max_size=30))
def test_any_texts_become_as_many_values(texts: list[str]) -> None:
    found = infer_column(texts)
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
        ("30+ days ago", "2024-03-01"),
        ("Just posted", "2024-03-31"),
        ("long ago", None),
        ("9999 years ago", None),
        ("days ago", None),
    ],
)
def test_days_that_are_some_time_ago(text: str, wanted: str | None) -> None:
    found = parse_relative_date(text, TODAY)
    assert (found[0].isoformat() if found else None) == wanted


def test_a_column_of_relative_days_is_one_of_dates() -> None:
    found = infer_column(
        ["3 days ago", "yesterday", "2 weeks ago", "5 minutes ago", "March 3, 2021"]
    )
    assert found.type == "date"
    assert found.values[-1] == "2021-03-03"
    assert None not in found.values


@patient
@given(st.text(max_size=60), st.dates())
def test_no_text_breaks_the_calendar(text: str, today: date) -> None:
    found = parse_relative_date(f"{text} ago", today)
    assert found is None or found[0] <= today


@pytest.mark.parametrize(
    ("text", "wanted"), [("$", "USD"), ("CA$", "CAD"), ("€", "EUR"), ("x", None), ("$5", None)]
)
def test_signs_of_currencies(text: str, wanted: str | None) -> None:
    assert parse_currency(text) == wanted


def test_texts_are_read_as_a_type_that_is_known() -> None:
    found = parse_column("count", ["12", "13", ""])
    assert found is not None
    assert (found.type, found.values) == ("count", (12, 13, None))
    assert parse_column("money", ["12", "13"]) is None
    assert parse_column("text", ["12", ""]) == TypedColumn("text", ("12", None))
    assert parse_column("date", ["", ""]) is None
    found = parse_column("date", ["03/04/2024", "13/04/2024"])
    assert found is not None
    assert found.values == ("2024-04-03", "2024-04-13")


def test_whole_numbers_are_exact() -> None:
    assert infer_column([f"{10**21 + n:,}" for n in range(3)]).values == tuple(
        10**21 + n for n in range(3)
    )


def test_all_prices_of_a_text() -> None:
    assert find_amounts("was $10.50, now $5") == [(4, 10, 10.5), (16, 18, 5.0)]
    assert find_amounts("nothing") == []


@pytest.mark.parametrize("sign", sorted(CURRENCIES))
def test_no_sign_is_overlooked(sign: str) -> None:
    for text in (f"{sign}12", f"{sign} 12", f"12{sign}", f"12 {sign}"):
        assert one(text) == (12.0, CURRENCIES[sign])


def test_of_units_that_are_as_frequent_the_first_names_a_count() -> None:
    """On every run: sets of words have another order in each."""
    words = "point view reply comment photo vote like share guest seat".split()
    for word in words:
        assert infer_column((f"1 {word}", f"2 {word}s")).note == word
        assert infer_column((f"2 {word}s", f"1 {word}")).note == f"{word}s"

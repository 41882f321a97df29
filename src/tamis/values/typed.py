"""Typed values: texts become money, ratings, dates, counts or numbers.

`parse_rating`, `parse_day` and `parse_count` read one text, as `parse_money` does. `infer_column`
reads a column of texts: it finds the one type that most of them have. `parse_column` reads them as
a given type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Final, Literal, NamedTuple, TypeVar, cast

from tamis.values.dates import RELATIVE_HINT, find_dates, may_be_relative, parse_relative_date
from tamis.values.locale import UNKNOWN_LOCALE, Locale
from tamis.values.money import MAX_VALUE_CHARS, PENCE_POWER, parse_money, usual_decimal_mark
from tamis.values.numbers import (
    MINUS,
    Quantity,
    find_decimal_mark,
    has_codes,
    numeral_pattern,
    parse_power_of_ten,
)
from tamis.values.residual import residual_text

MIN_TYPE_SHARE: Final = 0.8  # share of a column's texts that must be of its type
SAMPLE_SIZE: Final = 12  # number of texts that a type is tried on first
SLACK: Final = 1e-9  # rounding error of a sum of shares
_MAX_RESIDUALS: Final = 2  # different residual texts in a column, or different units that it counts
_EARLIEST_DATE: Final = date(1900, 1, 1)  # records describe people and things older than the web

_RATING: Final = re.compile(
    r"(?P<glyphs>[★☆⭐]{5})|(?:^|\s|\()(?P<rating>\d(?:[.,]\d{1,2})?|10)\s?"
    r"(?:/|out of|of|von|sur|de|di|su|из|av|z)\s?(?P<scale>5|10)(?:[.,]0)?(?![/.-]?\d)|"
    r"^(?P<stars>\d(?:[.,]\d{1,2})?)\s?(?:stars?|★|sterne|étoiles|estrellas|stelle)",
    re.IGNORECASE,
)
# `m` is a million of what people do, else a metre or a minute. The first part excludes phone
# numbers.
_COUNT: Final = re.compile(
    rf"(?!\+\d+\s\d)(?P<open>\()?\s?(?P<sign>[+{MINUS}])?(?P<digits>{numeral_pattern('g')})"
    r"(?P<scale>[KkMB](?![^\W_])|m(?=\s(?:view|follow|subscri|download|like|play|user|member|fan))|"
    r"\s?[万萬만亿億억])?\+?\s?(?:%|\)?(?:\s?(?P<unit>[^\W\d_]{2,20}(?:\s[^\W\d_]{2,20})?)\)?)?)"
)
_SLASHED_DATE: Final = re.compile(r"(?<!\d)(\d\d?)[/-](\d\d?)[/-]\d\d")
_DIGIT: Final = re.compile(r"\d|[★☆⭐]{5}")
_ANY_DAY: Final = date(2000, 1, 1)  # to see whether a text is a relative date
_RELATIVE_HINT: Final = re.compile(f"(?i){RELATIVE_HINT}")

Type = Literal["text", "number", "money", "date", "rating", "count", "url", "image", "flag"]
Value = str | int | float | bool | None
_T = TypeVar("_T")


class Reading(NamedTuple):
    """A value that does not depend on the rest of its column, and the residual text."""

    value: str | float
    residual: str


_Parsed = Reading | Quantity | None
_Parser = Callable[[str], _Parsed]


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column of values of one type; `note` is what they count, or the text of a badge.

    Each amount of money has its currency, and the upper end if it is a range.
    """

    type: Type
    values: tuple[Value, ...]
    note: str | None = None
    currencies: tuple[str | None, ...] = ()
    upper: tuple[Value, ...] = ()


# One text


def value_type(text: str) -> str:
    """Return the type of a single text; for counts, with the word for what is counted.

    A relative date is a date, whether or not it is known from which day it counts.
    """
    if not may_be_typed(text):
        return "text"
    for kind, parser in _ALL_PARSERS:
        if parsed := parser(text):
            if isinstance(parsed, Quantity) and kind == "number" and parsed.unit:
                return f"count {parsed.unit.removesuffix('s')}"
            return kind
    return "text"


def may_be_typed(text: str) -> bool:
    """Say whether a text has a digit, stars or a word of a relative date near its beginning."""
    if _DIGIT.search(text, 0, MAX_VALUE_CHARS):
        return True
    return (
        may_be_relative(text[:MAX_VALUE_CHARS])
        and _RELATIVE_HINT.search(text, 0, MAX_VALUE_CHARS) is not None
    )


def parse_rating(text: str) -> Reading | None:
    """Return the rating in a short text, on the scale of the text."""
    match = _RATING.search(text) if len(text) <= MAX_VALUE_CHARS else None
    residual = residual_text("rating", text, *match.span()) if match else None
    if match is None or residual is None:
        return None
    if glyphs := match["glyphs"]:
        return Reading(float(sum(glyph in "★⭐" for glyph in glyphs)), residual)
    return Reading(float((match["rating"] or match["stars"]).replace(",", ".")), residual)


def parse_day(
    text: str, *, month_first: bool = True, fetched: date | None = None
) -> Reading | None:
    """Return the date in a short text as YYYY-MM-DD.

    A relative date counts from the day on which its page was fetched; None if that is unknown.
    """
    if len(text) > MAX_VALUE_CHARS:
        return None
    match = next(find_dates(text, month_first=month_first, earliest=_EARLIEST_DATE), None)
    if match is None and fetched is not None and may_be_relative(text):
        match = parse_relative_date(text, fetched)
    if match is None:
        return None
    day, start, stop = match
    residual = residual_text("date", text, start, stop)
    return None if residual is None else Reading(day.isoformat(), residual)


def parse_count(text: str) -> Quantity | None:
    """Return a number, a percentage, or a number of things: `(173)`, `1.2k views`."""
    match = _COUNT.fullmatch(text) if len(text) <= MAX_VALUE_CHARS else None
    if match is None:
        return None
    unit = match["unit"]
    if unit and may_be_relative(text) and parse_relative_date(text, _ANY_DAY):
        return None
    return Quantity(
        match["digits"],
        parse_power_of_ten(match["scale"]),
        negative=(match["sign"] or "+") in MINUS,
        unit=unit.lower() if unit else None,
        in_brackets=match["open"] is not None and unit is None,
    )


_PARSERS: Final[Sequence[tuple[Type, _Parser]]] = (
    ("money", parse_money),
    ("rating", parse_rating),
    ("date", parse_day),
    ("number", parse_count),
)
_ALL_PARSERS: Final = tuple(
    (kind, partial(parse_day, fetched=_ANY_DAY) if kind == "date" else parser)
    for kind, parser in _PARSERS
)


def _locale_parsers(locale: Locale) -> Sequence[tuple[Type, _Parser]]:
    """Return the parsers for texts of a page by type, in the order in which they are tried."""
    parsers = dict(_PARSERS)
    parsers["money"] = partial(parse_money, locale=locale)
    parsers["date"] = partial(parse_day, fetched=locale.fetched)
    return tuple(parsers.items())


# A column of texts


def infer_column(
    texts: Sequence[str], locale: Locale = UNKNOWN_LOCALE, max_residuals: int = _MAX_RESIDUALS
) -> TypedColumn:
    """Return texts as values of the one type that most of them have; empty texts are missing.

    Texts of another type are missing as well: a column never has two types. The residual texts
    would be lost, so a column with more than `max_residuals` different ones stays text.
    """
    filled = [text for text in texts if text]
    sample = filled[:: len(filled) // SAMPLE_SIZE + 1]
    if sample and _most_may_be_typed(sample):
        for kind, parser in _locale_parsers(locale):
            cache: dict[str, _Parsed] = {}
            parsed = _parse_texts(parser, sample, cache)
            if parsed and kind == "date" and not _is_month_first(filled, locale):
                day_first = partial(parse_day, month_first=False, fetched=locale.fetched)
                parsed = _parse_texts(day_first, texts)
            elif parsed and len(parsed) < len(texts):
                parsed = _parse_texts(parser, texts, cache)
            if parsed is None or _count_residuals(parsed) > max_residuals:
                continue
            if column := _build_column(kind, parsed, locale):
                return column
    return _build_text_column(texts)


def parse_column(
    kind: Type, texts: Sequence[str], locale: Locale = UNKNOWN_LOCALE
) -> TypedColumn | None:
    """Return texts as values of a given type; None if too few of them are of that type."""
    if kind == "text":
        return _build_text_column(texts)
    parsed_kind = "number" if kind == "count" else kind
    parser = dict(_locale_parsers(locale)).get(parsed_kind)
    if kind == "date":
        is_month_first = _is_month_first(texts, locale)
        parser = partial(parse_day, month_first=is_month_first, fetched=locale.fetched)
    parsed = _parse_texts(parser, texts) if parser and any(texts) else None
    column = _build_column(parsed_kind, parsed, locale) if parsed else None
    return replace(column, type=kind) if column else None


def merge_columns(column: TypedColumn, other: TypedColumn) -> TypedColumn:
    """Return two columns of money as one, if no record has a value in both."""
    none = (None,) * len(column.values)
    return TypedColumn(
        "money",
        _first_not_none(column.values, other.values),
        currencies=_first_not_none(column.currencies, other.currencies),
        upper=_first_not_none(column.upper or none, other.upper or none)
        if column.upper or other.upper
        else (),
    )


def _most_may_be_typed(sample: Sequence[str]) -> bool:
    """Say whether enough texts have a digit or the like for a type other than text."""
    allowed = len(sample) - MIN_TYPE_SHARE * len(sample)
    for text in sample:
        if not may_be_typed(text):
            allowed -= 1
            if allowed < -SLACK:
                return False
    return True


def _parse_texts(
    parser: _Parser, texts: Sequence[str], cache: dict[str, _Parsed] | None = None
) -> list[_Parsed] | None:
    """Return the parsed texts; None if too few of them are of the parser's type.

    `cache` has what the parser returned for texts so far, and is extended.
    """
    cache = {} if cache is None else cache
    allowed = (1 - MIN_TYPE_SHARE) * (len(texts) - texts.count(""))
    column: list[_Parsed] = []
    for text in texts:
        if not text:
            column.append(None)
            continue
        parsed = cache[text] if text in cache else cache.setdefault(text, parser(text))
        if parsed is None:
            allowed -= 1
            if allowed < -SLACK:
                return None
        column.append(parsed)
    return column


def _count_residuals(parsed: Sequence[_Parsed]) -> int:
    """Return the number of different residual texts of a column."""
    return len({reading.residual for reading in parsed if reading and reading.residual})


def _is_month_first(texts: Sequence[str], locale: Locale) -> bool:
    """Say whether 5/3/2012 is May 3 in a column: its other dates decide, else the locale."""
    pairs = [match.groups() for text in texts if (match := _SLASHED_DATE.search(text))]
    day_first = any(int(first) > 12 for first, _ in pairs)
    day_second = any(int(second) > 12 for _, second in pairs)
    return locale.month_first if day_first == day_second else day_second


def _build_text_column(texts: Sequence[str]) -> TypedColumn:
    """Return texts as they are; empty ones are missing."""
    return TypedColumn("text", tuple([text or None for text in texts]))


def _build_column(kind: Type, parsed: Sequence[_Parsed], locale: Locale) -> TypedColumn | None:
    """Return parsed texts as a column; None if together they are not of its type."""
    if kind == "money":
        return _build_money_column(cast("Sequence[Quantity | None]", parsed), locale)
    if kind == "number":
        return _build_number_column(cast("Sequence[Quantity | None]", parsed), locale)
    readings = cast("Sequence[Reading | None]", parsed)
    return TypedColumn(kind, tuple([reading.value if reading else None for reading in readings]))


def _build_number_column(
    quantities: Sequence[Quantity | None], locale: Locale
) -> TypedColumn | None:
    """Return numbers or counts; None for codes and for numbers that count nothing."""
    units = [quantity.unit for quantity in quantities if quantity and quantity.unit]
    filled = len(quantities) - quantities.count(None)
    if units and len(units) <= (1 - MIN_TYPE_SHARE) * filled:
        quantities, units = [q if q and not q.unit else None for q in quantities], []
    if len(set(units)) > _MAX_RESIDUALS:
        return None  # "12 Monkeys" counts nothing
    numerals = [quantity.digits for quantity in quantities if quantity]
    if has_codes(numerals):
        return None
    decimal_mark = find_decimal_mark(numerals, locale.decimal_mark)
    numbers = _quantity_values(quantities, [decimal_mark] * len(quantities))
    unit = max(dict.fromkeys(units), key=units.count) if units else None
    values = tuple([_as_int_if_integer(number) for number in numbers])
    return TypedColumn("count" if unit else "number", values, unit)


def _build_money_column(amounts: Sequence[Quantity | None], locale: Locale) -> TypedColumn | None:
    """Return amounts of money; those of one currency share a decimal mark.

    99p is an amount beside pounds and in Britain, elsewhere a number of pages.
    """
    powers = {amount.power for amount in amounts if amount and amount.unit == "GBP"}
    if powers == {PENCE_POWER} and locale.country != "GB":
        others = [amount if amount and amount.unit != "GBP" else None for amount in amounts]
        if 2 * others.count(None) >= len(amounts):
            return None
        return _build_money_column(others, locale)
    currencies = tuple([amount.unit if amount else None for amount in amounts])
    marks: dict[str | None, str | None] = {}
    for currency in {*currencies}:
        same = [amount for amount in amounts if amount and amount.unit == currency]
        usual = usual_decimal_mark(currency, all(amount.sign_after for amount in same), locale)
        marks[currency] = find_decimal_mark([amount.digits for amount in same], usual)
    decimal_marks = [marks[currency] for currency in currencies]
    values = _as_floats(_quantity_values(amounts, decimal_marks))
    upper_ends = [amount.upper if amount else None for amount in amounts]
    upper = _as_floats(_quantity_values(upper_ends, decimal_marks)) if any(upper_ends) else ()
    return TypedColumn("money", values, currencies=currencies, upper=upper)


def _quantity_values(
    quantities: Sequence[Quantity | None], decimal_marks: Sequence[str | None]
) -> list[int | float | None]:
    """Return the numbers of a column; those in brackets are negative if others have no brackets."""
    values = [
        quantity.value(mark) if quantity else None
        for quantity, mark in zip(quantities, decimal_marks, strict=True)
    ]
    if len({quantity.in_brackets for quantity in quantities if quantity}) > 1:
        values = [
            -value if quantity and quantity.in_brackets and value else value
            for quantity, value in zip(quantities, values, strict=True)
        ]
    return values


def _as_floats(values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return numbers as floats."""
    return tuple([value if value is None else float(value) for value in values])


def _as_int_if_integer(value: int | float | None) -> int | float | None:
    """Return a float without decimals as an int, any other value as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _first_not_none(
    values: tuple[_T | None, ...], others: tuple[_T | None, ...]
) -> tuple[_T | None, ...]:
    """Return, at each index, the value of the first column that has one."""
    return tuple([b if a is None else a for a, b in zip(values, others, strict=True)])

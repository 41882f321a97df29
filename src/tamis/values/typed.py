"""A text → the day, the rating or the number that it says.

Texts → typed values: money, ratings, days, counts, numbers. A column has one type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Final, Literal, NamedTuple, TypeVar, cast

from tamis.values.dates import HINT, find_dates, may_be_relative, parse_relative_date
from tamis.values.locale import ANYWHERE, Locale
from tamis.values.money import MAX_MONEY_CHARS, PENCE, parse_money, usual_decimal_mark
from tamis.values.numbers import (
    MINUS,
    Quantity,
    are_codes,
    decimal_mark,
    numeral_pattern,
    power_of_ten,
    residual_text,
)

EARLIEST: Final = date(1900, 1, 1)  # records tell of people and things older than the web

_RATING: Final = re.compile(
    r"(?P<glyphs>[★☆⭐]{5})|(?:^|\s|\()(?P<rating>\d(?:[.,]\d{1,2})?|10)\s?"
    r"(?:/|out of|of|von|sur|de|di|su|из|av|z)\s?(?P<most>5|10)(?:[.,]0)?(?![/.-]?\d)|"
    r"^(?P<stars>\d(?:[.,]\d{1,2})?)\s?(?:stars?|★|sterne|étoiles|estrellas|stelle)",
    re.IGNORECASE,
)
# `m` is a million of what people do, else a metre or a minute; a line has a + before its country.
_NUMBER: Final = re.compile(
    rf"(?!\+\d+\s\d)(?P<open>\()?\s?(?P<sign>[+{MINUS}])?(?P<digits>{numeral_pattern('g')})"
    r"(?P<scale>[KkMB](?![^\W_])|m(?=\s(?:view|follow|subscri|download|like|play|user|member|fan))|"
    r"\s?[万萬만亿億억])?\+?\s?(?:%|\)?(?:\s?(?P<unit>[^\W\d_]{2,20}(?:\s[^\W\d_]{2,20})?)\)?)?)"
)
_ORDER: Final = re.compile(r"(?<!\d)(\d\d?)[/-](\d\d?)[/-]\d\d")


class Reading(NamedTuple):
    """A value that needs no other of its column to be known, and what else the text says."""

    value: str | float
    rest: str


Reader = Callable[[str], Reading | Quantity | None]


def parse_rating(text: str) -> Reading | None:
    """Return a rating on the scale that the text has."""
    found = _RATING.search(text) if len(text) <= MAX_MONEY_CHARS else None
    rest = residual_text("rating", text, *found.span()) if found else None
    if found is None or rest is None:
        return None
    if glyphs := found["glyphs"]:
        return Reading(float(sum(sign in "★⭐" for sign in glyphs)), rest)
    return Reading(float((found["rating"] or found["stars"]).replace(",", ".")), rest)


def parse_day(text: str, *, month_first: bool = True) -> Reading | None:
    """Return the day that a short text names, as YYYY-MM-DD; what was ago is counted from today."""
    if len(text) > MAX_MONEY_CHARS:
        return None
    found = next(find_dates(text, month_first=month_first, earliest=EARLIEST), None)
    if found is None and may_be_relative(text):
        found = parse_relative_date(text, datetime.now(UTC).date())
    rest = residual_text("date", text, found[1], found[2]) if found else None
    return Reading(found[0].isoformat(), rest) if found and rest is not None else None


def is_month_first(texts: Sequence[str], home: Locale) -> bool:
    """Say whether 5/3/2012 is the third of May in a column: its other days tell, else its page."""
    parts = [found.groups() for text in texts if (found := _ORDER.search(text))]
    day_first = any(int(first) > 12 for first, _ in parts)
    day_second = any(int(second) > 12 for _, second in parts)
    return home.month_first if day_first == day_second else day_second


def parse_count(text: str) -> Quantity | None:
    """Return a bare number or share, or how many a text says there are: `(173)`, `1.2k views`."""
    found = _NUMBER.fullmatch(text) if len(text) <= MAX_MONEY_CHARS else None
    if found is None:
        return None
    unit = found["unit"]
    return Quantity(
        found["digits"],
        power_of_ten(found["scale"]),
        less=(found["sign"] or "+") in MINUS,
        note=unit.lower() if unit else None,
        in_brackets=found["open"] is not None and unit is None,
    )


Type = Literal["text", "number", "money", "date", "rating", "count", "url", "image", "flag"]
Value = str | int | float | bool | None
Read = Reading | Quantity | None
Seen = dict[str, Read]
T = TypeVar("T")

SLACK: Final = 1e-9  # of a sum of such shares
MIN_TYPE_SHARE: Final = 0.8  # share of a column's texts that must be of a type
SAMPLE_SIZE: Final = 12  # texts that a type is tried on first
MOST_RESTS: Final = 2  # wordings beside the values of a column, or units that it counts

_DIGIT: Final = re.compile(r"\d|[★☆⭐]{5}")
_HINT: Final = re.compile(f"(?i){HINT}")


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column of values of one type; `note` is what they count, or what a badge says.

    Of amounts of money, each has its currency, and the upper end where it is a range.
    """

    type: Type
    values: tuple[Value, ...]
    note: str | None = None
    currencies: tuple[str | None, ...] = ()
    upper: tuple[Value, ...] = ()


def infer_column(
    texts: Sequence[str], home: Locale = ANYWHERE, max_residuals: int = MOST_RESTS
) -> TypedColumn:
    """Return texts as values of the one type that most of them have; empty ones are missing.

    What is not of that type is missing too: a column never holds two types. What texts say besides
    their values would be lost: they stay texts where that are more than some wordings (`max_residuals`).
    """
    known = [text for text in texts if text]
    sample = known[:: len(known) // SAMPLE_SIZE + 1]
    if sample and mostly_digits(sample):
        for kind, reader in parsers(home):
            seen: Seen = {}
            found = parse_texts(reader, sample, seen)
            if found and kind == "date" and not is_month_first(known, home):
                found = parse_texts(partial(parse_day, month_first=False), texts)
            elif found and len(found) < len(texts):
                found = parse_texts(reader, texts, seen)
            if (
                found is None
                or len({one.rest for one in found if one and one.rest}) > max_residuals
            ):
                continue
            if made := build_column(kind, found, home):
                return made
    return TypedColumn("text", tuple([text or None for text in texts]))


def parse_column(kind: Type, texts: Sequence[str], home: Locale = ANYWHERE) -> TypedColumn | None:
    """Return texts as values of a given type; None where too few of them are of it."""
    if kind == "text":
        return TypedColumn("text", tuple([text or None for text in texts]))
    wanted = "number" if kind == "count" else kind
    reader = dict(parsers(home)).get(wanted)
    if kind == "date":
        reader = partial(parse_day, month_first=is_month_first(texts, home))
    found = parse_texts(reader, texts) if reader and any(texts) else None
    made = build_column(wanted, found, home) if found else None
    return replace(made, type=kind) if made else None


def build_column(kind: Type, found: Sequence[Read], home: Locale) -> TypedColumn | None:
    """Return what was read of texts as a column; None if it only looks like one of its type."""
    if kind == "money":
        return build_money_column(cast("Sequence[Quantity | None]", found), home)
    if kind == "number":
        return build_number_column(cast("Sequence[Quantity | None]", found), home)
    readings = cast("Sequence[Reading | None]", found)
    return TypedColumn(kind, tuple([one.value if one else None for one in readings]))


def build_number_column(found: Sequence[Quantity | None], home: Locale) -> TypedColumn | None:
    """Return numbers, or how many there are of what; None for codes and what counts nothing."""
    notes = [one.note for one in found if one and one.note]
    if notes and len(notes) <= (1 - MIN_TYPE_SHARE) * (len(found) - found.count(None)):
        found, notes = [one if one and not one.note else None for one in found], []
    if len(set(notes)) > MOST_RESTS:
        return None  # "12 Monkeys" counts nothing
    digits = [one.digits for one in found if one]
    if are_codes(digits):
        return None
    values = signed(found, [decimal_mark(digits, home.decimal)] * len(found))
    note = max(dict.fromkeys(notes), key=notes.count) if notes else None
    return TypedColumn(
        "count" if note else "number", tuple([as_int_if_whole(value) for value in values]), note
    )


def build_money_column(found: Sequence[Quantity | None], home: Locale) -> TypedColumn | None:
    """Return amounts of money; what a point means, those of one currency tell each other.

    99p is an amount beside pounds and in Britain, elsewhere a number of pages.
    """
    powers = {one.power for one in found if one and one.note == "GBP"}
    if powers == {PENCE} and home.country != "GB":
        others = [one if one and one.note != "GBP" else None for one in found]
        return build_money_column(others, home) if 2 * others.count(None) < len(found) else None
    currencies = tuple([one.note if one else None for one in found])
    signs: dict[str | None, str | None] = {}
    for name in {*currencies}:
        own = [one for one in found if one and one.note == name]
        usual = usual_decimal_mark(name, all(one.after for one in own), home)
        signs[name] = decimal_mark([one.digits for one in own], usual)
    each = [signs[name] for name in currencies]
    upper = [one.upper if one else None for one in found]
    ends = as_floats(signed(upper, each)) if any(upper) else ()
    return TypedColumn("money", as_floats(signed(found, each)), currencies=currencies, upper=ends)


def signed(
    found: Sequence[Quantity | None], decimals: Sequence[str | None]
) -> list[int | float | None]:
    """Return the numbers of a column; those in brackets are less than zero if others are not."""
    values = [one.value(sign) if one else None for one, sign in zip(found, decimals, strict=True)]
    if len({one.in_brackets for one in found if one}) > 1:
        values = [
            -value if one and one.in_brackets and value else value
            for one, value in zip(found, values, strict=True)
        ]
    return values


def as_floats(values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return numbers as such that may have decimals."""
    return tuple([value if value is None else float(value) for value in values])


def as_int_if_whole(value: int | float | None) -> int | float | None:
    """Return a whole number as such."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def merge_columns(one: TypedColumn, other: TypedColumn) -> TypedColumn:
    """Return the values of two columns of money that no record has both of."""
    none = (None,) * len(one.values)
    return TypedColumn(
        "money",
        first_not_none(one.values, other.values),
        currencies=first_not_none(one.currencies, other.currencies),
        upper=first_not_none(one.upper or none, other.upper or none)
        if one.upper or other.upper
        else (),
    )


def first_not_none(
    ours: tuple[T | None, ...], others: tuple[T | None, ...]
) -> tuple[T | None, ...]:
    """Return what one of two columns has."""
    return tuple([b if a is None else a for a, b in zip(ours, others, strict=True)])


def value_type(text: str) -> str:
    """Return the type of a single text, with what it counts."""
    if not may_be_typed(text):
        return "text"
    for kind, reader in _READERS:
        if found := reader(text):
            if isinstance(found, Quantity) and kind == "number" and found.note:
                return f"count {found.note.removesuffix('s')}"
            return kind
    return "text"


def mostly_digits(sample: Sequence[str]) -> bool:
    """Say whether so many texts have a digit that they can be of a type that has."""
    missing = len(sample) - MIN_TYPE_SHARE * len(sample)
    for text in sample:
        if not may_be_typed(text):
            missing -= 1
            if missing < -SLACK:
                return False
    return True


def may_be_typed(text: str) -> bool:
    """Say whether a text has a digit, stars or a word for a day near its beginning."""
    if _DIGIT.search(text, 0, MAX_MONEY_CHARS):
        return True
    return (
        may_be_relative(text[:MAX_MONEY_CHARS])
        and _HINT.search(text, 0, MAX_MONEY_CHARS) is not None
    )


def parse_texts(
    reader: Reader, texts: Sequence[str], seen: Seen | None = None
) -> list[Read] | None:
    """Return what a reader makes of texts; None where too few of them are of its type.

    `seen` is what it made of some; those that it has read are added.
    """
    seen = {} if seen is None else seen
    allowed = (1 - MIN_TYPE_SHARE) * (len(texts) - texts.count(""))
    found: list[Read] = []
    for text in texts:
        if not text:
            found.append(None)
            continue
        one = seen[text] if text in seen else seen.setdefault(text, reader(text))
        if one is None:
            allowed -= 1
            if allowed < -SLACK:
                return None
        found.append(one)
    return found


def parsers(home: Locale) -> Sequence[tuple[Type, Reader]]:
    """Return the readers of texts on a page by type, in the order that they are tried."""
    return (("money", partial(parse_money, home=home)), *_READERS[1:])


_READERS: Final[Sequence[tuple[Type, Reader]]] = (
    ("money", parse_money),
    ("rating", parse_rating),
    ("date", parse_day),
    ("number", parse_count),
)

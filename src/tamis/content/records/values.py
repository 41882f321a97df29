"""Texts → typed values: money, dates, ratings, counts, numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from tamis.content.metadata.dates import named_dates
from tamis.content.records.ago import HINT, HINT_WORDS, day_ago

Type = Literal["text", "number", "money", "date", "rating", "count", "url", "image", "flag"]
Value = str | int | float | bool | None
Pair = tuple[Value, str | None]  # and a currency, or what is counted
Reader = Callable[[str], Pair | None]

SLACK: Final = 1e-9  # of a sum of such shares
AGREED: Final = 0.8  # share of a column's texts that must be of a type
SAMPLE: Final = 12  # texts that a type is tried on first
LONGEST: Final = 60  # characters of a text that is no prose

_NUMBER: Final = r"\d{1,3}(?:[ .,'’\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?|\d{1,12}(?:[.,]\d{1,3})?"
_SIGN: Final = (
    r"(?:US|CA|CDN|CAD|AU|A|NZ|HK|S|R|NT|MX)?\s?\$|[€£¥₹₽₩₺₪฿₫₴₦₱元円]|"
    r"(?:USD|EUR|GBP|CAD|AUD|CHF|JPY|CNY|RMB|INR|RUB|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|KRW|TRY|ZAR)\$?|"
    r"(?:Rs\.?|kr\.?|zł|Kč|Ft|руб\.?|lei|лв)"
)
_MONEY: Final = re.compile(
    rf"(?<!\w)(?P<before>{_SIGN})\s?(?P<first>{_NUMBER})(?!\d)|"
    rf"(?<![\d.,])(?P<second>{_NUMBER})\s?(?P<after>{_SIGN})(?!\w)"
)
_ONE_SIGN: Final = re.compile(_SIGN)
_RATING: Final = re.compile(
    r"(?:^|\s|\()(?P<rating>\d(?:[.,]\d{1,2})?|10)\s?"
    r"(?:/|out of|of|von|sur|de|di|su|из|av|z)\s?(?P<most>5|10)(?:[.,]0)?(?!\d)|"
    r"^(?P<stars>\d(?:[.,]\d{1,2})?)\s?(?:stars?|★|sterne|étoiles|estrellas|stelle)",
    re.IGNORECASE,
)
_GLYPHS: Final = re.compile(r"[★☆⭐]{5}")
_COUNT: Final = re.compile(
    rf"\(?\s?(?P<count>{_NUMBER})\s?(?P<scale>[KMkm](?![A-Za-z]))?\+?\s?\)?"
    r"(?:\s?(?P<unit>[^\W\d_]{2,20}(?:\s[^\W\d_]{2,20})?)\)?)?"
)
_PLAIN: Final = re.compile(rf"[-+]?(?:{_NUMBER})\s?%?")
_DIGIT: Final = re.compile(r"\d|[★☆⭐]{5}")
_HINT: Final = re.compile(f"(?i){HINT}")
_SPACES: Final = re.compile(r"[ '’\u00a0\u202f]")
_SCALES: Final = {"k": 1_000, "m": 1_000_000}
CURRENCIES: Final[Mapping[str, str]] = {
    "$": "USD", "US$": "USD", "CA$": "CAD", "CDN$": "CAD", "CAD$": "CAD", "A$": "AUD",
    "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "R$": "BRL", "NT$": "TWD",
    "MX$": "MXN", "€": "EUR", "£": "GBP", "¥": "JPY", "元": "CNY", "円": "JPY", "RMB": "CNY",
    "₹": "INR", "Rs": "INR", "Rs.": "INR", "₽": "RUB", "руб": "RUB", "руб.": "RUB", "₩": "KRW",
    "₺": "TRY", "₪": "ILS", "฿": "THB", "₫": "VND", "₴": "UAH", "₦": "NGN", "₱": "PHP",
    "kr": "SEK", "kr.": "DKK", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "lei": "RON", "лв": "BGN",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Typed:
    """A column of values of one type; `note` is their currency or the unit that they count."""

    type: Type
    values: tuple[Value, ...]
    note: str | None = None


def typed(texts: Sequence[str]) -> Typed:
    """Return texts as values of the one type that most of them have; empty ones are missing.

    What is not of that type is missing too: a column never holds two types.
    """
    known = [text for text in texts if text]
    sample = known[:: len(known) // SAMPLE + 1]
    if not sample or not mostly_digits(sample):
        return Typed("text", tuple([text or None for text in texts]))
    for kind, reader in _READERS.items():
        if read(reader, sample) is None or (pairs := read(reader, known)) is None:
            continue
        notes = [pair[1] for pair in pairs if pair is not None and pair[1]]
        if kind == "count" and len(set(notes)) > 2:
            continue  # "12 Monkeys" counts nothing
        note = max(set(notes), key=notes.count) if notes else None
        found = iter(pairs)
        every = [next(found) if text else None for text in texts]
        values = tuple([pair[0] if pair is not None else None for pair in every])
        return Typed("number" if kind == "count" and not note else kind, values, note)
    return Typed("text", tuple([text or None for text in texts]))


def kind_of(text: str) -> str:
    """Return the type of a single text, with what it counts."""
    if not has_digit(text):
        return "text"
    for kind, reader in _READERS.items():
        if pair := reader(text):
            counted = f"count {pair[1].removesuffix('s')}" if pair[1] else "number"
            return counted if kind == "count" else kind
    return "text"


def mostly_digits(sample: Sequence[str]) -> bool:
    """Say whether so many texts have a digit that they can be of a type that has."""
    missing = len(sample) - AGREED * len(sample)
    for text in sample:
        if not has_digit(text):
            missing -= 1
            if missing < -SLACK:
                return False
    return True


def has_digit(text: str) -> bool:
    """Say whether a text has a digit, stars or a word for a day near its beginning."""
    if _DIGIT.search(text, 0, LONGEST):
        return True
    return may_be_ago(text[:LONGEST]) and _HINT.search(text, 0, LONGEST) is not None


def may_be_ago(text: str) -> bool:
    """Say whether a text has letters of a word for a day: that is far sooner known than where."""
    text = text.lower()
    for word in HINT_WORDS:  # noqa: SIM110, any() takes twice as long
        if word in text:
            return True
    return False


def read(reader: Reader, texts: Sequence[str]) -> list[Pair | None] | None:
    """Return what a reader makes of texts; None where too few of them are of its type."""
    allowed = (1 - AGREED) * len(texts)
    found: list[Pair | None] = []
    for text in texts:
        pair = reader(text)
        if pair is None:
            allowed -= 1
            if allowed < -SLACK:
                return None
        found.append(pair)
    return found


def money(text: str) -> tuple[float, str] | None:
    """Return amount and currency of the first price in a short text."""
    found = _MONEY.search(text) if len(text) <= LONGEST else None
    if found is None:
        return None
    sign = found["before"] or found["after"]
    return amount(found["first"] or found["second"]), named_currency(sign)


def amounts(text: str) -> list[tuple[int, int, float]]:
    """Return all prices in a short text: where each begins and ends, and its amount."""
    found = _MONEY.finditer(text) if len(text) <= LONGEST else ()
    return [(one.start(), one.end(), amount(one["first"] or one["second"])) for one in found]


def currency(text: str) -> str | None:
    """Return the currency that a text is the sign of, if it is nothing else."""
    found = _ONE_SIGN.fullmatch(text)
    return named_currency(found[0]) if found else None


def named_currency(sign: str) -> str:
    """Return the name of the currency of a sign."""
    sign = sign.replace(" ", "")
    return CURRENCIES.get(sign, sign.rstrip("$."))


def amount(text: str) -> float:
    """Return a number in any of the ways that people write them: 1,234.50 and 1.234,50 alike.

    A single separator is that of decimals unless three digits follow it.
    """
    text = _SPACES.sub("", text)
    last = max(text.rfind("."), text.rfind(","))
    if last < 0:
        return float(text)
    sign, digits = text[last], len(text) - last - 1
    whole = text[:last].replace(".", "").replace(",", "")
    if digits == 3 or text.count(sign) > 1:
        return float(whole + text[last + 1 :])
    return float(f"{whole}.{text[last + 1 :]}")


def rating(text: str) -> tuple[float, None] | None:
    """Return a rating on the scale that the text has."""
    if glyphs := _GLYPHS.search(text):
        return float(sum(sign in "★⭐" for sign in glyphs[0])), None
    found = _RATING.search(text) if len(text) <= LONGEST else None
    if found is None:
        return None
    return float((found["rating"] or found["stars"]).replace(",", ".")), None


def day(text: str) -> tuple[str, None] | None:
    """Return the day that a short text names, as YYYY-MM-DD; what was ago is counted from today."""
    if len(text) > LONGEST:
        return None
    found = next(named_dates(text), None)
    if found is None and may_be_ago(text):
        found = day_ago(text, datetime.now(UTC).date())
    return (found.isoformat(), None) if found else None


def count(text: str) -> tuple[int | float, str | None] | None:
    """Return how many a text says there are, and of what: `(173)`, `1.2k views`."""
    found = _COUNT.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        return None
    number = amount(found["count"]) * _SCALES.get((found["scale"] or "").lower(), 1)
    unit = found["unit"]
    return int(number) if number == int(number) else number, unit.lower() if unit else None


def number(text: str) -> tuple[int | float, None] | None:
    """Return a bare number, as which a share in percent counts as well."""
    if not _PLAIN.fullmatch(text):
        return None
    found = amount(text.strip("+-% ")) * (-1 if text[0] == "-" else 1)
    return int(found) if found == int(found) else found, None


_READERS: Final[Mapping[Type, Reader]] = {
    "money": money,
    "rating": rating,
    "date": day,
    "number": number,
    "count": count,
}

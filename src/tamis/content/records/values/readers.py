"""A text → the day, the rating or the number that it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Final, NamedTuple

from tamis.content.home import Home
from tamis.content.metadata.dates import placed_dates
from tamis.content.records.values.ago import day_ago, may_be_ago
from tamis.content.records.values.money import LONGEST
from tamis.content.records.values.numerals import MINUS, Quantity, numeral, power_of
from tamis.content.records.values.rest import rest_of

EARLIEST: Final = date(1900, 1, 1)  # records tell of people and things older than the web

_RATING: Final = re.compile(
    r"(?P<glyphs>[★☆⭐]{5})|(?:^|\s|\()(?P<rating>\d(?:[.,]\d{1,2})?|10)\s?"
    r"(?:/|out of|of|von|sur|de|di|su|из|av|z)\s?(?P<most>5|10)(?:[.,]0)?(?![/.-]?\d)|"
    r"^(?P<stars>\d(?:[.,]\d{1,2})?)\s?(?:stars?|★|sterne|étoiles|estrellas|stelle)",
    re.IGNORECASE,
)
# `m` is a million of what people do, else a metre or a minute; a line has a + before its country.
_NUMBER: Final = re.compile(
    rf"(?!\+\d+\s\d)(?P<open>\()?\s?(?P<sign>[+{MINUS}])?(?P<digits>{numeral('g')})"
    r"(?P<scale>[KkMB](?![^\W_])|m(?=\s(?:view|follow|subscri|download|like|play|user|member|fan))|"
    r"\s?[万萬만亿億억])?\+?\s?(?:%|\)?(?:\s?(?P<unit>[^\W\d_]{2,20}(?:\s[^\W\d_]{2,20})?)\)?)?)"
)
_ORDER: Final = re.compile(r"(?<!\d)(\d\d?)[/-](\d\d?)[/-]\d\d")


class Reading(NamedTuple):
    """A value that needs no other of its column to be known, and what else the text says."""

    value: str | float
    rest: str


Reader = Callable[[str], Reading | Quantity | None]


def rating(text: str) -> Reading | None:
    """Return a rating on the scale that the text has."""
    found = _RATING.search(text) if len(text) <= LONGEST else None
    rest = rest_of("rating", text, *found.span()) if found else None
    if found is None or rest is None:
        return None
    if glyphs := found["glyphs"]:
        return Reading(float(sum(sign in "★⭐" for sign in glyphs)), rest)
    return Reading(float((found["rating"] or found["stars"]).replace(",", ".")), rest)


def day(text: str, *, month_first: bool = True) -> Reading | None:
    """Return the day that a short text names, as YYYY-MM-DD; what was ago is counted from today."""
    if len(text) > LONGEST:
        return None
    found = next(placed_dates(text, month_first=month_first, earliest=EARLIEST), None)
    if found is None and may_be_ago(text):
        found = day_ago(text, datetime.now(UTC).date())
    rest = rest_of("date", text, found[1], found[2]) if found else None
    return Reading(found[0].isoformat(), rest) if found and rest is not None else None


def month_first(texts: Sequence[str], home: Home) -> bool:
    """Say whether 5/3/2012 is the third of May in a column: its other days tell, else its page."""
    parts = [found.groups() for text in texts if (found := _ORDER.search(text))]
    day_first = any(int(first) > 12 for first, _ in parts)
    day_second = any(int(second) > 12 for _, second in parts)
    return home.month_first if day_first == day_second else day_second


def number(text: str) -> Quantity | None:
    """Return a bare number or share, or how many a text says there are: `(173)`, `1.2k views`."""
    found = _NUMBER.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        return None
    unit = found["unit"]
    return Quantity(
        found["digits"],
        power_of(found["scale"]),
        less=(found["sign"] or "+") in MINUS,
        note=unit.lower() if unit else None,
        in_brackets=found["open"] is not None and unit is None,
    )

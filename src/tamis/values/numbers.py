"""What a text says besides its value: words that are lost where the value stands for the text.

Numerals as people write them → numbers: what a point or a comma means, a column decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

SHORT: Final = 12  # characters of words beside a value, where the value is short

_SAID: Final = {
    "money": "from price prices now was only just sale regular our list rrp msrp retail original "
    "current special offer cost costs total subtotal starting starts at as low up to buy for each "
    "ea incl inc excl ex vat tax gst ab nur statt jetzt preis inkl zzgl mwst dès partir de à prix "
    "desde precio por da prezzo od cena vanaf från fra pris prijs от цена onwards approx about ca "
    "until your you pay reg will be",
    "date": "posted published updated added created submitted released modified edited joined "
    "written last date on at the since by am um vom den le il el del publié veröffentlicht "
    "publicado pubblicato geplaatst publicerad опубликовано gmt utc est edt pst pdt cet cest h uhr "
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri "
    "sat sun montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi "
    "jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo",
    "rating": "rated rating ratings stars star average score overall user users customer customers "
    "review reviews vote votes based on by sterne étoiles estrellas stelle bewertung bewertungen "
    "note avis",
}
_FILLERS: Final = {kind: frozenset(words.split()) for kind, words in _SAID.items()}
_BRACKETS: Final = r"\([^()]*\)"
_ASIDE: Final = {
    "money": re.compile(
        rf"{_BRACKETS}|(?:/|\b(?:per|pro|je|par|por|al|an?)\s)\s?\d*\s?[^\W\d_]+|\d[\d.,]*"
    ),
    "date": re.compile(r"\d{1,2}\s?:\s?\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?"),
    "rating": re.compile(rf"{_BRACKETS}|\d[\d.,]*k?\b"),
}
_WORDS: Final = re.compile(r"[^\W_]+")


def residual_text(kind: str, text: str, start: int, stop: int) -> str | None:
    """Return the words before and after a value that are not said of any; None if these are most.

    Beside a price or a rating, what is in brackets and further numbers are no such words: another
    price, or how many rated. The time is none beside a day.
    """
    if stop - start == len(text):
        return ""
    around = f"{text[:start]} {text[stop:]}".lower()
    fillers = _FILLERS[kind]
    if fillers.issuperset(around.split()):
        return ""
    words = _WORDS.findall(_ASIDE[kind].sub(" ", around))
    rest = " ".join([word for word in words if word not in fillers])
    return rest if len(rest) <= max(SHORT, stop - start) else None


MOST_DIGITS: Final = 60  # of an exact number
MINUS: Final = "−–-"  # what may stand for a minus before a digit or a sign
SCALE: Final = (
    r"(?:[KkMBT](?![^\W_])|bn(?!\w)|\s?(?:thousand|million|billion|trillion|mill?|mln|mio|mrd|bln|"
    r"lakhs?|lacs?|crores?|cr|тыс|млн|млрд)(?!\w)\.?|\s?[万萬만亿億억])"
)
_POWERS: Final = {
    word: power
    for power, words in {
        3: "k thousand тыс",
        4: "万 萬 만",
        5: "lakh lakhs lac lacs",
        6: "m million mil mill mln mio млн",
        7: "crore crores cr",
        8: "亿 億 억",
        9: "b bn billion bln mrd млрд",
        12: "t trillion",
    }.items()
    for word in words.split()
}
_SPACES: Final = re.compile(r"[ '’\u00a0\u202f]")
_EITHER: Final = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_CODE: Final = re.compile(r"0\d+")  # a number of an article, of a town, of a line


class Quantity(NamedTuple):
    """A number as it is written, with a currency or what is counted."""

    digits: str
    power: int = 0  # of ten, that it is times
    less: bool = False  # than zero
    note: str | None = None
    upper: Quantity | None = None  # the other end of a range
    rest: str = ""  # words of the text that are no part of it
    in_brackets: bool = False
    after: bool = False  # whether the sign of a currency stands after it

    def value(self, decimal: str | None = None) -> int | float:
        """Return the number, where a sign is known that comes before decimals."""
        found = parse_number(self.digits, decimal)
        if self.power:
            found = float(Decimal(repr(found)).scaleb(self.power))
        return -found if self.less else found


def numeral_pattern(group: str) -> str:
    """Return the pattern of a numeral, with a name for its group of the separator.

    It has groups of three digits (or of two, as in lakhs), or digits; no more digits may follow.
    """
    return (
        rf"(?:\d{{1,3}}(?P<{group}>[ .,'’\u00a0\u202f])\d{{3}}(?:(?P={group})\d{{3}})*"
        r"(?:[.,]\d{1,4})?|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d{1,2})?|\d{1,12}(?:[.,]\d{1,12})?)"
        r"(?![.,'’]?\d)"
    )


def power_of_ten(word: str | None) -> int:
    """Return the power of ten of a word after a numeral such as `K` or `million`."""
    return _POWERS[word.strip(" .").lower()] if word else 0


def parse_number(text: str, decimal: str | None = None) -> int | float:
    """Return a number in any of the ways that people write them: 1,234.50 and 1.234,50 alike.

    A single separator is that of decimals, too, unless three digits follow it that may be a group;
    then it is if it is the `decimal` sign. Without decimals the number is exact.
    """
    if text.isdecimal():
        return parse_digits(text)
    if text[-3:-2] == "." and text[:-3].isdecimal():
        return float(text)  # as most prices are written
    text = _SPACES.sub("", text)
    last = max(text.rfind("."), text.rfind(","))
    if last < 0:
        return parse_digits(text)
    known = is_decimal_separator(text)
    if known is None:
        known = text[last] == decimal
    whole, rest = text[:last].replace(".", "").replace(",", ""), text[last + 1 :]
    return float(f"{whole}.{rest}") if known else parse_digits(whole + rest)


def parse_digits(digits: str) -> int | float:
    """Return digits as a number, exact unless they are too many for one that means anything."""
    return int(digits) if len(digits) <= MOST_DIGITS else float(digits)


def is_decimal_separator(text: str) -> bool | None:
    """Say whether the last separator of a numeral comes before decimals; None if it may be either.

    1.234 may be either; 0.234, 12345.678, 1.23 and 1,234.5 are not.
    """
    last = max(text.rfind("."), text.rfind(","))
    whole, sign, digits = text[:last], text[last], len(text) - last - 1
    if sign in whole:
        return False
    if digits != 3 or whole[0] == "0" or len(whole) > 3:
        return True
    return None


def decimal_mark(numerals: Sequence[str], usual: str | None) -> str | None:
    """Return the sign before decimals in a column, as far as its numerals tell, else the usual."""
    if not any(map(_EITHER.fullmatch, numerals)):
        return usual
    votes = {".": 0, ",": 0}
    for text in numerals:
        last = max(text.rfind("."), text.rfind(","))
        known = is_decimal_separator(text) if last >= 0 else None
        if known is not None:
            sign = text[last]
            votes[sign if known else "," if sign == "." else "."] += 1
    if votes["."] == votes[","]:
        return usual
    return max(votes, key=votes.__getitem__)


def are_codes(numerals: Sequence[str]) -> bool:
    """Say whether some of a column only look like numbers: 0017 is an article, 02130 a town."""
    return any(map(_CODE.fullmatch, numerals))

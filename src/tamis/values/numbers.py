"""Numbers as people write them: 1,234.50, 1.234,50, 12 345, 1.2k, 3 million.

Whether the separator in 1.234 groups digits or begins the decimals cannot be decided from one
numeral. `find_decimal_mark` decides it for a column, and `Quantity` keeps the digits as written
until then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

MINUS: Final = "−–-"  # the characters that may stand for a minus before a digit or a currency sign
SCALE: Final = (
    r"(?:[KkMBT](?![^\W_])|bn(?!\w)|\s?(?:thousand|million|billion|trillion|mill?|mln|mio|mrd|bln|"
    r"lakhs?|lacs?|crores?|cr|тыс|млн|млрд)(?!\w)\.?|\s?[万萬만亿億억])"
)
_MAX_EXACT_DIGITS: Final = 60  # numbers with more digits become floats
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
_GROUP_SPACES: Final = re.compile(r"[ '’\u00a0\u202f]")
_AMBIGUOUS: Final = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_CODE: Final = re.compile(r"0\d+")  # an article number, a postal code, a phone number


class Quantity(NamedTuple):
    """A number as it is written, with its currency or with what it counts."""

    digits: str
    power: int = 0  # the power of ten that the number is multiplied by
    negative: bool = False
    unit: str | None = None  # the currency of an amount, or the word for what is counted
    upper: Quantity | None = None  # the upper end, where this is the lower end of a range
    residual: str = ""
    in_brackets: bool = False
    sign_after: bool = False  # whether the currency sign follows the number

    def value(self, decimal_mark: str | None = None) -> int | float:
        """Return the number; `decimal_mark` decides where the numeral may be read in two ways."""
        number = parse_number(self.digits, decimal_mark)
        if self.power:
            number = float(Decimal(repr(number)).scaleb(self.power))
        return -number if self.negative else number


def numeral_pattern(group: str) -> str:
    """Return the pattern of a numeral, in which the group separator is the group named `group`.

    A numeral has groups of three digits (or of two, as in lakhs), or digits without groups. No
    further digit may follow it.
    """
    return (
        rf"(?:\d{{1,3}}(?P<{group}>[ .,'’\u00a0\u202f])\d{{3}}(?:(?P={group})\d{{3}})*"
        r"(?:[.,]\d{1,4})?|\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d{1,2})?|\d{1,12}(?:[.,]\d{1,12})?)"
        r"(?![.,'’]?\d)"
    )


def parse_power_of_ten(word: str | None) -> int:
    """Return the power of ten of a word after a numeral, such as `K` or `million`."""
    return _POWERS[word.strip(" .").lower()] if word else 0


def parse_number(text: str, decimal_mark: str | None = None) -> int | float:
    """Return the number that a numeral stands for: 1,234.50 and 1.234,50 alike.

    A single separator begins the decimals, unless exactly three digits follow it that may be a
    group; then it does if it equals `decimal_mark`. A number without decimals is exact.
    """
    if text.isdecimal():
        return _parse_digits(text)
    if text[-3:-2] == "." and text[:-3].isdecimal():
        return float(text)  # the fast way for most prices
    text = _GROUP_SPACES.sub("", text)
    last = max(text.rfind("."), text.rfind(","))
    if last < 0:
        return _parse_digits(text)
    has_decimals = _is_last_separator_decimal(text)
    if has_decimals is None:
        has_decimals = text[last] == decimal_mark
    integer, decimals = text[:last].replace(".", "").replace(",", ""), text[last + 1 :]
    return float(f"{integer}.{decimals}") if has_decimals else _parse_digits(integer + decimals)


def find_decimal_mark(numerals: Sequence[str], usual: str | None) -> str | None:
    """Return the decimal mark that the numerals of a column show, or the usual one."""
    if not any(map(_AMBIGUOUS.fullmatch, numerals)):
        return usual
    votes = {".": 0, ",": 0}
    for text in numerals:
        last = max(text.rfind("."), text.rfind(","))
        is_decimal = _is_last_separator_decimal(text) if last >= 0 else None
        if is_decimal is not None:
            separator = text[last]
            votes[separator if is_decimal else "," if separator == "." else "."] += 1
    if votes["."] == votes[","]:
        return usual
    return max(votes, key=votes.__getitem__)


def has_codes(numerals: Sequence[str]) -> bool:
    """Say whether a numeral of a column is a code: 0017 is an article, 02130 a town."""
    return any(map(_CODE.fullmatch, numerals))


def _parse_digits(digits: str) -> int | float:
    """Return digits as a number, exact up to a limit on their count."""
    return int(digits) if len(digits) <= _MAX_EXACT_DIGITS else float(digits)


def _is_last_separator_decimal(text: str) -> bool | None:
    """Say whether the last separator of a numeral begins the decimals; None if that is open.

    It is open for 1.234, but not for 0.234, 12345.678, 1.23 and 1,234.5.
    """
    last = max(text.rfind("."), text.rfind(","))
    before, separator, decimals = text[:last], text[last], len(text) - last - 1
    if separator in before:
        return False
    if decimals != 3 or before[0] == "0" or len(before) > 3:
        return True
    return None

"""Texts → amounts of money: $1,234.50, 12,99 €, -£3, $1.2M, 99p, and from one to another."""

from __future__ import annotations

import re
from typing import Final

from tamis.content.home import ANYWHERE, Home
from tamis.content.records.values.currencies import CODE, HINT, SIGN, named_currency
from tamis.content.records.values.numerals import MINUS, SCALE, Quantity, numeral, power_of
from tamis.content.records.values.rest import rest_of

LONGEST: Final = 60  # characters of a text that is no prose
PENCE: Final = -2  # power of ten

_HINT: Final = re.compile(HINT)  # is sooner known than the whole
_MINUS: Final = rf"(?<![\w)])[{MINUS}]"
_NONE: Final = r"(?:[.,][-–—]{1,2}(?!\d))"  # instead of cents
_MONEY: Final = re.compile(
    rf"(?P<less>{_MINUS})?(?<![A-Za-z0-9])(?P<before>{SIGN})\s?(?P<less2>{_MINUS})?"
    rf"(?P<first>{numeral('g1')}){_NONE}?(?P<scale>{SCALE})?(?:\s?(?P<code>{CODE}))?|"
    rf"(?P<less3>{_MINUS})?(?<![\w.,])(?P<second>{numeral('g2')}){_NONE}?(?P<scale2>{SCALE})?"
    rf"\s?(?P<after>{SIGN})"
)
_NO_MINUS: Final = (None, None, None)
_PARTS: Final = ("before", "first", "scale", "code", "second", "scale2", "after")
_SMALL: Final = re.compile(r"(?<![\w.,])(?P<less>[-−–])?(?P<first>\d{1,2})\s?(?P<sign>[p¢])(?!\w)")
_TO: Final = re.compile(r"\s?(?:-|–|—|~|～|\bto\b|\bbis\b|\bà\b|\bup to\b)\s?")
_BARE: Final = re.compile(
    rf"(?P<first>{numeral('g1')})(?P<scale>{SCALE})?(?=\s*(?:$|/|\b(?:per|pro|an?)\b))"
)
_UNSIGNED: Final = re.compile(rf"(?P<first>{numeral('g1')})\s?(?:-|–|—|~|～|to|bis)\s?$")


def money(text: str, home: Home = ANYWHERE) -> Quantity | None:
    """Return the first amount of money in a short text, unless most of the text says else."""
    if len(text) > LONGEST:
        return None
    found = _MONEY.search(text) if _HINT.search(text) else None
    if found is None:
        return small(text) if text[-1:] in "p¢" else None
    made = quantity(found, home)
    start, stop = found.span()
    if stop - start == len(text):
        return made
    made, start, stop = ranged(text, made, start, stop, home)
    rest = rest_of("money", text, start, stop)
    if rest is None:
        return None
    return made._replace(rest=rest, in_brackets=(text[:start], text[stop:]) == ("(", ")"))


def amounts(text: str) -> list[tuple[int, int, float]]:
    """Return all prices in a short text: where each begins and ends, and its amount."""
    found = _MONEY.finditer(text) if len(text) <= LONGEST else ()
    return [(*one.span(), float(quantity(one, ANYWHERE).value())) for one in found]


def quantity(found: re.Match[str], home: Home) -> Quantity:
    """Return the amount of a match."""
    before, first, scale, code, second, scale2, after = found.group(*_PARTS)
    sign = before or after
    return Quantity(
        first or second,
        power_of(scale or scale2),
        found.group("less", "less2", "less3") != _NO_MINUS,
        named_currency(code if code and sign in ("$", "¥", "￥") else sign, home),
        after=before is None,
    )


def small(text: str) -> Quantity | None:
    """Return an amount of pence or cents."""
    found = _SMALL.search(text)
    rest = rest_of("money", text, *found.span()) if found else None
    if found is None or rest is None:
        return None
    name = "GBP" if found["sign"] == "p" else "USD"
    return Quantity(found["first"], PENCE, less=found["less"] is not None, note=name, rest=rest)


def ranged(
    text: str, made: Quantity, start: int, stop: int, home: Home
) -> tuple[Quantity, int, int]:
    """Return an amount with the upper end of the range that it is part of, and its place."""
    if to := _TO.match(text, stop):
        if found := _MONEY.match(text, to.end()):
            upper = quantity(found, home)
        elif found := _BARE.match(text, to.end()):
            power = power_of(found["scale"]) or made.power
            upper = made._replace(digits=found["first"], power=power)
        if found and abs(upper.value()) > abs(made.value()):
            return scaled(made, upper), start, found.end()
    elif made.after and (lower := _UNSIGNED.search(text, 0, start)):
        low = made._replace(digits=lower["first"])
        if low.value() < made.value():
            return low._replace(upper=made), lower.start(), stop
    return made, start, stop


def scaled(low: Quantity, upper: Quantity) -> Quantity:
    """Return a range; its lower end is times what the upper is if it is less then: $100-120K."""
    times = low._replace(power=low.power or upper.power)
    return (times if times.value() < upper.value() else low)._replace(upper=upper)

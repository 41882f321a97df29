"""Signs and names of currencies, and which of those that share a sign a page means.

Texts → amounts of money: $1,234.50, 12,99 €, -£3, $1.2M, 99p, and from one to another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Final

from tamis.values.locale import ANYWHERE, Locale
from tamis.values.numbers import (
    MINUS,
    SCALE,
    Quantity,
    numeral_pattern,
    power_of_ten,
    residual_text,
)

# ISO 4217 without those that are no money of a country, and without words (ALL, CUP, MOP, TOP).
_CODES: Final = """
    AED AFN AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD
    CAD CDF CHF CLP CNY COP CRC CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD
    GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD
    KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO
    NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RMB RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP
    SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV
    WST XAF XCD XOF XPF YER ZAR ZMW ZWL
""".split()
_KNOWN: Final = frozenset(_CODES)
CURRENCIES: Final[Mapping[str, str]] = {
    "$": "USD", "US$": "USD", "U$S": "USD", "C$": "CAD", "CA$": "CAD", "CDN$": "CAD", "A$": "AUD",
    "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD", "S$": "SGD", "SG$": "SGD", "R$": "BRL", "NT$": "TWD",
    "MX$": "MXN", "RD$": "DOP", "AR$": "ARS", "CL$": "CLP", "€": "EUR", "£": "GBP", "¥": "JPY",
    "￥": "JPY", "元": "CNY", "圆": "CNY", "円": "JPY", "RMB": "CNY", "₹": "INR", "₨": "INR",
    "₽": "RUB", "₩": "KRW", "￦": "KRW", "원": "KRW", "₺": "TRY", "₪": "ILS", "฿": "THB",
    "₫": "VND", "₴": "UAH", "₦": "NGN", "₱": "PHP", "₸": "KZT", "₾": "GEL", "₼": "AZN", "₮": "MNT",
    "₭": "LAK", "₲": "PYG", "₡": "CRC", "₵": "GHS", "৳": "BDT", "៛": "KHR", "֏": "AMD",
    "﷼": "IRR",
    "Rs": "INR", "руб": "RUB", "р.": "RUB", "kr": "SEK", "Kr": "SEK", "kr.": "DKK", "Kr.": "DKK",
    "zł": "PLN", "Zł": "PLN", "Kč": "CZK", "Ft": "HUF", "lei": "RON", "Lei": "RON", "лв": "BGN",
    "TL": "TRY", "RM": "MYR", "Rp": "IDR", "S/": "PEN", "SFr": "CHF", "Fr.": "CHF", "Dhs": "AED",
    "KSh": "KES", "грн": "UAH", "тг": "KZT", "Euro": "EUR", "euro": "EUR", "Euros": "EUR",
    "euros": "EUR", "EURO": "EUR",
}  # fmt: skip
_SHARED: Final[Mapping[str, Mapping[str, str]]] = {
    "JPY": {"CN": "CNY"},
    "SEK": {"DK": "DKK", "NO": "NOK", "IS": "ISK"},
    "DKK": {"SE": "SEK", "NO": "NOK", "IS": "ISK"},
    "INR": {"PK": "PKR", "LK": "LKR", "NP": "NPR", "MU": "MUR"},
    "USD": {
        "CA": "CAD", "AU": "AUD", "NZ": "NZD", "SG": "SGD", "HK": "HKD", "TW": "TWD", "MX": "MXN",
        "AR": "ARS", "CL": "CLP", "CO": "COP", "UY": "UYU",
    },
}  # fmt: skip
_OWN: Final = frozenset(("$", "¥", "￥", "kr", "Kr", "kr.", "Kr.", "Rs", "₨"))  # of several lands
# Money of lands that write a comma before decimals, and of such that write a point.
_COMMA: Final = frozenset("SEK NOK DKK ISK PLN CZK HUF RON BGN TRY BRL RUB UAH RSD".split())
_POINT: Final = frozenset("USD GBP JPY CNY INR AUD CAD NZD HKD SGD CHF KRW ILS THB".split())

MAX_CURRENCY_CHARS: Final = 6  # characters of a sign

_ISO: Final = r"(?=[A-Z]{{3}})(?:{})".format(
    "|".join(
        f"{first}(?:{'|'.join(code[1:] for code in codes)})"
        for first, codes in groupby(_CODES, key=lambda code: code[0])
    )
)
_WORD: Final = "|".join(
    re.escape(word) for word in sorted(CURRENCIES, key=len, reverse=True) if word[0].isalpha()
    and word[-1] != "$" and word not in ("元", "圆", "円", "원", "RMB")
)  # fmt: skip
_DOLLAR: Final = r"(?:(?:US|CA|CDN|AU|NZ|HK|SG|NT|MX)\s|[A-Z]{1,3})?\$"
_SIGNS: Final = "€£¥￥₹₨₽₩￦₺₪฿₫₴₦₱₸₾₼₮₭₲₡₵৳៛֏﷼元圆円원"
SYMBOL: Final = rf"U\$S|{_DOLLAR}|[{_SIGNS}]"
SIGN: Final = rf"(?:{SYMBOL}|{_ISO}(?![^\W\d_])|(?:{_WORD})\.?(?![^\W\d_]))"
CODE: Final = rf"{_ISO}(?!\w)"
_BEGINNING: Final = r"(?:[A-Z]{3}|[KkZzLlFTRSDEeUрлгт][łčrtpshMLuUeFS$./вруг])"  # of any of them
HINT: Final = (
    rf"[${_SIGNS}]|"
    rf"(?<![^\W\d_]){_BEGINNING}[^\W\d_]{{0,3}}\.?\s?[−–-]?\d|\d[^\s\d]{{0,5}}\s?{_BEGINNING}"
)
_ONE_SIGN: Final = re.compile(SIGN)


def parse_currency(text: str, home: Locale = ANYWHERE) -> str | None:
    """Return the currency that a text is the sign of, if it is nothing else."""
    found = _ONE_SIGN.fullmatch(text) if len(text) <= MAX_CURRENCY_CHARS else None
    return currency_of_sign(found[0], home) if found else None


def currency_of_sign(sign: str, home: Locale = ANYWHERE) -> str:
    """Return the name of the currency of a sign on a page."""
    name = CURRENCIES.get(sign)
    if name is None:
        sign = sign.replace(" ", "")
        code = sign[:3] if sign[:3] in _KNOWN else "USD"
        name = CURRENCIES.get(sign) or CURRENCIES.get(sign.rstrip(".")) or code
    return _SHARED[name].get(home.country, name) if sign in _OWN else name


def usual_decimal_mark(currency: str | None, after: bool, home: Locale) -> str | None:
    """Return the sign that amounts of a currency usually have before decimals on a page.

    None where the currency and the page disagree, as in 1.299 € on an English page.
    """
    usual = None
    if currency in _COMMA or (currency == "EUR" and after):
        usual = ","
    elif currency in _POINT and not after:
        usual = "."
    here = home.decimal
    return usual or here if None in (usual, here) or usual == here else None


MAX_MONEY_CHARS: Final = 60  # characters of a text that is no prose
PENCE: Final = -2  # power of ten

_HINT: Final = re.compile(HINT)  # is sooner known than the whole
_MINUS: Final = rf"(?<![\w)])[{MINUS}]"
_NONE: Final = r"(?:[.,][-–—]{1,2}(?!\d))"  # instead of cents
_MONEY: Final = re.compile(
    rf"(?P<less>{_MINUS})?(?<![A-Za-z0-9])(?P<before>{SIGN})\s?(?P<less2>{_MINUS})?"
    rf"(?P<first>{numeral_pattern('g1')}){_NONE}?(?P<scale>{SCALE})?(?:\s?(?P<code>{CODE}))?|"
    rf"(?P<less3>{_MINUS})?(?<![\w.,])(?P<second>{numeral_pattern('g2')}){_NONE}?(?P<scale2>{SCALE})?"
    rf"\s?(?P<after>{SIGN})"
)
_NO_MINUS: Final = (None, None, None)
_PARTS: Final = ("before", "first", "scale", "code", "second", "scale2", "after")
_SMALL: Final = re.compile(r"(?<![\w.,])(?P<less>[-−–])?(?P<first>\d{1,2})\s?(?P<sign>[p¢])(?!\w)")
_TO: Final = re.compile(r"\s?(?:-|–|—|~|～|\bto\b|\bbis\b|\bà\b|\bup to\b)\s?")
_BARE: Final = re.compile(
    rf"(?P<first>{numeral_pattern('g1')})(?P<scale>{SCALE})?(?=\s*(?:$|/|\b(?:per|pro|an?)\b))"
)
_UNSIGNED: Final = re.compile(rf"(?P<first>{numeral_pattern('g1')})\s?(?:-|–|—|~|～|to|bis)\s?$")


def parse_money(text: str, home: Locale = ANYWHERE) -> Quantity | None:
    """Return the first amount of money in a short text, unless most of the text says else."""
    if len(text) > MAX_MONEY_CHARS:
        return None
    found = _MONEY.search(text) if _HINT.search(text) else None
    if found is None:
        return parse_cents(text) if text[-1:] in "p¢" else None
    made = quantity_of_match(found, home)
    start, stop = found.span()
    if stop - start == len(text):
        return made
    made, start, stop = extend_to_range(text, made, start, stop, home)
    rest = residual_text("money", text, start, stop)
    if rest is None:
        return None
    return made._replace(rest=rest, in_brackets=(text[:start], text[stop:]) == ("(", ")"))


def find_amounts(text: str) -> list[tuple[int, int, float]]:
    """Return all prices in a short text: where each begins and ends, and its amount."""
    found = _MONEY.finditer(text) if len(text) <= MAX_MONEY_CHARS else ()
    return [(*one.span(), float(quantity_of_match(one, ANYWHERE).value())) for one in found]


def quantity_of_match(found: re.Match[str], home: Locale) -> Quantity:
    """Return the amount of a match."""
    before, first, scale, code, second, scale2, after = found.group(*_PARTS)
    sign = before or after
    return Quantity(
        first or second,
        power_of_ten(scale or scale2),
        found.group("less", "less2", "less3") != _NO_MINUS,
        currency_of_sign(code if code and sign in ("$", "¥", "￥") else sign, home),
        after=before is None,
    )


def parse_cents(text: str) -> Quantity | None:
    """Return an amount of pence or cents."""
    found = _SMALL.search(text)
    rest = residual_text("money", text, *found.span()) if found else None
    if found is None or rest is None:
        return None
    name = "GBP" if found["sign"] == "p" else "USD"
    return Quantity(found["first"], PENCE, less=found["less"] is not None, note=name, rest=rest)


def extend_to_range(
    text: str, made: Quantity, start: int, stop: int, home: Locale
) -> tuple[Quantity, int, int]:
    """Return an amount with the upper end of the range that it is part of, and its place."""
    if to := _TO.match(text, stop):
        if found := _MONEY.match(text, to.end()):
            upper = quantity_of_match(found, home)
        elif found := _BARE.match(text, to.end()):
            power = power_of_ten(found["scale"]) or made.power
            upper = made._replace(digits=found["first"], power=power)
        if found and abs(upper.value()) > abs(made.value()):
            return scale_range(made, upper), start, found.end()
    elif made.after and (lower := _UNSIGNED.search(text, 0, start)):
        low = made._replace(digits=lower["first"])
        if low.value() < made.value():
            return low._replace(upper=made), lower.start(), stop
    return made, start, stop


def scale_range(low: Quantity, upper: Quantity) -> Quantity:
    """Return a range; its lower end is times what the upper is if it is less then: $100-120K."""
    times = low._replace(power=low.power or upper.power)
    return (times if times.value() < upper.value() else low)._replace(upper=upper)

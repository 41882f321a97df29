"""Amounts of money in texts: $1,234.50, 12,99 €, -£3, $1.2M, 99p, £5 - £10.

A currency sign such as $ or kr belongs to several currencies; the locale of the page decides which.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Final

from tamis.values.locale import UNKNOWN_LOCALE, Locale
from tamis.values.numbers import MINUS, SCALE, Quantity, numeral_pattern, parse_power_of_ten
from tamis.values.residual import residual_text

MAX_VALUE_CHARS: Final = 60  # a longer text is prose, not a value
PENCE_POWER: Final = -2  # the power of ten of pence and cents
_MAX_SIGN_CHARS: Final = 6

# ISO 4217 without codes that are no money of a country, and without words (ALL, CUP, MOP, TOP).
_CODES: Final = """
    AED AFN AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD
    CAD CDF CHF CLP CNY COP CRC CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD
    GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD
    KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO
    NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RMB RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP
    SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV
    WST XAF XCD XOF XPF YER ZAR ZMW ZWL
""".split()
_CODE_SET: Final = frozenset(_CODES)
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
# What a shared sign means in a country, by the currency that it means elsewhere.
_CURRENCY_BY_COUNTRY: Final[Mapping[str, Mapping[str, str]]] = {
    "JPY": {"CN": "CNY"},
    "SEK": {"DK": "DKK", "NO": "NOK", "IS": "ISK"},
    "DKK": {"SE": "SEK", "NO": "NOK", "IS": "ISK"},
    "INR": {"PK": "PKR", "LK": "LKR", "NP": "NPR", "MU": "MUR"},
    "USD": {
        "CA": "CAD", "AU": "AUD", "NZ": "NZD", "SG": "SGD", "HK": "HKD", "TW": "TWD", "MX": "MXN",
        "AR": "ARS", "CL": "CLP", "CO": "COP", "UY": "UYU",
    },
}  # fmt: skip
_SHARED_SIGNS: Final = frozenset(("$", "¥", "￥", "kr", "Kr", "kr.", "Kr.", "Rs", "₨"))
# Currencies of countries whose decimal mark is a comma, and of those where it is a point.
_COMMA_CURRENCIES: Final = frozenset(
    "SEK NOK DKK ISK PLN CZK HUF RON BGN TRY BRL RUB UAH RSD".split()
)
_POINT_CURRENCIES: Final = frozenset(
    "USD GBP JPY CNY INR AUD CAD NZD HKD SGD CHF KRW ILS THB".split()
)

_ISO_CODE: Final = r"(?=[A-Z]{{3}})(?:{})".format(
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
_SIGN: Final = rf"(?:U\$S|{_DOLLAR}|[{_SIGNS}]|{_ISO_CODE}(?![^\W\d_])|(?:{_WORD})\.?(?![^\W\d_]))"
_SIGN_PATTERN: Final = re.compile(_SIGN)
_SIGN_START: Final = r"(?:[A-Z]{3}|[KkZzLlFTRSDEeUрлгт][łčrtpshMLuUeFS$./вруг])"  # of any of them
# Searching for a sign beside a digit first is faster than searching for amounts.
_MONEY_HINT: Final = re.compile(
    rf"[${_SIGNS}]|"
    rf"(?<![^\W\d_]){_SIGN_START}[^\W\d_]{{0,3}}\.?\s?[−–-]?\d|\d[^\s\d]{{0,5}}\s?{_SIGN_START}"
)
_MINUS: Final = rf"(?<![\w)])[{MINUS}]"
_NO_CENTS: Final = r"(?:[.,][-–—]{1,2}(?!\d))"  # a dash instead of cents
_MONEY: Final = re.compile(
    rf"(?P<minus>{_MINUS})?(?<![A-Za-z0-9])(?P<before>{_SIGN})\s?(?P<minus2>{_MINUS})?"
    rf"(?P<first>{numeral_pattern('g1')}){_NO_CENTS}?(?P<scale>{SCALE})?"
    rf"(?:\s?(?P<code>{_ISO_CODE}(?!\w)))?|"
    rf"(?P<minus3>{_MINUS})?(?<![\w.,])(?P<second>{numeral_pattern('g2')}){_NO_CENTS}?"
    rf"(?P<scale2>{SCALE})?\s?(?P<after>{_SIGN})"
)
_NO_MINUS: Final = (None, None, None)
_GROUPS: Final = ("before", "first", "scale", "code", "second", "scale2", "after")
_CENTS: Final = re.compile(r"(?<![\w.,])(?P<minus>[-−–])?(?P<first>\d{1,2})\s?(?P<sign>[p¢])(?!\w)")
_RANGE_MARK: Final = re.compile(r"\s?(?:-|–|—|~|～|\bto\b|\bbis\b|\bà\b|\bup to\b)\s?")
_UPPER_WITHOUT_SIGN: Final = re.compile(
    rf"(?P<first>{numeral_pattern('g1')})(?P<scale>{SCALE})?(?=\s*(?:$|/|\b(?:per|pro|an?)\b))"
)
_LOWER_WITHOUT_SIGN: Final = re.compile(
    rf"(?P<first>{numeral_pattern('g1')})\s?(?:-|–|—|~|～|to|bis)\s?$"
)


def parse_currency(text: str, locale: Locale = UNKNOWN_LOCALE) -> str | None:
    """Return the currency of a text that is a currency sign and nothing else."""
    sign = _SIGN_PATTERN.fullmatch(text) if len(text) <= _MAX_SIGN_CHARS else None
    return _sign_currency(sign[0], locale) if sign else None


def parse_money(text: str, locale: Locale = UNKNOWN_LOCALE) -> Quantity | None:
    """Return the first amount of money in a short text; None if most of the text is other words."""
    if len(text) > MAX_VALUE_CHARS:
        return None
    match = _MONEY.search(text) if _MONEY_HINT.search(text) else None
    if match is None:
        return _parse_cents(text) if text[-1:] in "p¢" else None
    amount = _match_amount(match, locale)
    start, stop = match.span()
    if stop - start == len(text):
        return amount
    amount, start, stop = _extend_to_range(text, amount, start, stop, locale)
    residual = residual_text("money", text, start, stop)
    if residual is None:
        return None
    in_brackets = (text[:start], text[stop:]) == ("(", ")")
    return amount._replace(residual=residual, in_brackets=in_brackets)


def find_amounts(text: str) -> list[tuple[int, int, float]]:
    """Return all prices in a short text, each as start offset, end offset and amount."""
    matches = _MONEY.finditer(text) if len(text) <= MAX_VALUE_CHARS else ()
    return [
        (*match.span(), float(_match_amount(match, UNKNOWN_LOCALE).value())) for match in matches
    ]


def usual_decimal_mark(currency: str | None, sign_after: bool, locale: Locale) -> str | None:
    """Return the decimal mark that amounts of a currency usually have on a page.

    None if currency and page disagree, as in 1.299 € on an English page.
    """
    by_currency = None
    if currency in _COMMA_CURRENCIES or (currency == "EUR" and sign_after):
        by_currency = ","
    elif currency in _POINT_CURRENCIES and not sign_after:
        by_currency = "."
    by_locale = locale.decimal_mark
    if None in (by_currency, by_locale):
        return by_currency or by_locale
    return by_currency if by_currency == by_locale else None


def _sign_currency(sign: str, locale: Locale) -> str:
    """Return the code of the currency that a sign stands for on a page."""
    currency = CURRENCIES.get(sign)
    if currency is None:
        sign = sign.replace(" ", "")
        code = sign[:3] if sign[:3] in _CODE_SET else "USD"
        currency = CURRENCIES.get(sign) or CURRENCIES.get(sign.rstrip(".")) or code
    if sign in _SHARED_SIGNS:
        return _CURRENCY_BY_COUNTRY[currency].get(locale.country, currency)
    return currency


def _match_amount(match: re.Match[str], locale: Locale) -> Quantity:
    """Return the amount of a match of `_MONEY`."""
    before, first, scale, code, second, scale2, after = match.group(*_GROUPS)
    sign = before or after
    return Quantity(
        first or second,
        parse_power_of_ten(scale or scale2),
        match.group("minus", "minus2", "minus3") != _NO_MINUS,
        _sign_currency(code if code and sign in ("$", "¥", "￥") else sign, locale),
        sign_after=before is None,
    )


def _parse_cents(text: str) -> Quantity | None:
    """Return an amount of pence or cents."""
    match = _CENTS.search(text)
    residual = residual_text("money", text, *match.span()) if match else None
    if match is None or residual is None:
        return None
    currency = "GBP" if match["sign"] == "p" else "USD"
    negative = match["minus"] is not None
    return Quantity(match["first"], PENCE_POWER, negative, unit=currency, residual=residual)


def _extend_to_range(
    text: str, amount: Quantity, start: int, stop: int, locale: Locale
) -> tuple[Quantity, int, int]:
    """Return an amount with the other end of its range, if there is one, and their offsets."""
    if mark := _RANGE_MARK.match(text, stop):
        if match := _MONEY.match(text, mark.end()):
            upper = _match_amount(match, locale)
        elif match := _UPPER_WITHOUT_SIGN.match(text, mark.end()):
            power = parse_power_of_ten(match["scale"]) or amount.power
            upper = amount._replace(digits=match["first"], power=power)
        if match and abs(upper.value()) > abs(amount.value()):
            return _build_range(amount, upper), start, match.end()
    elif amount.sign_after and (match := _LOWER_WITHOUT_SIGN.search(text, 0, start)):
        lower = amount._replace(digits=match["first"])
        if lower.value() < amount.value():
            return lower._replace(upper=amount), match.start(), stop
    return amount, start, stop


def _build_range(lower: Quantity, upper: Quantity) -> Quantity:
    """Return a range; the lower end takes over the scale of the upper if it fits: $100-120K."""
    scaled = lower._replace(power=lower.power or upper.power)
    return (scaled if scaled.value() < upper.value() else lower)._replace(upper=upper)

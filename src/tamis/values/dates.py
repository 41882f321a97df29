"""Dates in texts and URLs: 2012-03-05, March 5, 2012, 5. März 2012, 3 days ago, /2012/03/05/.

`find_dates` and `parse_timestamp` read calendar dates, `parse_relative_date` reads dates that are
given relative to today.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from typing import Final

_EARLIEST: Final = date(1990, 1, 1)  # no page is older than the web

_MONTHS: Final = (
    "january jan janvier janv januar jänner jän enero ene gennaio gen janeiro januari stycznia sty "
    "января янв ledna",
    "february feb febr février fevrier févr fév februar feber febrero febbraio fevereiro fev "
    "februari lutego lut февраля фев února",
    "march mar mars märz mrz marzo março marco maart mrt marca марта мар března",
    "april apr avril avr abril abr aprile kwietnia kwi апреля апр dubna",
    "may mai mayo maggio mag maio mei maj maja мая května",
    "june jun juin juni junio giugno giu junho czerwca cze июня июн června",
    "july jul juillet juil juli julio luglio lug julho lipca lip июля июл července",
    "august aug août aout agosto ago augustus augusti sierpnia sie августа авг srpna",
    "september sept sep septembre septiembre settembre set setembro września wrz сентября сен "
    "сент září",
    "october oct octobre oktober okt octubre ottobre ott outubro out października paź октября окт "
    "října",
    "november nov novembre noviembre novembro listopada lis ноября ноя нояб listopadu",
    "december dec décembre decembre déc dezember dez diciembre dic dicembre dezembro grudnia gru "
    "декабря дек prosince",
)

# Every part is bounded, so that each position of a text is tried a bounded number of times.
_YEAR: Final = r"(?P<{}>(?:19|20)\d\d)"
# Possessive: no letter can follow, so that to try shorter words would only take time.
_WORD: Final = r"(?P<{}>[^\W\d_]{{3,12}}+)"
# To look for a digit or the beginning of a word first takes half the time.
_DATE: Final = re.compile(
    r"(?=\d|(?<![^\W\d_])[^\W\d_]{3})(?:"
    + "|".join(
        (
            # 2012-03-05, 2012/3/5, 20120305, 2012年3月5日, 2012년 3월 5일
            r"(?<!\d)" + _YEAR.format("y1") + r"([-/.]|\s?[年년]\s?)(?P<m1>\d\d?)"
            r"(?:[-/.]|\s?[月월]\s?)(?P<d1>\d\d?)(?!\d)",
            # 5 March 2012, 5th of March, 2012, 5. März 2012, 5 de marzo de 2012, 5-Mar-2012
            r"(?<!\d)(?P<d2>\d\d?)(?:st|nd|rd|th|er|º|\.)?[\s-](?:de\s|of\s)?"
            + _WORD.format("w2")
            + r"\.?,?[\s-](?:de\s|del\s)?"
            + _YEAR.format("y2")
            + r"(?!\d)",
            # 5-Mar-12
            r"(?<!\d)(?P<d6>\d\d?)-" + _WORD.format("w6") + r"-(?P<y6>\d\d)(?!\d)",
            # March 5, 2012, Mar. 5th 2012
            _WORD.format("w3")
            + r"\.?\s(?P<d3>\d\d?)(?:st|nd|rd|th)?,?\s"
            + _YEAR.format("y3")
            + r"(?!\d)",
            # 2012 Mar 5, 2012, March 5
            r"(?<!\d)"
            + _YEAR.format("y5")
            + r",?\s"
            + _WORD.format("w5")
            + r"\.?\s(?P<d5>\d\d?)(?!\d)",
            # 05.03.2012, 5/3/2012, 05-03-12
            r"(?<![\d.,/$€£])(?P<a4>\d\d?)(?P<s4>[./-])(?P<b4>\d\d?)(?P=s4)(?P<y4>(?:19|20)?\d\d)(?![\d.,/]\d|\d)",
        )
    )
    + ")"
)
# Searching for digits first is ten times as fast as searching for dates.
_DATE_HINT: Final = re.compile(r"(?:19|20)\d\d|\d[./-]\d\d?[./-]\d\d|[^\W\d_]-\d\d(?!\d)")
_DIGITS: Final = re.compile(r"\d\d")  # they are in each hint, and found faster
_HINT_CHARS: Final = 8  # of a hint, at most
_HINT_MARGIN: Final = 32  # characters around a hint in which its date lies
_TIMESTAMP: Final = re.compile(r"\s{0,9}((?:19|20)\d\d)-?(\d\d)-?(\d\d)(?!\d)")
_URL_DATE: Final = re.compile(
    r"[/_-]((?:19|20)\d\d)(?:([/_.-])(\d\d?)\2(\d\d?)|[/_-]?(\d\d)[/_-]?(\d\d))(?![\d])"
)

_UNITS: Final = {
    word: unit
    for unit, words in {
        "second": "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos",
        "minute": "m min mins minute minutes minuten minuto minutos minuti",
        "hour": "h hr hrs hour hours stunde stunden heure heures hora horas ora ore",
        "day": "d day days tag tage tagen jour jours día días dia dias giorno giorni",
        "week": "w wk wks week weeks woche wochen semaine semaines semana semanas settimana "
        "settimane",
        "month": "mo mos month months monat monate monaten mois mes meses mese mesi",
        "year": "y yr yrs year years jahr jahre jahren an ans año años anno anni",
    }.items()
    for word in words.split()
}
# Days per unit; months and years have no fixed length and are counted in the calendar.
_UNIT_DAYS: Final = {"second": 0, "minute": 0, "hour": 1 / 24, "day": 1, "week": 7}
_DAYS_BY_PHRASE: Final = {
    **dict.fromkeys(
        ("today", "just now", "just posted", "just added", "heute", "aujourd'hui", "hoy", "oggi"), 0
    ),
    **dict.fromkeys(("yesterday", "gestern", "hier", "ayer", "ieri"), 1),
}
_NUMBER: Final = r"(?P<{0}>\d{{1,4}}\+?|an?|one|ein(?:e[mr]?)?|une?|una?)"
_AGO: Final = re.compile(
    r"(?i)(?:^|[^\w])(?:"
    rf"{_NUMBER.format('before')}\s?(?P<unit>[^\W\d_]{{1,9}})"
    r"(?:(?:,| and)? \d{1,2} [^\W\d_]{1,8})?\s(?:ago|fa)|"
    rf"(?:vor|il y a|hace)\s(?:etwa |environ |unos )?{_NUMBER.format('after')}\s"
    r"(?P<unit2>[^\W\d_]{1,9}))(?!\w)"
)
_PHRASE: Final = re.compile(rf"(?i)(?:^|[^\w])({'|'.join(_DAYS_BY_PHRASE)})(?!\w)")
_PHRASE_HINTS: Final = dict.fromkeys(
    "just" if phrase.startswith("just") else phrase for phrase in _DAYS_BY_PHRASE
)
_RELATIVE_WORDS: Final = ("ago", "fa", "vor", "il y a", "hace", *_PHRASE_HINTS)
RELATIVE_HINT: Final = r"\b(?:" + "|".join(_RELATIVE_WORDS) + r")\b"
# Words beside the number of a relative date, in more languages than are parsed.
_WORDS_AFTER: Final = "ago fa назад geleden siden sedan temu önce atrás 前 전".split()
_WORDS_BEFORE: Final = ("vor", "il y a", "hace", "há", "för", "pred", "před")
_NUMBER_BEFORE: Final = re.compile(
    r"(?:\d{1,4}|\b(?:an?|one|few|день))\W{0,2}[^\W\d_]{0,12}\W{0,2}$"
)
_NUMBER_AFTER: Final = re.compile(
    r"\W{1,2}(?:\d{1,4}|ein\w{0,2}|un|une|una|uno)\W{1,2}[^\W\d_]{1,12}"
)
_DAY_WORDS: Final = (
    *("today", "yesterday", "heute", "gestern", "aujourd'hui", "hier", "hoy", "ayer", "oggi"),
    *("ieri", "vandaag", "gisteren", "idag", "igår", "сегодня", "вчера", "今天", "昨天"),
)
# One of these is in each text with a relative date that `find_relative_dates` gives.
RELATIVE_DATE_WORDS: Final = (*_WORDS_AFTER, *_WORDS_BEFORE, *_DAY_WORDS)
_AFTER_DAY: Final = re.compile(r"\W{0,2}(?:$|\n|(?:at|um|à|alle|a las|om|kl\.?|в)?\W{0,3}\d)")
_NUMBER_CHARS: Final = 24  # around a word in which the number of a relative date stands


def parse_timestamp(text: str, *, month_first: bool = True) -> date | None:
    """Return the date of a machine-written timestamp, else the first date in the text."""
    if stamp := _TIMESTAMP.match(text):
        return _build_page_date(stamp[1], stamp[2], stamp[3])
    return next(find_days(text, month_first=month_first), None)


def url_date(url: str) -> date | None:
    """Return the date in the path of a URL, such as /2012/03/05/."""
    path = url.partition("?")[0]
    for match in _URL_DATE.finditer(path):
        if day := _build_page_date(match[1], match[3] or match[5], match[4] or match[6]):
            return day
    return None


def find_days(text: str, *, month_first: bool = True) -> Iterator[date]:
    """Yield the dates in a text, in its order; `month_first` decides how to read 5/3/2012."""
    for day, _, _ in find_dates(text, month_first=month_first):
        yield day


def find_dates(
    text: str, *, month_first: bool = True, earliest: date = _EARLIEST
) -> Iterator[tuple[date, int, int]]:
    """Yield the dates in a text, each with its start and end offset."""
    offset = 0
    hint = _find_date_hint(text, offset)
    while hint:
        start, stop = max(offset, hint.start() - _HINT_MARGIN), hint.end() + _HINT_MARGIN
        match = _DATE.search(text, start, stop)
        day = _match_date(match, month_first) if match else None
        if match and day and day >= earliest:
            yield day, *match.span()
        offset = max(hint.end(), match.end() if match else 0)
        hint = _find_date_hint(text, offset)


def _find_date_hint(text: str, offset: int) -> re.Match[str] | None:
    """Return the first hint of a date from an offset on."""
    digits = _DIGITS.search(text, offset)
    return _DATE_HINT.search(text, max(offset, digits.start() - _HINT_CHARS)) if digits else None


def is_month_name(word: str) -> bool:
    """Say whether a word is the name of a month, in any of the supported languages."""
    return word.lower() in _month_numbers()


def may_be_relative(text: str) -> bool:
    """Say whether a text contains the letters of a relative date.

    This is much faster than `parse_relative_date`, and true of some texts without one.
    """
    text = text.lower()
    for word in _RELATIVE_WORDS:  # noqa: SIM110, any() takes twice as long
        if word in text:
            return True
    return False


def parse_relative_date(text: str, today: date) -> tuple[date, int, int] | None:
    """Return the relative date in a short text, with its start and end offset."""
    if match := _AGO.search(text):
        unit = _UNITS.get((match["unit"] or match["unit2"]).lower())
        number = (match["before"] or match["after"]).rstrip("+")
        if unit is None:
            return None
        day = _subtract_period(today, int(number) if number.isdigit() else 1, unit)
        return (day, *match.span()) if day else None
    if match := _PHRASE.search(text):
        return today - timedelta(days=_DAYS_BY_PHRASE[match[1].lower()]), *match.span()
    return None


def find_relative_dates(text: str) -> Iterator[int]:
    """Yield the offsets of the words in a text that show a relative date, of one word each.

    This is for recognising dates: languages and forms count that cannot be parsed. A word such as
    "today" counts on a line of its own, or before a time.
    """
    text = text.lower()
    for word in _WORDS_AFTER:
        for offset in _find_words(text, word):
            if _NUMBER_BEFORE.search(text, max(0, offset - _NUMBER_CHARS), offset):
                yield offset
    for word in _WORDS_BEFORE:
        for offset in _find_words(text, word):
            stop = offset + len(word)
            if _NUMBER_AFTER.match(text, stop, stop + _NUMBER_CHARS):
                yield offset
    for word in _DAY_WORDS:
        for offset in _find_words(text, word):
            if _AFTER_DAY.match(text, offset + len(word)):
                yield offset


def _find_words(text: str, word: str) -> Iterator[int]:
    """Yield the offsets of a word; one without letters before and after it, if it has letters."""
    offset = text.find(word)
    is_ideograph = len(word) == 1 or word[0] > "\u3000"
    while offset >= 0:
        stop = offset + len(word)
        if is_ideograph or not (
            text[offset - 1 : offset].isalnum() or text[stop : stop + 1].isalnum()
        ):
            yield offset
        offset = text.find(word, stop)


def _match_date(match: re.Match[str], month_first: bool) -> date | None:
    """Return the date of a match of `_DATE`."""
    if match["y1"]:
        return _build_date(match["y1"], match["m1"], match["d1"])
    if match["y2"]:
        return _build_date(match["y2"], _month_number(match["w2"]), match["d2"])
    if match["y6"]:
        return _build_date(f"20{match['y6']}", _month_number(match["w6"]), match["d6"])
    if match["y3"]:
        return _build_date(match["y3"], _month_number(match["w3"]), match["d3"])
    if match["y5"]:
        return _build_date(match["y5"], _month_number(match["w5"]), match["d5"])
    first, second, year = match["a4"], match["b4"], match["y4"]
    if len(year) == 2:
        if match["s4"] != "/" and len(first + second) < 4:
            return None  # version 1.2.15
        year = f"20{year}"
    if int(first) > 12 or (int(second) <= 12 and (match["s4"] == "." or not month_first)):
        first, second = second, first
    return _build_date(year, first, second)


def _build_date(year: str, month: str | int, day: str) -> date | None:
    """Return a date, or None if the calendar has no such day."""
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _build_page_date(year: str, month: str, day: str) -> date | None:
    """Return a date that a page can have, or None."""
    page_date = _build_date(year, month, day)
    return page_date if page_date and page_date >= _EARLIEST else None


def _month_number(word: str) -> int:
    """Return the number of the month that a word names, 0 for any other word."""
    return _month_numbers().get(word.lower(), 0)


@cache
def _month_numbers() -> dict[str, int]:
    """Return the numbers of the months by their names in lower case."""
    return {word: number for number, line in enumerate(_MONTHS, 1) for word in line.split()}


def _subtract_period(today: date, number: int, unit: str) -> date | None:
    """Return the day that was so many units before today; None before the calendar begins."""
    if unit in _UNIT_DAYS:
        return today - timedelta(days=int(number * _UNIT_DAYS[unit]))
    months = today.year * 12 + today.month - 1 - number * (12 if unit == "year" else 1)
    if months < 12:
        return None
    first = date(months // 12, months % 12 + 1, 1)
    last = (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    return first.replace(day=min(today.day, last.day))

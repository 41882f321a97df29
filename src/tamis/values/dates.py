"""Text → the day that it names.

Days that are told by how long ago they were: `3 days ago`, `yesterday`, `vor 2 Wochen`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from typing import Final

EARLIEST: Final = date(1990, 1, 1)  # no page is older than the web

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

# Every part is bounded, so that each place of a text is looked at a bounded number of times.
_YEAR: Final = r"(?P<{}>(?:19|20)\d\d)"
_WORD: Final = r"(?P<{}>[^\W\d_]{{3,12}})"
_DATE: Final = re.compile(
    "|".join(
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
)
# Looking for digits first is ten times as fast as looking for dates.
_HINT: Final = re.compile(r"(?:19|20)\d\d|\d[./-]\d\d?[./-]\d\d")
_REACH: Final = 32
_STAMP: Final = re.compile(r"\s{0,9}((?:19|20)\d\d)-?(\d\d)-?(\d\d)(?!\d)")
_PATH: Final = re.compile(
    r"[/_-]((?:19|20)\d\d)(?:([/_.-])(\d\d?)\2(\d\d?)|[/_-]?(\d\d)[/_-]?(\d\d))(?![\d])"
)


def parse_timestamp(text: str, *, month_first: bool = True) -> date | None:
    """Return the day of a time stamp as machines write it, else the first that the text names."""
    found = _STAMP.match(text)
    if found:
        return if_plausible(make_date(found[1], found[2], found[3]))
    return next(find_days(text, month_first=month_first), None)


def url_date(address: str) -> date | None:
    """Return the day that is part of the path of an address, such as /2012/03/05/."""
    path = address.partition("?")[0]
    for found in _PATH.finditer(path):
        made = if_plausible(make_date(found[1], found[3] or found[5], found[4] or found[6]))
        if made:
            return made
    return None


def find_days(text: str, *, month_first: bool = True, earliest: date = EARLIEST) -> Iterator[date]:
    """Yield the days that a text names, in its order; `month_first` tells how to read 5/3/2012."""
    for made, _, _ in find_dates(text, month_first=month_first, earliest=earliest):
        yield made


def find_dates(
    text: str, *, month_first: bool = True, earliest: date = EARLIEST
) -> Iterator[tuple[date, int, int]]:
    """Yield the days that a text names with where each begins and ends."""
    hint = _HINT.search(text)
    place = 0
    while hint:
        start, stop = max(place, hint.start() - _REACH), hint.end() + _REACH
        found = _DATE.search(text, start, stop)
        made = date_of_match(found, month_first) if found else None
        if found and made and made >= earliest:
            yield made, *found.span()
        place = max(hint.end(), found.end() if found else 0)
        hint = _HINT.search(text, place)


def date_of_match(found: re.Match[str], month_first: bool) -> date | None:
    """Return the day of a match of `_DATE`."""
    if found["y1"]:
        return make_date(found["y1"], found["m1"], found["d1"])
    if found["y2"]:
        return make_date(found["y2"], month_number(found["w2"]), found["d2"])
    if found["y3"]:
        return make_date(found["y3"], month_number(found["w3"]), found["d3"])
    if found["y5"]:
        return make_date(found["y5"], month_number(found["w5"]), found["d5"])
    first, second, year = found["a4"], found["b4"], found["y4"]
    if len(year) == 2:
        if found["s4"] != "/" and len(first + second) < 4:
            return None  # version 1.2.15
        year = f"20{year}"
    if int(first) > 12 or (int(second) <= 12 and (found["s4"] == "." or not month_first)):
        first, second = second, first
    return make_date(year, first, second)


def make_date(year: str, month: str, day: str) -> date | None:
    """Return a day, or None where there is no such day."""
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def if_plausible(made: date | None) -> date | None:
    """Return a day that a page can have been made on, else None."""
    return made if made and made >= EARLIEST else None


def month_number(word: str) -> str:
    """Return the number of the month that a word names, 0 for any other word."""
    return str(month_names().get(word.lower(), 0))


@cache
def month_names() -> dict[str, int]:
    """Return the names of the months in the languages that are known, in lower case."""
    return {word: number for number, line in enumerate(_MONTHS, 1) for word in line.split()}


# Words by the days that they stand for; months and years are counted in the calendar.
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
_DAYS: Final = {"second": 0, "minute": 0, "hour": 1 / 24, "day": 1, "week": 7}
_NAMED: Final = {
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
_RELATIVE_WORD: Final = re.compile(rf"(?i)(?:^|[^\w])({'|'.join(_NAMED)})(?!\w)")
_HINTS: Final = dict.fromkeys("just" if word.startswith("just") else word for word in _NAMED)
HINT_WORDS: Final = ("ago", "fa", "vor", "il y a", "hace", *_HINTS)
HINT: Final = r"\b(?:" + "|".join(HINT_WORDS) + r")\b"


def may_be_relative(text: str) -> bool:
    """Say whether a text has letters of a word for a day: that is far sooner known than where."""
    text = text.lower()
    for word in HINT_WORDS:  # noqa: SIM110, any() takes twice as long
        if word in text:
            return True
    return False


def parse_relative_date(text: str, today: date) -> tuple[date, int, int] | None:
    """Return the day that a short text tells by how long before today it was, and where."""
    if found := _AGO.search(text):
        unit = _UNITS.get((found["unit"] or found["unit2"]).lower())
        number = (found["before"] or found["after"]).rstrip("+")
        if unit is None:
            return None
        made = subtract_period(today, int(number) if number.isdigit() else 1, unit)
        return (made, *found.span()) if made else None
    if word := _RELATIVE_WORD.search(text):
        return today - timedelta(days=_NAMED[word[1].lower()]), *word.span()
    return None


def subtract_period(today: date, number: int, unit: str) -> date | None:
    """Return the day some time before today; None before the calendar begins."""
    if unit in _DAYS:
        return today - timedelta(days=int(number * _DAYS[unit]))
    months = today.year * 12 + today.month - 1 - number * (12 if unit == "year" else 1)
    if months < 12:
        return None
    first = date(months // 12, months % 12 + 1, 1)
    last = (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    return first.replace(day=min(today.day, last.day))

"""Days that are told by how long ago they were: `3 days ago`, `yesterday`, `vor 2 Wochen`."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Final

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
_WORD: Final = re.compile(rf"(?i)(?:^|[^\w])({'|'.join(_NAMED)})(?!\w)")
_HINTS: Final = dict.fromkeys("just" if word.startswith("just") else word for word in _NAMED)
HINT_WORDS: Final = ("ago", "fa", "vor", "il y a", "hace", *_HINTS)
HINT: Final = r"\b(?:" + "|".join(HINT_WORDS) + r")\b"


def may_be_ago(text: str) -> bool:
    """Say whether a text has letters of a word for a day: that is far sooner known than where."""
    text = text.lower()
    for word in HINT_WORDS:  # noqa: SIM110, any() takes twice as long
        if word in text:
            return True
    return False


def day_ago(text: str, today: date) -> tuple[date, int, int] | None:
    """Return the day that a short text tells by how long before today it was, and where."""
    if found := _AGO.search(text):
        unit = _UNITS.get((found["unit"] or found["unit2"]).lower())
        number = (found["before"] or found["after"]).rstrip("+")
        if unit is None:
            return None
        made = gone(today, int(number) if number.isdigit() else 1, unit)
        return (made, *found.span()) if made else None
    if word := _WORD.search(text):
        return today - timedelta(days=_NAMED[word[1].lower()]), *word.span()
    return None


def gone(today: date, number: int, unit: str) -> date | None:
    """Return the day some time before today; None before the calendar begins."""
    if unit in _DAYS:
        return today - timedelta(days=int(number * _DAYS[unit]))
    months = today.year * 12 + today.month - 1 - number * (12 if unit == "year" else 1)
    if months < 12:
        return None
    first = date(months // 12, months % 12 + 1, 1)
    last = (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    return first.replace(day=min(today.day, last.day))

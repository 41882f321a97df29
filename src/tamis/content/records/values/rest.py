"""What a text says besides its value: words that are lost where the value stands for the text."""

from __future__ import annotations

import re
from typing import Final

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


def rest_of(kind: str, text: str, start: int, stop: int) -> str | None:
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

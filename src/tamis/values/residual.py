"""Residual text: the words that are left of a text when its value is taken out.

A text such as "Now only $5" is replaced by its value without loss. "Oak chair, $5" is not: its
other words would be lost. The parsers of this room use the residual text to tell the two apart.
"""

from __future__ import annotations

import re
from typing import Final

_MAX_RESIDUAL_CHARS: Final = 12  # allowed beside a value that is shorter than this

# Words that usually stand beside a value of a type and add nothing to it.
_FILLER_WORDS: Final = {
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
_FILLERS: Final = {kind: frozenset(words.split()) for kind, words in _FILLER_WORDS.items()}
_BRACKETS: Final = r"\([^()]*\)"
# Further parts that may stand beside a value: units of a price, other numbers, a time of day.
_ASIDES: Final = {
    "money": re.compile(
        rf"{_BRACKETS}|(?:/|\b(?:per|pro|je|par|por|al|an?)\s)\s?\d*\s?[^\W\d_]+|\d[\d.,]*"
    ),
    "date": re.compile(r"\d{1,2}\s?:\s?\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?"),
    "rating": re.compile(rf"{_BRACKETS}|\d[\d.,]*k?\b"),
}
_WORD: Final = re.compile(r"[^\W_]+")


def residual_text(kind: str, text: str, start: int, stop: int) -> str | None:
    """Return the words around the value at `start` to `stop`, without filler words of its type.

    None means that they are longer than the value, so that the text is more than a value. Beside a
    price or a rating, text in brackets and further numbers are ignored: they are another price, or
    the number of ratings. Beside a date, the time is ignored.
    """
    if stop - start == len(text):
        return ""
    around = f"{text[:start]} {text[stop:]}".lower()
    fillers = _FILLERS[kind]
    if fillers.issuperset(around.split()):
        return ""
    words = _WORD.findall(_ASIDES[kind].sub(" ", around))
    residual = " ".join([word for word in words if word not in fillers])
    return residual if len(residual) <= max(_MAX_RESIDUAL_CHARS, stop - start) else None

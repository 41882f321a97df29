"""Text that states authors → the names in it."""

from __future__ import annotations

import re
from typing import Final

from tamis.content.metadata.dates import month

_LONGEST_NAME: Final = 70
_MOST_NAMES: Final = 12
_MOST_WORDS: Final = 7
_MOST_WORDS_SHOWN: Final = 5  # of a name in running text
_LONGEST_WORD: Final = 24
_SENTENCE: Final = 4  # words after a name that make a sentence of its line
_LEAD: Final = re.compile(
    r"(?:(?:written|posted|published)\s)?by\b\s?:?\s?|(?:authors?|作者|记者|撰文)\s?[:：]\s?", re.I
)
_SPLIT: Final = re.compile(r"\s?;\s?|、")
_AND: Final = re.compile(r"\s(?:&|and)\s")
_OWN_AND: Final = {
    "de": re.compile(r"\s(?:&|and|und)\s"),
    "fr": re.compile(r"\s(?:&|and|et)\s"),
    "es": re.compile(r"\s(?:&|and|y)\s"),
    "it": re.compile(r"\s(?:&|and|e)\s"),
    "pt": re.compile(r"\s(?:&|and|e)\s"),
}
_NO_NAME: Final = re.compile(r"https?:|www\.|@|[<>{}=*]|^[\W\d_]*$")
_NOBODY: Final = frozenset(
    "admin administrator author authors byline by anonymous guest none null undefined unknown user "
    "staff root default webmaster about editor share follow archives archive".split()
)
_PARTICLES: Final = frozenset(
    "af al ap av bin da das de degli dei del della der di do dos du e el et i ibn la le los of och "
    "og ten ter the und van ve von y zu zum zur and & for".split()
)
# These join the words of what a group is called, not those of what a person is.
_OF_GROUPS: Final = frozenset("of the and & for e et und och og i ve".split())
_WEEKDAYS: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag "
    "freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes "
    "martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì "
    "sabato domenica segunda terça quarta quinta sexta maandag dinsdag woensdag donderdag vrijdag "
    "zaterdag zondag".split()
)
_LAST_WORDS: Final = re.compile(r"\w[.!?…。！？]['\"”’)]?$")


def cleaned(text: str, language: str = "", *, whole: bool = False) -> list[str]:
    """Return the names in a text that states authors, without what is no name.

    A `whole` text is one name, whatever words it has.
    """
    lead = _LEAD.match(text)
    text = text[lead.end() :] if lead else text
    parts = [text] if whole else parted(text[:1000], language)
    names = (name.strip(" ,.;:|-–—•·/") for name in parts)
    return [name for name in names if is_name(name)]


def parted(text: str, language: str) -> list[str]:
    """Return the names of a list; "and" parts only what are persons on both of its sides."""
    found: list[str] = []
    for part in _SPLIT.split(text)[:_MOST_NAMES]:
        sides = _OWN_AND.get(language, _AND).split(part)
        persons = all(is_person(name) for side in sides for name in side.strip(" ,").split(","))
        found += sides if persons else [part]
    return found[:_MOST_NAMES]


def is_person(text: str) -> bool:
    """Whether a text looks like the name and surname of a person."""
    words = text.split()
    return (
        1 < len(words) <= _MOST_WORDS_SHOWN
        and not _OF_GROUPS.intersection(words)
        and has_shape(text)
    )


def is_name(text: str) -> bool:
    """Whether a text can be the name of a person, a group or an account."""
    return (
        1 < len(text) <= _LONGEST_NAME
        and len(text.split()) <= _MOST_WORDS
        and text.lower() not in _NOBODY
        and not _NO_NAME.search(text)
    )


def has_shape(text: str) -> bool:
    """Whether a text has the shape of a name: few words, each with a capital or a particle.

    Words of scripts without capitals have the shape where they are short.
    """
    words = text.split()
    if not 0 < len(words) <= _MOST_WORDS_SHOWN or not is_capital(words[0]):
        return False
    if any(word.strip(".,").lower() in _WEEKDAYS for word in words):
        return False
    if len(words) == 1 and month(words[0]) != "0":
        return False
    return all(word in _PARTICLES or is_capital(word) for word in words)


def is_capital(word: str) -> bool:
    """Whether a word begins with a capital, as al-Rashid and d'Arc do, or its script has none."""
    if len(word) > _LONGEST_WORD:
        return False
    first = word.lstrip("'\"“‘(")[:1]
    return any(char.isupper() for char in word[:4]) or first == first.title() != ""


def is_sentence(line: str, name: str) -> bool:
    """Whether a line that begins with a name goes on as a sentence."""
    after = line.partition(name)[2].split()
    return len(after) >= _SENTENCE and bool(_LAST_WORDS.search(line))

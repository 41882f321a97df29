"""Names of persons and groups in texts that state authors: "By Ann Bee and Carl Dee; Eve Eff".

Any text may be stated as an author. `split_names` returns the names in it, `has_name_shape` tells
a name in running text from other words.
"""

from __future__ import annotations

import re
from typing import Final

from tamis.values import is_month_name

_MAX_TEXT_CHARS: Final = 1000
_MAX_NAME_CHARS: Final = 70
_MAX_NAMES: Final = 12
_MAX_WORDS: Final = 7
_MAX_SHAPE_WORDS: Final = 5  # of a name in running text
_MAX_WORD_CHARS: Final = 24
_BY: Final = re.compile(
    r"(?:(?:written|posted|published)\s)?by\b\s?:?\s?|(?:authors?|作者|记者|撰文)\s?[:：]\s?", re.I
)
_SEPARATOR: Final = re.compile(r"\s?;\s?|、")
_AND: Final = re.compile(r"\s(?:&|and)\s")
_AND_BY_LANGUAGE: Final = {
    "de": re.compile(r"\s(?:&|and|und)\s"),
    "fr": re.compile(r"\s(?:&|and|et)\s"),
    "es": re.compile(r"\s(?:&|and|y)\s"),
    "it": re.compile(r"\s(?:&|and|e)\s"),
    "pt": re.compile(r"\s(?:&|and|e)\s"),
}
_NOT_IN_NAMES: Final = re.compile(r"https?:|www\.|@|[<>{}=*]|^[\W\d_]*$")
_NO_NAMES: Final = frozenset(
    "admin administrator author authors byline by anonymous guest none null undefined unknown user "
    "staff root default webmaster about editor share follow archives archive".split()
)
_PARTICLES: Final = frozenset(
    "af al ap av bin da das de degli dei del della der di do dos du e el et i ibn la le los of och "
    "og ten ter the und van ve von y zu zum zur and & for".split()
)
# These join the words of a group's name, not those of a person's.
_GROUP_PARTICLES: Final = frozenset("of the and & for e et und och og i ve".split())
_WEEKDAYS: Final = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag "
    "freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes "
    "martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì "
    "sabato domenica segunda terça quarta quinta sexta maandag dinsdag woensdag donderdag vrijdag "
    "zaterdag zondag".split()
)


def split_names(text: str, language: str = "", *, is_one_name: bool = False) -> list[str]:
    """Return the names in a text that states authors, without what is no name.

    With `is_one_name` the text is not split, whatever words it has.
    """
    by = _BY.match(text)
    text = text[by.end() :] if by else text
    parts = [text] if is_one_name else _split_list(text[:_MAX_TEXT_CHARS], language)
    names = (name.strip(" ,.;:|-–—•·/") for name in parts)
    return [name for name in names if _is_name(name)]


def has_name_shape(text: str) -> bool:
    """Say whether a text is shaped like a name: few words, each with a capital or a particle.

    Words of scripts without capitals count if they are short.
    """
    words = text.split()
    if not 0 < len(words) <= _MAX_SHAPE_WORDS or not _is_capitalised(words[0]):
        return False
    if any(word.strip(".,").lower() in _WEEKDAYS for word in words):
        return False
    if len(words) == 1 and is_month_name(words[0]):
        return False
    return all(word in _PARTICLES or _is_capitalised(word) for word in words)


def _split_list(text: str, language: str) -> list[str]:
    """Return the names of a list; "and" separates them only if all its sides are persons."""
    names: list[str] = []
    for part in _SEPARATOR.split(text)[:_MAX_NAMES]:
        sides = _AND_BY_LANGUAGE.get(language, _AND).split(part)
        are_persons = all(
            _is_person(name) for side in sides for name in side.strip(" ,").split(",")
        )
        names += sides if are_persons else [part]
    return names[:_MAX_NAMES]


def _is_person(text: str) -> bool:
    """Say whether a text looks like the first and last name of a person."""
    words = text.split()
    return (
        1 < len(words) <= _MAX_SHAPE_WORDS
        and not _GROUP_PARTICLES.intersection(words)
        and has_name_shape(text)
    )


def _is_name(text: str) -> bool:
    """Say whether a text can be the name of a person, a group or an account."""
    return (
        1 < len(text) <= _MAX_NAME_CHARS
        and len(text.split()) <= _MAX_WORDS
        and text.lower() not in _NO_NAMES
        and not _NOT_IN_NAMES.search(text)
    )


def _is_capitalised(word: str) -> bool:
    """Say whether a word has a capital (as al-Rashid and d'Arc do), or its script has none."""
    if len(word) > _MAX_WORD_CHARS:
        return False
    first = word.lstrip("'\"“‘(")[:1]
    return any(char.isupper() for char in word[:4]) or first == first.title() != ""

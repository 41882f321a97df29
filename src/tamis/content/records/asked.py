"""Page → what it was asked: the words in its fields of search."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tamis.page import Page, tags
from tamis.page.attributes import attributes

LONGEST: Final = 80  # characters of a phrase
MOST: Final = 4  # phrases
SHORT: Final = 3  # letters that a word of the Latin alphabet must have

_INPUT: Final = tags.CODE["input"]
_KINDS: Final = ("text", "search", "")
_VALUE, _EMPTY, _HIDDEN = b' value="', b' value=""', b'type="hidden"'
_OTHER: Final = re.compile(rb'type="(?:checkbox|radio|submit|button|image|email|password)"')
_SEARCH: Final = re.compile(
    r"(?i)search|quer|keyw|find|such|recherch|busc|cerca|zoek|szuk|hledat|ara\b|поиск|искать|搜|検索|검색"
)
_SHORT_NAMES: Final = frozenset(
    ("q", "s", "p", "k", "w", "kw", "qt", "st", "term", "terms", "text")
)
_WORD: Final = re.compile(r"[^\W_]+")
_FILLING: Final = frozenset("and are for from how not the what with you your".split())


def asked_of(page: Page) -> tuple[tuple[str, ...], ...]:
    """Return the phrases that stand in the page's fields of search, each as its words."""
    found: dict[tuple[str, ...], None] = {}
    rows = np.flatnonzero(page.tag == _INPUT)
    places = zip(rows.tolist(), page.start[rows].tolist(), page.head[rows].tolist(), strict=True)
    for row, start, stop in places:
        head = page.source[start:stop]
        # Most fields are hidden or empty, which is soon known.
        if _VALUE not in head or _EMPTY in head or _HIDDEN in head or _OTHER.search(head):
            continue
        said = attributes(page, row)
        if is_search(said) and (words := words_of(said["value"])):
            found[words] = None
    return tuple(found)[:MOST]


def is_search(said: dict[str, str]) -> bool:
    """Say whether the attributes of a field are those of one for a search that was made.

    Its text is neither an address nor a request to search.
    """
    value = said.get("value", "")
    if said.get("type", "").lower() not in _KINDS or len(value) > LONGEST:
        return False
    if "://" in value or _SEARCH.match(value.strip()):
        return False
    names = " ".join(said.get(name, "") for name in ("type", "name", "id", "class", "placeholder"))
    return said.get("name", "").lower() in _SHORT_NAMES or _SEARCH.search(names) is not None


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a phrase, without the ending of many plurals."""
    words = [
        word.removesuffix("s") if len(word) > SHORT else word
        for word in _WORD.findall(text.lower())
        if (len(word) >= SHORT or not word.isascii()) and word not in _FILLING
    ]
    return tuple(dict.fromkeys(words))

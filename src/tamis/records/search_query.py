"""What a page was asked, and which cells have the words of it.

Page → what it was asked: the words in its fields of search.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, find_offsets, row_attributes, tags
from tamis.records.cells import Cells, Numbers

QUERY_WEIGHT: Final = 10.0  # times that what answers counts more than what does not

Phrase = Sequence[str]  # its words, in lower case


class QueryMatches:
    """What the cells of a page answer to the phrases that it was asked.

    A page that lists what was found for some words shows them in its field of search. Of two
    regions the one that has these words is more likely to be what was found. That is a share of the
    region's weight, so that it depends little on how records are cut.
    """

    def __init__(self, cells: Cells, phrases: Sequence[Phrase]) -> None:
        self._answers = [
            cells.weight * (number_with(cells, words) / len(words)) for words in phrases
        ]
        self._sums = [np.append(0.0, np.cumsum(answers)) for answers in self._answers]

    def __bool__(self) -> bool:
        return bool(self._answers)

    def by_group(
        self, low: Numbers, high: Numbers, group: Numbers, count: int
    ) -> NDArray[np.float64]:
        """Return the weight that answers in ranges of cells, added up by their groups."""
        found = np.zeros(count)
        for sums in self._sums:
            np.maximum(found, np.bincount(group, sums[high] - sums[low], count), out=found)
        return found

    def answered(self, cell: Numbers, whole: float) -> float:
        """Return the share of the weight of some cells that has the words of the best phrase."""
        most = max((float(answers[cell].sum()) for answers in self._answers), default=0.0)
        return most / whole if whole > 0 else 0.0


def number_with(cells: Cells, words: Phrase) -> NDArray[np.float64]:
    """Return how many of some words are in each cell, or begin words of it."""
    page = cells.page
    start, stop = page.text_start[cells.first], page.text_stop[cells.last]
    found = np.zeros(len(cells))
    for word in words:
        at = np.array(places_of(page.text, word), dtype=np.int64)
        cell = np.searchsorted(start, at, side="right") - 1
        having = np.zeros(len(cells), dtype=np.bool_)
        having[cell[(cell >= 0) & (at < stop[cell])]] = True
        found += having
    return found


def places_of(text: str, word: str) -> list[int]:
    """Return where words of a text begin with a word, in small letters, in capitals or with one.

    To look for these three is sooner done than to make the letters of a whole page small.
    """
    places: list[int] = []
    for form in {word, word.capitalize(), word.upper()}:
        found = find_offsets(text, form)
        places += [at for at in found if at == 0 or not text[at - 1].isalnum()]
    return places


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


def find_search_queries(page: Page) -> tuple[tuple[str, ...], ...]:
    """Return the phrases that stand in the page's fields of search, each as its words."""
    found: dict[tuple[str, ...], None] = {}
    rows = np.flatnonzero(page.tag == _INPUT)
    places = zip(rows.tolist(), page.start[rows].tolist(), page.head[rows].tolist(), strict=True)
    for row, start, stop in places:
        head = page.source[start:stop]
        # Most fields are hidden or empty, which is soon known.
        if _VALUE not in head or _EMPTY in head or _HIDDEN in head or _OTHER.search(head):
            continue
        said = row_attributes(page, row)
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

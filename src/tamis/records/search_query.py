"""Search queries: the words that a result page was searched for, and the cells that have them.

A page that shows the results of a search repeats the query in its search field. Of two regions,
the one that has the words of the query is more likely to hold the results.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from tamis.page import Page, find_offsets, row_attributes, tags
from tamis.records.cells import Cells
from tamis.records.signatures import Floats, Int64s

QUERY_WEIGHT: Final = 10.0  # how many times more text counts that has words of the query

_MAX_QUERIES: Final = 4
_MAX_QUERY_LENGTH: Final = 80  # characters
_MIN_WORD_LENGTH: Final = 3  # letters of a word in the Latin alphabet

_INPUT: Final = tags.CODE["input"]
_TEXT_TYPES: Final = ("text", "search", "")
_VALUE, _EMPTY_VALUE, _HIDDEN = b' value="', b' value=""', b'type="hidden"'
_OTHER_TYPE: Final = re.compile(rb'type="(?:checkbox|radio|submit|button|image|email|password)"')
_SEARCH_NAME: Final = re.compile(
    r"(?i)search|quer|keyw|find|such|recherch|busc|cerca|zoek|szuk|hledat|ara\b|поиск|искать|搜|検索|검색"
)
_SHORT_NAMES: Final = frozenset(
    ("q", "s", "p", "k", "w", "kw", "qt", "st", "term", "terms", "text")
)
_WORD: Final = re.compile(r"[^\W_]+")
_STOP_WORDS: Final = frozenset("and are for from how not the what with you your".split())

Query = Sequence[str]  # its words, in lower case


def find_search_queries(page: Page) -> tuple[tuple[str, ...], ...]:
    """Return the queries in the search fields of a page, each as its words."""
    queries: dict[tuple[str, ...], None] = {}
    rows = np.flatnonzero(page.tag == _INPUT)
    spans = zip(rows.tolist(), page.start[rows].tolist(), page.head[rows].tolist(), strict=True)
    for row, start, stop in spans:
        start_tag = page.source[start:stop]
        # Most fields are hidden or empty. These checks are faster than reading all attributes.
        if _VALUE not in start_tag or _EMPTY_VALUE in start_tag or _HIDDEN in start_tag:
            continue
        if _OTHER_TYPE.search(start_tag):
            continue
        attributes = row_attributes(page, row)
        if _is_search_field(attributes) and (words := _split_query(attributes["value"])):
            queries[words] = None
    return tuple(queries)[:_MAX_QUERIES]


def _is_search_field(attributes: dict[str, str]) -> bool:
    """Say whether the attributes of a field are those of a search field with a query in it.

    Its text is neither a URL nor an invitation to search.
    """
    value = attributes.get("value", "")
    if attributes.get("type", "").lower() not in _TEXT_TYPES or len(value) > _MAX_QUERY_LENGTH:
        return False
    if "://" in value or _SEARCH_NAME.match(value.strip()):
        return False
    names = ("type", "name", "id", "class", "placeholder")
    label = " ".join(attributes.get(name, "") for name in names)
    is_short_name = attributes.get("name", "").lower() in _SHORT_NAMES
    return is_short_name or _SEARCH_NAME.search(label) is not None


def _split_query(text: str) -> tuple[str, ...]:
    """Return the words of a query without stop words and without a plural's last letter."""
    words = [
        word.removesuffix("s") if len(word) > _MIN_WORD_LENGTH else word
        for word in _WORD.findall(text.lower())
        if (len(word) >= _MIN_WORD_LENGTH or not word.isascii()) and word not in _STOP_WORDS
    ]
    return tuple(dict.fromkeys(words))


class QueryMatches:
    """How much of the weight of a page's cells has the words of its search queries.

    A match is a share of a region's weight, so that it depends little on how records are cut.
    """

    def __init__(self, cells: Cells, queries: Sequence[Query]) -> None:
        self._weights = [
            cells.weight * (_count_words(cells, words) / len(words)) for words in queries
        ]
        self._sums = [np.append(0.0, np.cumsum(weights)) for weights in self._weights]

    def __bool__(self) -> bool:
        return bool(self._weights)

    def weight_by_group(self, start: Int64s, stop: Int64s, group: Int64s, count: int) -> Floats:
        """Return the matching weight in ranges of cells, summed by group, for the best query."""
        best = np.zeros(count)
        for sums in self._sums:
            np.maximum(best, np.bincount(group, sums[stop] - sums[start], count), out=best)
        return best

    def matched_share(self, cells: Int64s, total_weight: float) -> float:
        """Return the share of the weight of some cells that matches the best query."""
        best = max((float(weights[cells].sum()) for weights in self._weights), default=0.0)
        return best / total_weight if total_weight > 0 else 0.0


def _count_words(cells: Cells, words: Query) -> Floats:
    """Return how many of the given words are in each cell, or begin words of it."""
    page = cells.page
    start, stop = page.text_start[cells.first_row], page.text_stop[cells.last_row]
    counts = np.zeros(len(cells))
    for word in words:
        offsets = np.array(_find_word_offsets(page.text, word), dtype=np.int64)
        cell = np.searchsorted(start, offsets, side="right") - 1
        has_word = np.zeros(len(cells), dtype=np.bool_)
        has_word[cell[(cell >= 0) & (offsets < stop[cell])]] = True
        counts += has_word
    return counts


def _find_word_offsets(text: str, word: str) -> list[int]:
    """Return where words of a text begin with a word: in lower case, capitalised or in capitals.

    Searching for three forms is faster than converting the text of a page to lower case.
    """
    return [
        offset
        for form in {word, word.capitalize(), word.upper()}
        for offset in find_offsets(text, form)
        if offset == 0 or not text[offset - 1].isalnum()
    ]

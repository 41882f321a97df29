"""In which order addresses are fetched: breadth first, or best first for a query.

Breadth first, links of the content, the list and the pager come before those of the frame. With a
query, an address is rated by the words of the links to it, the words around them, the address
itself and how well the informative blocks of the linking page answer the query (BM25).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit

from tamis.crawl.links import Link, Where

Tokenize = Callable[[str, str | None], Sequence[str]]  # of a text and its language

START_PRIORITY: Final = 1_000.0
_COST: Final = {Where.PAGER: 0.0, Where.LIST: 0.0, Where.CONTENT: 0.25, Where.FRAME: 1.5}
# How much a share of the query in each of these counts, of the score of a link.
_OWN_WORDS: Final = 4.0
_WORDS_AROUND: Final = 1.5
_URL_WORDS: Final = 2.0
_LINKING_PAGE: Final = 2.0
_PLACE: Final = {Where.PAGER: 0.3, Where.LIST: 0.3, Where.CONTENT: 0.2, Where.FRAME: 0.0}
_DEPTH: Final = 0.02  # what each step from a start address takes away
_K1: Final = 1.2
_B: Final = 0.75
_MEAN_LENGTH: Final = 400.0  # words of a page, while the store is empty
_URL_WORD: Final = re.compile(r"[^\W\d_]+|\d+")


def rank_breadth_first(link: Link, depth: int) -> float:
    """Return the priority of a link that is `depth` steps from a start address."""
    return -(depth + _COST[link.where])


@dataclass(frozen=True)
class Query:
    """What is looked for, and what the store knows of its words.

    `frequencies` says how many pages of the store have a word, of `pages` in all.
    """

    words: str
    frequencies: Mapping[str, int] = field(default_factory=dict)
    pages: int = 0
    mean_length: float = _MEAN_LENGTH

    def rarity(self, token: str) -> float:
        """Return how much a word says: the inverse document frequency of BM25."""
        count = self.frequencies.get(token, 0)
        return math.log(1 + (self.pages - count + 0.5) / (count + 0.5)) if self.pages else 1.0


@dataclass(frozen=True)
class QueryRanker:
    """Rates the links of one page for a query."""

    query: Query
    tokenize: Tokenize
    language: str | None
    page_score: float  # how well the linking page answers, 0 to 1
    _weights: Mapping[str, float]

    @classmethod
    def for_page(
        cls, query: Query, tokenize: Tokenize, text: str, language: str | None
    ) -> QueryRanker:
        """Return the ranker for the links of a page with a text."""
        weights = {token: query.rarity(token) for token in tokenize(query.words, language)}
        score = _score_text(query, weights, tokenize(text, language))
        return cls(query, tokenize, language, score, weights)

    def rank(self, link: Link, depth: int) -> float:
        """Return the priority of a link; the greatest is fetched first."""
        url_words = " ".join(_URL_WORD.findall(unquote(urlsplit(link.url).path)))
        return (
            _OWN_WORDS * self._coverage(link.words)
            + _WORDS_AROUND * self._coverage(link.around)
            + _URL_WORDS * self._coverage(url_words)
            + _LINKING_PAGE * self.page_score
            + _PLACE[link.where]
            - _DEPTH * depth
        )

    def _coverage(self, text: str) -> float:
        """Return the share of the query that a text has, by the weight of its words."""
        if not text or not self._weights:
            return 0.0
        tokens = set(self.tokenize(text, self.language))
        present = sum(weight for token, weight in self._weights.items() if token in tokens)
        return present / sum(self._weights.values())


def _score_text(query: Query, weights: Mapping[str, float], tokens: Iterable[str]) -> float:
    """Return the BM25 of a text, as a share of what a text could have at most."""
    if not weights:
        return 0.0
    counts = Counter(tokens)
    length = counts.total() / max(query.mean_length, 1.0)
    norm = _K1 * (1 - _B + _B * length)
    score = sum(
        weight * counts[token] * (_K1 + 1) / (counts[token] + norm)
        for token, weight in weights.items()
    )
    return score / ((_K1 + 1) * sum(weights.values()))

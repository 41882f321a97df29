"""Crawls of a local web in memory, with the reading, the ranking and the order of real crawls.

Pages are extracted once and crawled many times. What a real crawl has besides is left out: hosts,
politeness, failures, templates of sites, budgets of shapes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import Final

import numpy as np

import tamis
from tamis.crawl import Link, Query, QueryRanker, Where, find_links, rank_breadth_first
from tamis.lab.studies.crawl.webs import Web
from tamis.page import join_text
from tamis.store import Tokenizer

_QUERY_AGE: Final = 5  # pages after which word frequencies are read again: 5 s, one page a second
_MEAN_LENGTH: Final = Query("").mean_length

Rank = Callable[[Link, int], float]
# Gives the function that ranks the links of a page, for each page as it is fetched.
RankLinks = Callable[["WebPage"], Rank]


@dataclass(frozen=True)
class WebPage:
    """What a crawl reads from a page."""

    url: str
    language: str | None
    informative: str  # text of its informative blocks
    whole: str  # all text that it shows
    links: Sequence[Link]  # to pages of the web


class TokenMemory:
    """Tokens of texts, each computed once."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer()
        self._tokens: dict[tuple[str, str | None], list[str]] = {}

    def __call__(self, text: str, language: str | None) -> list[str]:
        """Return the tokens of a text."""
        key = text, language
        if key not in self._tokens:
            self._tokens[key] = [*map(sys.intern, self._tokenizer.tokens(text, language))]
        return self._tokens[key]


def read_web(web: Web, advance: Callable[[], None] = lambda: None) -> dict[str, WebPage]:
    """Extract all pages of a web, as workers of a crawl do."""
    pages = {}
    for url in web.labels:
        document = tamis.extract(web.read(url), url)
        page = document.page
        pages[url] = WebPage(
            url,
            document.metadata.language,
            document.text,
            join_text(page, np.flatnonzero(page.visible & ~page.hidden)),
            [link for link in find_links(document) if link.url in web.labels],
        )
        advance()
    return pages


def crawl_web(
    pages: Mapping[str, WebPage], start: str, rank_links: RankLinks, max_pages: int
) -> list[str]:
    """Return the URLs of pages in the order in which a crawl fetches them.

    As in the frontier: the greatest priority first, then the newest address. A new link to an
    address that waits may raise its priority and lower its depth.
    """
    numbers = {start: 0}
    depths = {start: 0}
    priorities = {start: 0.0}
    waiting = [(0.0, 0, start)]
    fetched: dict[str, None] = {}
    while waiting and len(fetched) < max_pages:
        negative, _, url = heappop(waiting)
        if url in fetched or -negative < priorities[url]:
            continue
        fetched[url] = None
        rank = rank_links(pages[url])
        for link in pages[url].links:
            if link.url in fetched:
                continue
            # The next page of a list is as far from the start as the list is.
            depth = depths[url] + (link.where is not Where.PAGER)
            priority = rank(link, depth)
            depths[link.url] = min(depth, depths.get(link.url, depth))
            number = numbers.setdefault(link.url, len(numbers))
            if link.url not in priorities or priority > priorities[link.url]:
                priorities[link.url] = priority
                heappush(waiting, (-priority, -number, link.url))
    return list(fetched)


def rank_by_depth(page: WebPage) -> Rank:
    """Rank the links of a page breadth first."""
    return rank_breadth_first


class QueryOrder:
    """Ranks links best first for a query, with the word frequencies of what was fetched so far."""

    def __init__(
        self,
        words: str,
        tokenize: TokenMemory,
        text: Callable[[WebPage], str],
        mean_length: float = _MEAN_LENGTH,
        *,
        rates_pages: bool = True,
        rates_places: bool = True,
    ) -> None:
        """Set which text of a page counts and its mean length.

        Without `rates_pages` links count alone, without `rates_places` it makes no difference
        where in a page they stand.
        """
        self._query = Query(words, mean_length=mean_length)
        self._tokenize = tokenize
        self._text = text
        self._rates_pages = rates_pages
        self._rates_places = rates_places
        self._pages = 0
        self._frequencies = {
            token: 0 for language in (None, "en") for token in tokenize(words, language)
        }

    def __call__(self, page: WebPage) -> Rank:
        """Return what ranks the links of a page, and count its words."""
        text = self._text(page)
        if self._pages % _QUERY_AGE == 0:
            self._query = Query(
                self._query.words, dict(self._frequencies), self._pages, self._query.mean_length
            )
        ranker = QueryRanker.for_page(self._query, self._tokenize, text, page.language)
        tokens = set(self._tokenize(text, page.language))
        self._pages += 1
        for token in self._frequencies:
            self._frequencies[token] += token in tokens
        if not self._rates_pages:
            ranker = replace(ranker, page_score=0.0)
        if self._rates_places:
            return ranker.rank
        return lambda link, depth: ranker.rank(link._replace(where=Where.CONTENT), depth)


def scale_length(pages: Iterable[WebPage], tokenize: TokenMemory) -> float:
    """Return the mean length of whole pages, in the measure that the ranking has for blocks.

    The ranking takes a constant as the mean length of informative blocks. Whole pages are longer,
    and would be rated as too long by that constant.
    """
    whole = informative = 0
    for page in pages:
        whole += len(tokenize(page.whole, page.language))
        informative += len(tokenize(page.informative, page.language))
    return _MEAN_LENGTH * whole / max(informative, 1)

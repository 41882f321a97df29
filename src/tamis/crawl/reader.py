"""What is done with an answer in a worker: unpack, extract, find links, make ready for the store.

Tasks and what they return travel between processes, so they are plain data. A page that cannot be
read raises in its worker, and the crawl marks its address as failed with that reason.
"""

from __future__ import annotations

import json
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import numpy as np

from tamis.content import Document
from tamis.crawl.addresses import Scope
from tamis.crawl.answer import Answer
from tamis.crawl.links import Where, find_links, read_head
from tamis.crawl.novelty import Hashes, hash_word_pairs
from tamis.crawl.ranking import Query, QueryRanker, rank_breadth_first
from tamis.crawl.robots import Directives
from tamis.crawl.sitemaps import SitemapTask, read_sitemap
from tamis.crawl.states import NewAddress
from tamis.errors import PoorMatch
from tamis.page import Page, parse
from tamis.pipeline import extract
from tamis.site import Site
from tamis.source import Fetch
from tamis.store import PreparedPage, Tokenizer, prepare_page

_MAX_SITES: Final = 32  # that a worker keeps loaded


@dataclass(frozen=True)
class PageTask:
    """A page to read."""

    answer: Answer
    fetched_at: datetime
    depth: int
    scope: Scope
    user_agent: str
    max_bytes: int
    directives: Directives = field(default_factory=Directives)  # of the headers
    query: Query | None = None
    with_records: bool = False
    site: str | None = None  # the file of a site that was learned
    render: bool = False
    fetch: Fetch | None = None  # how a rendered page loads what it needs


@dataclass(frozen=True)
class ReadPage:
    """What was read from a page. `page` is None if it must not be kept."""

    page: PreparedPage | None
    links: list[NewAddress]
    feeds: list[str]
    canonical: str | None
    pairs: Hashes
    records: bytes | None
    status: str
    fits_site: bool = True
    is_rendered: bool = False


@dataclass(frozen=True)
class LearnTask:
    """Pages of one shape, from which a site is learned and saved."""

    path: str
    pages: tuple[Answer, ...]
    max_bytes: int


Task = PageTask | SitemapTask | LearnTask


class Reader:
    """The task of a worker: it is made once in each, and keeps what is costly to make."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer()
        self._load_site = lru_cache(_MAX_SITES)(Site.load)
        self._browser: Any = None

    def __call__(self, task: Task) -> ReadPage | list[NewAddress] | None:
        """Do a task."""
        if isinstance(task, PageTask):
            return self._read_page(task)
        if isinstance(task, SitemapTask):
            return read_sitemap(task)
        pages = (_parse_answer(answer, task.max_bytes) for answer in task.pages)
        Site.learn(pages).save(task.path)
        return None

    def _read_page(self, task: PageTask) -> ReadPage:
        """Extract a page, and make what it leaves ready to be stored."""
        document, fits_site = self._extract(task)
        head = read_head(document.page, task.user_agent)
        directives = head.directives & task.directives
        links = list(self._rank_links(document, task)) if directives.follow else []
        if head.refresh and directives.follow and task.scope.includes(head.refresh):
            links.append(NewAddress(head.refresh, 0.0, task.depth, redirects=1))
        page = None
        if directives.index:
            page = prepare_page(task.answer.url, document, task.fetched_at, "all", self._tokenizer)
            page = replace(page, raw_bytes=len(task.answer.body))
        return ReadPage(
            page=page,
            links=links,
            feeds=[feed for feed in head.feeds if task.scope.includes(feed)],
            canonical=head.canonical,
            pairs=hash_word_pairs(document.text),
            records=_encode_records(document) if task.with_records and directives.index else None,
            status=document.status,
            fits_site=fits_site,
            is_rendered=task.render,
        )

    def _extract(self, task: PageTask) -> tuple[Document, bool]:
        """Extract a page, with the template of its site if there is one that fits."""
        body = task.answer.unpack(task.max_bytes)
        data: bytes | Page = self._render(body, task) if task.render else body
        url, charset = task.answer.url, None if task.render else task.answer.charset
        limits: dict[str, Any] = {"max_bytes": task.max_bytes}
        if task.site is None:
            return extract(data, url, charset=charset, **limits), True
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if not isinstance(data, Page):
                limits["charset"] = charset
            document = self._load_site(task.site).extract(data, url, **limits)
            return document, not any(issubclass(w.category, PoorMatch) for w in caught)

    def _render(self, data: bytes, task: PageTask) -> Page:
        """Return a page as it is after its scripts have run."""
        from tamis.render import Browser

        if self._browser is None:
            self._browser = Browser()
        page: Page = self._browser.render(
            data,
            task.answer.url,
            charset=task.answer.charset,
            javascript=True,
            live=task.fetch or False,
        )
        return page

    def _rank_links(self, document: Document, task: PageTask) -> Iterator[NewAddress]:
        """Yield the links of a page that are in scope, with their priorities."""
        ranker = None
        if task.query is not None:
            language = document.metadata.language
            ranker = QueryRanker.for_page(
                task.query, self._tokenizer.tokens, document.text, language
            )
        for link in find_links(document):
            if not task.scope.includes(link.url):
                continue
            # The next page of a list is as far from the start as the list is.
            depth = task.depth + (link.where is not Where.PAGER)
            rank = rank_breadth_first if ranker is None else ranker.rank
            yield NewAddress(link.url, rank(link, depth), depth)


def make_reader() -> Callable[[Task], ReadPage | list[NewAddress] | None]:
    """Return the task of a worker."""
    return Reader()


def _parse_answer(answer: Answer, limit: int) -> Page:
    """Return the page of an answer, parsed."""
    return parse(answer.unpack(limit), answer.url, charset=answer.charset)


def _encode_records(document: Document) -> bytes | None:
    """Return the records of a page's main list as compressed JSON; None if it has no list."""
    records = document.records
    if not len(records):
        return None
    rows = [{name: _plain(value) for name, value in row.items()} for row in records]
    return zlib.compress(json.dumps(rows, ensure_ascii=False).encode())


def _plain(value: Any) -> Any:
    """Return a value of a record as JSON has it."""
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | int | float | bool | None) else str(value)

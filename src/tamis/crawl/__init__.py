"""Crawl: from addresses to a store of clean pages, polite, focused, and never losing a page.

    addresses ──frontier──▶ session ──Scrapy──▶ answers ──workers──▶ pages ──committer──▶ store

`crawl()` is for programs, `run_crawl` for a process that does nothing else. `TamisPipeline` and
`TamisMixin` bring tamis into Scrapy projects of others.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tamis.errors import unavailable

if TYPE_CHECKING:
    from tamis.crawl.engine import run_crawl
    from tamis.crawl.resolver import PublicResolver
    from tamis.crawl.scrapy_items import TamisMixin, TamisPipeline

try:
    from tamis.crawl.addresses import (
        MAX_URL_LENGTH,
        Scope,
        ScopeName,
        canonical_url,
        check_start_url,
        clean_url,
        is_loop,
        url_domain,
        url_host,
        url_shape,
    )
    from tamis.crawl.answer import Answer
    from tamis.crawl.committer import Committer
    from tamis.crawl.crawlers import MAX_BEAT_AGE, is_running, process_name
    from tamis.crawl.frontier import Frontier
    from tamis.crawl.links import Head, Link, Where, find_links, read_head
    from tamis.crawl.novelty import FULL_CREDIT, ShapeBudget, hash_word_pairs
    from tamis.crawl.politeness import MAX_BACKOFF, MIN_BACKOFF, SLOW, Pacer, parse_retry_after
    from tamis.crawl.process import crawl
    from tamis.crawl.ranking import Query, QueryRanker, rank_breadth_first
    from tamis.crawl.reader import PageTask, ReadPage, make_reader
    from tamis.crawl.refresh import change_probability
    from tamis.crawl.robots import (
        Directives,
        Robots,
        parse_directives,
        parse_robots_headers,
        product_token,
    )
    from tamis.crawl.settings import CrawlSettings
    from tamis.crawl.sitemaps import SitemapTask
    from tamis.crawl.sites import SiteLearner
    from tamis.crawl.states import Fetched, HostLease, Kind, Lease, NewAddress, State
    from tamis.crawl.summary import Counts, HostSummary, Summary, iterate_failures, read_status
    from tamis.crawl.tables import create_tables
    from tamis.crawl.warc import Exchange, WarcWriter
except ModuleNotFoundError as error:
    if str(error.name).startswith("tamis"):
        raise
    raise unavailable(f"a crawl needs {error.name}", "crawl") from error

# What needs Scrapy is imported when it is first used: workers, which read pages, do without.
_SCRAPY_NAMES = {
    "PublicResolver": "resolver",
    "TamisMixin": "scrapy_items",
    "TamisPipeline": "scrapy_items",
    "run_crawl": "engine",
}

__all__ = [
    "FULL_CREDIT",
    "MAX_BACKOFF",
    "MAX_BEAT_AGE",
    "MAX_URL_LENGTH",
    "MIN_BACKOFF",
    "SLOW",
    "Answer",
    "Committer",
    "Counts",
    "CrawlSettings",
    "Directives",
    "Exchange",
    "Fetched",
    "Frontier",
    "Head",
    "HostLease",
    "HostSummary",
    "Kind",
    "Lease",
    "Link",
    "NewAddress",
    "Pacer",
    "PageTask",
    "PublicResolver",
    "Query",
    "QueryRanker",
    "ReadPage",
    "Robots",
    "Scope",
    "ScopeName",
    "ShapeBudget",
    "SiteLearner",
    "SitemapTask",
    "State",
    "Summary",
    "TamisMixin",
    "TamisPipeline",
    "WarcWriter",
    "Where",
    "canonical_url",
    "change_probability",
    "check_start_url",
    "clean_url",
    "crawl",
    "create_tables",
    "find_links",
    "hash_word_pairs",
    "is_loop",
    "is_running",
    "iterate_failures",
    "make_reader",
    "parse_directives",
    "parse_retry_after",
    "parse_robots_headers",
    "process_name",
    "product_token",
    "rank_breadth_first",
    "read_head",
    "read_status",
    "run_crawl",
    "url_domain",
    "url_host",
    "url_shape",
]


def __getattr__(name: str) -> object:
    """Return a public name that needs Scrapy."""
    if name not in _SCRAPY_NAMES:
        raise AttributeError(f"module 'tamis.crawl' has no attribute {name!r}")
    try:
        return getattr(import_module(f"tamis.crawl.{_SCRAPY_NAMES[name]}"), name)
    except ModuleNotFoundError as error:
        if str(error.name).startswith("tamis"):
            raise
        raise unavailable(f"a crawl needs {error.name}", "crawl") from error

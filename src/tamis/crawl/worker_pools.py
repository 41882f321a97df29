"""The workers of a crawl: where pages and sitemaps are read, with what a page's task needs."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any, Final

from scrapy.http import Response

from tamis.crawl.addresses import Scope, url_shape
from tamis.crawl.background import Background
from tamis.crawl.http_messages import build_answer, read_robots_directives
from tamis.crawl.ranking import Query
from tamis.crawl.reader import PageTask, ReadPage, Task, make_reader
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.sitemaps import SitemapTask
from tamis.crawl.sites import SiteLearner
from tamis.crawl.states import Lease, NewAddress
from tamis.errors import unavailable
from tamis.source import Fetch
from tamis.store import Store
from tamis.workers import Outcome, Pool

_QUERY_AGE: Final = 5.0  # seconds after which the frequencies of the query's words are read again


def check_browser(settings: CrawlSettings) -> None:
    """Raise Unavailable, before anything is fetched, if pages cannot be rendered as is wanted."""
    if settings.javascript == "never":
        return
    from tamis.render import chromium_path

    if find_spec("playwright") is None:
        raise unavailable("rendering needs playwright", "render")
    chromium_path()


class WorkerPools:
    """Reads answers in workers, and pages that need scripts in one that has a browser."""

    def __init__(self, settings: CrawlSettings, store: Store, background: Background) -> None:
        self._settings = settings
        self._store = store
        self._background = background
        self._pool: Pool[Task, Any] = Pool(make_reader, workers=settings.workers)
        # Workers start while the first pages are fetched; if they cannot, the first page says so.
        threading.Thread(target=self._start_workers, daemon=True).start()
        self._browsers: Pool[Task, Any] | None = None
        self._sites: SiteLearner | None = None
        if settings.learn_sites:
            self._sites = SiteLearner(self._pool.submit, background.spawn, settings.max_bytes)
        self._query = Query(settings.query) if settings.query else None
        self._query_at = 0.0

    def _start_workers(self) -> None:
        with suppress(Exception):
            self._pool.start()

    async def read_sitemap(
        self, lease: Lease, response: Response, scope: Scope
    ) -> Outcome[Task, list[NewAddress]]:
        """Return the addresses that a sitemap or feed lists."""
        task = SitemapTask(build_answer(lease.url, response), lease.depth, scope)
        return await asyncio.wrap_future(self._pool.submit(task))

    async def read_page(
        self, lease: Lease, response: Response, scope: Scope
    ) -> Outcome[Task, ReadPage]:
        """Return what a worker read from a page, after its scripts have run if that is needed."""
        settings, shape = self._settings, url_shape(lease.url)
        task = PageTask(
            answer=build_answer(lease.url, response),
            fetched_at=datetime.now(UTC),
            depth=lease.depth,
            scope=scope,
            user_agent=settings.user_agent,
            max_bytes=settings.max_bytes,
            directives=read_robots_directives(response, settings.user_agent),
            query=await self._read_query(),
            with_records=settings.records is not None,
            site=self._sites.find_path(lease.host, shape) if self._sites else None,
        )
        outcome: Outcome[Task, ReadPage]
        if settings.javascript == "always":
            outcome = await self._read_rendered(task)
        else:
            outcome = await asyncio.wrap_future(self._pool.submit(task))
            is_empty = not outcome.is_error and outcome.unwrap().status == "needs-javascript"
            if is_empty and settings.javascript == "auto":
                rendered = await self._read_rendered(task)
                outcome = outcome if rendered.is_error else rendered
        if self._sites is not None and not outcome.is_error:
            self._sites.add_page(lease.host, shape, task.answer, outcome.unwrap())
        return outcome

    async def _read_rendered(self, task: PageTask) -> Outcome[Task, ReadPage]:
        """Have a page read after its scripts have run in a browser."""
        if self._browsers is None:  # a browser needs more memory than a page may
            self._browsers = Pool(make_reader, workers=1, memory=None)
        fetch = Fetch(
            allow_private=self._settings.allow_private, user_agent=self._settings.user_agent
        )
        rendered = replace(task, render=True, fetch=fetch)
        return await asyncio.wrap_future(self._browsers.submit(rendered))

    async def _read_query(self) -> Query | None:
        """Return the query with what the store knows of its words, not older than some seconds."""
        query, now = self._query, time.monotonic()
        if query is None or now - self._query_at < _QUERY_AGE:
            return query
        self._query_at = now

        def read() -> Query:
            frequencies: dict[str, int] = {}
            pages = 0
            for language in (None, "en"):
                counts, pages = self._store.count_words(query.words, language)
                frequencies.update(counts)
            return Query(query.words, frequencies, pages)

        self._query = await self._background.run_in_thread(read)
        return self._query

    def close_workers(self) -> None:
        """End all workers; what they read is lost."""
        self._pool.close()
        if self._browsers is not None:
            self._browsers.close()

    def close_sites(self) -> None:
        """Delete the files of sites."""
        if self._sites is not None:
            self._sites.close()

"""A session: one run of a crawl by one process, from addresses of the frontier to stored pages.

    frontier ──lease──▶ host queues ──next_request──▶ Scrapy ──handle──▶ workers ──commit──▶ store

Everything here runs in the event loop of Scrapy but for reading (in workers) and the store (in a
thread of its own). An address is handed to Scrapy when its host may be asked; `outcomes` leads it
to its end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from scrapy import Request
from scrapy.http import Response

from tamis.crawl.addresses import Scope, url_shape
from tamis.crawl.background import Background
from tamis.crawl.committer import Committer
from tamis.crawl.frontier import Frontier
from tamis.crawl.hosts import POLL, Host, HostQueues
from tamis.crawl.http_messages import build_request, header_pairs, read_retry_after
from tamis.crawl.novelty import ShapeBudget
from tamis.crawl.outcomes import AddressOutcomes
from tamis.crawl.politeness import Pacer
from tamis.crawl.ranking import START_PRIORITY
from tamis.crawl.refresh import change_probability
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.sitemaps import MAX_SITEMAP_BYTES
from tamis.crawl.states import Kind, Lease, NewAddress
from tamis.crawl.summary import Counts, check_records_path
from tamis.crawl.tables import create_tables
from tamis.crawl.warc import Exchange, WarcWriter
from tamis.crawl.worker_pools import WorkerPools, check_browser
from tamis.errors import TamisError
from tamis.store import Store

_BEAT: Final = 10.0  # seconds between two beats
_MAX_UNREAD: Final = 64  # answers that wait for a worker or the store; enough for both
_REPORT: Final = 0.5  # seconds between two reports of progress
_ACCEPT: Final = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1"


class Session:
    """One run of a crawl; see the module."""

    def __init__(
        self, settings: CrawlSettings, on_progress: Callable[[Counts], None] | None = None
    ) -> None:
        self.settings = settings
        self.counts = Counts()
        self.fatal: Exception | None = None
        self.is_stopping = False
        self.is_interrupted = False
        self.stop_engine: Callable[[], None] = lambda: None
        self._on_progress = on_progress
        self._started = time.monotonic()
        self._open_pages = 0
        self._unread_pages = 0  # whose answer is there
        self._pacer = Pacer(
            delay=settings.delay,
            per_host=settings.per_host,
            total=settings.concurrency,
            min_backoff=settings.backoff,
        )
        self._budget = ShapeBudget()
        check_records_path(settings)
        check_browser(settings)
        self._store = Store.open(settings.store)
        try:
            scope = self._open_frontier()
            self._warc = (
                WarcWriter(settings.warc, software=settings.user_agent) if settings.warc else None
            )
        except BaseException:
            self._store.close()
            raise
        committer = Committer(self._store, self.frontier.forget_cache)
        self._background = Background(committer, self._give_up)
        self._queues = HostQueues(
            settings, self.frontier, self._pacer, self._budget.credits, self._background, scope
        )
        self._workers = WorkerPools(settings, self._store, self._background)
        self._outcomes = AddressOutcomes(
            settings,
            self.frontier,
            self._queues,
            self._budget,
            self._workers,
            self._background,
            self.counts,
        )

    def _open_frontier(self) -> Scope:
        """Begin the crawl in the store, or go on with it, and return its scope."""
        settings = self.settings
        around = Scope.around(settings.addresses, settings.scope)
        with self._store.writing() as writer:
            create_tables(writer.connection, settings.store)
            self.frontier, names = Frontier.open(
                writer.connection,
                settings.key,
                settings.as_dict(),
                sorted(around.keys),
                max_depth=settings.depth,
            )
            starts = [NewAddress(url, START_PRIORITY, 0) for url in settings.addresses]
            self.frontier.add(writer.connection, starts)
            if not settings.refresh:
                self.counts.pages = self.frontier.count_pages(writer.connection)
            elif not self.frontier.is_refreshing(writer.connection):
                self.frontier.refresh(writer.connection, change_probability)
            self.counts.waiting = self.frontier.count_unfinished(writer.connection).total
        return Scope(settings.scope, frozenset(names))

    # Requests -----------------------------------------------------------------------------------

    def has_pending(self) -> bool:
        """Say whether the crawl goes on."""
        if self.is_stopping:
            return False
        limit = self.settings.max_pages
        is_full = limit is not None and self.counts.pages >= limit
        return bool(self._open_pages) or not (is_full or self._queues.is_over)

    def next_request(self) -> Request | None:
        """Return the next request that may be sent now, if there is one."""
        queues = self._queues
        if not self.has_pending():
            return None
        if self._is_page_limit_reached() or self._unread_pages >= _MAX_UNREAD:
            return None
        queues.refill()
        if not self._pacer.has_capacity():
            self._background.wake_in(POLL)
            return None
        if queues.extra:
            return queues.extra.popleft()
        while (host := queues.choose()) is not None:
            if host.robots is None:
                return queues.ask_robots(host)
            if (request := self._next_of_host(host)) is not None:
                return request
        queues.wake_when_ready()
        return None

    def add_request(self, request: Request) -> None:
        """Take a request that is not from the frontier."""
        self._queues.extra.append(request)

    def _is_page_limit_reached(self) -> bool:
        """Say whether as many pages are fetched, or under way, as the crawl may have."""
        limit = self.settings.max_pages
        return limit is not None and self.counts.pages + self._open_pages >= limit

    def _next_of_host(self, host: Host) -> Request | None:
        """Return the request for the next address of a host; those that must not be fail."""
        while host.addresses:
            lease = host.addresses.popleft()
            reason = self._forbidden_reason(host, lease)
            if reason is None:
                return self._build_request(host, lease)
            self._background.spawn(self._outcomes.fail(lease, reason))
        return None

    def _forbidden_reason(self, host: Host, lease: Lease) -> str | None:
        """Return why an address must not be fetched; None if it may be."""
        assert host.robots is not None
        if host.is_closed:
            return host.robots_failure
        if not host.robots.is_reachable:
            return f"robots.txt cannot be had ({host.robots_failure}), which forbids all for now"
        if not host.robots.allows(lease.url):
            return "disallowed by robots.txt"
        # Not by depth: the next page of a list is as far from the start as the list is.
        is_start = lease.priority >= START_PRIORITY or lease.kind is Kind.SITEMAP
        is_new = not is_start and not lease.looks
        if is_new and self._budget.is_exhausted(lease.host, url_shape(lease.url)):
            return "addresses of this shape bring nothing new"
        return None

    def _build_request(self, host: Host, lease: Lease) -> Request:
        """Return the request for an address, which counts as open from now on."""
        host.open_requests += 1
        self._open_pages += 1
        headers = {"Accept": _ACCEPT}
        if lease.etag:
            headers["If-None-Match"] = lease.etag
        if lease.modified:
            headers["If-Modified-Since"] = lease.modified
        is_sitemap = lease.kind is Kind.SITEMAP
        max_bytes = MAX_SITEMAP_BYTES if is_sitemap else self.settings.max_bytes
        number = self._pacer.start(lease.host)
        return build_request(
            self.settings, lease.url, headers, max_bytes, lease=lease, number=number
        )

    # Answers ------------------------------------------------------------------------------------

    async def handle_robots(
        self,
        request: Request,
        response: Response | None,
        failure: str = "",
        *,
        is_final: bool = False,
    ) -> None:
        """Take note of what the robots.txt of a host says; None if it could not be fetched."""
        try:
            if response is not None:
                await self._keep_exchange(request, response)
            await self._queues.handle_robots(request, response, failure, is_final=is_final)
        except Exception as error:
            self._give_up(error)

    async def handle_answer(self, request: Request, response: Response) -> None:
        """Do all that an answer asks for, up to the end of its address."""
        lease: Lease = request.meta["lease"]
        pause = self._pacer.end(
            request.meta["number"], response.status, retry_after=read_retry_after(response)
        )
        self._unread_pages += 1
        self._background.wake()
        try:
            await self._keep_exchange(request, response)
            self.counts.bytes += len(response.body)
            await self._outcomes.handle(lease, response, pause)
        except Exception as error:
            self._give_up(error)
        finally:
            self._unread_pages -= 1
            self._close_request(lease)

    async def handle_failure(self, request: Request, reason: str, *, is_final: bool) -> None:
        """Mark an address as failed that brought no answer, or to be tried again."""
        lease: Lease = request.meta["lease"]
        self._pacer.end(request.meta["number"], None)
        try:
            await self._outcomes.fail_or_retry(lease, reason, is_final=is_final)
        except Exception as error:
            self._give_up(error)
        finally:
            self._close_request(lease)

    def _close_request(self, lease: Lease) -> None:
        """Count a request as open no longer."""
        self._open_pages -= 1
        if lease.host in self._queues.hosts:
            self._queues.hosts[lease.host].open_requests -= 1
        self._queues.may_have_more = True
        self._background.wake()

    async def _keep_exchange(self, request: Request, response: Response) -> None:
        """Write request and response to the WARC file, if there is one."""
        if self._warc is None:
            return
        exchange = Exchange(
            url=request.url,
            fetched_at=datetime.now(UTC),
            request_headers=header_pairs(request),
            status=response.status,
            reason="",
            headers=header_pairs(response),
            body=response.body,
            ip=str(response.ip_address) if response.ip_address else None,
        )
        write = self._warc.write
        await self._background.run_in_thread(lambda: write(exchange))

    # From start to end --------------------------------------------------------------------------

    def start(self, wake: Callable[[], None]) -> None:
        """Begin what goes on beside the requests; `wake` is called when there may be a request."""
        self._background.wake = wake
        self._background.spawn(self._beat())
        self._background.spawn(self._report())

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            await self._background.commit(lambda writer: self.frontier.beat(writer.connection))

    async def _report(self) -> None:
        while self._on_progress is not None:
            self.counts.seconds = time.monotonic() - self._started
            self.counts.waiting = self._queues.waiting
            self.counts.hosts = len(self._queues.hosts)
            self._on_progress(self.counts)
            await asyncio.sleep(_REPORT)

    def _give_up(self, error: Exception) -> None:
        """Stop the crawl for an error that is not of a page: a full disk, a broken store."""
        if self.fatal is None:
            self.fatal = error
        self.stop()

    def stop(self) -> None:
        """Hand out no more requests; what is in flight is finished."""
        if not self.is_stopping:
            self.is_stopping = True
            self.stop_engine()

    async def close(self) -> None:
        """Put back what was taken and not fetched, and close everything."""
        await self._background.stop()
        self.counts.seconds = time.monotonic() - self._started
        self._workers.close_workers()
        try:
            await self._background.commit(lambda writer: self.frontier.close(writer.connection))
        except TamisError as error:
            self.fatal = self.fatal or error
        self._background.close()
        if self._warc is not None:
            self._warc.close()
        self._store.close()
        self._workers.close_sites()

"""What becomes of an address when its answer is there: done, with its page stored, or failed.

Page, links and outcome are stored in one transaction: an address is done when it is committed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from scrapy.http import Response

from tamis import errors
from tamis.crawl.addresses import url_shape
from tamis.crawl.background import Background
from tamis.crawl.frontier import Frontier, address_key
from tamis.crawl.hosts import HostQueues
from tamis.crawl.http_messages import (
    read_content_type,
    read_location,
    read_robots_directives,
    read_validators,
)
from tamis.crawl.novelty import ShapeBudget
from tamis.crawl.ranking import START_PRIORITY
from tamis.crawl.reader import ReadPage
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.sitemaps import guess_sitemap
from tamis.crawl.states import Fetched, Kind, Lease, NewAddress
from tamis.crawl.summary import Counts
from tamis.crawl.worker_pools import WorkerPools
from tamis.source import MAX_REDIRECTS, binary_kind
from tamis.store import StoreWriter, compute_digest

_MAX_TRIES: Final = 3  # of an address that fails for a reason that may pass
_MAX_REFUSALS: Final = 5  # of an address with 429 or 503
_REFUSALS: Final = frozenset({429, 503})
_HTML: Final = frozenset({"text/html", "application/xhtml+xml", ""})


class AddressOutcomes:
    """Leads each address to its end."""

    def __init__(
        self,
        settings: CrawlSettings,
        frontier: Frontier,
        queues: HostQueues,
        budget: ShapeBudget,
        workers: WorkerPools,
        background: Background,
        counts: Counts,
    ) -> None:
        self._settings = settings
        self._frontier = frontier
        self._queues = queues
        self._budget = budget
        self._workers = workers
        self._background = background
        self._counts = counts

    async def handle(self, lease: Lease, response: Response, pause: float) -> None:
        """Do what the status of an answer asks for; its host may be asked after `pause` seconds."""
        status = response.status
        if status == 304 and lease.looks:
            await self._finish(lease, _unchanged_outcome(lease), response)
        elif 300 <= status < 400 and "Location" in response.headers:
            await self._redirect(lease, response)
        elif status in _REFUSALS and lease.tries + 1 < _MAX_REFUSALS:
            await self.fail(lease, f"HTTP {status}", retry_in=pause)
        elif status >= 500 or status in (408, 425):
            await self.fail_or_retry(lease, f"HTTP {status}", is_final=status in _REFUSALS)
        elif status in (404, 410) and lease.url == guess_sitemap(lease.host):
            await self._finish(lease, "other", response, reason=f"HTTP {status}")
        elif not 200 <= status < 300:
            await self.fail(lease, f"HTTP {status}")
        elif lease.kind is Kind.SITEMAP:
            await self._read_sitemap(lease, response)
        elif (kind := read_content_type(response)) not in _HTML:
            await self._finish(lease, "other", response, reason=kind)
        else:
            await self._read_page(lease, response)

    # Done -----------------------------------------------------------------------------------------

    async def _redirect(self, lease: Lease, response: Response) -> None:
        """Mark an address as done that leads to another one, which is added."""
        queues = self._queues
        url = read_location(response)
        if url is None:
            await self.fail(lease, "redirects to what is no address of a page")
        elif url == lease.url:
            await self.fail(lease, "redirects to itself")
        elif lease.redirects >= MAX_REDIRECTS:
            await self.fail(lease, f"redirects more than {MAX_REDIRECTS} times")
        elif address_key(url) == address_key(lease.url):  # with its parameters in another order
            await self._background.commit(
                lambda writer: self._frontier.move(writer.connection, lease, url)
            )
            queues.may_have_more = True
        else:
            # What a start address redirects to has its priority; the next page of a list has not.
            is_start = lease.priority >= START_PRIORITY or lease.url in self._settings.addresses
            if is_start and not queues.scope.includes(url):
                queues.scope = queues.scope.extend(url)
            is_inside = queues.scope.includes(url) or lease.kind is Kind.SITEMAP
            target = NewAddress(url, lease.priority, lease.depth, lease.redirects + 1, lease.kind)
            names = sorted(queues.scope.keys)

            def finish(writer: StoreWriter) -> None:
                connection = writer.connection
                fetched = Fetched("redirect", None if is_inside else "out of scope")
                if self._frontier.finish(connection, lease, fetched):
                    self._frontier.add(connection, [target] if is_inside else [])
                    if is_start:
                        self._frontier.set_scope(connection, names)

            await self._background.commit(finish)

    async def _read_sitemap(self, lease: Lease, response: Response) -> None:
        """Add the addresses that a sitemap or feed lists."""
        outcome = await self._workers.read_sitemap(lease, response, self._queues.scope)
        if outcome.is_error:
            await self.fail(lease, _join_reason(outcome.kind, outcome.error))
        else:
            await self._finish(lease, "sitemap", response, links=outcome.unwrap())

    async def _read_page(self, lease: Lease, response: Response) -> None:
        """Have a page read in a worker, and store it; one with the bytes it had is as it was.

        Its text would not tell: a site that was learned since may cut the same page another way.
        """
        is_same = lease.body_digest == compute_digest(response.body)
        # Of a body that is packed nothing can be said before a worker has unpacked it.
        if "Content-Encoding" not in response.headers and (kind := binary_kind(response.body)):
            await self._finish(lease, "other", response, reason=kind)
            return
        is_kept = read_robots_directives(response, self._settings.user_agent).index
        if is_same and is_kept is (lease.outcome != "noindex"):
            await self._finish(lease, _unchanged_outcome(lease), response)
            return
        outcome = await self._workers.read_page(lease, response, self._queues.scope)
        if outcome.is_error:
            self._budget.add_failure(lease.host, url_shape(lease.url))
            await self.fail(lease, _join_reason(outcome.kind, outcome.error))
        else:
            await self._store_page(lease, response, outcome.unwrap())

    async def _store_page(self, lease: Lease, response: Response, read: ReadPage) -> None:
        """Store a page and mark its address as done, in one transaction."""
        shape = url_shape(lease.url)
        self._budget.add_page(lease.host, shape, read.pairs)
        credit = self._budget.credits.get((lease.host, shape))
        canonical = self._other_address(lease, read.canonical)
        links = list(read.links)
        if self._settings.sitemap:
            links += [
                NewAddress(feed, START_PRIORITY / 4, lease.depth, kind=Kind.SITEMAP)
                for feed in read.feeds
            ]
        if canonical:
            links.append(NewAddress(canonical, lease.priority, lease.depth))
        etag, modified = read_validators(response)
        # What a browser makes of the same bytes may change.
        body_digest = None if read.is_rendered else compute_digest(response.body)

        def store(writer: StoreWriter) -> str | None:
            connection, page = writer.connection, read.page
            outcome, is_put = _judge(writer, lease, read, canonical)
            is_duplicate = page is not None and writer.is_duplicate(page)
            size = len(response.body)
            fetched = Fetched(outcome, None, size, etag, modified, body_digest, is_duplicate)
            if not self._frontier.finish(connection, lease, fetched):
                return None  # it took too long, and another crawler has it
            if is_put and page is not None:
                writer.put(page)
                if read.records is not None:
                    self._frontier.set_records(connection, lease, read.records)
            self._frontier.add(connection, links)
            if credit is not None:
                self._frontier.set_credits(connection, lease.host, {shape: credit})
            return outcome

        self._counts.add_page(await self._background.commit(store))
        self._queues.may_have_more |= bool(links)

    def _other_address(self, lease: Lease, canonical: str | None) -> str | None:
        """Return the canonical address of a page if it is another one, and in scope."""
        if canonical is None or not self._queues.scope.includes(canonical):
            return None
        return None if address_key(canonical) == address_key(lease.url) else canonical

    async def _finish(
        self,
        lease: Lease,
        outcome: str,
        response: Response,
        *,
        reason: str | None = None,
        links: list[NewAddress] | None = None,
    ) -> None:
        """Mark an address as done that left no page."""
        etag, modified = read_validators(response)
        fetched = Fetched(
            outcome, reason, len(response.body), etag or lease.etag, modified or lease.modified
        )

        def finish(writer: StoreWriter) -> bool:
            is_ours = self._frontier.finish(writer.connection, lease, fetched)
            if is_ours:
                self._frontier.add(writer.connection, links or ())
            return is_ours

        if await self._background.commit(finish):
            self._counts.add_page(outcome)

    # Failed ---------------------------------------------------------------------------------------

    async def fail_or_retry(self, lease: Lease, reason: str, *, is_final: bool) -> None:
        """Mark an address to be tried again, or as failed if it was tried often enough."""
        if is_final or lease.tries + 1 >= _MAX_TRIES:
            self._budget.add_failure(lease.host, url_shape(lease.url))
            await self.fail(lease, reason)
        else:
            await self.fail(lease, reason, retry_in=self._settings.backoff * 2**lease.tries)

    async def fail(self, lease: Lease, reason: str, retry_in: float | None = None) -> None:
        """Mark an address as failed, or to be tried again in some seconds."""
        retry_at = None
        if retry_in is not None:
            retry_at = self._frontier.clock() + int(retry_in * 1000)
        else:
            self._counts.failed += 1
        await self._background.commit(
            lambda writer: self._frontier.fail(writer.connection, lease, reason, retry_at)
        )


def _unchanged_outcome(lease: Lease) -> str:
    """Return the outcome of an address that is as it was: a page that was not kept is not now."""
    former = lease.outcome
    return former if former in ("duplicate", "noindex", "sitemap") else "unchanged"


def _judge(
    writer: StoreWriter, lease: Lease, read: ReadPage, canonical: str | None
) -> tuple[str, bool]:
    """Return the outcome of a page, and whether it is put into the store."""
    page = read.page
    if page is None:
        return "noindex", False
    if writer.has_text(page):
        return "unchanged", False
    if canonical is not None and writer.has_text(replace(page, url=canonical)):
        return "duplicate", False
    return ("changed" if lease.looks else "new"), True


def _join_reason(kind: str | None, error: str | None) -> str:
    """Return why a page could not be read, on one line; errors of tamis need no name."""
    error_class = getattr(errors, kind or "", None)
    is_own = isinstance(error_class, type) and issubclass(error_class, errors.TamisError)
    return " ".join((f"{error}" if is_own else f"{kind}: {error}").split())

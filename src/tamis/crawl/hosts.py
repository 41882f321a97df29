"""The hosts that a crawler has leased: their addresses, their robots.txt, and when they are asked.

Addresses are taken from the frontier a few at a time, so that the best ones come first and other
crawlers find some. A host of which nothing is left, or which rests for long, is given back.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final

from scrapy import Request
from scrapy.http import Response

from tamis.crawl.addresses import Scope, clean_url, url_host
from tamis.crawl.background import Background
from tamis.crawl.frontier import Frontier
from tamis.crawl.http_messages import (
    build_request,
    read_location,
    read_retry_after,
    read_robots_body,
)
from tamis.crawl.politeness import Pacer
from tamis.crawl.ranking import START_PRIORITY
from tamis.crawl.robots import MAX_ROBOTS_BYTES, MAX_ROBOTS_REDIRECTS, Robots
from tamis.crawl.settings import CrawlSettings
from tamis.crawl.sitemaps import guess_sitemap
from tamis.crawl.states import HostLease, Kind, Lease, NewAddress, Unfinished
from tamis.store import StoreWriter

POLL: Final = 1.0  # seconds between two looks for what others have added
_MAX_HOSTS: Final = 64  # that are leased at once, without slow ones
_MAX_LEASES: Final = 1_024  # with slow ones
_MAX_ROBOTS_TRIES: Final = 3
_MAX_WAIT: Final = 120.0  # seconds that a crawl waits when nothing may be fetched before
_LONG_PAUSE: Final = 60.0  # seconds after which a host is given back instead of waited for


@dataclass
class Host:
    """A host that this crawler has leased, with the addresses that it has taken of it."""

    lease: HostLease
    robots: Robots | None = None
    is_asking_robots: bool = False
    robots_tries: int = 0
    robots_failure: str = ""  # why it could not be had, if it could not
    is_closed: bool = False  # whether nothing of the host can be had, for that reason
    addresses: deque[Lease] = field(default_factory=deque)
    open_requests: int = 0
    is_drained: bool = False  # whether the frontier had no more, when it was looked at last


class HostQueues:
    """The hosts of one crawler. `is_over` when nothing is left that may be fetched soon."""

    def __init__(
        self,
        settings: CrawlSettings,
        frontier: Frontier,
        pacer: Pacer,
        credits: MutableMapping[tuple[str, str], int],
        background: Background,
        scope: Scope,
    ) -> None:
        self.hosts: dict[str, Host] = {}
        self.extra: deque[Request] = deque()  # requests for robots.txt that were redirected
        self.scope = scope
        self.may_have_more = True  # whether the frontier may have what it had not before
        self.waiting = 0  # addresses of the crawl
        self.is_over = False
        self._settings = settings
        self._frontier = frontier
        self._pacer = pacer
        self._credits = credits
        self._background = background
        self._is_refilling = False
        self._polled_at = 0.0

    def choose(self) -> Host | None:
        """Return the host with the best address, of those that may be asked now."""
        best: Host | None = None
        for host in self.hosts.values():
            if not host.addresses or host.is_asking_robots:
                continue
            if not self._pacer.is_ready(host.lease.name):
                continue
            if best is None or host.addresses[0].priority > best.addresses[0].priority:
                best = host
        return best

    @property
    def _batch(self) -> int:
        """How many addresses of a host are taken at once; few, if the best change with pages."""
        return self._settings.per_host * (2 if self._settings.query else 8)

    def refill(self) -> None:
        """Take further addresses, and hosts, if there are few left and may be more."""
        now = time.monotonic()
        if now - self._polled_at > POLL:
            self.may_have_more = True
        if not self.may_have_more or self._is_refilling:
            return
        is_low = self._count_places() > 0 or any(
            len(host.addresses) <= self._batch // 2 for host in self.hosts.values()
        )
        if is_low:
            self._is_refilling = True
            self.may_have_more = False
            self._polled_at = now
            self._background.spawn(self._take())

    def _count_places(self) -> int:
        """Return how many further hosts may be leased; slow ones take no place of others."""
        count = len(self.hosts)
        if count < _MAX_HOSTS:
            return _MAX_HOSTS - count
        slow = sum(map(self._pacer.is_slow, self.hosts))
        return min(_MAX_HOSTS + slow, _MAX_LEASES) - count

    async def _take(self) -> None:
        """Take addresses of hosts that have few, and lease further hosts."""
        try:
            batch, counts = self._batch, {}
            for name, host in self.hosts.items():
                if len(host.addresses) <= batch // 2:
                    counts[name] = (host.lease, batch - len(host.addresses))
            taken, hosts, credits, unfinished = await self._background.commit(
                lambda writer: self._take_in(writer, counts, batch, self._count_places())
            )
        finally:
            self._is_refilling = False
        for lease in hosts:
            robots = None
            if lease.robots is not None:
                robots = Robots.from_response(200, lease.robots.encode(), self._settings.user_agent)
                self._pacer.set_asked_delay(lease.name, robots.delay)
            self.hosts[lease.name] = Host(lease, robots)
            for shape, credit in credits[lease.name].items():
                self._credits.setdefault((lease.name, shape), credit)
        for name, leases in taken.items():
            host = self.hosts[name]
            host.addresses.extend(leases)
            host.is_drained = not leases
            self.may_have_more |= bool(leases)
        await self._free()
        self._note_unfinished(unfinished)
        self._background.wake()

    def _note_unfinished(self, unfinished: Unfinished) -> None:
        """Find out whether the crawl is over, or when to look again."""
        self.waiting = unfinished.waiting + unfinished.later + self._count_taken()
        if self.hosts or self.extra or self.may_have_more:
            return
        now = self._frontier.clock()
        wait = max(0.0, ((unfinished.next_at or now) - now) / 1000)
        self.is_over = not unfinished.total or (wait > _MAX_WAIT and not unfinished.leased)
        if not self.is_over:
            self._background.wake_in(min(max(wait, 0.05), POLL))

    def _count_taken(self) -> int:
        return sum(len(host.addresses) for host in self.hosts.values())

    def _take_in(
        self,
        writer: StoreWriter,
        counts: dict[str, tuple[HostLease, int]],
        batch: int,
        host_count: int,
    ) -> Any:
        """Take addresses, in a transaction."""
        connection, frontier = writer.connection, self._frontier
        taken = {
            name: frontier.take(connection, lease, count) for name, (lease, count) in counts.items()
        }
        hosts = frontier.lease_hosts(connection, host_count) if host_count > 0 else []
        credits = {host.name: frontier.read_credits(connection, host) for host in hosts}
        taken.update({host.name: frontier.take(connection, host, batch) for host in hosts})
        return taken, hosts, credits, frontier.count_unfinished(connection)

    async def _free(self) -> None:
        """Give hosts back of which there is nothing to fetch, or not for long."""
        freed: list[tuple[Host, float]] = []
        for name, host in list(self.hosts.items()):
            if host.open_requests or host.is_asking_robots:
                continue
            pause = (self._pacer.ready_at(name) or 0.0) - time.monotonic()
            if (host.is_drained and not host.addresses) or pause > _LONG_PAUSE:
                freed.append((host, max(pause, 0.0)))
                del self.hosts[name]
        if freed:
            await self._background.commit(lambda writer: self._free_in(writer, freed))

    def _free_in(self, writer: StoreWriter, freed: list[tuple[Host, float]]) -> None:
        for host, pause in freed:
            self._frontier.release(writer.connection, host.addresses)
            ready_at = self._frontier.clock() + int(pause * 1000)
            self._frontier.free_host(writer.connection, host.lease.id, ready_at)

    def wake_when_ready(self) -> None:
        """Wake when the next host may be asked."""
        times = [
            moment
            for name, host in self.hosts.items()
            if host.addresses and not host.is_asking_robots
            if (moment := self._pacer.ready_at(name)) is not None
        ]
        pause = min(times) - time.monotonic() if times else POLL
        self._background.wake_in(min(max(pause, 0.001), POLL))

    # robots.txt ---------------------------------------------------------------------------------

    def ask_robots(self, host: Host) -> Request:
        """Return the request for the robots.txt of a host."""
        host.is_asking_robots = True
        number = self._pacer.start(host.lease.name)
        url = f"{host.lease.name}/robots.txt"
        return self._robots_request(url, host.lease.name, number, redirects=0)

    def _robots_request(self, url: str, name: str, number: int, redirects: int) -> Request:
        return build_request(
            self._settings,
            url,
            {},
            2 * MAX_ROBOTS_BYTES,
            robots=name,
            number=number,
            redirects=redirects,
        )

    async def handle_robots(
        self, request: Request, response: Response | None, failure: str, *, is_final: bool
    ) -> None:
        """Take note of what the robots.txt of a host says; None if it could not be fetched.

        After a final failure the host is not asked for anything else: it has no public address, or
        no certificate that can be verified.
        """
        name, number = request.meta["robots"], request.meta["number"]
        status = None if response is None else response.status
        pause = self._pacer.end(number, status, retry_after=read_retry_after(response))
        host = self.hosts.get(name)
        if host is None:
            return
        if response is not None and 300 <= response.status < 400:
            url = read_location(response)
            if url and request.meta["redirects"] < MAX_ROBOTS_REDIRECTS:
                following = self._pacer.start(url_host(url))
                redirects = request.meta["redirects"] + 1
                self.extra.append(self._robots_request(url, name, following, redirects))
                self._background.wake()
                return
        body = b""
        if response is not None and 200 <= response.status < 300:
            body = read_robots_body(response)
        robots = Robots.from_response(status, body, self._settings.user_agent)
        host.robots_failure = failure or f"HTTP {status}"
        host.robots_tries += 1
        # A robots.txt that leads to another host says nothing of this one.
        host.is_closed = is_final and url_host(request.url) == name
        if not is_final and not robots.is_reachable and host.robots_tries < _MAX_ROBOTS_TRIES:
            if pause < self._settings.backoff:
                await asyncio.sleep(self._settings.backoff * host.robots_tries)
            host.is_asking_robots = False
            self._background.wake()
            return
        host.robots = robots
        host.is_asking_robots = False
        self._pacer.set_asked_delay(name, robots.delay)
        sitemaps = self._sitemap_addresses(robots, name)

        def keep(writer: StoreWriter) -> None:
            self._frontier.set_robots(writer.connection, host.lease.id, robots.text)
            self._frontier.add(writer.connection, sitemaps)

        await self._background.commit(keep)
        self.may_have_more |= bool(sitemaps)
        self._background.wake()

    def _sitemap_addresses(self, robots: Robots, name: str) -> list[NewAddress]:
        """Return the addresses of the sitemaps of a host, if they are wanted."""
        if not self._settings.sitemap or not robots.is_reachable or self._settings.scope == "page":
            return []
        if not self.scope.includes(f"{name}/") and self._settings.scope != "folder":
            return []
        urls = robots.sitemaps(f"{name}/robots.txt") or [guess_sitemap(name)]
        cleaned = [url for url in map(clean_url, urls) if url]
        return [NewAddress(url, START_PRIORITY / 2, 0, kind=Kind.SITEMAP) for url in cleaned]

"""The frontier: which addresses a crawl has seen, and what became of each.

    waiting ──take──▶ leased ──finish──▶ done
       ▲                 ├──────fail──▶ failed (reason, tries)
       └──(later)◀───────┘ retry

All methods work in the transaction that they are given, so that a page is stored and its address
done in one. A crawler leases hosts and takes addresses of these: no two crawlers ask one host at
the same time. What a crawler has leased goes back when it beats no more, or, if it ran on this
machine and its process is gone, when the next one starts.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tamis.crawl import queries
from tamis.crawl.addresses import canonical_url, url_host
from tamis.crawl.crawlers import is_alive, machine_name, process_name
from tamis.crawl.keys import AddressKeys
from tamis.crawl.robots import MAX_ROBOTS_AGE
from tamis.crawl.states import Fetched, HostLease, Kind, Lease, NewAddress, State, Unfinished
from tamis.printing import printable
from tamis.store import Connection, compute_digest

_MAX_NUMBERS: Final = 256  # of addresses, in one query
_MAX_REASON: Final = 300  # characters
_MAX_CACHED_HOSTS: Final = 100_000
_AGAIN_PRIORITY: Final = 100.0  # of pages that are looked at again: before new links, after starts


def now_ms() -> int:
    """Return the time as the tables have it."""
    return int(time.time() * 1000)


def address_key(url: str) -> bytes:
    """Return what an address is known by: the hash of its canonical form."""
    return compute_digest(canonical_url(url).encode("utf-8", "replace"))


@dataclass
class Frontier:
    """The addresses of one crawl, for one crawler. Not for several threads at once."""

    crawl_id: int
    crawler_id: int
    max_depth: int | None = None
    clock: Callable[[], int] = now_ms
    _hosts: dict[str, int] = field(default_factory=dict, repr=False)
    _keys: AddressKeys = field(default_factory=AddressKeys, repr=False)

    # Crawls and crawlers ------------------------------------------------------------------------

    @classmethod
    def open(
        cls,
        connection: Connection,
        key: bytes,
        settings: Mapping[str, Any],
        scope: Sequence[str],
        *,
        max_depth: int | None = None,
        clock: Callable[[], int] = now_ms,
    ) -> tuple[Frontier, list[str]]:
        """Begin a crawl, or go on with it, as a new crawler; return it and the crawl's scope."""
        row = connection.row(queries.SELECT_CRAWL, key)
        if row is None:
            text = json.dumps(settings)
            names = list(scope)
            crawl_id = connection.value(queries.INSERT_CRAWL, key, text, json.dumps(names), clock())
        else:
            crawl_id, names = row[0], json.loads(row[1])
        crawler_id = connection.value(
            queries.INSERT_CRAWLER, crawl_id, machine_name(), process_name(), clock(), clock()
        )
        frontier = cls(crawl_id, crawler_id, max_depth, clock)
        frontier.take_back(connection)
        if max_depth is not None or row is not None:
            deep = 2**31 - 1 if max_depth is None else max_depth
            frontier._move_to_waiting(
                connection, connection.rows(queries.SELECT_NOT_TOO_DEEP, crawl_id, deep)
            )
        return frontier, names

    def set_scope(self, connection: Connection, names: Sequence[str]) -> None:
        """Keep what the scope of the crawl has become."""
        connection.run(queries.SET_SCOPE, json.dumps(list(names)), self.crawl_id)

    def beat(self, connection: Connection) -> None:
        """Show that this crawler lives, and take back what others have that do not."""
        connection.run(queries.SET_BEAT, self.clock(), self.crawler_id)
        self.take_back(connection)

    def take_back(self, connection: Connection) -> int:
        """Put what crawlers have leased that are gone back to waiting; return how many."""
        now = self.clock()
        return sum(
            self._end_crawler(connection, crawler)
            for crawler, machine, process, beat_at in connection.rows(
                queries.SELECT_CRAWLERS, self.crawl_id
            )
            if crawler != self.crawler_id and not is_alive(machine, process, beat_at, now)
        )

    def close(self, connection: Connection) -> None:
        """End this crawler: what it has leased goes back to waiting."""
        self._end_crawler(connection, self.crawler_id)

    def _end_crawler(self, connection: Connection, crawler: int) -> int:
        rows = connection.rows(queries.SELECT_LEASED, crawler)
        self._move_to_waiting(connection, rows)
        connection.run(queries.FREE_HOSTS_OF_CRAWLER, crawler)
        connection.run(queries.DELETE_CRAWLER, crawler)
        return len(rows)

    def _move_to_waiting(
        self, connection: Connection, rows: Sequence[tuple[int, int, float]]
    ) -> None:
        """Make addresses wait, given as id, host and priority."""
        connection.run_many(queries.SET_WAITING, [(row[0],) for row in rows])
        self._add_waiting(connection, [(host, priority) for _, host, priority in rows])

    def _add_waiting(self, connection: Connection, added: Iterable[tuple[int, float]]) -> None:
        """Account for addresses that wait now, given as host and priority."""
        counts: dict[int, tuple[int, float]] = {}
        for host, priority in added:
            count, best = counts.get(host, (0, priority))
            counts[host] = (count + 1, max(best, priority))
        for host, (count, best) in sorted(counts.items()):
            connection.run(queries.ADD_WAITING, count, best, best, host)

    # Taking and giving --------------------------------------------------------------------------

    def lease_hosts(self, connection: Connection, count: int) -> list[HostLease]:
        """Lease up to `count` further hosts that may be asked now, the most promising first."""
        now = self.clock()
        self._move_to_waiting(connection, connection.rows(queries.SELECT_DUE, self.crawl_id, now))
        hosts: list[HostLease] = []
        for host, name, robots, robots_at in connection.rows(
            queries.SELECT_FREE_HOSTS, self.crawl_id, now, count
        ):
            if not connection.run(queries.LEASE_HOST, self.crawler_id, host):
                continue  # another crawler was faster
            is_fresh = robots_at is not None and now - robots_at < MAX_ROBOTS_AGE * 1000
            hosts.append(HostLease(host, name, robots if is_fresh else None))
            self._hosts[name] = host
        return hosts

    def free_host(self, connection: Connection, host: int, ready_at: int = 0) -> None:
        """Give a host back; `ready_at` is when it may be asked again."""
        connection.run(queries.FREE_HOST, ready_at, host, self.crawler_id)

    def take(self, connection: Connection, host: HostLease, count: int) -> list[Lease]:
        """Take up to `count` addresses of a leased host, the best first."""
        rows = connection.rows(queries.SELECT_NEXT, host.id, count)
        if not rows:
            return []
        connection.run_many(queries.LEASE_ADDRESS, [(self.crawler_id, row[0]) for row in rows])
        best = connection.value(queries.SELECT_BEST_PRIORITY, host.id)
        connection.run(queries.SUBTRACT_WAITING, len(rows), 0.0 if best is None else best, host.id)
        return [Lease(row[0], row[1], host.name, Kind(row[2]), *row[3:]) for row in rows]

    def add(self, connection: Connection, addresses: Iterable[NewAddress]) -> int:
        """Add addresses that are new, and return how many.

        One that waits already may get a better priority.
        """
        by_key: dict[bytes, NewAddress] = {}
        for address in addresses:
            key = self._crawl_key(address.url)
            former = by_key.get(key)
            if former is None or former.priority < address.priority:
                by_key[key] = address
        numbers = self._keys.find_numbers(connection, by_key)
        if numbers:
            self._raise(connection, {number: by_key[key] for key, number in numbers.items()})
        new = {key: address for key, address in by_key.items() if key not in numbers}
        if new:
            self._insert(connection, new)
        return len(new)

    def _crawl_key(self, url: str) -> bytes:
        """Return what an address is known by among those of all crawls of the store."""
        return compute_digest(f"{self.crawl_id} {canonical_url(url)}".encode("utf-8", "replace"))

    def _insert(self, connection: Connection, new: Mapping[bytes, NewAddress]) -> None:
        """Add addresses that are new, by their keys."""
        rows: list[tuple[Any, ...]] = []
        waiting: list[tuple[int, float]] = []
        first = int(connection.value(queries.SELECT_LAST_ADDRESS)) + 1
        for number, address in enumerate(new.values(), first):
            host = self._host_id(connection, url_host(address.url))
            state = State.TOO_DEEP if self._is_too_deep(address) else State.WAITING
            rows.append(
                (
                    *(number, self.crawl_id, host, address.url, int(address.kind), int(state)),
                    *(address.priority, address.depth, address.redirects),
                )
            )
            if state is State.WAITING:
                waiting.append((host, address.priority))
        connection.run_many(queries.INSERT_ADDRESS, rows)
        self._keys.add(connection, first, list(new))
        self._add_waiting(connection, waiting)

    def _is_too_deep(self, address: NewAddress) -> bool:
        """Say whether a page is further from the start than the crawl goes.

        The depth of a sitemap is that in its index, which is bounded where it is read.
        """
        is_limited = self.max_depth is not None and address.kind is Kind.PAGE
        return is_limited and address.depth > (self.max_depth or 0)

    def _raise(self, connection: Connection, linked: Mapping[int, NewAddress]) -> None:
        """Give addresses that wait a better priority, if new links to them have one.

        They are given by their numbers, as the new links have them.
        """
        for number, host, state, priority, depth in _select_addresses(connection, list(linked)):
            address = linked[number]
            if state == State.TOO_DEEP and address.depth <= (self.max_depth or 0):
                connection.run(
                    queries.RAISE_PRIORITY, address.priority, address.depth, address.depth, number
                )
                self._move_to_waiting(connection, [(number, host, address.priority)])
            elif state == State.WAITING and (address.priority > priority or address.depth < depth):
                best = max(address.priority, priority)
                connection.run(queries.RAISE_PRIORITY, best, address.depth, address.depth, number)
                connection.run(queries.ADD_WAITING, 0, best, best, host)

    def _host_id(self, connection: Connection, name: str) -> int:
        """Return the number of a host, which is added if it is new."""
        if name not in self._hosts:
            row = connection.row(queries.SELECT_HOST, self.crawl_id, name)
            number = row[0] if row else connection.value(queries.INSERT_HOST, self.crawl_id, name)
            if len(self._hosts) > _MAX_CACHED_HOSTS:
                self._hosts.clear()
            self._hosts[name] = number
        return self._hosts[name]

    def forget_cache(self) -> None:
        """Forget what was read: after a transaction that was undone."""
        self._hosts.clear()
        self._keys.forget()

    # What became of an address ------------------------------------------------------------------

    def finish(self, connection: Connection, lease: Lease, fetched: Fetched) -> bool:
        """Mark an address as done; say whether this crawler still had it."""
        now = self.clock()
        changed = int(fetched.outcome == "changed")
        duplicate = None if fetched.is_duplicate is None else int(fetched.is_duplicate)
        reason = None if fetched.reason is None else _storable_reason(fetched.reason)
        values = (
            *(fetched.outcome, reason, fetched.size, fetched.etag, fetched.modified),
            *(fetched.body_digest, now, now, changed, duplicate),
        )
        return connection.run(queries.FINISH_ADDRESS, *values, lease.id, self.crawler_id) == 1

    def fail(
        self, connection: Connection, lease: Lease, reason: str, retry_at: int | None = None
    ) -> bool:
        """Mark an address as failed, or to be tried again at a time."""
        state = State.FAILED if retry_at is None else State.LATER
        values = (int(state), _storable_reason(reason), retry_at or 0)
        return connection.run(queries.FAIL_ADDRESS, *values, lease.id, self.crawler_id) == 1

    def move(self, connection: Connection, lease: Lease, url: str) -> bool:
        """Make an address wait that is fetched by another form of its URL from now on."""
        is_ours = connection.run(queries.MOVE_ADDRESS, url, lease.id, self.crawler_id) == 1
        if is_ours:
            host = self._host_id(connection, lease.host)
            self._add_waiting(connection, [(host, lease.priority)])
        return is_ours

    def release(self, connection: Connection, leases: Iterable[Lease]) -> None:
        """Put addresses that were taken and not fetched back to waiting."""
        waiting: list[tuple[int, float]] = []
        for lease in leases:
            if connection.run(queries.RELEASE_ADDRESS, lease.id, self.crawler_id):
                host = self._host_id(connection, lease.host)
                waiting.append((host, lease.priority))
        self._add_waiting(connection, waiting)

    def set_robots(self, connection: Connection, host: int, text: str | None) -> None:
        """Keep the robots.txt of a host for a day; None for one that could not be had."""
        connection.run(queries.SET_ROBOTS, text, None if text is None else self.clock(), host)

    def set_credits(self, connection: Connection, host: str, credits: Mapping[str, int]) -> None:
        """Keep the credits of shapes of a host."""
        number = self._host_id(connection, host)
        connection.run_many(
            queries.SET_CREDIT, [(number, shape, credit) for shape, credit in credits.items()]
        )

    def read_credits(self, connection: Connection, host: HostLease) -> dict[str, int]:
        """Return the credits of shapes of a host."""
        return dict(connection.rows(queries.SELECT_CREDITS, host.id))

    def set_records(self, connection: Connection, lease: Lease, data: bytes) -> None:
        """Keep the records of a page."""
        connection.run(queries.SET_RECORDS, lease.id, data)

    # How far a crawl is -------------------------------------------------------------------------

    def count_states(self, connection: Connection) -> dict[State, int]:
        """Return how many addresses are in each state; all are looked at."""
        rows = connection.rows(queries.COUNT_STATES, self.crawl_id)
        return {State(state): count for state, count in rows}

    def count_pages(self, connection: Connection) -> int:
        """Return how many pages the crawl has."""
        return int(connection.value(queries.COUNT_PAGES, self.crawl_id))

    def count_unfinished(self, connection: Connection) -> Unfinished:
        """Return how many addresses are not done yet, and when the first of them may be fetched."""
        row = connection.row(queries.COUNT_UNFINISHED, *(self.crawl_id,) * 5)
        leased, waiting, later, *times = row or (0, 0, 0)
        next_at = min((moment for moment in times if moment is not None), default=None)
        return Unfinished(int(leased), int(waiting), int(later), next_at)

    # Fetching again -----------------------------------------------------------------------------

    def is_refreshing(self, connection: Connection) -> bool:
        """Say whether a refresh has begun and is not at its end."""
        return bool(connection.rows(queries.SELECT_LOOKED_AT_BEFORE, self.crawl_id))

    def refresh(
        self, connection: Connection, change_probability: Callable[[int, int, float, float], float]
    ) -> int:
        """Make pages wait that may have changed, and addresses that failed; return how many.

        `change_probability` gives the probability that a page has changed, by how often it was
        looked at, how often it had changed, over how many seconds, and the seconds since the last
        look. Pages are fetched in its order, before new ones; those of probability 0 are not.
        Sitemaps are always looked at: they say what is new.
        """
        now = self.clock()
        again: list[tuple[int, int, float]] = []
        for number, host, kind, first, last, looks, changes in connection.rows(
            queries.SELECT_LOOKED_AT, self.crawl_id, now
        ):
            seconds = ((last - (first or last)) / 1000, (now - last) / 1000)
            if kind == Kind.SITEMAP:
                again.append((number, host, _AGAIN_PRIORITY + 1))
            elif (probability := change_probability(looks, changes, *seconds)) > 0:
                again.append((number, host, _AGAIN_PRIORITY + probability))
        failed = connection.rows(queries.SELECT_FAILED, self.crawl_id)
        again += [(number, host, _AGAIN_PRIORITY + 0.5) for number, host, _ in failed]
        connection.run_many(
            queries.LOOK_AGAIN, [(priority, number) for number, _, priority in again]
        )
        self._add_waiting(connection, [(host, priority) for _, host, priority in again])
        return len(again)


def _storable_reason(reason: str) -> str:
    """Return a reason without what a database refuses: it may have words of a page or a header."""
    return printable(reason[:_MAX_REASON])[:_MAX_REASON]


def _select_addresses(
    connection: Connection, numbers: Sequence[int]
) -> Iterator[tuple[int, int, int, float, int]]:
    """Yield number, host, state, priority and depth of addresses."""
    for start in range(0, len(numbers), _MAX_NUMBERS):
        batch = numbers[start : start + _MAX_NUMBERS]
        yield from connection.rows(queries.select_addresses(len(batch)), *batch)

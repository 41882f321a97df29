"""What a crawl has come to: pages and failures by host, and the records of its list pages."""

from __future__ import annotations

import json
import os
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tamis.crawl.crawlers import is_alive
from tamis.crawl.frontier import now_ms
from tamis.crawl.states import State
from tamis.crawl.tables import has_tables
from tamis.errors import InputError, StoreError
from tamis.store import Connection, Query, Store, columns

if TYPE_CHECKING:
    from tamis.crawl.settings import CrawlSettings

_PAGE_OUTCOMES: Final = ("new", "changed", "unchanged")
_MAX_RECORD_BYTES: Final = 256 * 2**20  # of the records of one page, unpacked

_NUMBER, _TEXT, _TEXT_OR_NULL = columns.NUMBER, columns.TEXT, columns.TEXT_OR_NULL
_BY_HOST: Final = Query(
    "SELECT h.name, a.state, a.outcome, a.reason, count(*), coalesce(sum(a.bytes), 0), "
    "coalesce(sum(a.is_duplicate), 0) "
    "FROM crawl_address a JOIN crawl_host h ON h.id = a.host_id WHERE a.crawl_id = ? "
    "GROUP BY h.name, a.state, a.outcome, a.reason",
    (_TEXT, _NUMBER, _TEXT_OR_NULL, _TEXT_OR_NULL, _NUMBER, lambda _: None, _NUMBER),
)
_CRAWLS: Final = Query(
    "SELECT id, settings, started_at FROM crawl ORDER BY id", (_NUMBER, _TEXT, _NUMBER)
)
_CRAWLERS: Final = Query(
    "SELECT machine, process, beat_at FROM crawler WHERE crawl_id = ?", (_TEXT, _TEXT, _NUMBER)
)
_RECORDS: Final = Query(
    "SELECT a.id, a.url, r.data FROM crawl_records r JOIN crawl_address a "
    "ON a.id = r.address_id WHERE a.crawl_id = ? AND a.id > ? ORDER BY a.id LIMIT 200",
    (_NUMBER, _TEXT, columns.BYTES),
)
_FAILURES: Final = Query(
    "SELECT id, url, reason FROM crawl_address WHERE state = 3 AND id > ? ORDER BY id LIMIT 1000",
    (_NUMBER, _TEXT, _TEXT_OR_NULL),
)


@dataclass
class Counts:
    """How far a crawl is, for whoever watches it."""

    pages: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    failed: int = 0
    waiting: int = 0
    hosts: int = 0
    bytes: int = 0
    seconds: float = 0.0

    def add_page(self, outcome: str | None) -> None:
        """Count a page that was stored, or was as before; other outcomes are no pages."""
        if outcome in _PAGE_OUTCOMES:
            self.pages += 1
            setattr(self, outcome, getattr(self, outcome) + 1)


@dataclass
class HostSummary:
    """What a crawl has of one host.

    Duplicates are pages with the text of another one: those that name it as their canonical
    address are not stored, others are, and count as pages as well.
    """

    host: str
    pages: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicates: int = 0
    redirects: int = 0
    other: int = 0  # noindex, sitemaps, what is no page
    waiting: int = 0
    failed: int = 0
    bytes: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def add(
        self,
        state: State,
        outcome: str | None,
        reason: str | None,
        count: int,
        size: int,
        duplicates: int,
    ) -> None:
        """Account for addresses in one state, with one outcome."""
        self.bytes += size
        if state is State.FAILED:
            self.failed += count
            self.reasons[reason or "unknown"] += count
        elif state is not State.DONE:
            self.waiting += count if state is not State.TOO_DEEP else 0
        elif outcome in _PAGE_OUTCOMES:
            self.pages += count
            self.duplicates += duplicates
            setattr(self, outcome, getattr(self, outcome) + count)
        elif outcome == "duplicate":
            self.duplicates += count
        elif outcome == "redirect":
            self.redirects += count
        else:
            self.other += count


@dataclass
class Summary:
    """What a crawl has come to, in all and by host; hosts with the most pages first."""

    addresses: tuple[str, ...]
    hosts: list[HostSummary]
    started_at: datetime | None = None
    crawlers: int = 0  # that are at work now
    seconds: float = 0.0  # of the run, if it is the summary of one
    fetched: int = 0  # pages of the run
    is_interrupted: bool = False
    is_limited: bool = False  # whether the run ended at `max_pages`

    @property
    def total(self) -> HostSummary:
        """All hosts together."""
        total = HostSummary("all hosts")
        for host in self.hosts:
            for name in vars(total):
                if name not in ("host", "reasons"):
                    setattr(total, name, getattr(total, name) + getattr(host, name))
            total.reasons.update(host.reasons)
        return total

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as JSON has it."""
        return {
            "addresses": list(self.addresses),
            "started_at": self.started_at.isoformat() if self.started_at else None,
            "crawlers": self.crawlers,
            "seconds": round(self.seconds, 3),
            "fetched": self.fetched,
            "total": vars(self.total),
            "hosts": [vars(host) for host in self.hosts],
        }


def read_summary(settings: CrawlSettings, crawl_id: int, counts: Counts) -> Summary:
    """Return the summary of a run that has ended."""
    with Store.open(settings.store) as store, store.reading() as connection:
        summary = Summary(settings.addresses, _read_hosts(connection, crawl_id))
    summary.seconds = counts.seconds
    summary.fetched = counts.new + counts.changed + counts.unchanged
    limit = settings.max_pages
    summary.is_limited = limit is not None and counts.pages >= limit and bool(summary.total.waiting)
    return summary


def read_status(location: str) -> list[Summary]:
    """Return what the crawls of a store have come to, also while they run."""
    with Store.open(location, create=False) as store, store.reading() as connection:
        if not has_tables(connection):
            raise StoreError(f"{location} has no crawl: begin one with `tamis crawl`")
        return [
            Summary(
                addresses=tuple(json.loads(settings).get("addresses", ())),
                hosts=_read_hosts(connection, crawl_id),
                started_at=datetime.fromtimestamp(started_at / 1000, UTC),
                crawlers=_count_crawlers(connection, crawl_id),
            )
            for crawl_id, settings, started_at in connection.rows(_CRAWLS)
        ]


def iterate_failures(location: str) -> Iterator[tuple[str, str]]:
    """Yield each address of a store's crawls that failed, and the reason."""
    last = 0
    with Store.open(location, create=False) as store:
        while True:
            with store.reading() as connection:
                rows = connection.rows(_FAILURES, last) if has_tables(connection) else []
            if not rows:
                return
            yield from ((url, reason or "unknown") for _, url, reason in rows)
            last = rows[-1][0]


def _read_hosts(connection: Connection, crawl_id: int) -> list[HostSummary]:
    hosts: dict[str, HostSummary] = {}
    rows = connection.rows(_BY_HOST, crawl_id)
    for name, state, outcome, reason, count, size, duplicates in rows:
        host = hosts.setdefault(name, HostSummary(name))
        host.add(State(state), outcome, reason, count, int(size), duplicates)
    return sorted(hosts.values(), key=lambda host: (-host.pages, host.host))


def _count_crawlers(connection: Connection, crawl_id: int) -> int:
    """Return how many crawlers work at a crawl, as far as their beats tell."""
    rows = connection.rows(_CRAWLERS, crawl_id)
    return sum(is_alive(machine, process, beat_at, now_ms()) for machine, process, beat_at in rows)


# Records ----------------------------------------------------------------------------------------


def check_records_path(settings: CrawlSettings) -> None:
    """Raise InputError, before anything is fetched, if records cannot be written where wanted."""
    if settings.records is None:
        return
    path = Path(settings.records)
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file for the records")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{path} cannot be written: make the folder {path.parent} for it")


def write_records(settings: CrawlSettings, crawl_id: int) -> int:
    """Write the records of all list pages to one table, with their page's address first.

    The file is written anew from the store each time, so that a crawl that was killed leaves no
    record twice. Return how many there are.
    """
    assert settings.records is not None
    path = Path(settings.records)
    with Store.open(settings.store) as store:
        rows = list(_iterate_records(store, crawl_id))
    unfinished = path.with_name(f".{path.name}.part")
    try:
        if path.suffix == ".jsonl":
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            unfinished.write_text("".join(lines), encoding="utf-8")
        else:
            import pyarrow.parquet

            pyarrow.parquet.write_table(_build_table(rows), unfinished)
        unfinished.replace(path)
    except OSError as error:
        advice = "the store has them: make room, and the same command writes them again"
        raise StoreError(
            f"{path} cannot be written ({error.strerror or error}); {advice}"
        ) from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return len(rows)


def _iterate_records(store: Store, crawl_id: int) -> Iterator[dict[str, Any]]:
    """Yield the records of a crawl, page by page."""
    last = 0
    while True:
        with store.reading() as connection:
            rows = connection.rows(_RECORDS, crawl_id, last)
        for number, url, data in rows:
            last = number
            text = zlib.decompressobj().decompress(data, _MAX_RECORD_BYTES)
            for record in json.loads(text):
                yield {"page_url": url, **record}
        if not rows:
            return


def _build_table(rows: list[dict[str, Any]]) -> Any:
    """Return rows of different fields as one table; a field of several types becomes text."""
    import pyarrow as pa

    names = list(dict.fromkeys(name for row in rows for name in row)) or ["page_url"]
    arrays = []
    for name in names:
        values = [row.get(name) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if kinds == {int, float}:
            values = [None if value is None else float(value) for value in values]
        elif len(kinds) > 1:
            values = [None if value is None else str(value) for value in values]
        try:
            arrays.append(pa.array(values))
        except (pa.ArrowInvalid, OverflowError):
            arrays.append(pa.array([None if value is None else str(value) for value in values]))
    return pa.table(arrays, names=names)

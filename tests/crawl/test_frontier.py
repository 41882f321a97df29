"""The frontier on SQLite and PostgreSQL: states, leases, and a rate that does not fall."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tamis.crawl import (
    MAX_BEAT_AGE,
    Fetched,
    Frontier,
    Lease,
    NewAddress,
    Robots,
    State,
    change_probability,
    create_tables,
    is_running,
    process_name,
)
from tamis.store import Connection, Query, Store, columns


@dataclass
class Clock:
    now: int = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def store(location: str) -> Iterator[Store]:
    with Store.open(location) as opened:
        with opened.writing() as writer:
            create_tables(writer.connection, location)
            create_tables(writer.connection, location)  # once more does nothing
        yield opened


def begin(store: Store, clock: Clock | None = None, depth: int | None = None) -> Frontier:
    with store.writing() as writer:
        return begin_in(writer.connection, clock, depth)


def begin_in(
    connection: Connection, clock: Clock | None = None, depth: int | None = None
) -> Frontier:
    frontier, scope = Frontier.open(
        connection, b"k" * 16, {}, ["a"], max_depth=depth, clock=clock or Clock()
    )
    assert scope == ["a"]
    return frontier


def add(store: Store, frontier: Frontier, *paths: str, priority: float = 0, depth: int = 1) -> int:
    with store.writing() as writer:
        return frontier.add(
            writer.connection, [NewAddress(f"http://h{path}", priority, depth) for path in paths]
        )


def take(store: Store, frontier: Frontier, count: int = 100) -> list[Lease]:
    with store.writing() as writer:
        hosts = frontier.lease_hosts(writer.connection, 10)
        return [lease for host in hosts for lease in frontier.take(writer.connection, host, count)]


def states(store: Store, frontier: Frontier) -> dict[State, int]:
    with store.reading() as connection:
        return frontier.count_states(connection)


def finish(connection: Connection, frontier: Frontier, lease: Lease, outcome: str) -> bool:
    return frontier.finish(connection, lease, Fetched(outcome, size=10, etag='"e"'))


def test_from_waiting_to_done(store: Store) -> None:
    frontier = begin(store)
    assert add(store, frontier, "/a", "/b?x=1&y=2", "/b?y=2&x=1", "/a") == 2
    assert add(store, frontier, "/a") == 0
    leases = take(store, frontier)
    assert states(store, frontier) == {State.LEASED: 2}
    with store.writing() as writer:
        assert finish(writer.connection, frontier, leases[0], "new")
        assert not finish(writer.connection, frontier, leases[0], "new")
        assert frontier.fail(writer.connection, leases[1], "HTTP 404")
        assert frontier.count_unfinished(writer.connection).total == 0
        assert frontier.count_pages(writer.connection) == 1
    assert states(store, frontier) == {State.DONE: 1, State.FAILED: 1}
    assert take(store, frontier) == []


def test_words_of_others_that_no_database_takes(store: Store) -> None:
    """Reasons and robots.txt have what servers send: NUL, halves of characters."""
    frontier = begin(store)
    add(store, frontier, "/1", "/2")
    robots = Robots.from_response(200, b"Disallow: /\0\xff\nSitemap: /map", "tamis")
    with store.writing() as writer:
        connection = writer.connection
        (host,) = frontier.lease_hosts(connection, 1)
        frontier.set_robots(connection, host.id, robots.text)
        one, two = frontier.take(connection, host, 2)
        assert frontier.fail(connection, one, "is packed as \0 and \ud800")
        assert frontier.finish(connection, two, Fetched("other", "text/\0"))
    with store.reading() as connection:
        reasons = connection.rows(Query("SELECT reason FROM crawl_address", (columns.TEXT,)))
    assert sorted(reasons) == [("is packed as \\x00 and \\ud800",), ("text/\\x00",)]


def test_the_best_come_first_and_may_become_better(store: Store) -> None:
    frontier = begin(store)
    for number in range(5):
        add(store, frontier, f"/{number}", priority=number)
    add(store, frontier, "/1", priority=9)
    add(store, frontier, "/2", priority=-9)
    urls = [lease.url[-1] for lease in take(store, frontier)]
    assert urls == ["1", "4", "3", "2", "0"]


def test_what_is_tried_again_waits_for_its_time(store: Store) -> None:
    clock = Clock()
    frontier = begin(store, clock)
    add(store, frontier, "/a")
    (lease,) = take(store, frontier)
    with store.writing() as writer:
        frontier.fail(writer.connection, lease, "HTTP 500", clock.now + 5_000)
        assert not frontier.lease_hosts(writer.connection, 5)
        assert frontier.count_unfinished(writer.connection).next_at == clock.now + 5_000
    with store.writing() as writer:
        frontier.close(writer.connection)  # it gives its host back
    frontier = begin(store, clock)
    clock.now += 5_000
    (again,) = take(store, frontier)
    assert again.tries == 1


def test_a_host_is_asked_by_one_crawler(store: Store) -> None:
    clock = Clock()
    first, second = begin(store, clock), begin(store, clock)
    add(store, first, "/a", "/b", "/c")
    (lease,) = take(store, first, 1)
    assert take(store, second) == []
    clock.now += int(MAX_BEAT_AGE * 1000) + 1
    with store.writing() as writer:
        second.beat(writer.connection)
    assert len(take(store, second)) == 3  # the first one beat no more
    with store.writing() as writer:
        assert not finish(writer.connection, first, lease, "new")


@pytest.mark.parametrize("host_count", [1, 12])
def test_crawlers_never_take_the_same_host_or_address(
    store: Store, location: str, host_count: int
) -> None:
    """Four crawlers at once, each with connections of its own."""
    urls = [f"http://h{number % host_count}/{number}" for number in range(240)]
    with store.writing() as writer:
        begin_in(writer.connection).add(writer.connection, [NewAddress(url, 0, 1) for url in urls])
    owners: Counter[str] = Counter()
    taken: list[str] = []
    overlaps: list[str] = []
    lock, start = threading.Lock(), threading.Barrier(4)

    def work() -> None:
        with Store.open(location) as own:
            with own.writing() as writer:
                frontier = begin_in(writer.connection)
            start.wait()
            while True:
                with own.writing() as writer:
                    hosts = frontier.lease_hosts(writer.connection, 2)
                if not hosts:
                    with own.reading() as connection:
                        if not frontier.count_unfinished(connection).total:
                            return
                    time.sleep(0.001)
                    continue
                with lock:  # from here on nobody else may have these hosts
                    owners.update(host.name for host in hosts)
                    overlaps.extend(host.name for host in hosts if owners[host.name] > 1)
                for host in hosts:
                    with own.writing() as writer:
                        leases = frontier.take(writer.connection, host, 5)
                    with own.writing() as writer:
                        assert all(finish(writer.connection, frontier, x, "new") for x in leases)
                    with lock:
                        taken.extend(lease.url for lease in leases)
                with lock:
                    owners.subtract(host.name for host in hosts)
                with own.writing() as writer:
                    for host in hosts:
                        frontier.free_host(writer.connection, host.id)

    with ThreadPoolExecutor(4) as executor:
        for future in [executor.submit(work) for _ in range(4)]:
            future.result(timeout=120)
    assert overlaps == []
    assert sorted(taken) == sorted(urls)


def test_leases_of_a_process_that_is_gone_go_back_at_the_next_start(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("tamis.crawl.frontier.process_name", lambda: "999999999:1")
        gone = begin(store)
    add(store, gone, "/a", "/b")
    assert len(take(store, gone)) == 2
    assert len(take(store, begin(store))) == 2


def test_processes() -> None:
    assert is_running(process_name())
    assert not is_running("999999999:1")
    assert not is_running(process_name().partition(":")[0] + ":1")
    assert not is_running("nonsense")


def test_addresses_that_are_too_deep_wait_for_a_deeper_crawl(store: Store) -> None:
    frontier = begin(store, depth=1)
    add(store, frontier, "/near", depth=1)
    add(store, frontier, "/far", depth=2)
    assert states(store, frontier) == {State.WAITING: 1, State.TOO_DEEP: 1}
    add(store, frontier, "/far", depth=1)  # a shorter way
    add(store, frontier, "/further", depth=3)
    assert states(store, frontier) == {State.WAITING: 2, State.TOO_DEEP: 1}
    with store.writing() as writer:
        frontier.close(writer.connection)
    frontier = begin(store, depth=3)
    assert states(store, frontier) == {State.WAITING: 3}
    assert len(take(store, frontier)) == 3


def test_what_was_undone_is_not_remembered(store: Store) -> None:
    frontier = begin(store)

    def break_off() -> None:
        with store.writing() as writer:
            frontier.add(writer.connection, [NewAddress("http://new/", 0, 0)])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    frontier.forget_cache()
    assert add(store, frontier, "/a") == 1
    with store.writing() as writer:
        assert frontier.add(writer.connection, [NewAddress("http://new/", 0, 0)]) == 1
    assert len(take(store, frontier)) == 2


def shrink_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tamis.crawl.keys._MAX_FRESH", 7)
    monkeypatch.setattr("tamis.crawl.keys._MAX_RECENT", 20)


def count_keys(store: Store) -> tuple[int, int]:
    """Return how many recent keys there are, and how many others."""
    with store.reading() as connection:
        counts = (
            connection.value(Query(f"SELECT count(*) FROM {table}", (lambda _: None,)))
            for table in ("crawl_recent_key", "crawl_key")
        )
        return next(counts), next(counts)


def test_addresses_are_known_in_all_levels_of_keys(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two crawlers in turn: each merges what the other has added."""
    shrink_levels(monkeypatch)
    crawlers = begin(store), begin(store)
    levels = set()
    for number in range(60):
        assert add(store, crawlers[number % 2], f"/{number}", f"/{number}") == 1
        paths = [f"/{known}" for known in range(number + 1)]
        assert add(store, crawlers[0], *paths) == add(store, crawlers[1], *paths) == 0
        levels.add(tuple(map(bool, count_keys(store))))
    assert levels == {(False, False), (True, False), (False, True), (True, True)}
    assert states(store, crawlers[0]) == {State.WAITING: 60}


def test_many_addresses_are_added_in_one_transaction(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    shrink_levels(monkeypatch)
    frontier = begin(store)
    with store.writing() as writer:
        for start in range(0, 700, 5):  # keys are merged in between, and what they had is known
            new = [NewAddress(f"http://h/{n}", 0, 1) for n in range(start, start + 5)]
            assert frontier.add(writer.connection, new) == 5
            assert frontier.add(writer.connection, new) == 0
        known = [NewAddress(f"http://h/{n}", 5, 1) for n in range(1000)]
        assert frontier.add(writer.connection, known) == 300
    assert {lease.priority for lease in take(store, frontier, 1000)} == {5}


def test_an_addition_that_was_undone_leaves_no_key(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With and without a merge, and though the numbers of addresses are given again."""
    shrink_levels(monkeypatch)
    frontier, other = begin(store), begin(store)
    add(store, frontier, "/")  # so that the host is known for good
    for number in range(30):

        def break_off(paths: list[str]) -> None:
            with store.writing() as writer:
                for path in paths:
                    frontier.add(writer.connection, [NewAddress(f"http://h{path}", 0, 1)])
                raise RuntimeError

        with pytest.raises(RuntimeError):
            break_off([f"/{number}", f"/{number}-2"])
        assert add(store, other, f"/{number}-3") == 1
        assert add(store, frontier, f"/{number}", f"/{number}-2", f"/{number}-3") == 2
    assert states(store, frontier) == {State.WAITING: 91}


def test_two_crawls_of_a_store_have_their_own_addresses(store: Store) -> None:
    first = begin(store)
    with store.writing() as writer:
        second, _ = Frontier.open(writer.connection, b"other", {}, [], clock=Clock())
    assert add(store, first, "/a") == add(store, second, "/a") == 1
    assert add(store, first, "/a") == add(store, second, "/a") == 0


def test_a_refresh_takes_what_has_probably_changed_first(store: Store) -> None:
    clock = Clock()
    frontier = begin(store, clock)
    add(store, frontier, "/often", "/never", "/failed")
    for round_ in range(6):
        with store.writing() as writer:
            if round_:
                count = frontier.refresh(writer.connection, change_probability)
                assert count >= 2
            frontier.close(writer.connection)
        frontier = begin(store, clock)
        leases = take(store, frontier)
        with store.writing() as writer:
            for lease in leases:
                if lease.url.endswith("failed"):
                    frontier.fail(writer.connection, lease, "HTTP 500")
                else:
                    assert lease.etag == ('"e"' if round_ else None)
                    is_new = "new" if not round_ else "changed"
                    outcome = is_new if lease.url.endswith("often") else "unchanged"
                    finish(writer.connection, frontier, lease, outcome)
        clock.now += 3_600_000
    with store.writing() as writer:
        frontier.refresh(writer.connection, change_probability)
        frontier.close(writer.connection)
    frontier = begin(store, clock)
    urls = [lease.url for lease in take(store, frontier)]
    assert urls[0].endswith("often")
    assert not any(url.endswith("never") for url in urls)


def test_how_often_pages_change() -> None:
    day = 86_400.0
    often = change_probability(10, 9, 9 * day, day)
    rare = change_probability(10, 1, 9 * day, day)
    assert often > 0.8 > 0.2 > rare > 0
    assert change_probability(10, 0, 9 * day, 60) == 0
    assert change_probability(10, 0, 9 * day, 90 * day) > 0.5
    assert 0 < change_probability(1, 0, 0, 60) < change_probability(1, 0, 0, 30 * day) < 1
    assert change_probability(2, 1, 0, 0) > 0


@pytest.mark.slow
def test_a_large_frontier_is_as_fast_as_a_small_one(tmp_path: Path) -> None:
    """`tamis evaluate frontier` does it with a million addresses."""
    rates: dict[int, float] = {}
    for count in (2_000, 40_000, 2_000):
        with Store.open(tmp_path / f"{len(rates)}-{count}.db") as store:
            with store.writing() as writer:
                create_tables(writer.connection, "x")
            frontier = begin(store)
            for start in range(0, count, 1_000):
                add(store, frontier, *(f"/{n}" for n in range(start, start + 1_000)))
            started = time.process_time()
            with store.writing() as writer:
                (host,) = frontier.lease_hosts(writer.connection, 1)
                for round_ in range(60):
                    for lease in frontier.take(writer.connection, host, 10):
                        finish(writer.connection, frontier, lease, "new")
                        new = [f"http://h/new{round_}-{lease.id}-{n}" for n in range(2)]
                        addresses = [NewAddress(url, 0, 1) for url in new]
                        frontier.add(writer.connection, addresses)
            rates[count] = 600 / (time.process_time() - started)
    assert rates[40_000] > 0.6 * rates[2_000]

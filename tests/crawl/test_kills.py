"""Crawlers that are killed, interrupted, share a frontier or have no room on the disk."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from tamis.store import Query, Store

from .forks import Forks
from .web import Handler, Reply, Route, Server, add_tree, article, serve

pytestmark = pytest.mark.slow
_ANY = (lambda _: None,)
_STATES = Query("SELECT state, count(*) FROM crawl_address GROUP BY state", _ANY * 2)
_DONE = Query("SELECT url FROM crawl_address WHERE state = 2", _ANY)
_HAS_CRAWL = Query("SELECT 1 FROM sqlite_schema WHERE name = 'crawl_address'", _ANY)
PAGES = 200


def wait_for_hits(server: Server, count: int, seconds: float = 60) -> None:
    """Wait until a server was asked so often."""
    end = time.monotonic() + seconds
    while len(server.paths()) < count and time.monotonic() < end:
        time.sleep(0.005)


def read_done(location: str) -> set[str]:
    """Return the addresses that are done, each of which must have its page in the store."""
    with Store.open(location) as store:
        with store.reading() as connection:
            if not connection.rows(_HAS_CRAWL):  # it was killed before there was one
                return set()
            urls = {row[0] for row in connection.rows(_DONE)}
        assert all(url in store for url in urls)
        return urls


def test_killed_twenty_times(forks: Forks, tmp_path: Path) -> None:
    """Nothing stored is lost, and nothing is fetched twice but what was in flight."""
    store, chance = tmp_path / "cache.db", random.Random(9)
    done: set[str] = set()
    with serve() as (server,):
        add_tree(server, PAGES)
        for _ in range(20):
            before = len(server.paths())
            run = forks.start(f"{server.url}/", store, per_host=3)
            wait_for_hits(server, before + chance.randint(1, 30))
            time.sleep(chance.random() * 0.05)
            run.kill()
            assert run.wait() in (-signal.SIGKILL, 0)
            assert not done & {f"{server.url}{path}" for path in server.paths()[before:]}
            if store.exists():
                now_done = read_done(str(store))
                assert done <= now_done
                done = now_done
        summary = forks.run(f"{server.url}/", store, per_host=3)
        assert summary.total.pages == PAGES
        assert summary.total.failed == summary.total.waiting == 0
        assert set(server.paths()) == {f"/{number or ''}" for number in range(PAGES)}
    assert len(read_done(str(store))) == PAGES


def test_what_was_done_is_not_fetched_again(forks: Forks, tmp_path: Path) -> None:
    store = tmp_path / "cache.db"
    with serve() as (server,):
        add_tree(server, 60)
        run = forks.start(f"{server.url}/", store)
        wait_for_hits(server, 25)
        run.kill()
        run.wait()
        before = {url.removeprefix(server.url) for url in read_done(str(store))}
        assert before
        fetched = len(server.paths())
        forks.run(f"{server.url}/", store)
        assert not before & set(server.paths()[fetched:])


def test_ctrl_c_finishes_what_is_in_flight(forks: Forks, tmp_path: Path) -> None:
    store = tmp_path / "cache.db"
    with serve() as (server,):
        add_tree(server, 60)

        def slow(_: Handler) -> Reply:
            time.sleep(1.0)
            return Reply(article(5, ["/26", "/27", "/28", "/29", "/30"]))

        server.routes["/5"] = slow
        run = forks.start(f"{server.url}/", store, per_host=4)
        wait_for_hits(server, 10)
        run.kill(signal.SIGINT)
        summary = run.summary()
        assert summary.is_interrupted
        assert summary.total.waiting > 0
        asked = {path for path in server.paths() if path.strip("/")}
        done = {url.removeprefix(server.url) for url in read_done(str(store))}
        assert asked <= done  # the slow one as well
        assert forks.run(f"{server.url}/", store).total.pages == 60


def test_a_second_ctrl_c_stops_at_once(forks: Forks, tmp_path: Path) -> None:
    with serve() as (server,):
        server.routes["/"] = Reply(article(1, ["/slow"]))

        def slow(_: Handler) -> Reply:
            time.sleep(20)
            return Reply(article(2))

        server.routes["/slow"] = slow
        run = forks.start(f"{server.url}/", tmp_path / "cache.db")
        wait_for_hits(server, 2)
        run.kill(signal.SIGINT)
        time.sleep(0.3)
        started = time.monotonic()
        run.kill(signal.SIGINT)
        assert run.wait() == 130
        assert time.monotonic() - started < 10


@pytest.mark.parametrize("at_hit", [0, 3])
def test_ctrl_c_in_a_program(tmp_path: Path, at_hit: int) -> None:
    """It is a KeyboardInterrupt there, whether the crawl has begun or not, and nothing else."""
    with serve() as (server,):
        add_tree(server, 400)
        code = (
            "import sys\nfrom tamis.crawl import crawl\nprint('begins', flush=True)\n"
            f"try: crawl({server.url!r}, {str(tmp_path / 'cache.db')!r}, delay=0.05, workers=1, "
            "allow_private=True)\n"
            "except KeyboardInterrupt: print('interrupted')"
        )
        program = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        assert program.stdout.readline() == "begins\n"
        if at_hit:
            wait_for_hits(server, at_hit)
        else:  # the process of the crawl has started, and imports what it needs
            children = Path(f"/proc/{program.pid}/task/{program.pid}/children")
            while not children.read_text():
                time.sleep(0.01)
            time.sleep(0.2)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=120)
    assert (out, err) == ("interrupted\n", "")


def test_ctrl_c_while_records_are_written(forks: Forks, tmp_path: Path) -> None:
    """When the crawl itself is over, a first Ctrl-C ends the process."""
    marker = tmp_path / "writing"
    setup = (
        "import pathlib, time\nimport tamis.crawl.engine as engine\n"
        "def write(*_):\n"
        f"    pathlib.Path({str(marker)!r}).touch()\n"
        "    time.sleep(60)\n"
        "engine.write_records = write\n"
    )
    with serve() as (server,):
        add_tree(server, 2)
        records = str(tmp_path / "records.jsonl")
        run = forks.start(f"{server.url}/", tmp_path / "cache.db", setup, records=records)
        deadline = time.monotonic() + 60
        while not marker.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        run.kill(signal.SIGINT)
        assert run.wait() != 0


@pytest.mark.parametrize("is_killed", [False, True])
def test_two_crawlers_on_one_frontier(forks: Forks, postgres_store: str, is_killed: bool) -> None:
    """Each address is fetched once; if one is killed, the other fetches what it had."""
    with serve(6) as servers:
        for server in servers:
            add_tree(server, 20)
        links = [f"{server.url}/" for server in servers]
        servers[0].routes["/"] = Reply(article(0, [*links, *(f"/{n}" for n in range(1, 6))]))
        settings = {"scope": "domain"}
        # A crawler that was killed is noticed at the next beat of the other.
        setup = "import tamis.crawl.session as s; s._BEAT = 0.2"
        first = forks.start(links[0], postgres_store, setup, **settings)
        wait_for_hits(servers[0], 2)
        second = forks.start(links[0], postgres_store, setup, **settings)
        if is_killed:
            wait_for_hits(servers[0], 6)
            first.kill()
            first.wait()
        else:
            assert first.summary().total.waiting == 0
        summary = second.summary()
        assert summary.total.waiting == summary.total.failed == 0
        assert summary.total.pages == 120
        counts = Counter((server.url, path) for server in servers for path in server.paths())
    assert len(counts) == 120
    twice = [key for key, count in counts.items() if count > 1]
    assert len(twice) <= (60 if is_killed else 0)
    assert max(counts.values()) <= 2


def test_two_crawlers_take_turns_with_one_host(forks: Forks, postgres_store: str) -> None:
    """No host is asked by two at once: who does not have it waits, and ends with the other."""
    open_requests, most = 0, 0
    lock = threading.Lock()
    with serve() as (server,):
        add_tree(server, 30)

        def count(reply: Route) -> Route:
            def answer(_: Handler) -> Reply:
                nonlocal open_requests, most
                with lock:
                    open_requests += 1
                    most = max(most, open_requests)
                time.sleep(0.02)
                with lock:
                    open_requests -= 1
                assert isinstance(reply, Reply)
                return reply

            return answer

        for path in [path for path in server.routes if path != "/robots.txt"]:
            server.routes[path] = count(server.routes[path])
        runs = [
            forks.start(f"{server.url}/", postgres_store, user_agent=f"tamis/{n}") for n in (1, 2)
        ]
        summaries = [run.summary() for run in runs]
        assert Counter(server.paths()).most_common(1)[0][1] == 1
        assert len(server.paths()) == 30
    assert most == 1
    assert sum(summary.fetched for summary in summaries) == 30
    assert all(summary.total.waiting == summary.total.failed == 0 for summary in summaries)


def test_a_full_disk_stops_a_crawl_that_can_go_on(forks: Forks, tmp_path: Path) -> None:
    store = tmp_path / "cache.db"
    limit = (
        "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, -1))"
    )
    with serve() as (server,):
        add_tree(server, 40)
        for number in range(1, 40):
            page = server.routes[f"/{number}"]
            assert isinstance(page, Reply)
            filler = "".join(random.Random(number).choices("abcdefghij klmnop", k=30_000))
            server.routes[f"/{number}"] = Reply(f"{page.body!s}<p>{filler}</p>")
        run = forks.start(f"{server.url}/", store, limit)
        run.wait()
        message = run.out.read_text()
        assert "full" in message or "refused" in message, message
        stored = read_done(str(store))
        summary = forks.run(f"{server.url}/", store)
        assert summary.total.pages == 40
        assert stored <= read_done(str(store))

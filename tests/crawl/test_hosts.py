"""Hosts side by side: slow ones, and what their robots.txt answers."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from .forks import Forks
from .web import Handler, Reply, Route, add_tree, article, serve

pytestmark = pytest.mark.slow


def test_slow_hosts_hold_no_place_of_others(forks: Forks, tmp_path: Path) -> None:
    """Two requests and two hosts at once are allowed; three hosts do not answer, a fourth does."""
    pages, is_crawled = 25, threading.Event()
    were_waiting: list[bool] = []

    def hang(_: Handler) -> Reply:
        were_waiting.append(is_crawled.wait(60))
        return Reply(article(900))

    with serve(4) as servers:
        *slow, quick = servers
        add_tree(quick, pages)
        for server in slow:
            server.routes["/"] = hang
        last = quick.routes[f"/{pages - 1}"]

        def end(_: Handler) -> Reply:
            assert isinstance(last, Reply)
            is_crawled.set()
            return last

        quick.routes[f"/{pages - 1}"] = end
        summary = forks.run(
            [f"{server.url}/" for server in servers],
            tmp_path / "cache.db",
            setup=(
                "import tamis.crawl.hosts as h, tamis.crawl.politeness as p\n"
                "h._MAX_HOSTS, p.SLOW = 2, 0.3"
            ),
            concurrency=2,
            timeout=90,
        )
        assert len(quick.paths()) == pages
    assert were_waiting == [True] * 3  # they hung until the last page of the other host
    assert summary.total.pages == pages + 3


def replies_in_turn(*replies: Reply) -> Route:
    left = list(replies)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def test_what_the_status_of_robots_txt_means(forks: Forks, tmp_path: Path) -> None:
    rules = Reply("User-agent: *\nDisallow: /2")
    with serve(5) as servers:
        gone, forbidden, busy, refusing, broken = servers
        for server in servers:
            add_tree(server, 4)
        gone.routes["/robots.txt"] = Reply(status=410)
        forbidden.routes["/robots.txt"] = Reply(status=403)
        busy.routes["/robots.txt"] = replies_in_turn(Reply(status=429), Reply(status=503), rules)
        refusing.routes["/robots.txt"] = Reply(status=429)
        broken.routes["/robots.txt"] = Reply(status=500)
        starts = [f"{server.url}/" for server in servers]
        summary = forks.run(starts, tmp_path / "cache.db", per_host=2)
        by_host = {host.host: host for host in summary.hosts}
        assert len(gone.paths()) == len(forbidden.paths()) == 4
        assert sorted(busy.paths()) == ["/", "/1", "/3"]
        for server in (refusing, broken):
            assert server.paths() == []
            assert [hit.path for hit in server.hits] == ["/robots.txt"] * 3
            (reason,) = by_host[server.url].reasons
            assert "robots.txt cannot be had" in reason


def test_pages_are_not_fetched_faster_than_they_are_read(forks: Forks, tmp_path: Path) -> None:
    """Else answers would pile up in memory, and all of them be lost to a kill."""
    log, pages, unread = tmp_path / "log", 120, [0]
    log.touch()
    setup = (
        "import time\nimport tamis.crawl.session as session\nfrom tamis.crawl import reader\n"
        "session._MAX_UNREAD = 4\nread = reader.Reader.__call__\n"
        "def slowly(self, task):\n"
        f"    with open({str(log)!r}, 'a') as file: file.write('.')\n"
        "    time.sleep(0.02)\n"
        "    return read(self, task)\n"
        "reader.Reader.__call__ = slowly\n"
    )
    with serve() as (server,):
        add_tree(server, pages)

        def watched(reply: Route) -> Route:
            def answer(_: Handler) -> Reply:
                unread.append(len(server.paths()) - log.stat().st_size)
                assert isinstance(reply, Reply)
                return reply

            return answer

        for path in [path for path in server.routes if path != "/robots.txt"]:
            server.routes[path] = watched(server.routes[path])
        summary = forks.run(f"{server.url}/", tmp_path / "cache.db", setup=setup, per_host=8)
    assert summary.total.pages == pages
    assert max(unread) <= 4 + 8 + 1  # unread ones, those on their way, and the one that is read

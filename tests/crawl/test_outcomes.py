"""A web with everything that can go wrong, and what becomes of each of its addresses."""

from __future__ import annotations

import gzip
import os
import re
import socket
import struct
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from tamis.crawl import Summary
from tamis.source import MAX_REDIRECTS
from tamis.store import Query, Store

from .forks import Forks
from .web import Handler, Reply, Server, article, serve

pytestmark = pytest.mark.slow
ADDRESSES = "SELECT url, state, outcome, reason, tries FROM crawl_address"


@dataclass
class Address:
    state: int
    outcome: str | None
    reason: str | None
    tries: int


def read_addresses(store: str) -> dict[str, Address]:
    """Return what became of each address."""
    anything = (lambda _: None,) * 5
    with Store.open(store) as opened, opened.reading() as connection:
        return {url: Address(*row) for url, *row in connection.rows(Query(ADDRESSES, anything))}


def reset(handler: Handler) -> None:
    """Hang up in a way that the other side sees as an error."""
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    os.close(handler.connection.detach())


def stream(handler: Handler) -> None:
    """Send a page without an end, quickly."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>")
    for _ in range(100_000):
        handler.wfile.write(b"word " * 2_000)


def drip(handler: Handler) -> None:
    """Send a page so slowly that no single wait is long."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>")
    for _ in range(200):
        handler.wfile.write(b"word ")
        time.sleep(0.1)


def sometimes(*replies: Reply) -> Any:
    """Give one answer after the other, then the last one again and again."""
    left = list(replies)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def plain(number: int) -> Reply:
    return Reply(article(number))


PACKED = {"Content-Encoding": "gzip"}
BOMB = gzip.compress(b"<p>" + b"\0" * 60_000_000)


def build_web(main: Server, other: Server, broken: Server) -> None:
    paths = (
        "/leaf /gone /broken /flaky /reset /packed /bomb /large /stream /drip /file.bin /noindex "
        "/nofollow /header /secret /hop /loop /self /away /session;jsessionid=AAAABBBBCCCCDDDD "
        "/busy /mailbox /latin /pair/twin /ordered?b=2&a=1 /turning?b=2&a=1 /accent /astray /sheet "
        "/unpackable"
    ).split()
    links = [*paths, f"{other.url}/", f"{broken.url}/"]
    same = ["/copy", "/leaf?utm_source=x", "/leaf#part", "/?b=2&a=1", "/?a=1&b=2"]
    sponsored = '<a rel="nofollow" href="/hidden">Hidden</a>'
    main.routes |= {
        "/robots.txt": Reply(
            "User-agent: *\nDisallow: /secret", headers={"Content-Type": "text/plain"}
        ),
        "/": Reply(article(1, links, frame=sponsored)),
        "/leaf": Reply(article(2, same)),
        "/?b=2&a=1": plain(3),
        "/?a=1&b=2": plain(3),
        "/broken": Reply("<p>Sorry", 500),
        "/flaky": sometimes(Reply("", 502), plain(4)),
        "/busy": sometimes(Reply("", 503), Reply("", 429, {"Retry-After": "0"}), plain(5)),
        "/reset": reset,
        "/packed": Reply(gzip.compress(article(6).encode()), headers=PACKED),
        "/bomb": Reply(BOMB, headers=PACKED),
        "/large": Reply(b"<p>" + b"x" * 3_000_000),
        "/stream": stream,
        "/drip": drip,
        "/file.bin": Reply("%", headers={"Content-Type": "application/octet-stream"}),
        "/mailbox": Reply("%PDF", headers={"Content-Type": "application/pdf"}),
        "/sheet": Reply(b"%PDF-1.7\n" + b"\0\1\2" * 500),
        "/unpackable": Reply(b"nonsense", headers=PACKED),
        # Characters that are not ASCII in a header, as servers send them; and no address at all.
        "/accent": Reply("", 302, {"Location": "/été".encode().decode("latin-1")}),
        "/%C3%A9t%C3%A9": plain(14),
        "/astray": Reply("", 302, {"Location": "http://["}),
        "/noindex": Reply(article(7, ["/pair/after"], '<meta name="robots" content="noindex">')),
        "/pair/after": plain(8),
        "/pair/twin": plain(8),
        "/nofollow": Reply(article(9, ["/unseen"], '<meta name="robots" content="nofollow">')),
        "/header": Reply(article(10, ["/unseen"]), headers={"X-Robots-Tag": "tamis: none"}),
        "/hop": Reply("", 301, {"Location": "/hop2"}),
        "/hop2": Reply("", 302, {"Location": "/landed?utm_medium=y"}),
        "/landed": plain(11),
        # The same address, in a form that the site prefers; and two forms that lead to each other.
        "/ordered?b=2&a=1": Reply("", 301, {"Location": "/ordered?a=1&b=2"}),
        "/ordered?a=1&b=2": plain(13),
        "/turning?b=2&a=1": Reply("", 301, {"Location": "/turning?a=1&b=2"}),
        "/turning?a=1&b=2": Reply("", 301, {"Location": "/turning?b=2&a=1"}),
        "/loop": Reply("", 302, {"Location": "/loop2"}),
        "/loop2": Reply("", 302, {"Location": "/loop"}),
        "/self": Reply("", 302, {"Location": "/self#x"}),
        "/away": Reply("", 302, {"Location": "http://192.0.2.1/"}),
        "/session": Reply(article(12, ["/session;jsessionid=EEEEFFFFGGGGHHHH"])),
        "/copy": Reply(article(2, same, '<link rel="canonical" href="/leaf">')),
        "/latin": Reply(
            "<p>" + "Über Flüsse und Brücken. " * 30,
            headers={"Content-Type": "text/html; charset=latin-1"},
        ),
    }
    for number in range(12):
        main.routes[f"/far{number}"] = Reply("", 302, {"Location": f"/far{number + 1}"})
    other.routes |= {
        "/robots.txt": Reply("", 302, {"Location": "/rules.txt"}),
        "/rules.txt": Reply("User-agent: tamis\nDisallow: /no\n"),
        "/": Reply(article(20, ["/yes", "/no"])),
        "/yes": plain(21),
        "/no": plain(22),
    }
    broken.routes |= {"/robots.txt": Reply("", 500), "/": plain(30)}


@dataclass
class Crawled:
    main: Server
    other: Server
    broken: Server
    summary: Summary
    store: str
    warc: Path

    def at(self, path: str) -> Address:
        return read_addresses(self.store)[f"{self.main.url}{path}"]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, forks: Forks) -> Iterator[Crawled]:
    folder = tmp_path_factory.mktemp("crawl")
    store, warc = str(folder / "cache.db"), folder / "warc"
    with serve(3) as (main, other, broken):
        build_web(main, other, broken)
        summary = forks.run(
            f"{main.url}/",
            store,
            scope="domain",
            timeout=3,
            max_bytes=2_000_000,
            warc=str(warc),
            per_host=4,
            learn_sites=False,  # one that is learned between a page and its copy would part them
        )
        yield Crawled(main, other, broken, summary, store, warc)


@pytest.mark.parametrize(
    "path",
    (
        "/ /leaf /flaky /busy /packed /nofollow /landed /session /latin /pair/after /pair/twin "
        "/ordered?a=1&b=2 /%C3%A9t%C3%A9"
    ).split(),
)
def test_pages_are_stored(crawled: Crawled, path: str) -> None:
    assert (crawled.at(path).state, crawled.at(path).outcome) == (2, "new")
    with Store.open(crawled.store) as store:
        page = store.get(f"{crawled.main.url}{path}")
        assert page is not None
        assert len(page.text) > 200


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/gone", "HTTP 404"),
        ("/broken", "HTTP 500"),
        ("/bomb", "^is larger than"),
        ("/large", "^is larger than"),
        ("/unpackable", "^cannot be unpacked"),
        ("/astray", "redirects to what is no address"),
        ("/stream", "larger than"),
        ("/drip", "took longer than 3 s"),
        ("/reset", "Lost|lost|clean|reset"),
        ("/secret", "disallowed by robots.txt"),
        ("/self", "redirects to itself"),
        ("/turning?b=2&a=1", "redirects more than"),
    ],
)
def test_failures_have_a_reason(crawled: Crawled, path: str, reason: str) -> None:
    address = crawled.at(path)
    assert address.state == 3
    assert address.reason
    assert re.search(reason, address.reason), address.reason


@pytest.mark.parametrize(
    ("path", "outcome"),
    [
        ("/file.bin", "other"),
        ("/mailbox", "other"),
        ("/sheet", "other"),
        ("/noindex", "noindex"),
        ("/header", "noindex"),
        ("/hop", "redirect"),
        ("/hop2", "redirect"),
        ("/loop", "redirect"),
        ("/loop2", "redirect"),
        ("/away", "redirect"),
        ("/copy", "duplicate"),
    ],
)
def test_what_is_done_without_a_page(crawled: Crawled, path: str, outcome: str) -> None:
    if path == "/file.bin":
        assert path not in crawled.main.paths()  # its name says that it is no page
        return
    assert (crawled.at(path).state, crawled.at(path).outcome) == (2, outcome)
    with Store.open(crawled.store) as store:
        assert f"{crawled.main.url}{path}" not in store


def test_each_address_ends(crawled: Crawled) -> None:
    assert {address.state for address in read_addresses(crawled.store).values()} == {2, 3}
    assert crawled.summary.total.waiting == 0


def test_each_address_is_fetched_once_but_for_retries(crawled: Crawled) -> None:
    counts = Counter(crawled.main.paths())
    assert counts.pop("/reset") >= 3  # a connection that was kept open is tried once more
    turns = [counts.pop(f"/turning?{order}") for order in ("b=2&a=1", "a=1&b=2")]
    assert sum(turns) == MAX_REDIRECTS + 1
    tries = {"/broken": 3, "/drip": 3, "/flaky": 2, "/busy": 3}
    assert {path: count for path, count in counts.items() if count > 1} == tries
    for path in ("/hidden", "/unseen", "/secret"):
        assert path not in counts
    assert len({"/?b=2&a=1", "/?a=1&b=2"} & counts.keys()) == 1


def test_robots_of_each_host(crawled: Crawled) -> None:
    assert crawled.other.paths() == ["/rules.txt", "/", "/yes"]
    assert crawled.broken.paths() == []
    robots = read_addresses(crawled.store)[f"{crawled.broken.url}/"]
    assert robots.reason is not None
    assert "robots.txt cannot be had" in robots.reason


def test_requests_name_the_tool(crawled: Crawled) -> None:
    agents = {hit.headers["User-Agent"] for hit in crawled.main.hits}
    assert len(agents) == 1
    assert agents.pop().startswith("tamis/")


def test_the_summary_counts_by_host(crawled: Crawled) -> None:
    by_host = {host.host: host for host in crawled.summary.hosts}
    main = by_host[crawled.main.url]
    assert main.pages == main.new == 14
    assert main.duplicates == 2  # one that names its canonical address, and the second of twins
    assert main.reasons["HTTP 404"] == 1
    assert by_host[crawled.other.url].pages == 2
    assert by_host[crawled.broken.url].failed == 1
    assert crawled.summary.total.pages == crawled.summary.fetched == 16
    assert crawled.summary.total.bytes > 10_000


def test_the_warc_files_have_every_answer(crawled: Crawled) -> None:
    urls: Counter[str] = Counter()
    for archive in crawled.warc.iterdir():
        with archive.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response":
                    urls[record.rec_headers.get_header("WARC-Target-URI")] += 1
    for path in ("/", "/leaf", "/gone", "/hop", "/packed", "/noindex", "/robots.txt"):
        assert urls[f"{crawled.main.url}{path}"] == 1
    assert urls[f"{crawled.main.url}/broken"] == 3

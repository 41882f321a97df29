"""What a worker makes of an answer: pages, sitemaps, feeds, and bodies that are too much."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tamis.crawl import (
    Answer,
    Directives,
    Kind,
    PageTask,
    Query,
    ReadPage,
    Scope,
    SitemapTask,
    make_reader,
)
from tamis.errors import InputError, TooLarge

from .web import article

URL = "http://a.example/"
SCOPE = Scope.around([URL], "host")


def page_task(html: str | bytes, **changes: object) -> PageTask:
    body = html.encode() if isinstance(html, str) else html
    task = PageTask(
        answer=Answer(URL, body),
        fetched_at=datetime.now(UTC),
        depth=2,
        scope=SCOPE,
        user_agent="tamis/1",
        max_bytes=1_000_000,
    )
    return replace(task, **changes)  # type: ignore[arg-type]


def read(task: PageTask) -> ReadPage:
    value = make_reader()(task)
    assert isinstance(value, ReadPage)
    return value


def read_sitemap(data: bytes, depth: int = 0) -> list[tuple[str, bool, int]]:
    addresses = make_reader()(SitemapTask(Answer(f"{URL}map.xml", data), depth, SCOPE))
    assert isinstance(addresses, list)
    return [(new.url, new.kind is Kind.SITEMAP, new.depth) for new in addresses]


def test_a_page_with_its_links() -> None:
    value = read(page_task(article(1, ["/near", "http://b.example/far"])))
    assert (value.links[0].url, value.links[0].depth) == (f"{URL}near", 3)
    assert not any("b.example" in link.url for link in value.links)
    assert value.page is not None
    assert value.page.url == URL
    assert value.page.content is not None
    assert len(value.pairs) > 50
    assert value.records is None


def test_links_are_ranked_for_a_query() -> None:
    html = article(1).replace(
        "</main>",
        '<p>Of the <a href="/gauge">water gauge</a> and of <a href="/train">a train</a> we say '
        "nothing here, as both are too far away from each other to be one.</p></main>",
    )
    links = read(page_task(html, query=Query("water gauges"))).links
    priorities = {link.url.removeprefix(URL): link.priority for link in links}
    assert priorities["gauge"] > priorities["train"]


@pytest.mark.parametrize(
    ("directives", "is_kept", "has_links"),
    [
        (Directives(), True, True),
        (Directives(index=False), False, True),
        (Directives(follow=False), True, False),
    ],
)
def test_directives_of_headers(directives: Directives, is_kept: bool, has_links: bool) -> None:
    value = read(page_task(article(1, ["/near"]), directives=directives))
    assert (value.page is not None) == is_kept
    assert bool(value.links) == has_links


def test_records_as_json() -> None:
    cards = "".join(
        f'<div class="card"><h3><a href="/{n}">Kettle {n * 37}</a></h3><p class="price">€ {n}9.50'
        f"</p><p>Boils {n} litres in {n + 2} minutes</p></div>"
        for n in range(1, 12)
    )
    value = read(page_task(f"<h1>Kettles</h1><div>{cards}</div>", with_records=True))
    assert value.records is not None
    assert len(json.loads(zlib.decompress(value.records))) == 11


BOMB = gzip.compress(b"\0" * 50_000_000)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(URL, BOMB, ("gzip",)), TooLarge),
        (Answer(URL, zlib.compress(b"\0" * 50_000_000), ("deflate",)), TooLarge),
        (Answer(URL, gzip.compress(BOMB), ("gzip", "gzip")), TooLarge),
        (Answer(URL, b"nonsense", ("gzip",)), InputError),
        (Answer(URL, b"x", ("br",)), InputError),
        (Answer(URL, b"x" * 2_000_000), TooLarge),
    ],
)
def test_bodies_that_cannot_be_read(answer: Answer, error: type[Exception]) -> None:
    with pytest.raises(error):
        make_reader()(page_task("", answer=answer))


def test_a_sitemap() -> None:
    xml = (
        '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        f"<url><loc>{URL}b?utm_source=x</loc></url><url><loc> {URL}c </loc></url>"
        "<url><loc>http://b.example/</loc></url><url></url></urlset>"
    ).encode()
    pages = [(f"{URL}b", False, 1), (f"{URL}c", False, 1)]
    assert read_sitemap(xml) == pages
    assert read_sitemap(gzip.compress(xml)) == pages


def test_indexes_of_sitemaps_end_somewhere() -> None:
    xml = f"<sitemapindex><sitemap><loc>{URL}next.xml</loc></sitemap></sitemapindex>".encode()
    assert read_sitemap(xml, 3) == [(f"{URL}next.xml", True, 4)]
    assert read_sitemap(xml, 10) == []


@pytest.mark.parametrize(
    "xml",
    [
        f"<rss><channel><link>{URL}</link><item><link>{URL}n</link></item></channel></rss>",
        '<feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><entry>'
        f'<link rel="edit" href="{URL}edit"/><link href="{URL}n"/></entry></feed>',
        '<feed><entry><link href="/n"/></entry><entry><link href="http://["/></entry></feed>',
    ],
)
def test_feeds(xml: str) -> None:
    assert read_sitemap(xml.encode()) == [(f"{URL}n", False, 1)]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html><p>Not found",
        b"\0" * 100,
        b'<!DOCTYPE x [<!ENTITY a "b">]><urlset><url><loc>&a;</loc></url></urlset>',
        b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url>',
        b"<urlset>" * 5_000,
    ],
)
def test_what_is_no_sitemap_names_nothing(data: bytes) -> None:
    assert read_sitemap(data) == []


def test_a_sitemap_that_is_a_bomb() -> None:
    with pytest.raises(TooLarge):
        read_sitemap(gzip.compress(b" " * 60_000_000))


def test_a_site_that_was_learned_is_used(tmp_path: Path) -> None:
    from tamis import Site

    path = tmp_path / "a.tamis"
    Site.learn([article(number) for number in range(8)]).save(path)
    assert read(page_task(article(9), site=str(path))).fits_site
    stranger = "<table>" + "<tr><td>1<td>2" * 40 + "</table>"
    assert not read(page_task(stranger, site=str(path))).fits_site

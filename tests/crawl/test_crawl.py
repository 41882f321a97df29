"""Whole crawls of webs on loopback, through the function for programs and the command line."""

from __future__ import annotations

import gzip
import json
import ssl
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tamis.crawl import Counts, crawl
from tamis.errors import InputError, StoreError
from tamis.store import Store

from .forks import Forks
from .web import Handler, Reply, add_tree, article, serve

pytestmark = pytest.mark.slow
QUICK: dict[str, Any] = {"delay": 0, "allow_private": True, "workers": 1, "backoff": 0.02}


def test_a_crawl_goes_on_and_looks_again(forks: Forks, tmp_path: Path) -> None:
    """One store, four runs: a limit, the rest, nothing left to do, a look at what changed."""
    store = str(tmp_path / "cache.db")
    with serve() as (server,):
        add_tree(server, 12)
        tagged = article(3)

        def conditional(handler: Handler) -> Reply:
            if handler.headers.get("If-None-Match") == '"three"':
                return Reply("", 304)
            return Reply(tagged, headers={"ETag": '"three"'})

        server.routes["/3"] = conditional
        first = forks.run(f"{server.url}/", store, max_pages=4)
        assert first.total.pages == first.fetched == 4
        assert first.total.waiting > 0
        assert len(server.paths()) == 4
        rest = forks.run(f"{server.url}/", store)
        assert (rest.total.pages, rest.fetched) == (12, 8)
        assert rest.total.waiting == 0
        assert Counter(server.paths()).most_common(1)[0][1] == 1
        idle = forks.run(f"{server.url}/", store)
        assert (idle.total.pages, idle.fetched) == (12, 0)
        assert len(server.paths()) == 12
        server.routes["/5"] = Reply(article(500))
        again = forks.run(f"{server.url}/", store, refresh=True)
        assert (again.total.changed, again.total.unchanged) == (1, 11)
        assert len(server.paths()) == 24
    with Store.open(store) as opened:
        assert len(opened) == 12
        assert len(opened.history(f"{server.url}/3")) == 1
        assert len(opened.history(f"{server.url}/4")) == 1
        assert len(opened.history(f"{server.url}/5")) == 2


def test_a_second_look_at_all_kinds_of_addresses(forks: Forks, tmp_path: Path) -> None:
    """What was no page is none when it is as it was, and sitemaps are read for what is new."""
    store = str(tmp_path / "cache.db")
    listed = ["/lonely"]

    def sitemap(_: Handler) -> Reply:
        urls = "".join(f"<url><loc>{server.url}{path}</loc></url>" for path in listed)
        return Reply(f"<urlset>{urls}</urlset>", headers={"ETag": f'"{len(listed)}"'})

    noindex = Reply(article(6), headers={"X-Robots-Tag": "noindex"})
    with serve() as (server,):
        server.routes |= {
            "/robots.txt": Reply("Sitemap: /map.xml"),
            "/map.xml": sitemap,
            "/": Reply(article(1, ["/copy", "/noindex", "/later-noindex", "/old", "/gone"])),
            "/copy": Reply(article(1, head='<link rel="canonical" href="/">')),
            "/noindex": noindex,
            "/later-noindex": Reply(article(7)),
            "/old": Reply("", 301, {"Location": "/lonely"}),
            "/lonely": Reply(article(3)),
            "/new": Reply(article(4)),
        }
        # The copy has the links of the page, so that its text is the same.
        server.routes["/copy"] = Reply(
            article(1, ["/copy", "/noindex", "/later-noindex", "/old", "/gone"]).replace(
                "</head>", '<link rel="canonical" href="/"></head>'
            )
        )
        settings = {"sitemap": True, "learn_sites": False}
        first = forks.run(f"{server.url}/", store, **settings).total
        assert (first.pages, first.duplicates, first.redirects, first.failed) == (3, 1, 1, 1)
        server.routes["/later-noindex"] = Reply(article(7), headers={"X-Robots-Tag": "noindex"})
        listed.append("/new")
        server.routes["/gone"] = Reply(article(8))
        again = forks.run(f"{server.url}/", store, refresh=True, **settings).total
        assert (again.new, again.unchanged, again.pages) == (2, 2, 4)
        assert (again.duplicates, again.redirects, again.failed) == (1, 1, 0)
        assert again.other == 3  # two pages that must not be kept, and the sitemap


def test_a_refresh_of_a_crawl_with_a_limit(forks: Forks, tmp_path: Path) -> None:
    """Known pages come first, and one that was broken off goes on where it was."""
    store = str(tmp_path / "cache.db")
    with serve() as (server,):
        add_tree(server, 30)
        forks.run(f"{server.url}/", store, max_pages=10)
        known = server.paths()
        half = forks.run(f"{server.url}/", store, max_pages=4, refresh=True)
        rest = forks.run(f"{server.url}/", store, max_pages=8, refresh=True)
        assert (half.fetched, rest.fetched) == (4, 8)
        looked_at = server.paths()[10:]
        assert sorted(looked_at[:10]) == sorted(known)
        assert not set(looked_at[10:]) & set(known)


def test_a_refresh_looks_at_pages_whatever_their_shape_has_brought(
    forks: Forks, tmp_path: Path
) -> None:
    """A shape without credits gives no new pages; those that are stored are looked at again."""
    store = str(tmp_path / "cache.db")
    with serve() as (server,):
        same = article(5)
        server.routes["/"] = Reply(article(1, [f"/p/{n}" for n in range(60)]))
        for n in range(60):
            server.routes[f"/p/{n}"] = Reply(same)
        first = forks.run(f"{server.url}/", store).total
        assert first.reasons["addresses of this shape bring nothing new"] > 10
        again = forks.run(f"{server.url}/", store, refresh=True).total
        assert again.pages == first.pages == again.unchanged
        assert again.failed == first.failed


def test_lists_sitemaps_depth_and_records(forks: Forks, tmp_path: Path) -> None:
    store, records = str(tmp_path / "cache.db"), tmp_path / "records.jsonl"
    with serve() as (server,):
        for page in range(1, 5):
            cards = "".join(
                f'<div class="card"><h3><a href="/item/{page}-{n}">Kettle {page * 100 + n}</a></h3>'
                f'<p class="price">€ {n}9.50</p><p>Boils {n} litres in {n + 2} minutes</p></div>'
                for n in range(1, 9)
            )
            following = f'<a class="next" href="/list?page={page + 1}">Next</a>' if page < 4 else ""
            pager = f'<div class="pager"><span>{page}</span> {following}</div>'
            server.routes[f"/list?page={page}"] = Reply(
                f"<html><body><h1>Kettles</h1><div class=list>{cards}</div>{pager}</body></html>"
            )
            for n in range(1, 9):
                server.routes[f"/item/{page}-{n}"] = Reply(article(page * 10 + n, ["/too-deep"]))
        server.routes |= {
            "/robots.txt": Reply("Sitemap: /index.xml"),
            "/index.xml": Reply(
                "<sitemapindex><sitemap><loc>"
                f"{server.url}/map.xml.gz</loc></sitemap></sitemapindex>"
            ),
            "/map.xml.gz": Reply(
                gzip.compress(
                    f"<urlset><url><loc>{server.url}/lonely</loc></url>"
                    "<url><loc>http://192.0.2.1/</loc></url></urlset>".encode()
                )
            ),
            "/lonely": Reply(article(900)),
        }
        summary = forks.run(
            f"{server.url}/list?page=1",
            store,
            depth=1,
            sitemap=True,
            records=str(records),
            learn_sites=False,
        )
        paths = set(server.paths())
    assert {f"/list?page={page}" for page in range(1, 5)} <= paths
    assert {f"/item/{page}-{n}" for page in range(1, 5) for n in range(1, 9)} <= paths
    assert "/lonely" in paths
    assert "/too-deep" not in paths
    assert summary.total.pages == 37
    rows = [json.loads(line) for line in records.read_text().splitlines()]
    listed = [row for row in rows if "/list?page=" in row["page_url"]]
    assert len(listed) == 32
    assert len({row["page_url"] for row in listed}) == 4


def test_a_host_without_a_sitemap(forks: Forks, tmp_path: Path) -> None:
    """A sitemap that nobody names and that is not there is no failure; one with a name is."""
    with serve(2) as (plain, named):
        for server in (plain, named):
            server.routes["/"] = Reply(article(server.server_port))
        named.routes["/robots.txt"] = Reply("Sitemap: /gone.xml")
        urls = [f"{plain.url}/", f"{named.url}/"]
        summary = forks.run(urls, tmp_path / "cache.db", sitemap=True)
    assert (summary.total.pages, summary.total.other) == (2, 1)
    assert summary.total.reasons == {"HTTP 404": 1}


def test_sitemaps_of_a_folder_and_of_a_shallow_crawl(forks: Forks, tmp_path: Path) -> None:
    """Indexes of indexes outside of the folder are read, and do not count as steps to a page."""
    with serve() as (server,):
        for number in range(3):
            inner = f"<sitemap><loc>{server.url}/maps/{number + 1}.xml</loc></sitemap>"
            server.routes[f"/maps/{number}.xml"] = Reply(f"<sitemapindex>{inner}</sitemapindex>")
        listed = "".join(f"<url><loc>{server.url}/{n}</loc></url>" for n in ("docs/far", "other"))
        server.routes |= {
            "/robots.txt": Reply("Sitemap: /maps/0.xml"),
            "/maps/3.xml": Reply(f"<urlset>{listed}</urlset>"),
            "/docs/": Reply(article(1)),
            "/docs/far": Reply(article(2)),
        }
        forks.run(
            f"{server.url}/docs/", tmp_path / "cache.db", scope="folder", depth=1, sitemap=True
        )
        assert set(server.paths()) == {
            *("/docs/", "/docs/far"),
            *(f"/maps/{number}.xml" for number in range(4)),
        }


def test_records_that_could_not_be_written_are_told_before_anything_is_fetched(
    tmp_path: Path,
) -> None:
    for records in (tmp_path / "gone" / "r.jsonl", tmp_path / "folder.jsonl"):
        (tmp_path / "folder.jsonl").mkdir(exist_ok=True)
        with pytest.raises(InputError, match=r"name a file|make the folder"):
            crawl("http://127.0.0.1/", tmp_path / "cache.db", records=str(records))
    assert not (tmp_path / "cache.db").exists()


def test_best_first(forks: Forks, tmp_path: Path) -> None:
    """Words of the query lead to the pages that have them, before all others."""
    with serve() as (server,):
        links = []
        for number in range(30):
            is_near = number % 3 == 0
            about = "about the water gauge of the canal" if is_near else "about a train of the line"
            links.append(f'<p>More {about}: <a href="/{number}">page {number} {about}</a></p>')
            server.routes[f"/{number}"] = Reply(article(number).replace("<h1>", f"<h1>{about} "))
        start = article(99).replace("</main>", f"{''.join(links)}</main>")
        server.routes["/"] = Reply(start)
        store = str(tmp_path / "cache.db")
        forks.run(f"{server.url}/", store, query="water gauge", max_pages=11)
        fetched = [int(path[1:]) for path in server.paths() if path != "/"]
    assert len(fetched) == 10
    assert all(number % 3 == 0 for number in fetched)


def test_private_addresses_are_refused(forks: Forks, tmp_path: Path) -> None:
    store = str(tmp_path / "cache.db")
    with serve() as (server,):
        add_tree(server, 3)
        names = [f"{server.url}/", f"http://localhost:{server.server_port}/"]
        summary = forks.run(names, store, allow_private=False)
        assert server.hits == []
    assert summary.total.failed == 2
    assert summary.total.pages == 0
    assert "127.0.0.1 is not a public address" in summary.total.reasons
    assert all("is not a public address" in reason for reason in summary.total.reasons)
    assert not any("robots.txt" in reason for reason in summary.total.reasons)


def test_mistakes_are_told_before_anything_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no address"):
        crawl("mailto:x", tmp_path / "cache.db")
    with pytest.raises(InputError, match="max_pages"):
        crawl("http://127.0.0.1/", tmp_path / "cache.db", max_pages=0)
    with pytest.raises(StoreError, match="folder"):
        crawl("http://127.0.0.1/", tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_function_for_programs(tmp_path: Path) -> None:
    """With workers, and twice in one process."""
    store = tmp_path / "cache.db"
    counts: list[Counts] = []
    with serve() as (server,):
        add_tree(server, 14)
        summary = crawl(f"{server.url}/", store, on_progress=counts.append, **QUICK)
        assert (summary.total.pages, summary.total.failed) == (14, 0)
        assert counts
        assert crawl(f"{server.url}/", store, **QUICK).fetched == 0
        assert len(server.paths()) == 14


def test_certificates_are_verified(forks: Forks, tmp_path: Path) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(
        [
            *"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1".split(),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serve() as (server,):
        server.socket = context.wrap_socket(server.socket, server_side=True)
        add_tree(server, 2)
        url = server.url.replace("http://", "https://")
        summary = forks.run(f"{url}/", tmp_path / "cache.db")
        assert server.paths() == []
    assert summary.total.reasons == {"its certificate cannot be verified": 1}
    assert summary.total.pages == 0


def test_hosts_that_cannot_be_asked_at_all(forks: Forks, tmp_path: Path) -> None:
    """The reasons are in words that people use."""
    with serve() as (server,):
        closed = f"{server.url}/"
    summary = forks.run(["http://no-such-host.invalid/", closed], tmp_path / "cache.db")
    reasons = " ".join(summary.total.reasons)
    assert summary.total.failed == 2
    assert "no-such-host.invalid has no address in the DNS" in reasons
    assert "the connection was refused" in reasons


def test_scripts_are_run_if_a_page_needs_it(forks: Forks, tmp_path: Path) -> None:
    from tamis.errors import TamisError
    from tamis.render import chromium_path

    try:
        chromium_path()
    except TamisError as error:
        pytest.skip(str(error))
    words = article(5).partition("<main>")[2].partition("</main>")[0]
    shell = (
        "<html><head><title>Shop</title></head><body><div id=root></div>"
        "<noscript>You need to enable JavaScript to run this app.</noscript><script>"
        f"document.getElementById('root').innerHTML = {json.dumps(words)};</script></body></html>"
    )
    with serve() as (server,):
        server.routes["/"] = Reply(shell)
        store = str(tmp_path / "cache.db")
        summary = forks.run(f"{server.url}/", store, javascript="auto", scope="page")
        assert summary.total.pages == 1
    with Store.open(store) as opened:
        page = opened.get(f"{server.url}/")
        assert page is not None
        assert len(page.text) > 400


def test_a_calendar_without_an_end(forks: Forks, tmp_path: Path) -> None:
    """A month leads to the next one, for ever."""

    def month(handler: Handler) -> Reply:
        number = int(handler.path.rpartition("/")[2])
        days = "".join(f"<td>{day}</td>" for day in range(1, 31))
        return Reply(
            f"<h1>Month {number}</h1><table><tr>{days}</tr></table><p>Nothing happens in this "
            f'month, as far as we know. <a href="/month/{number + 1}">Next month</a></p>'
        )

    with serve() as (server,):
        server.routes["/"] = Reply(article(1, ["/month/1"]))
        server.fallback = month
        summary = forks.run(f"{server.url}/", tmp_path / "cache.db")
        assert len(server.paths()) < 60
    assert summary.total.waiting == 0
    assert summary.total.reasons["addresses of this shape bring nothing new"] == 1


def test_a_list_without_an_end(forks: Forks, tmp_path: Path) -> None:
    """The pages of the list that a crawl starts with are as far from the start as it is."""

    def page(handler: Handler) -> Reply:
        number = int(handler.path.rpartition("=")[2])
        cards = "".join(
            f'<div class="card"><h3><a href="/item/{n}">Kettle {n}</a></h3>'
            f'<p class="price">€ {n}9.50</p><p>Boils {n} litres in {n + 2} minutes</p></div>'
            for n in range(1, 9)
        )
        following = f'<a class="next" href="/list?page={number + 1}">Next</a>'
        return Reply(
            f"<html><body><h1>Kettles</h1><div class=list>{cards}</div>"
            f'<div class="pager"><span>{number}</span> {following}</div></body></html>'
        )

    with serve() as (server,):
        for number in range(1, 9):
            server.routes[f"/item/{number}"] = Reply(article(number))
        server.fallback = page
        store = tmp_path / "cache.db"
        summary = forks.run(f"{server.url}/list?page=1", store, depth=1, max_pages=90)
    assert summary.total.pages < 60
    assert summary.total.waiting == 0
    assert summary.total.reasons["addresses of this shape bring nothing new"] == 1


def test_scripts_without_a_browser_are_told_before_anything_is_fetched(
    forks: Forks, tmp_path: Path
) -> None:
    with serve() as (server,):
        add_tree(server, 2)
        setup = "import os; os.environ['TAMIS_CHROMIUM'] = '/no/such/program'"
        with pytest.raises(AssertionError, match="Unavailable"):
            forks.run(f"{server.url}/", tmp_path / "c.db", javascript="auto", setup=setup)
        assert server.hits == []
    assert not (tmp_path / "c.db").exists()

"""Focused crawls on made-up webs: what is made, in which order pages come, what is measured."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("scrapy")
pytest.importorskip("sqlalchemy")

from tamis.cli import tamis as command
from tamis.crawl import Link, Where
from tamis.lab import Log
from tamis.lab.studies import find_study, list_options
from tamis.lab.studies.crawl import (
    ARMS,
    Harvest,
    QueryOrder,
    SearchedQuery,
    SourcePage,
    TokenMemory,
    Web,
    WebPage,
    build_pages,
    build_web,
    crawl_tables,
    crawl_web,
    mean_rate,
    measure_web,
    rank_by_depth,
    rate_difference,
    read_web,
)

from .conftest import ARTICLE, TEXT, Writer

TOPICS = {"garden": "tulips and roses", "harbour": "sailors and ships"}


def topic_page(label: str, number: int) -> SourcePage:
    text = f"About {TOPICS[label]}, part {number}"
    paragraphs = "".join(
        f"<p>{text}: paragraph {n} tells of what happened to {TOPICS[label]} that year.</p>"
        for n in range(6)
    )
    html = (
        f"<html><head><title>{text}</title></head><body><nav><a href=/own>Our own page</a></nav>"
        f"<article><h1>{text}</h1>{paragraphs}</article></body></html>"
    )
    return SourcePage(label, f"site{number % 8}.example", text, text, lambda: html)


@pytest.fixture(scope="module")
def web() -> Web:
    pages = [topic_page(label, number) for number in range(40) for label in TOPICS]
    return build_web("topics", pages, has_names=True)


@pytest.fixture(scope="module")
def pages(web: Web) -> dict[str, WebPage]:
    return read_web(web)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("crawl", {"limit"}),
        ("crawl-speed", {"limit", "rounds"}),
        ("frontier", {"limit", "small", "taken", "rounds"}),
    ],
)
def test_the_studies_keep_the_contract(name: str, options: set[str]) -> None:
    study = find_study(name)
    assert study.name == name
    assert list_options(study) == options
    study()  # all that can be varied has a default


def test_a_web_has_frames_lists_and_links_around_real_pages(web: Web) -> None:
    url = next(url for url, label in web.labels.items() if label == "garden")
    html = web.read(url)
    for part in ("<header class=top>", "<nav class=top>", "class=related", "class=more", "<footer"):
        assert html.count(part) == 1
    assert html.count("See also: ") == 2
    assert html.index("See also: ") < html.index("</article>")
    assert web.read(url) == html


def test_the_same_pages_give_the_same_web(web: Web) -> None:
    again = build_web(
        "topics",
        [topic_page(label, number) for number in range(40) for label in TOPICS],
        has_names=True,
    )
    assert again.labels == web.labels
    assert all(again.read(url) == web.read(url) for url in web.labels)


def test_queries_come_from_pages_that_are_not_in_the_web(web: Web) -> None:
    words = {query.label: [] for query in web.queries}  # type: dict[str, list[str]]
    for query in web.queries:
        words[query.label].append(query.words)
    assert words["garden"][0] == "garden"
    assert set(words["garden"][1].split()) == {"roses", "tulips"}
    assert set(words["harbour"][1].split()) == {"sailors", "ships"}
    # Sites 0 and 4 of eight are held out.
    assert web.count_relevant("garden") == 30


def test_labels_are_not_in_the_site_around_the_pages(web: Web) -> None:
    lists = [url for url, label in web.labels.items() if label is None]
    for url in lists:
        assert "garden" not in web.read(url)
        assert "harbour" not in web.read(url)


def test_every_page_can_be_reached_and_no_other(web: Web, pages: dict[str, WebPage]) -> None:
    order = crawl_web(pages, web.start, rank_by_depth, 10_000)
    assert sorted(order) == sorted(web.labels)
    assert not any("elsewhere" in link.url for page in pages.values() for link in page.links)


def test_whole_pages_have_the_frame_and_informative_blocks_do_not(
    web: Web, pages: dict[str, WebPage]
) -> None:
    page = next(pages[url] for url, label in web.labels.items() if label == "garden")
    assert "All rights reserved" in page.whole
    assert "All rights reserved" not in page.informative
    assert "tulips" in page.informative


def make_page(url: str, *links: tuple[str, Where]) -> WebPage:
    return WebPage(url, "en", "", "", [Link(to, where, to, "") for to, where in links])


def test_the_order_is_that_of_the_frontier() -> None:
    frame, content, pager = Where.FRAME, Where.CONTENT, Where.PAGER
    pages = {
        "/": make_page("/", ("/a", frame), ("/b", content), ("/c", content), ("/2", pager)),
        "/2": make_page("/2", ("/a", content)),
        **{url: make_page(url) for url in ("/a", "/b", "/c")},
    }
    # The second page of a list is as near as the first; of equals the newest comes first; a
    # better link raises an address that waits, which keeps its age.
    assert crawl_web(pages, "/", rank_by_depth, 10) == ["/", "/2", "/c", "/b", "/a"]
    assert crawl_web(pages, "/", rank_by_depth, 2) == ["/", "/2"]


def test_a_query_order_takes_what_the_query_names() -> None:
    where = Where.CONTENT
    pages = {
        "/": make_page("/", ("/ships", where), ("/roses", where), ("/trains", where)),
        **{url: make_page(url) for url in ("/ships", "/roses", "/trains")},
    }
    order = QueryOrder("roses", TokenMemory(), lambda page: page.informative)
    assert crawl_web(pages, "/", order, 2) == ["/", "/roses"]


def test_a_focused_crawl_harvests_more_than_one_breadth_first(web: Web) -> None:
    harvests = list(measure_web(web))
    assert [harvest.query for harvest in harvests] == list(web.queries)
    assert all(set(harvest.rates) == set(ARMS) for harvest in harvests)
    by_words = [harvest for harvest in harvests if harvest.query.words != harvest.query.label]
    assert mean_rate(by_words, "informative blocks", 0.25) > 0.6
    assert mean_rate(by_words, "breadth first", 0.25) < 0.6


def harvest(web: str, label: str, ours: float, theirs: float) -> Harvest:
    rates = {arm: {0.1: theirs, 0.25: theirs, 0.5: theirs} for arm in ARMS}
    rates["informative blocks"] = {0.1: ours, 0.25: ours, 0.5: ours}
    return Harvest(web, SearchedQuery("words", label), 100, 20, rates)


def test_every_web_and_every_label_counts_the_same() -> None:
    harvests = [
        harvest("a", "x", 1.0, 0.0),
        harvest("a", "x", 0.0, 0.0),
        harvest("a", "y", 0.5, 0.0),
        harvest("b", "z", 0.1, 0.0),
    ]
    assert mean_rate(harvests, "informative blocks", 0.1) == pytest.approx(0.3)
    difference = rate_difference(harvests, "whole pages", 0.1)
    assert difference.value == pytest.approx(0.3)
    assert difference.count == 3
    first, gains, *by_web = crawl_tables(harvests)
    assert first.rows[0] == ["informative blocks", "0.300", "0.300", "0.300"]
    assert first.rows[-1] == ["by chance", "0.200", "0.200", "0.200"]
    assert len(gains.rows) == len(ARMS) - 1
    assert [table.title.partition(":")[0] for table in by_web] == ["a", "b"]


def test_the_study_is_a_command(
    written: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = range(8)
    titled = ARTICLE.replace("<title>{n}", "<title>The bridge of day {n}")
    html = {f"html/p{n}.html": titled.format(n=n).encode() for n in numbers}
    rows = [{"id": f"p{n}", "site": f"s{n}.example", "main_content": TEXT} for n in numbers]
    for name in ("wcxb-dev", "languages-dev", "sites-dev", "news-dev", "articles-dev"):
        kinds = [{"page_type": f"type {n % 2}", "lang": ("de", "pl")[n % 2]} for n in numbers]
        written(name, [{**row, **kind} for row, kind in zip(rows, kinds, strict=True)], html)
    records = [[f"Thing {n} of the shop", f"${n}.50"] for n in range(7)]
    categories = [{"category": f"category {n % 2}", "records": records} for n in numbers]
    written(
        "records-dev",
        [{**row, **more} for row, more in zip(rows, categories, strict=True)],
        html,
    )
    monkeypatch.setenv("TAMIS_BENCH", str(tmp_path))
    page = tmp_path / "report.html"
    outcome = CliRunner().invoke(
        command, ["evaluate", "crawl", "--json", "-", "--report", str(page)]
    )
    assert outcome.exit_code == 0, outcome.stderr
    crawls = json.loads(outcome.stdout)
    assert {crawl["web"] for crawl in crawls} == {"categories", "page types", "languages"}
    assert all(set(crawl["rates"]) == set(ARMS) for crawl in crawls)
    assert "Harvest rate, all webs" in page.read_text(encoding="utf-8")


def test_a_web_without_queries_is_an_error(
    written: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"id": "p", "site": "s.example"}
    for name in ("wcxb-dev", "languages-dev", "sites-dev", "news-dev", "articles-dev"):
        written(name, [{**row, "main_content": "A bridge"}], {"html/p.html": b"<p>A bridge"})
    written("records-dev", [{**row, "records": []}], {"html/p.html": b"<p>A bridge"})
    monkeypatch.setenv("TAMIS_BENCH", str(tmp_path))
    outcome = CliRunner().invoke(command, ["evaluate", "crawl"])
    assert outcome.exit_code != 0
    assert "no page of the webs has a label" in outcome.stderr


def test_a_frontier_is_measured_against_a_smaller_one() -> None:
    study = find_study("frontier")(limit=300, small=100, taken=60, rounds=1)  # type: ignore[call-arg]
    (table,) = study.run(Log()).tables
    assert [row[0] for row in table.rows] == ["100", "300"]
    assert table.rows[0][2] == "1.00"
    assert 0 < float(table.rows[1][2]) < 20


def test_the_pages_of_the_speed_study_are_a_tree() -> None:
    pages = build_pages(25)
    assert len(set(pages)) == 25
    links = [link for page in pages for link in re.findall(rb'href="/(\d+)"', page)]
    assert sorted(map(int, links)) == list(range(1, 25))  # each but the first is linked once


@pytest.mark.slow
def test_a_crawl_is_measured_against_plain_scrapy() -> None:
    study = find_study("crawl-speed")(limit=40, rounds=1)  # type: ignore[call-arg]
    report = study.run(Log())
    (table,) = report.tables
    assert [row[0] for row in table.rows] == ["plain Scrapy", "tamis crawl"]
    assert all(float(row[1]) > 0 for row in table.rows)
    assert all(len(row) == len(table.heads) for row in table.rows)
    by_crawler = {run["crawler"]: run["memory"] for run in report.data}
    if sys.platform == "linux":  # where processes tell their memory
        assert set(by_crawler["tamis crawl"]) >= {"0.2", "1"}
        assert by_crawler["tamis crawl"]["1"]["own"] > 20
        assert by_crawler["tamis crawl"]["1"]["workers"] > 20
        assert by_crawler["plain Scrapy"]["1"]["workers"] == 0

"""Links by where they stand, and in which order they are followed."""

from __future__ import annotations

import pytest

import tamis
from tamis.crawl import (
    Directives,
    Link,
    Query,
    QueryRanker,
    Where,
    find_links,
    rank_breadth_first,
    read_head,
)

SENTENCE = "The lock keeper of the canal opens the gates at six in the morning, every day. "
ARTICLE = f"""<!doctype html><html><head><title>Locks</title></head><body>
<nav><ul><li><a href="/">Home</a><li>
<a href="/shop">Shop</a><li><a href="/about">About</a></ul></nav>
<main><article><h1>The lock keeper of Vennel</h1><p>{SENTENCE * 4}</p>
<p>{SENTENCE} Read more about <a href="/gauges?utm_source=x">old water gauges</a> of the valley.
{SENTENCE * 3}</p><p>{SENTENCE * 4}<a href="/locks">this page</a> <a href="#top">top</a>
<a href="/paid" rel="sponsored nofollow">a lender</a> <a href="mailto:a@b">mail</a>
<a href="/map.pdf">the map</a> <a href="/../../x/x/x/x/">loop</a></p></article></main>
<footer><a href="/imprint"><img src="i.png" alt="Imprint and contact"></a>
<a href="/gauges">Gauges</a></footer></body></html>"""


def links_by_path(html: str, url: str) -> dict[str, Link]:
    return {
        link.url.removeprefix("http://canal.example"): link
        for link in find_links(tamis.extract(html, url))
    }


def test_links_of_the_content_come_before_those_of_the_frame() -> None:
    links = links_by_path(ARTICLE, "http://canal.example/locks")
    assert set(links) == {"/gauges", "/", "/shop", "/about", "/imprint"}
    assert next(iter(links)) == "/gauges"
    assert links["/gauges"].where is Where.CONTENT
    assert links["/gauges"].words == "old water gauges"
    assert "Read more about" in links["/gauges"].around
    assert "of the valley" in links["/gauges"].around
    assert links["/imprint"].where is Where.FRAME
    assert links["/imprint"].words == "Imprint and contact"


def list_page(count: int = 20) -> str:
    rows = "".join(
        f'<div class="card"><h3><a href="/item/{n}">Kettle model {n * 37}</a></h3>'
        f'<p class="price">€ {n}9.50</p><p>Boils {n} litres in {n + 2} minutes.</p></div>'
        for n in range(1, count)
    )
    return f"""<html><body><nav><a href="/">Home</a> <a href="/help">Help</a></nav><h1>Kettles</h1>
    <div class="list">{rows}</div><div class="pager"><a href="/list?page=1">Previous</a>
    <span>2</span> <a href="/list?page=3">3</a> <a href="/list?page=3">Next</a></div>
    <footer><a href="/terms">Terms</a></footer></body></html>"""


def test_links_of_records_and_the_next_page() -> None:
    links = links_by_path(list_page(), "http://canal.example/list?page=2")
    assert links["/list?page=3"].where is Where.PAGER
    assert next(iter(links)) == "/list?page=3"
    wheres = {links[f"/item/{n}"].where for n in range(1, 20)}
    assert wheres <= {Where.LIST, Where.CONTENT}
    assert links["/terms"].where is Where.FRAME


def test_what_the_head_says() -> None:
    html = """<head><base href="/docs/"><meta name="ROBOTS" content="noindex">
    <meta name="tamis" content="nofollow"><meta name="otherbot" content="none">
    <link rel="canonical" href="a"><link rel="canonical" href="b">
    <link rel="alternate" type="application/rss+xml" href="/feed.xml">
    <link rel="alternate" type="text/html" href="/de">
    <meta http-equiv="refresh" content="0; url='next'"></head><p>Text"""
    head = read_head(tamis.parse(html, "http://canal.example/x"), "tamis/1")
    assert head.directives == Directives(index=False, follow=False)
    assert head.canonical == "http://canal.example/docs/a"
    assert head.refresh == "http://canal.example/docs/next"
    assert head.feeds == ("http://canal.example/feed.xml",)


@pytest.mark.parametrize("html", ["", "<p>x", '<meta http-equiv=refresh content="900;url=/a">'])
def test_a_head_that_says_nothing(html: str) -> None:
    head = read_head(tamis.parse(html, "http://canal.example/"), "tamis/1")
    assert head == (Directives(), None, None, ())


@pytest.mark.parametrize(
    "content", ["", "0", "0;", ";url=a", "1.2.3;url=a", "0;url=javascript:x", "x" * 10_000]
)
def test_refreshes_that_lead_nowhere(content: str) -> None:
    html = f'<meta http-equiv="refresh" content="{content}">'
    assert read_head(tamis.parse(html, "http://canal.example/"), "tamis/1").refresh is None


def test_breadth_first_the_frame_comes_last() -> None:
    links = {where: Link("http://a/", where, "", "") for where in Where}
    ranked = sorted(links, key=lambda where: -rank_breadth_first(links[where], 1))
    assert ranked[-1] is Where.FRAME
    assert rank_breadth_first(links[Where.CONTENT], 2) > rank_breadth_first(links[Where.FRAME], 1)
    assert rank_breadth_first(links[Where.FRAME], 1) > rank_breadth_first(links[Where.CONTENT], 3)


def tokenize(text: str, language: str | None) -> list[str]:
    return text.lower().split()


def ranker(text: str, query: str = "water gauge") -> QueryRanker:
    frequencies = {"water": 50, "gauge": 2}
    return QueryRanker.for_page(Query(query, frequencies, 100, 10.0), tokenize, text, "en")


def test_best_first_by_words_address_and_page() -> None:
    about = ranker("a water gauge in every lock and water gauge keeper")
    other = ranker("train tables of the northern line")
    plain = Link("http://a/x", Where.CONTENT, "more", "")
    named = Link("http://a/x", Where.CONTENT, "water gauge", "")
    around = Link("http://a/x", Where.CONTENT, "more", "see the water gauge")
    address = Link("http://a/water-gauge", Where.CONTENT, "more", "")
    assert about.page_score > 0.5
    assert other.page_score == 0
    assert about.rank(plain, 1) > other.rank(plain, 1)
    for better in (named, around, address):
        assert other.rank(better, 1) > other.rank(plain, 1)
    assert other.rank(named, 1) > other.rank(around, 1)
    rare, common = (Link("http://a/", Where.FRAME, word, "") for word in ("gauge", "water"))
    assert other.rank(rare, 1) > other.rank(common, 1)
    assert other.rank(named, 1) > other.rank(named, 9)


@pytest.mark.parametrize("query", ["", "   "])
def test_a_query_without_words_ranks_by_place(query: str) -> None:
    links = [Link("http://a/", where, "words", "around") for where in (Where.LIST, Where.FRAME)]
    first, second = (ranker("text", query).rank(link, 1) for link in links)
    assert first > second

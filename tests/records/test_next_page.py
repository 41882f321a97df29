"""The next page: what says so, what only looks like it, and crawls that come to an end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tamis
from helpers.bench import bench_files, bench_page, needs_bench
from helpers.html_strategies import pages, patient
from tamis.page import Page
from tamis.records import compare_urls, find_next_page, leads_back, parse_page_url

SITE = "https://x.example/list"
LIST = "".join(f"<li><h3><a href=/p/{i}>Oak chair {i}</a></h3><b>${i}.50</b></li>" for i in "1234")


def next_page(html: str, head: str = "", url: str | None = f"{SITE}?page=2") -> str | None:
    page = f"<head>{head}</head><body><main><ul>{LIST}</ul>{html}</main>"
    return find_next_page(tamis.parse(page, url))


@pytest.mark.parametrize(
    "html",
    [
        "<a href='?page=3' rel=NEXT>on</a>",
        "<a href=# rel=next>on</a><a href='?page=3'>Next</a>",
        "<a href='?page=2' rel=next>on</a><a href='?page=3'>Next</a>",
        "<a href='?page=1' rel=next>on</a><a href='?page=3'>Next</a>",
        # words
        "<a href='?page=3'>Next -></a>",
        "<a href='?page=3'>Next 20 results</a>",
        "<a href='?page=3'>Go to the next page</a>",
        "<a href='?page=3'><i>Next page</i> <span>Next ›</span></a>",
        "<a href='?page=3'>Volgende pagina</a>",
        "<a href='?page=3'>Próxima página</a>",
        "<a href='?page=3'>Pagina successiva</a>",
        "<a href='?page=3'>Następna strona</a>",
        "<a href='?page=3'>Zur nächsten Seite</a>",
        "<a href='?page=3'>次のページへ</a>",
        "<a href='?page=3'>التالي</a>",
        "<a href='?page=3'>הבא</a>",
        "<a href='?page=3'>Sonraki</a>",
        # labels
        "<a href='?page=3' aria-label='Next page'>→</a>",
        "<a href='?page=3' aria-label='Next page'><i>chevron_right</i></a>",
        "<a href='?page=3'><img src=n.png alt=Next></a>",
        "<a href='?page=3'><i title='Next page'></i></a>",
        "<a href='?page=3'><svg><title>Next page</title><path d=M0></svg></a>",
        "<a href='?page=1' title=Newer>→</a><a href='?page=3' title='Older posts'>←</a>",
        "<p class=pages><a href='?page=9' title='Last page - 81 to 90'>»</a>"
        "<a href='?page=3' title='Next page - 21 to 30'>»</a></p>",
        "<nav aria-label='Page navigation'><a href='?page=1'>‹</a><a href='?page=3'>›</a></nav>",
        "<ul class=pagination><li class=next><a href='?page=3'>Urrengoa</a></ul>",
        # numbers
        "<p><a href='?page=1'>1</a> <b>2</b> <a href='?page=3'>3</a></p>",
        "<p class=pages><a href='?page=1'>1</a> | <b>2</b> | <a href='?page=3'>3</a></p>",
        "<p class=pages><a href='?page=1'>1</a> [2] <a href='?page=3'>3</a></p>",
        "<p class=pages><a href='?page=1'>1-20</a> <b>21-40</b> <a href='?page=3'>41-60</a></p>",
        "<p class=pages><a href='?page=1'>1</a> <a href='?page=2'>2</a> <a href='?page=3'>3</a>",
        "<ul class=pagination><li><a href='?page=1'>1</a><li class=active><a href=#>2"
        "<span class=sr-only>(current)</span></a><li><a href='?page=3'>3</a></ul>",
        "<nav class=pager><a href='?page=1'>1</a><a aria-current=page href='?page=2'>2</a>"
        "<a href='?page=3'>3</a></nav>",
        # what leads to the last page
        "<p class=pages>1 <b>2</b> <a href='?page=3'>3</a> <a title=Last href='?page=9'>»</a></p>",
        "<p class=pages>1 <b>2</b> <a href='?page=3'>3</a> <a href='?page=9'>»</a></p>",
        "<p class=pages><a href='?page=9'>»»</a> <a href='?page=3'>»</a></p>",
        "<p class=pages><a href='?page=9' aria-label='Last page'>»</a> <a href='?page=3'>»</a></p>",
        # what is no list of pages
        "<div class=carousel><a href=/promo2>Next</a></div><a href='?page=3'>Next</a>",
        "<div><a href=/promo2>Next</a></div><a href='?page=3'>Next</a>",
        "<p class=reviews><b>1</b> <a href='?rev=2'>2</a></p>"
        "<p class=pages><a href='?page=1'>1</a> <b>2</b> <a href='?page=3'>3</a></p>",
        # more
        "<a href='?page=3'>Load more</a>",
        "<div><a href='?page=3'>Show more results</a></div>",
        "<a href=/shop>More</a><a href='?page=3'>More</a>",
        "<a href='?page=9'>More</a><div class=pager><a href='?page=3'>›</a></div>",
    ],
)
def test_the_third_page_follows_the_second(html: str) -> None:
    assert next_page(html) == f"{SITE}?page=3"


@pytest.mark.parametrize(
    "html",
    [
        "<a rel=next href='http://[bad'>x</a>",
        "<a class='next disabled' aria-disabled=true href='?page=3'>Next</a>",
        "<ul class=pagination><li class=disabled><a href='?page=3'>Next</a></ul>",
        "<a aria-disabled=true href='?page=3' rel=next>Next</a>",
        "<a href='?page=1'>Next</a>",
        "<a href='/list'>Next</a>",
        "<a href='?page=1' rel=next>Next</a>",
        "<p class=pages><a href='?page=9'>»»</a></p>",
        "<p class=pages><a href='?page=9' title='Last page'>»</a></p>",
        "<p class=pages><a href='?page=9' aria-label='Next slide'>»</a></p>",
        "<p class=pages><a href='?page=1'>1</a> <b>2</b></p>",
        "<p class=pages>Page 0 <a href='?page=1'>1</a> <a href='?page=2'>2</a></p>",
        "<div class=carousel><a href=/promo2>Next</a></div>",
        "<a href=https://other.example/issue>Next</a>",
        "<a href=/>Next</a>",
        "<p><a href=/older>Older</a> versions of the manual say that this is how it should be done "
        "by all who do it, and nobody objects.</p>",
        "<a href=/p/1>weiter</a><a href=/p/2>weiter</a><a href=/p/3>weiter</a>",
        "<a href=/shop>More</a>",
        "<aside><ul><li>A<li>B<li>C</ul><a href='?page=3'>More</a></aside>",
        "<a href='javascript:more()'>Load more</a>",
        "<table class=calendar><tr><td>13<td>14<td><a href='?day=15'>15</a></table>",
        "<p><a href='?year=2023'>2023</a> <b>2024</b> <a href='?year=2025'>2025</a></p>",
        "<a href='http://[bad'>Next</a>",
    ],
)
def test_no_page_follows(html: str) -> None:
    assert next_page(html) is None


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ("<head><link rel=next href=/p2></head>", "https://x.example/p2"),
        ("<a rel='nofollow next' href=/p2>go on</a>", "https://x.example/p2"),
        ("<a href=/p2>Next</a>", "https://x.example/p2"),
        ("<a href=/p2>Next page ›</a>", "https://x.example/p2"),
        ("<a href=/p2>Weiter</a>", "https://x.example/p2"),
        ("<a href=/p2>下一页</a>", "https://x.example/p2"),
        ("<a href=/p2 aria-label='Next page'><svg></svg></a>", "https://x.example/p2"),
        ("<div class=pager><a href=/p2>»</a></div>", "https://x.example/p2"),
        ("<div><a href=/p2>»</a></div>", None),
        ("<div class=pagination><b>3</b> <a href=/p4>4</a></div>", "https://x.example/p4"),
        ("<div class=pagination><a href=/p2>2</a> <b>3</b></div>", None),
        ("<ul class=pages><li class=active><a href=#>1</a><li><a href=/p2>2</a></ul>", "https://x.example/p2"),
        ("<a href=/p2>Next to the river</a>", None),
        ("<a href='javascript:go()'>Next</a>", None),
        ("<a href='#more'>Next</a>", None),
        ("", None),
    ],
)  # fmt: skip
def test_the_next_page_of_a_document(html: str, wanted: str | None) -> None:
    assert tamis.extract(html, url="https://x.example/list").next_page == wanted


def test_utility_classes_do_not_disable_a_link() -> None:
    html = "<a class='p-2 disabled:opacity-50 active:shadow' href='?page=3'>Next</a>"
    assert next_page(html) == f"{SITE}?page=3"


def test_without_a_url_the_pager_decides() -> None:
    html = (
        "<div class=reviews><p class=pages><b>1</b> <a href='?rev=2'>2</a></p></div>"
        "<ul class=pagination><li class=inactive><a href='?page=1'>1</a>"
        "<li class=inactive><a href='?page=2'>2</a><li class=current>3"
        "<li class=inactive><a href='?page=4'>4</a></ul>"
    )
    assert next_page(html, url=None) == "?page=4"


# Crawls ---------------------------------------------------------------------------------------


def item(number: int, shown: int) -> str:
    name = "current" if number == shown else "inactive"
    return f"<li class='page {name}'><a href='/list?page={number}'>{number}</a></li>"


def bold(number: int, shown: int) -> str:
    return (
        f"<b>{number}</b> |" if number == shown else f"<a href='/list?page={number}'>{number}</a> |"
    )


def plain(number: int, shown: int) -> str:
    return f"<a href='/list?page={number}'>Page {number}</a> "


@pytest.mark.parametrize("step", [item, bold, plain])
@pytest.mark.parametrize(
    "end", ["", "<a href='/list?page=7' title='Last page'>»</a>", "<a href='/list?page=1'>Next</a>"]
)
def test_a_crawl_sees_each_page_once_and_ends(step: Callable[[int, int], str], end: str) -> None:
    url, seen = f"{SITE}?page=1", [1]
    while True:
        pager = "".join(step(number, seen[-1]) for number in range(1, 8))
        after = next_page(f"<div class=pagination>{pager}{end}</div>", url=url)
        if after is None:
            break
        url = after
        seen.append(int(url.partition("page=")[2]))
        assert len(seen) < 9
    assert seen == [1, 2, 3, 4, 5, 6, 7]


# URLs -----------------------------------------------------------------------------------------


def test_urls_are_the_more_similar_the_less_they_differ() -> None:
    page_url = parse_page_url("https://x.example/shop/pots?color=red&page=2")
    urls = [
        "https://x.example/shop/pots?page=3&color=red",
        "https://x.example/shop/pots?color=red&sort=3",
        "https://x.example/blog/news",
        "https://y.example/shop/pots?page=3&color=red",
    ]
    values = [compare_urls(url, page_url) for url in urls]
    assert values == sorted(set(values), reverse=True)


@pytest.mark.parametrize(
    ("url", "page_url", "back"),
    [
        ("https://x.example/a?page=1", "https://x.example/a?page=2", True),
        ("https://x.example/a?page=2", "https://x.example/a?Page=2", True),
        ("https://x.example/a", "https://x.example/a/page/2/", True),
        ("https://x.example/a/page/3/", "https://x.example/a/page/2/", False),
        ("https://x.example/a?page=3", "https://x.example/a?start=40", False),
        ("https://x.example/b?page=1", "https://x.example/a?page=2", False),
        ("http://[bad", "https://x.example/a?page=2", True),
    ],
)
def test_a_url_may_lead_back(url: str, page_url: str, back: bool) -> None:
    assert leads_back(url, parse_page_url(page_url)) is back


# Any page -------------------------------------------------------------------------------------


@settings(patient, max_examples=60)
@given(pages(), st.sampled_from([None, "", "x", "https://[", "https://x.example/a?page=2", "a:b"]))
def test_any_page_is_read(page: Page, url: str | None) -> None:
    assert isinstance(find_next_page(replace(page, url=url)), str | None)


def test_many_links_take_little_time() -> None:
    links = "".join(
        f"<a class=next href=?q={i}>Next</a> <a href=?page={i}>{i}</a>" for i in range(4000)
    )
    assert isinstance(next_page(f"<div class=pager>{links}</div>"), str | None)


@needs_bench
def test_pages_of_the_benchmark_have_a_next_page_or_none() -> None:
    answers = [find_next_page(bench_page(path)) for path in bench_files(60)]
    assert any(answers)
    assert not all(answers)

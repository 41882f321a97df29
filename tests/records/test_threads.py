"""Threads: messages of a page as ranges of rows; properties, hostile pages, and growth."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from page.soup import patient
from tamis.errors import DeadlineExceeded
from tamis.page import Budget, Deadline, Page, parse
from tamis.records import Message, Threads, find_threads, may_be_thread

URL = "https://forum.example/thread/1"
WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()


def build_post(number: int, text: str, *, user: str | None = None) -> str:
    name = user or f"user{number % 7}"
    return (
        f'<div class="post" id="p{number}"><div class="head">'
        f'<a class="username" href="/user/{name}">{name}</a> '
        f'<span class="date">{number % 28 + 1} March 2020 10:{number % 60:02d}</span></div>'
        f'<div class="body">{text}</div><a href="/reply/{number}">Reply</a></div>'
    )


def build_thread(texts: Sequence[str]) -> str:
    posts = "".join(build_post(number, text) for number, text in enumerate(texts))
    return f"<html><body><h1>A thread</h1><div id='posts'>{posts}</div></body></html>"


def body_text(page: Page, message: Message) -> str:
    rows = message.parts.body.tolist()
    return " ".join(page.text[page.text_start[row] : page.text_stop[row]] for row in rows)


def check_ranges(page: Page, threads: Threads) -> None:
    """Ranges are in order and disjoint, and parts lie in them."""
    for messages in (threads.posts, threads.comments):
        for before, after in pairwise(messages):
            assert before.stop <= after.start
    for message in (*threads.posts, *threads.comments):
        assert 0 <= message.start < message.stop <= len(page)
        parts = message.parts
        for rows in (parts.body, parts.quote, parts.signature):
            assert np.all((rows >= message.start) & (rows < message.stop))
            assert np.all(np.diff(rows) > 0)
        assert set(parts.quote.tolist()) <= set(parts.body.tolist())
        assert not set(parts.signature.tolist()) & set(parts.body.tolist())
        assert parts.author == -1 or message.start <= parts.author < message.stop
        assert parts.date == -1 or message.start <= parts.date < message.stop


@patient
@given(
    st.lists(
        st.lists(st.sampled_from(WORDS), min_size=5, max_size=40).map(" ".join),
        min_size=3,
        max_size=12,
    )
)
def test_every_post_is_found_whole_and_in_order(texts: list[str]) -> None:
    page = parse(build_thread([f"Number {n}: {text}" for n, text in enumerate(texts)]), URL)
    threads = find_threads(page, None, "forum")
    assert threads.is_thread
    check_ranges(page, threads)
    assert [body_text(page, post) for post in threads.posts] == [
        f"Number {n}: {text}" for n, text in enumerate(texts)
    ]


def test_short_texts_in_rows_below_long_heads_are_posts() -> None:
    title = "Re: What the miller at the lower weir did about the eels in his wheel"
    texts = ["Ha!", "Same here.", *(f"Number {n}: {' '.join(WORDS * 3)}" for n in range(4))]
    rows = "".join(
        f'<tr><td class="bold"><a href="/t/7#{n}">{title}</a> by <a class="user" href="/u{n}">A{n}'
        f'</a>: <span class="s"><b>1{n}:16</b> On <b>Apr {n + 10}</b></span></td></tr>'
        f'<tr><td class="w"><div class="narrow">{text}</div></td></tr>'
        for n, text in enumerate(texts)
    )
    page = parse(f"<html><body><table>{rows}</table></body></html>", URL)
    threads = find_threads(page, None, "forum")
    assert [body_text(page, post) for post in threads.posts] == texts


COMMENT = '<li class="blog-comment"><div class="avatar"></div><div class="wide">{}</div></li>'


@pytest.mark.parametrize(("name", "count"), [("blog-comment", 3), ("blog-tip", 0)])
def test_comments_without_authors_and_dates_are_known_by_their_names(name: str, count: int) -> None:
    body = "".join(f"<p>{' '.join(WORDS * 5)} {number}.</p>" for number in range(6))
    texts = [f"Remark {number}: {' '.join(WORDS)}" for number in range(3)]
    comments = "".join(COMMENT.format(text) for text in texts).replace("blog-comment", name)
    page = parse(f"<body><article>{body}</article><ul>{comments}</ul>", "https://mill.example/a")
    threads = find_threads(page, None, "article")
    assert [body_text(page, comment) for comment in threads.comments] == texts[:count]
    assert not threads.is_thread


TAGS = ("div", "p", "li", "ul", "td", "tr", "table", "blockquote", "span", "b", "article")
CLASSES = (
    "post",
    "comment",
    "author",
    "date",
    "body",
    "quote",
    "sig",
    "reply",
    "comment-body",
    "x",
)
PIECES = (
    "3 March 2020",
    "yesterday",
    "12:30",
    "user one",
    "Some words of a text that is long",
    "#4",
)


@st.composite
def scrambled_pages(draw: st.DrawFn) -> str:
    """Return pages of random elements that look like parts of messages."""
    parts = []
    for _ in range(draw(st.integers(1, 60))):
        kind = draw(st.integers(0, 3))
        if kind == 0:
            tag, name = draw(st.sampled_from(TAGS)), draw(st.sampled_from(CLASSES))
            parts.append(f'<{tag} class="{name}" id="{name}-{draw(st.integers(0, 9))}">')
        elif kind == 1:
            parts.append(f"</{draw(st.sampled_from(TAGS))}>")
        elif kind == 2:
            parts.append(
                f'<a href="/user/{draw(st.integers(0, 9))}">{draw(st.sampled_from(PIECES))}</a>'
            )
        else:
            parts.append(draw(st.sampled_from(PIECES)))
    return "".join(parts)


@patient
@given(scrambled_pages(), st.sampled_from((None, "forum", "article")))
def test_ranges_are_disjoint_whatever_the_page(html: str, page_type: str | None) -> None:
    page = parse(html, URL)
    check_ranges(page, find_threads(page, None, page_type))


def test_dates_in_elements_inside_each_other_make_no_empty_messages() -> None:
    html = (
        '3 March 2020<div class="post"><div class="post"></div></div></div>3 March 2020<ul '
        'class="body"><td class="post">3 March 2020<div class="post"></div></div><ul class="body">'
        "3 March 2020"
    )
    page = parse(html)
    check_ranges(page, find_threads(page))


@patient
@given(scrambled_pages())
def test_the_same_page_gives_the_same_messages(html: str) -> None:
    page = parse(html)
    first, second = find_threads(page), find_threads(page)
    starts = [[message.start for message in t.posts + t.comments] for t in (first, second)]
    assert starts[0] == starts[1]


@pytest.mark.parametrize(
    "html", ["", "<p>", "<title>x</title>", "<div class=comment></div>", "\x00"]
)
def test_a_page_with_nothing_has_no_messages(html: str) -> None:
    threads = find_threads(parse(html))
    assert (threads.posts, threads.comments, threads.is_thread) == ((), (), False)


def test_head_and_text_in_rows_of_a_table_are_one_post() -> None:
    rows = "".join(
        f"<tr class=head><td><b>Name {n}</b></td><td>{n + 1}.02.2005 10:0{n}</td></tr>"
        f"<tr class=text><td colspan=2>The text of entry {n}, in a row of its own.</td></tr>"
        for n in range(5)
    )
    page = parse(f"<table>{rows}</table>", "https://choir.example/guestbook")
    threads = find_threads(page, None, None)
    assert [body_text(page, post) for post in threads.posts] == [
        f"The text of entry {n}, in a row of its own." for n in range(5)
    ]


def test_teasers_with_authors_and_dates_are_no_posts() -> None:
    teaser = (
        '<article class="teaser"><h2><a href="/story/{n}">A headline about subject {n}</a></h2>'
        '<span class="byline">Ann Author {n}</span> <time>{n} May 2021</time>'
        "<p>A summary of the story {n} in one or two sentences, to make you read on.</p></article>"
    )
    html = f"<main>{''.join(teaser.format(n=n) for n in range(1, 9))}</main>"
    threads = find_threads(parse(html, "https://news.example/"), None, "listing")
    assert not threads.is_thread
    assert threads.posts == ()


def test_names_alone_make_no_comments() -> None:
    """A thread whose posts are called comments has no text outside of them."""
    posts = "".join(
        build_post(n, f"The text of post {n}, which is a thought of its own.") for n in range(6)
    ).replace('class="post"', 'class="comment"')
    threads = find_threads(parse(f"<body>{posts}</body>", URL), None, "forum")
    assert threads.is_thread
    assert len(threads.posts) == 6
    assert threads.comments == ()


def test_a_cheap_look_tells_pages_that_may_have_messages() -> None:
    article = parse(
        "<article><h1>Title</h1><p>Words without end.</p></article>", "https://a.example/"
    )
    assert not may_be_thread(article, "article")
    assert may_be_thread(article, "forum")
    assert not may_be_thread(parse("<li class=comment>Words</li>"), "article")
    assert may_be_thread(parse("<p>Words</p>", URL), "article")


@pytest.mark.heavy
@pytest.mark.parametrize("count", [5_000])
def test_a_thread_of_thousands_of_posts_takes_time_in_proportion(count: int) -> None:
    def seconds(size: int) -> float:
        page = parse(build_thread([f"The text of post {n}, of its own." for n in range(size)]), URL)
        start = time.process_time()
        threads = find_threads(page, None, "forum")
        assert len(threads.posts) == size
        return time.process_time() - start

    seconds(100)
    small = min(seconds(count // 4) for _ in range(3))
    assert seconds(count) < 12 * small  # four times as many posts; sixteen would be quadratic


@pytest.mark.heavy
def test_comments_that_are_nested_very_deeply_end() -> None:
    comment = "<div class=comment><cite>user{n}</cite> <time>{d} March 2020</time><p>Words {n}.</p>"
    html = "<p>" + "A body of many words. " * 60 + "</p>"
    html += "".join(comment.format(n=n, d=n % 28 + 1) for n in range(5_000))
    page = parse(html)
    check_ranges(page, find_threads(page, None, "article"))


def test_the_search_stops_at_the_deadline() -> None:
    page = parse(build_thread([f"The text of post {n}." for n in range(2_000)]), URL)
    budget = Deadline(0.0001).budget
    with pytest.raises(DeadlineExceeded), budget.spending("finding posts"):
        find_threads(page, None, "forum", budget)
    assert isinstance(budget, Budget)

"""Posts and comments of documents: the samples, their values, and where they go."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tamis
from tamis.content import Comment, Document, Post

SAMPLES = Path(__file__).parents[2] / "samples" / "threads"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.html"))


def extract_sample(name: str) -> Document:
    return tamis.extract((SAMPLES / f"{name}.html").read_bytes(), f"https://{name}.example/page")


def read_expected(name: str) -> list[dict[str, Any]]:
    lines = (SAMPLES / "expected" / f"{name}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_has_its_posts_and_comments(name: str) -> None:
    document = extract_sample(name)
    posts = [{"kind": "post", **post.as_dict()} for post in document.posts]
    comments = [{"kind": "comment", **comment.as_dict()} for comment in document.comments]
    assert posts + comments == read_expected(name)


def test_a_thread_has_quotes_signatures_and_no_comments() -> None:
    document = extract_sample("thread")
    assert [post.author for post in document.posts] == [
        "wickerwing", "Old Smoker", "wickerwing", "Old Smoker",
    ]  # fmt: skip
    third = document.posts[2]
    assert third.quote == "Old Smoker wrote: Wait for a week below eight degrees."
    assert third.quote in third.text
    assert (
        document.posts[1].signature == "Forty winters, eleven hives, no opinion on anything else."
    )
    assert "Forty winters" not in document.posts[1].text
    assert "Joined" not in "".join(post.text for post in document.posts)
    assert document.comments == ()


def test_a_question_has_answers_and_comments_on_them() -> None:
    document = extract_sample("questions")
    assert [post.is_question for post in document.posts] == [True, False, False]
    assert [post.is_accepted for post in document.posts] == [False, True, False]
    assert [comment.post for comment in document.comments] == [0, 0, 1]
    texts = "".join(post.text for post in document.posts)
    assert not any(comment.text in texts for comment in document.comments)


def test_comments_below_an_article_are_no_posts() -> None:
    document = extract_sample("comments")
    assert document.posts == ()
    assert [comment.depth for comment in document.comments] == [0, 1, 0]
    assert all(comment.post is None for comment in document.comments)


def test_every_way_of_markup_gives_the_xpath_of_its_element() -> None:
    from tamis.page import find_row

    for name in NAMES:
        document = extract_sample(name)
        xpaths = [post.xpath for post in document.posts]
        xpaths += [comment.xpath for comment in document.comments]
        assert xpaths
        assert all(find_row(document.page, xpath) is not None for xpath in xpaths)


def test_an_article_without_comments_has_neither() -> None:
    page = SAMPLES.parent / "article.html"
    document = tamis.extract(page.read_bytes(), "https://news.example/a")
    assert (document.posts, document.comments) == ((), ())


def test_a_post_and_a_comment_are_immutable() -> None:
    post, comment = extract_sample("thread").posts[0], extract_sample("comments").comments[0]
    for message in (post, comment):
        with pytest.raises(AttributeError):
            message.text = "other"  # type: ignore[misc]
    assert isinstance(post, Post)
    assert isinstance(comment, Comment)


def test_dates_are_read_as_the_page_writes_them() -> None:
    head = '<a class="username" href="/user/{0}">name{0}</a> <span class="date">{1}</span>'
    posts = "".join(
        f'<div class="post">{head.format(number, date)}<div class="body">Text number {number}, '
        "which is long enough to be the text of a post.</div></div>"
        for number, date in enumerate(("05/03/2021", "06/03/2021", "07/03/2021"))
    )
    url = "https://forum.example/thread/1"
    for language, month in (("en-GB", 3), ("en-US", None)):
        document = tamis.extract(f'<html lang="{language}"><body>{posts}</body></html>', url)
        dates = [post.date for post in document.posts]
        wanted = [f"2021-{month or day:02d}-{day if month else 3:02d}" for day in (5, 6, 7)]
        assert dates == wanted
        assert document.posts[0].date_text == "05/03/2021"


def test_unsafe_links_of_authors_are_left_out() -> None:
    post = (
        '<div class="post"><a class="username" href="javascript:alert(1)//user">name{0}</a> '
        '<span class="date">0{0} March 2021</span><div class="body">Some words of post {0}, long '
        "enough to be a text.</div></div>"
    )
    html = "<body>" + "".join(post.format(number) for number in range(1, 5)) + "</body>"
    document = tamis.extract(html, "https://forum.example/thread/1")
    assert len(document.posts) == 4
    assert all(post.author_url is None for post in document.posts)


def test_rows_of_json_have_posts_and_comments() -> None:
    data = extract_sample("questions").json
    assert len(data["posts"]) == 3
    assert data["comments"][2]["post"] == 1
    json.dumps(data)

"""Posts of a thread are content together; comments below a text only if they are asked for."""

from __future__ import annotations

import pytest

import tamis
from tamis.errors import InputError

WORDS = "The river rose overnight and the old locks were closed by hand before the morning came. "


def comment(number: int) -> str:
    return (
        f'<li class="comment" id="comment-{number}"><div class="comment-author">'
        f'<a class="author" href="/user/{number}">Reader {number}</a></div>'
        f'<time datetime="2024-03-0{number}">{number} March 2024</time>'
        f'<div class="comment-body"><p>Remark {number}: I saw the water myself that night, and '
        "it was higher than anybody had said it would be.</p></div></li>"
    )


COMMENTS = "".join(map(comment, range(1, 7)))
ARTICLE = (
    "<html><head><title>Locks closed by hand</title></head><body><nav><a href=/>Home</a></nav>"
    f"<article><h1>Locks closed by hand</h1>{f'<p>{WORDS * 3}</p>' * 6}</article>"
    f'<section class="comments" id="comments"><h2>6 comments</h2><ol>{COMMENTS}</ol>'
    "<form><textarea></textarea></form></section></body></html>"
)


def test_comments_are_content_only_if_asked_for() -> None:
    document = tamis.extract(ARTICLE)
    assert "The river rose" in document.text
    assert "Remark" not in document.text
    assert len(document.comments) == 6
    text = tamis.extract(ARTICLE, comments=True).text
    assert all(f"Remark {number}" in text for number in range(1, 7))


def test_other_methods_cannot_tell_comments() -> None:
    with pytest.raises(InputError, match="kfeature cannot tell comments from content"):
        tamis.extract(ARTICLE, method="kfeature", comments=True)


def test_short_posts_of_a_thread_are_kept_with_long_ones() -> None:
    texts = ["I agree.", WORDS * 4, "So do I, since last year.", WORDS * 3, "Thanks to you all!"]
    posts = "".join(
        f'<div class="post" id="post-{number}"><div class="username"><a href="/u/{number}">user'
        f'{number}</a></div><span class="date">2024-05-0{number + 1} 10:00</span>'
        f'<div class="post-content"><p>{text}</p></div></div>'
        for number, text in enumerate([WORDS * 2, *texts, WORDS])
    )
    html = (
        "<html><head><title>Locks - River Forum</title></head><body class=forum><nav><a href=/>"
        f'Forum</a></nav><h1>Locks</h1><div class="thread topic">{posts}</div></body></html>'
    )
    document = tamis.extract(html, "https://forum.example/viewtopic.php?t=1")
    assert document.page_type == "forum"
    assert len(document.posts) == 7
    assert all(text.strip() in document.text for text in texts)

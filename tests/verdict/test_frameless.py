"""On a short page without a frame all is content but controls."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.growth import LINEAR, growth
from helpers.html_strategies import patient
from helpers.layouts import laid_out
from tamis.blocks import TagSet
from tamis.pipeline import Method
from tamis.verdict import Learned
from tamis.verdict.learned import MAX_FRAMELESS_TERMS, Frameless, extract_features, judge_frameless

FAVORS: tuple[Literal["precision", "recall"] | None, ...] = ("precision", None, "recall")
FRAGMENT = (
    "<article><h1>Title</h1><p>A paragraph of words here.</p>"
    "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>"
    "<pre><code>x = 1\ny = 2</code></pre><ul><li>one</li><li>two</li></ul></article>"
)
ALL = "Title\n\nA paragraph of words here.\n\na\tb\n1\t2\n\nx = 1\ny = 2\n\n- one\n- two"
WHY = "no frame on the page, probability 0.90"
MENU = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("Home", "Shop", "About"))


def judged(html: str) -> Frameless | None:
    return judge_frameless(extract_features(TagSet().segment(tamis.parse(html))))


def reasons(html: str) -> dict[str, str | None]:
    return {block.text: block.reason for block in tamis.extract(html).blocks}


@pytest.mark.parametrize("favor", FAVORS)
def test_a_fragment_is_given_as_a_whole(favor: Literal["precision", "recall"] | None) -> None:
    document = tamis.extract(FRAGMENT, method=Method(TagSet(), Learned(favor)))
    assert document.text == ALL
    assert document.status == "good"
    assert document.confidence == 0.9
    assert {(block.informative, block.score, block.reason) for block in document.blocks} == {
        (True, 0.9, WHY)
    }


def test_so_is_a_whole_page_of_it() -> None:
    head = "<!doctype html><html lang=en><head><title>Of the page</title><meta charset=utf-8>"
    assert tamis.extract(f"{head}</head><body class=page>{FRAGMENT}</body></html>").text == ALL


WORD = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyzäéßłжш"), min_size=1, max_size=9)
WORDS = st.lists(WORD, min_size=1, max_size=6).map(" ".join)


def wrapped(tag: str, inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return an element around some content."""
    return inside.map(lambda content: f"<{tag}>{content}</{tag}>")


def several(part: st.SearchStrategy[str], most: int = 3) -> st.SearchStrategy[str]:
    """Return some parts, one after another."""
    return st.lists(part, min_size=1, max_size=most).map("".join)


LINE = st.one_of(
    *(wrapped(tag, WORDS) for tag in ("b", "em", "code", "mark", "span", "a href=/x")), WORDS, WORDS
).map(lambda html: html.replace("</a href=/x>", "</a>"))
TEXT = st.builds("{} {}".format, WORDS, LINE)
PARAGRAPH = wrapped("p", TEXT)
HEADING = st.one_of(*(wrapped(f"h{level}", WORDS) for level in range(1, 7)))
ITEM = wrapped("li", TEXT)
LIST = st.one_of(wrapped("ul", several(ITEM)), wrapped("ol", several(ITEM)))
ROW = st.one_of(
    st.builds("<tr><td>{}</td><td>{}</td></tr>".format, TEXT, WORDS),
    st.builds("<tr><th>{}</th><td>{}</td></tr>".format, WORDS, WORDS),
)
TABLE = wrapped("table", several(ROW))
CODE = st.builds("<pre><code>{}\n  {}</code></pre>".format, WORDS, WORDS)
QUOTE = st.one_of(
    wrapped("blockquote", several(PARAGRAPH, 2)),
    st.builds("<blockquote><p>{}</p><footer>{}</footer></blockquote>".format, WORDS, WORDS),
)
TERMS = wrapped("dl", several(st.builds("<dt>{}</dt><dd>{}</dd>".format, WORDS, TEXT)))
FIGURE = st.builds("<figure><img src=/i.png><figcaption>{}</figcaption></figure>".format, WORDS)
PARTS = st.one_of(HEADING, PARAGRAPH, LIST, TABLE, CODE, QUOTE, TERMS, FIGURE)
FRAGMENTS = st.builds(
    lambda around, html: around.format(html),
    st.sampled_from(
        (
            *("{}", "<article>{}</article>", "<main>{}</main>", "<section>{}</section>"),
            *("<div>{}</div>", "<html><head><title>t</title></head><body>{}</body></html>"),
        )
    ),
    several(PARTS, 6),
)
ADDRESS = re.compile(r"\]\(/[\w.]*\)")  # of a link or picture in Markdown
TAG = re.compile("<title>t</title>|<[^>]*>")


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text)


@patient
@given(FRAGMENTS)
def test_every_word_of_a_fragment_is_kept(html: str) -> None:
    words = words_of(TAG.sub(" ", html))
    if len(words) >= MAX_FRAMELESS_TERMS:
        return
    document = tamis.extract(html)
    assert words_of(document.text) == words
    assert words_of(ADDRESS.sub(" ", document.markdown)) == words


@pytest.mark.parametrize(
    "frame",
    [
        "<nav>Home</nav>",
        "<header>Name of the site</header>",
        "<footer>All rights reserved</footer>",
        "<aside>Another story</aside>",
        "<div role=navigation>Home</div>",
        '<div role="Banner x">Name</div>',
        "<div role=contentinfo>Rights</div>",
        "<div class=main-menu>Home</div>",
        "<div id=sidebar>Others</div>",
        "<div class='cookie banner'>We use them</div>",
        "<section><header>Name</header></section>",
        "<script>load()</script>",
    ],
)
def test_a_page_with_a_frame_is_judged_by_its_evidence(frame: str) -> None:
    assert judged(FRAGMENT) is not None
    assert judged(FRAGMENT + frame) is None
    assert WHY not in reasons(FRAGMENT + frame).values()


@pytest.mark.parametrize(
    "part",
    [
        "<h2 id=related-work>Related work</h2>",
        "<p>Go to the <a class=top href=#top>top</a></p>",
        "<article><header><h2>One</h2></header><p>two<footer>three</footer></article>",
        "<p role=note>A note</p>",
        "<p class=intro>A beginning</p>",
        "<p role=''>No role</p>",
    ],
)
def test_what_sounds_like_a_frame_may_be_none(part: str) -> None:
    bare = judged(FRAGMENT + part)
    assert bare is not None
    assert bare.content.all()


def test_a_long_fragment_is_judged_by_its_evidence() -> None:
    assert judged(f"<p>{'word ' * (MAX_FRAMELESS_TERMS - 1)}</p>") is not None
    assert judged(f"<p>{'word ' * MAX_FRAMELESS_TERMS}</p>") is None
    long = FRAGMENT + "".join(f"<p>{'These are words of a story. ' * 20}</p>" for _ in range(50))
    assert judged(long) is None
    assert WHY not in reasons(long).values()


@pytest.mark.parametrize(
    "html",
    [
        f"<nav><ul>{MENU}</ul></nav>",
        "<nav><a href=/>Home</a></nav>",
        "<nav>Home</nav>",
        f"<body><div role=navigation>{MENU}</div><img src=x></body>",
        f"<nav>{MENU}</nav><script>start()</script>",
    ],
)
def test_navigation_alone_is_no_content(html: str) -> None:
    for favor in FAVORS:
        document = tamis.extract(html, method=Method(TagSet(), Learned(favor)))
        assert document.text == ""
        assert WHY not in {block.reason for block in document.blocks}
    assert tamis.extract(f"{html}<p>It rained, again, all day.</p>").text != ""


@pytest.mark.parametrize("html", ["", "  ", "<script>x</script>", "<p></p>", "<img src=x>"])
def test_a_page_without_text_has_no_content(html: str) -> None:
    document = tamis.extract(html)
    assert document.text == ""
    assert not any(block.informative for block in document.blocks)


@pytest.mark.parametrize(
    "text", ["word", "Words, and no markup. Not a tag.", "a\n\nb", "今天天气好"]
)
def test_plain_text_is_content(text: str) -> None:
    assert words_of(tamis.extract(text).text) == words_of(text)


@pytest.mark.parametrize(
    "control",
    [
        "<select><option>Red</option><option>Blue</option></select>",
        "<textarea>Write here</textarea>",
        "<button>Buy now</button>",
        "<div role=button>Buy now</div>",
        "<label>Name <input></label>",
        "<fieldset><legend>Colours</legend><label><input type=radio> Red</label></fieldset>",
        "<form>Name: <input name=n> <input type=submit></form>",
        "<form><table><tr><td>Name</td><td><input></td></tr></table></form>",
    ],
)
def test_controls_are_no_content(control: str) -> None:
    assert tamis.extract(FRAGMENT + control).text == ALL
    assert tamis.extract(control + FRAGMENT).text == ALL
    assert tamis.extract(control).text == ""
    given = set(reasons(control + FRAGMENT).values())
    assert given <= {WHY, "control, probability 0.00", "no text"}
    assert given & {"control, probability 0.00", "no text"}


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h2><button>What is it?</button></h2><p>A sieve.", "What is it?\n\nA sieve."),
        ("<ul><li><input type=checkbox> Flour<li><input type=checkbox> Salt", "- Flour\n- Salt"),
        ("<form><input type=hidden name=s>Words <input type=HIDDEN>of a page</form>", None),
        ("<form><h1>Log in</h1><label>Name <input></label><button>Go</button></form>", "Log in"),
        ("<form><table><tr><td><p>Words<table><tr><td><input></table></table></form>", "Words"),
        ("<p>Press <button>Enter</button> to go on from here.", None),
    ],
)
def test_text_beside_controls_is_content(html: str, text: str | None) -> None:
    document = tamis.extract(html)
    assert document.text == text if text else words_of(document.text) == words_of(TAG.sub("", html))


@pytest.mark.parametrize(
    "hidden",
    [
        "<p hidden>Later</p>",
        "<p style='display: none'>Later</p>",
        "<style>.later { display: none }</style><p class=later>Later</p>",
        "<div style=display:none><p>Later</div>",
    ],
)
def test_what_is_hidden_is_no_content(hidden: str) -> None:
    assert tamis.extract(FRAGMENT + hidden).text == ALL
    assert reasons(FRAGMENT + hidden)["Later"] == "hidden, probability 0.00"


def test_a_page_that_hides_all_is_judged_by_its_evidence() -> None:
    html = f"<div style=display:none>{FRAGMENT}</div>"
    assert judged(html) is None
    assert "A paragraph of words here." in tamis.extract(html).text


def test_what_a_browser_does_not_show_is_no_content() -> None:
    page = laid_out(tamis.parse(FRAGMENT))
    assert page.layout is not None
    shown = np.ones(len(page), dtype=np.bool_)
    heading = int(np.flatnonzero([page.name(row) == "h1" for row in range(len(page))])[0])
    shown[heading : page.end[heading]] = False
    page = replace(page, layout=replace(page.layout, shown=shown))
    document = tamis.extract(page)
    assert document.text == ALL.removeprefix("Title\n\n")
    assert document.blocks[0].reason == "hidden, probability 0.00"


def test_a_run_of_links_is_judged_by_its_evidence_and_a_few_links_are_content() -> None:
    links = [f"<li><a href=/{n}>Link {n}</a></li>" for n in range(3)]
    few, many = (judged(f"{FRAGMENT}<ul>{''.join(links[:n])}</ul>") for n in (2, 3))
    assert few is not None
    assert few.content.all()
    assert many is not None
    assert many.menu.tolist() == [False] * 9 + [True] * 3
    assert (many.content | many.menu).all()
    score = many.score(np.full(12, 0.3))
    assert score.tolist() == [0.9] * 9 + [0.3] * 3
    for otherwise in (True, False):
        kept = many.informative(np.full(12, otherwise))
        assert kept.tolist() == [True] * 9 + [otherwise] * 3


def test_a_page_of_links_is_judged_by_its_evidence() -> None:
    links = "".join(f"<li><a href=/{n}>Link number {n}</a></li>" for n in range(9))
    assert judged(f"<h1>Links</h1><ul>{links}</ul>") is None
    assert judged("<p><a href=/>One link</a></p>") is not None
    assert judged("<a href=/1><h2>One</h2><p>A story</p><p>of a day</p></a>") is None


def test_pictures_and_signs_are_content() -> None:
    document = tamis.extract("<p>Words.</p><p><img src=/a.png alt=A></p><table><tr><td>a<td>—")
    assert document.text == "Words.\n\na\t—"
    assert "![A](/a.png)" in document.markdown


@pytest.mark.parametrize("tag", ["div", "input", "tr", "p role=button", "form", "nav"])
def test_time_grows_linearly_on_pages_of_few_words(tag: str) -> None:
    empty = f"<{tag}></{tag.split()[0]}>"
    small, large = (
        extract_features(TagSet().segment(tamis.parse(f"<p>one two</p>{empty * count}")))
        for count in (2000, 16_000)
    )
    assert growth(lambda: judge_frameless(small), lambda: judge_frameless(large)) < LINEAR

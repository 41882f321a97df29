"""The compiled pass over selected rows, held against plain forms of what it computes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from itertools import groupby
from urllib.parse import urljoin, urlsplit

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import pages, patient
from helpers.kernels import RENDER
from tamis.content import LinkResolver, Selection
from tamis.page import UNLIMITED, Page, row_attributes, separator, tags

SPECIAL = re.compile(
    r"[\\`*\[\]]|(?<![^\W_])_|_(?![^\W_])|(?<=\S)~|~(?=~)|<(?=[^\s<>])|&(?=#?\w+;)"
)
MARKS = st.text("ab_~*`[]\\<>&#;!1é \n\u00a0", max_size=12)
ATTRIBUTE = re.compile(rb'\s([^\s>][^\s=>]*)="([^"]*)"')


# The walk -----------------------------------------------------------------------------------------


def select(page: Page, choice: int) -> tuple[np.ndarray, np.ndarray]:
    """Return some texts and images of a page as leaves, and the rows around them."""
    is_leaf = page.visible | (page.tag == tags.CODE["img"])
    leaves = is_leaf & (np.arange(len(page)) % 5 != choice)
    return leaves, page.below(leaves) > 0


def gaps(page: Page, leaves: np.ndarray) -> dict[int, str]:
    """Return the white space between leaves, by the row that it stands before."""
    between: dict[int, str] = {}
    breaks = np.cumsum(page.tag == tags.CODE["br"])
    previous = text = -1
    for row in np.flatnonzero(leaves).tolist():
        is_text = page.tag[row] == tags.TEXT
        first, above = row, int(page.parent[row])
        while above > previous:
            first, above = above, int(page.parent[above])
        if previous >= 0 and is_text and previous == text:
            between[first] = separator(page.text[page.text_stop[text] : page.text_start[row]])
        elif previous >= 0:
            between[first] = "\n" * min(int(breaks[row] - breaks[previous]), 2) or " "
        previous, text = row, row if is_text else text
    return between


def write_plainly(page: Page, leaves: np.ndarray, included: np.ndarray) -> str:
    """Return what the writer of HTML should write if every element keeps its name."""
    between, parts = gaps(page, leaves), []
    opened: list[int] = []
    for row in [*np.flatnonzero(included).tolist(), len(page)]:
        while opened and page.end[opened[-1]] <= row:
            parts.append(f"</{NAMES[opened.pop() % 3 + 1]}>")
        if row == len(page):
            break
        parts.append(between.get(row, ""))
        if page.tag[row] == tags.TEXT:
            text = page.text[page.text_start[row] : page.text_stop[row]]
            parts.append(escape(text, quote=False))
        else:
            opened.append(row)
            parts.append(f"<{NAMES[row % 3 + 1]}>")
    return "".join(parts).strip()


NAMES = ("", "i", "u", "s", "img")


@patient
@given(pages(), st.integers(0, 5))
def test_the_walk_comes_to_all_rows_in_order(page: Page, choice: int) -> None:
    if (page.flags & tags.PREFORMATTED).any() or not len(page):
        return
    leaves, included = select(page, choice)
    names = (np.arange(len(page)) % 3 + 1).astype(np.uint8)
    nothing = np.zeros(len(NAMES), dtype=np.uint8)
    writer = RENDER.HtmlWriter(page, NAMES, names, nothing, nothing)
    RENDER.walk(page, leaves, included, {}, writer, UNLIMITED)
    assert writer.result().replace("<br>", "\n") == write_plainly(page, leaves, included)


# Texts --------------------------------------------------------------------------------------------


@patient
@given(
    MARKS, st.sampled_from(["", "a", "a\n", " ", "~"]), st.sampled_from(["", "[", "~", " ", "x"])
)
@example("a_b &amp; <b> ~~x~~", "", "")
@example("&#12;&#;&a &_;", "", "")
def test_what_would_be_markup_is_escaped(text: str, before: str, after: str) -> None:
    wanted = SPECIAL.sub(r"\\\g<0>", text)
    if wanted.startswith("~") and before.strip() and before[-1] != "\n":
        wanted = f"\\{wanted}"
    meets = wanted[-1:] + after[:1] in ("![", "~~") or (wanted[-1:] == "<" and after.strip() != "")
    if meets and wanted[-2:-1] != "\\":
        wanted = f"{wanted[:-1]}\\{wanted[-1]}"
    assert RENDER.escape_text(text, before, after) == wanted


@patient
@given(st.lists(st.tuples(st.sampled_from(["text", "code", "space"]), st.text("ab", max_size=2))))
def test_texts_that_follow_each_other_are_merged(pieces: list[tuple[str, str]]) -> None:
    merged = RENDER.merge_pieces([RENDER.Piece(*piece) for piece in pieces])
    wanted: list[tuple[str, str]] = []
    for kind, group in groupby(pieces, key=lambda piece: piece[0]):
        texts = [text for _, text in group]
        wanted += [(kind, text) for text in texts] if kind == "space" else [(kind, "".join(texts))]
    assert [(piece.kind, piece.text) for piece in merged] == wanted


# Attributes and links -----------------------------------------------------------------------------


@patient
@given(pages())
def test_attributes_are_those_of_the_start_tag(page: Page) -> None:
    for row in np.flatnonzero(page.tag != tags.TEXT).tolist():
        head = page.source[page.start[row] : page.head[row]]
        wanted = {
            name.decode().lower(): unescape(value.decode())
            for name, value in ATTRIBUTE.findall(head)
        }
        assert row_attributes(page, row) == wanted


def test_values_that_look_like_attributes_are_values() -> None:
    page = tamis.parse("""<p title="x href=" =a="1" B="&quot; c='2'" d e='>'>text""")
    wanted = {"title": "x href=", "=a": "1", "b": "\" c='2'", "d": "", "e": ">"}
    row = int((page.tag == tags.CODE["p"]).argmax())
    assert row_attributes(page, row) == wanted


URL_PARTS = st.lists(
    st.sampled_from(
        ["/", "//", ".", "..", "/..", "/.", "a", "b.html", "?", "#", ";", "x=1", "&", "http://",
         "https://", "HTTP://", "h.example", ":80", ":", "@", "%20", "é", " ", "[", "]", "!", "*"]
    ),
    max_size=6,
).map("".join)  # fmt: skip
BASES = st.sampled_from(
    [
        None,
        "http://a.example",
        "https://a.example/b/c.html?d#e",
        "http://a.example:8/x/",
        "file:///x",
    ]
)


@patient
@given(URL_PARTS, BASES)
@example("/a/../b", "https://a.example/b/c.html?d#e")
@example("//h.example/a", "https://a.example/b/c.html?d#e")
@example("http://h.example?", "http://a.example")
@example("/a?#", None)
def test_plain_links_are_joined_as_all_others_are(value: str, base: str | None) -> None:
    resolved = LinkResolver(base).resolve(value)
    try:
        joined = urljoin(base, value.strip()) if base else value.strip()
        scheme = urlsplit(joined).scheme
    except ValueError:
        assert resolved is None
        return
    if not value.strip():
        assert resolved is None
    elif resolved is not None:
        assert resolved == joined.strip()
        assert scheme in ("", "http", "https", "mailto", "tel", "ftp")
    else:
        assert scheme not in ("http", "https")


def selections(html: str) -> Iterator[Selection]:
    """Yield the selection of a page, with and without images."""
    document = tamis.extract(html, "https://a.example/b/")
    for images in (True, False):
        yield Selection(document.page, document.segments, document.verdict, images=images)


def test_an_image_is_read_once() -> None:
    paragraph = "<p>Words of the text that all of this is about, and some more.</p>"
    html = f"<article>{paragraph}<img src=/x.png alt=y>{paragraph}</article>"
    with_images, without = selections(html)
    row = int(np.flatnonzero(with_images.page.tag == tags.CODE["img"])[0])
    assert with_images.leaves[row]
    assert not without.leaves[row]
    assert with_images.image(row) is with_images.image(row)
    assert with_images.image(row) == ("https://a.example/x.png", "y")

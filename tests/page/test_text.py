"""The text buffer reads like the page: words are glued where a reader sees one, only there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from page.soup import patient, soups
from tamis.page import collapse_spaces, join_text, parse, separator, tags

INLINE = (
    "a b i em strong span font small code sub sup u s mark abbr time q cite tt kbd ins del".split()
)
BLOCKS = (
    "div p section article aside nav header footer main address h1 h2 h6 ul ol li dl dt dd pre "
    "blockquote figure figcaption details summary form fieldset legend center option menu hgroup "
    "search"
).split()
NESTING = (
    "div section article aside nav header footer main address ul ol dl blockquote figure details "
    "fieldset center menu hgroup search"
).split()


@pytest.mark.parametrize("name", INLINE)
def test_inline_elements_join_without_a_space(name: str) -> None:
    assert parse(f"<p>H<{name}>ell</{name}>o <{name}>w</{name}>orld").text == "Hello world"


@pytest.mark.parametrize("name", BLOCKS)
def test_block_elements_never_glue_words(name: str) -> None:
    html = f"<div>one<{name}>two</{name}>three</div>"
    assert parse(html).text.split() == ["one", "two", "three"]


@pytest.mark.parametrize("name", ["caption", "td", "th", "tr><td", "tbody><tr><th"])
def test_tables_never_glue_words(name: str) -> None:
    html = f"one<table><{name}>two<{name}>three</table>four"
    assert parse(html).text.split() == ["one", "two", "three", "four"]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>one<p>two", "one\n\ntwo"),
        ("<div>one</div><div>two</div>", "one\ntwo"),
        ("<div>one</div>\n  <div>two</div>", "one\ntwo"),
        ("one<br>two", "one\ntwo"),
        ("one<br>two<br><br>three<br> <br>four", "one\ntwo\n\nthree\n\nfour"),
        ("one <br> two", "one\ntwo"),
        ("<ul><li>one<li>two</ul>three", "one\ntwo\n\nthree"),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a\tb\nc\td"),
        ("<table><tr><td><p>a</p><td>b</table>", "a\n\nb"),
        ("<pre>  one\n\ttwo  x\n</pre>", "  one\n\ttwo  x"),
        ("<p>a<pre>\n  b</pre>c", "a\n\n  b\n\nc"),
        ("<textarea>a\n b</textarea>", "a\n b"),
        ("<xmp><b>a</b> &amp;</xmp>", "<b>a</b> &amp;"),
        ("a<plaintext><b>\n</plaintext>", "a\n\n<b>\n</plaintext>"),
        ("one<img>two<input>three", "one two three"),
        ("one<x-y>two</x-y>three", "one two three"),
        ("one<wbr>two&shy;three", "onetwothree"),
        ("one&nbsp;two\u3000three", "one two three"),
        ("<b> one </b> <i> two </i>", "one two"),
        ("<span>one </span>two<span> three</span>", "one two three"),
        ("  <p>  one  ", "one"),
        ("&lt;p&gt; &amp;amp; &quot; &#65;&euro;", "<p> &amp; \" A€"),
        ("one<script>x</script>two<!-- y -->three", "onetwothree"),
        ("one<style>x</style>two<title>y</title>", "onetwo"),
        ("<select><option>one<option>two</select>", "one\ntwo"),
        ("<dl><dt>one<dd>two<dt>three</dl>", "one\n\ntwo\n\nthree"),
        ("<h1>one</h1>two", "one\n\ntwo"),
        ("one<hr>two", "one\n\ntwo"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢 kan"),
        ("<svg><title>no</title><text>yes</text></svg>", "yes"),
        ("<video>no</video><canvas>no</canvas><object>no</object>yes", "yes"),
    ],
)  # fmt: skip
def test_separators(html: str, text: str) -> None:
    page = parse(html)
    assert page.text.rstrip("\n") == text


@given(soups())
@patient
def test_all_text_of_a_page_is_one_slice_and_none_is_lost(html: str) -> None:
    page = parse(html)
    rows = [row for row in range(len(page)) if page.tag[row] == tags.TEXT]
    pieces = [page.text[page.text_start[row] : page.text_stop[row]] for row in rows]
    assert all(piece == piece.strip() and piece for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(page.text.split())
    for row, next_row in pairwise(rows):
        gap = page.text[page.text_stop[row] : page.text_start[next_row]]
        assert not gap.strip()
    whole = join_text(page, page.text_number.searchsorted([*range(1, len(rows) + 1)]))
    assert whole == page.text.strip()


@given(st.sampled_from(NESTING), st.sampled_from(NESTING))
@patient
def test_words_in_nested_blocks_stay_apart(outer: str, inner: str) -> None:
    html = f"one<{outer}>two<{inner}>three</{inner}>four</{outer}>five"
    assert sorted(parse(html).text.split()) == sorted("one two three four five".split())


def test_text_of_some_rows_keeps_the_strongest_separator() -> None:
    page = parse("<p>a<b>b</b>c</p><p>d</p><div>e</div>f<br>g")
    rows = [row for row in range(len(page)) if page.tag[row] == tags.TEXT]
    letter = {page.text[page.text_start[row]]: row for row in rows}
    for letters, text in (
        ("ac", "ac"),
        ("abcd", "abc\n\nd"),
        ("ad", "a\n\nd"),
        ("eg", "e\ng"),
        ("", ""),
    ):
        assert join_text(page, np.array([letter[x] for x in letters], dtype=np.int32)) == text


def test_separator_and_one_line() -> None:
    assert [separator(gap) for gap in ("", " x ", "\t", "a\nb", "\n\n\t")] == [
        "",
        " ",
        "\t",
        "\n",
        "\n\n",
    ]
    assert collapse_spaces(" a\n\n b\tc ") == "a b c"

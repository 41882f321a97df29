"""Nothing that a page says becomes markup, whatever element it stands in.

Markdown is read back by markdown-it with raw HTML on and every URL allowed, so that nothing but
what tamis wrote can save the reader; the judge of HTML is nh3.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from urllib.parse import unquote

import nh3
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from selectolax.lexbor import LexborHTMLParser

import tamis
from helpers.clean_html import ALLOWED, ATTRIBUTES
from tamis.blocks import TagSet
from tamis.verdict import Importance

EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))  # keeps every block
URL = "https://page.example/dir/page.html"
SCRIPT = "<script>alert(1)</script>"
anytime = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def reader() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": 500})
    markdown.enable(["table", "strikethrough"])
    markdown.validateLink = lambda url: True  # type: ignore[method-assign]
    return markdown


READER = reader()


# What Markdown may hold -----------------------------------------------------------------------

SAFE = (
    "https://page.example/a_b_(c)*d*",
    "https://page.example/x?a=1&copy;=2|3#[e]",
    "mailto:a@page.example",
)
# What Markdown shows as an element of its own → the elements of a page that it may stand for.
STANDS_FOR = {
    "heading_open": set("h1 h2 h3 h4 h5 h6".split()),
    "blockquote_open": {"blockquote"},
    "bullet_list_open": set("ul menu dir li".split()),
    "ordered_list_open": {"ol"},
    "list_item_open": {"li"},
    "table_open": {"table"},
    "fence": set("pre listing xmp plaintext textarea code kbd samp tt".split()),
    "code_inline": set("pre listing xmp plaintext textarea code kbd samp tt".split()),
    "strong_open": {"b", "strong"},
    "em_open": {"i", "em"},
    "s_open": {"s", "del", "strike"},
    "link_open": {"a"},
    "image": {"img"},
}
NEVER_MORE = ("heading_open", "blockquote_open", "list_item_open", "fence", "link_open", "image")
WRITTEN_HTML = {"<br>", "<sub>", "</sub>", "<sup>", "</sup>"}
MADE_OF_TEXT = {
    "inline", "text", "softbreak", "hardbreak", "paragraph_open", "thead_open", "tbody_open",
    "tr_open", "th_open", "td_open",
}  # fmt: skip


def flat(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        # What is inside the text of an image is an attribute, and no element.
        if token.type != "image":
            yield from flat(token.children or ())


def shown_text(markdown: str) -> str:
    body = LexborHTMLParser(READER.render(markdown)).body
    assert body is not None
    return body.text()


def bare(text: str) -> str:
    """Text without white space, and without the marks that only one of two forms writes."""
    return re.sub(r'[\s\-:"\u200b]', "", text)


def assert_markdown_is_what_was_written(document: tamis.Document, elements: Counter[str]) -> None:
    """Assert that Markdown has the elements of its page at most, and all that the page says."""
    markdown = document.markdown
    kinds: Counter[str] = Counter()
    for token in flat(READER.parse(markdown)):
        if token.type.endswith("_close") or token.type in MADE_OF_TEXT:
            continue
        kinds[token.type] += 1
        if token.type == "html_inline":
            assert token.content in WRITTEN_HTML, (token.content, markdown)
            name = token.content.strip("</>")
            assert elements["table" if name == "br" else name], (token.content, markdown)
            continue
        assert token.type in STANDS_FOR, (token.type, token.content, markdown)
        assert any(elements[name] for name in STANDS_FOR[token.type]), (token.type, markdown)
        url = token.attrGet("href") or token.attrGet("src")
        if url is not None:
            assert unquote(str(url)) in map(unquote, SAFE), (url, markdown)
    for kind in NEVER_MORE:
        assert kinds[kind] <= sum(elements[name] for name in STANDS_FOR[kind]), (kind, markdown)
    # Where a list must stand within a line, its numbers are written; where a table must, commas.
    written = r"[\d.)]" if elements["ol"] else r"(?!)"
    if elements["table"]:
        written += "|,"
    shown, expected = (
        re.sub(written, "", bare(text)) for text in (shown_text(markdown), document.text)
    )
    assert shown == expected, markdown


def assert_html_is_clean(document: tamis.Document) -> None:
    """Assert that a sanitiser has nothing to take out of the HTML."""
    cleaned = nh3.clean(
        document.html,
        tags=ALLOWED,
        attributes=ATTRIBUTES,
        url_schemes={"http", "https", "mailto", "tel", "ftp"},
        link_rel=None,
        strip_comments=False,
    )
    assert outline(document.html) == outline(cleaned), document.html


def outline(html: str) -> list[tuple[str, dict[str, str | None], str]]:
    """Return all that a browser makes of HTML: elements, attributes, texts, comments."""
    tree = LexborHTMLParser(f"<!doctype html><body>{html}").body
    assert tree is not None
    nodes = (
        (node.tag or "", dict(node.attributes), (node.text_content or "").strip())
        for node in tree.traverse(include_text=True)
    )
    return [node for node in nodes if node[0] != "-text" or node[2]]


# Pages ----------------------------------------------------------------------------------------

TOKENS = [
    SCRIPT, "<img src=x onerror=alert(1)>", "<b>", "</b>", "<!--", "-->", "<?php", "?>",
    "<![CDATA[",
    "<a@b.example>", "<javascript:alert(1)>", "<http://evil.example>", "[x](javascript:alert(1))",
    "![x](javascript:alert(1))", "[x][y]", "[y]: javascript:alert(1)", "[y]:", "[^1]: z", "[", "]",
    "](", ")", "(", "!", "![", "*", "**", "***", "_", "__", "~", "~~", "~~~", "`", "``", "```",
    "````", "```html", "# a", "#", "######", "> a", ">", "<", "- a", "-", "+", "+ a", "1.", "1. a",
    "2) a", "999999999.", "---", "- - -", "* * *", "===", "=", "| a | b |", "|", "--- | ---", ":--",
    ": a", ":", "\\", "\\\\", "&", "&lt;", "&#60;", "&#x3c;script>", "&", "amp;", "lt;script>",
    "    indented", "\t", "\n", "\n\n", "\n    ", "\n```\n", "\n- a", "\n# a\n", "\n</pre>\n",
    "\n<div>\n", "\n---\n", "\n===\n", "\0", "\x0b", "\x0c", "\x1f", "\x7f", "\x85", "\u2028",
    "\xa0", "\u200b", "\r", "a", "Xyz", "9", "中文", "。", "“", "www.evil.example",
    "http://evil.example/a_b_c", "$x$", "{{x}}", "<br>", "</td>", "</li>", "\\|", "`|`", ":smile:",
]  # fmt: skip
texts = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=4).flatmap(
    lambda tokens: st.sampled_from(["", " "]).map(lambda joint: joint.join(tokens))
)
BLOCK = (
    "p div section article h1 h2 h3 h6 ul ol li menu dir dl dt dd blockquote figure figcaption "
    "details summary form fieldset legend address center caption table thead tbody tr td th pre "
    "listing dialog hgroup option select optgroup marquee noscript body html"
).split()
INLINE = (
    "a b strong i em s del strike u q sub sup code kbd samp tt var span font small mark cite abbr "
    "time label button ruby rt bdo ins x-y svg math nobr"
).split()
RAW = "xmp textarea plaintext pre listing".split()  # of these pre and listing hold elements
STARTS = {
    "a": [f" href='{escape(url)}'" for url in SAFE] + [" href='javascript:alert(1)'", ""],
    "ol": ["", " start=7", " reversed", " start='1<b>'"],
    "td": ["", " colspan=2", " rowspan=2", " rowspan='\"><b>'"],
    "code": ["", " class='language-html'", " class='language-```'", " class='lang-a\nb'"],
    "pre": ["", " class='language-<b>'", " data-lang='x `y`'", " class='brush: c#'"],
    "abbr": [" title='\"><script>alert(1)</script>'"],
}


@st.composite
def images(draw: st.DrawFn) -> str:
    alternative = escape(draw(texts))
    url = draw(st.sampled_from([*SAFE, "javascript:alert(1)", "data:text/html,x"]))
    return f'<img src="{escape(url)}" alt="{alternative}" title="{alternative}">'


@st.composite
def elements(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    name = draw(st.sampled_from(BLOCK) | st.sampled_from(INLINE) | st.sampled_from(RAW))
    start = draw(st.sampled_from(STARTS.get(name, [""])))
    if name in ("xmp", "plaintext"):  # there is no way to write an end tag in these
        return f"<{name}>{draw(texts).replace('</', '')}</{name}>"
    content = "".join(draw(st.lists(inner, min_size=1, max_size=3)))
    return f"<{name}{start}>{content}</{name}>"


@st.composite
def tables(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    """A table that is one: two cells or more in each of two rows or more."""
    width = draw(st.integers(2, 3))
    rows = []
    for number in range(draw(st.integers(2, 3))):
        tag = "th" if number == 0 and draw(st.booleans()) else "td"
        cells = draw(st.lists(inner, min_size=width, max_size=width))
        rows.append("".join(f"<{tag}>{cell}</{tag}>" for cell in cells))
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


@st.composite
def definitions(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    parts = draw(st.lists(st.tuples(inner, inner), min_size=1, max_size=2))
    return f"<dl>{''.join(f'<dt>{term}</dt><dd>{text}</dd>' for term, text in parts)}</dl>"


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    name = draw(st.sampled_from(["ul", "ol"]))
    items = draw(st.lists(inner, min_size=1, max_size=3))
    return f"<{name}>{''.join(f'<li>{item}</li>' for item in items)}</{name}>"


trees = st.recursive(
    texts.map(escape) | texts.map(escape) | images() | st.sampled_from(["<br>", "<hr>", " "]),
    lambda inner: (
        elements(inner) | elements(inner) | tables(inner) | definitions(inner) | lists(inner)
    ),
    max_leaves=12,
)
pages = st.lists(trees, min_size=1, max_size=3).map("".join)


def elements_of(html: str) -> Counter[str]:
    return Counter(node.tag or "" for node in LexborHTMLParser(html).css("*"))


def assert_says_and_makes_nothing_more(html: str) -> None:
    document = tamis.extract(html, URL, method=EVERYTHING)
    assert document.verdict.informative.all()
    assert_markdown_is_what_was_written(document, elements_of(html))
    assert_html_is_clean(document)


@pytest.mark.slow
@settings(anytime, max_examples=150)
@given(pages)
@example("<h2><pre>&lt;script>alert(1)&lt;/script> words</pre></h2>")
@example("<dl><dt>a<dd><pre>&lt;script>alert(1)&lt;/script></pre></dl>")
@example("<dl><dt>a<dd>b<dl><dt>c<dd>d<p>e</p></dl></dl>")
@example("<a>anchor</a>")
def test_nothing_that_a_page_says_becomes_markup(html: str) -> None:
    assert_says_and_makes_nothing_more(html)


CODE = ["pre", "listing", "xmp", "code", "samp"]
AROUND = [
    "<h2>{}</h2>", "<h1><blockquote>{}</blockquote></h1>", "<h3><ul><li>{}</ul></h3>",
    "<dl><dt>{}</dt><dd>a</dd></dl>", "<dl><dt>a</dt><dd>{}</dd></dl>",
    "<dl><dt>a</dt><dd>b<p>{}</p></dd></dl>", "<dl><dt>a<dd><dl><dt>b<dd>c{}</dl></dl>",
    "<ul><li>{}</li></ul>", "<ol><li>a<p>{}</p></li></ol>", "<blockquote>{}</blockquote>",
    "<table><tr><th>a<th>b<tr><td>c<td>{}</table>", "<table><tr><td>a<td>{}</table>",
    "<table><tr><th>a<th>b<tr><td>c<td><ul><li>{}</ul></table>",
    "<h2><table><tr><td>a<td>{}<tr><td>b<td>c</table></h2>",
    "<table><caption>{}</caption><tr><td>a<td>b<tr><td>c<td>d</table>",
    "<b>{}</b>", "<b><div>{}</div></b>", "<a href=/x>{}</a>", "<a href=/x><h2>{}</h2></a>",
    "<summary>{}</summary>", "<figure>a<figcaption>{}</figcaption></figure>", "<q>{}</q>",
    "<button>{}</button>", "x<sup>{}</sup>", "<p>a<br>{}</p>", "{}",
]  # fmt: skip


@pytest.mark.parametrize("name", CODE)
@pytest.mark.parametrize("around", AROUND)
def test_code_in_any_element_stays_code(around: str, name: str) -> None:
    code = SCRIPT.replace("</script>", "<img src=x onerror=alert(1)>") + "\n# a\n\n- `b` ```c\n<p>"
    html = around.format(f"<{name}>{code if name == 'xmp' else escape(code)}</{name}>")
    document = tamis.extract(html, method=EVERYTHING)
    tokens = list(flat(READER.parse(document.markdown)))
    assert not [token for token in tokens if token.type == "html_block"], document.markdown
    raw = {token.content for token in tokens if token.type == "html_inline"}
    assert raw <= {"<br>"}, document.markdown
    assert "alert(1)" in shown_text(document.markdown)
    assert_html_is_clean(document)


signs = st.text(alphabet="ab1 \t\n\r\0\x0c\\`*_{}[]()<>#+-.!|~=:;&/\"'$^@%,?é中。", max_size=24)


@settings(anytime, max_examples=200)
@given(st.sampled_from(AROUND), signs, signs)
def test_no_signs_in_any_element_become_markup(around: str, text: str, label: str) -> None:
    html = around.replace("/x", SAFE[0]).format(
        f'x{escape(text)}<img src="{SAFE[0]}" alt="{escape(label)}">{escape(label)}x'
    )
    assert_says_and_makes_nothing_more(html)


def test_a_link_in_a_link_around_blocks_is_one_link() -> None:
    html = "<a href=/x><table><tr><td><a href=/y><div>a</div></a></table></a>"
    assert tamis.extract(html, method=EVERYTHING).markdown == "[a](/y)"


def test_a_definition_that_begins_with_a_block_is_no_line_of_its_term() -> None:
    html = "<dl><dt>a<dd><pre>b</pre><dt>c<dd>d<dl><dt>e<dd>f<p>g</p></dl></dl>"
    markdown = tamis.extract(html, method=EVERYTHING).markdown
    assert markdown == "a\n\n```\nb\n```\n\nc\n\nd\n\ne\n: f\n\n  g"

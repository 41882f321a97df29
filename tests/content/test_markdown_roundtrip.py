"""Markdown read by markdown-it has the words and the structure of the page it was made from."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

import tamis
from tamis.blocks import TagSet
from tamis.verdict import Importance

EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))
anytime = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.html"))
READER = MarkdownIt("commonmark", {"maxNesting": 200}).enable(["table", "strikethrough"])
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


def read_back(html: str, method: tamis.Method = EVERYTHING) -> str:
    return str(READER.render(tamis.extract(html, method=method).markdown))


# The outline of a page: lines, headings, lists, quotes, tables and code, nested as they are.


def outline(html: str) -> list[Any]:
    body = LexborHTMLParser(html).body
    assert body is not None
    return items_of(body)


def items_of(node: Any) -> list[Any]:
    items: list[Any] = []
    line: list[str] = []

    def end_line() -> None:
        if words := "".join(line).split():
            items.append(words)
        line.clear()

    def walk(child: Any) -> None:
        name = child.tag
        if name == "-text":
            line.append(child.text())
        elif name == "br":
            line.append("\n")
        elif name == "img":
            line.append(" ")
        elif name in ITEMS:
            end_line()
            items.append(ITEMS[name](child))
        else:
            if name in ("p", "div", "body"):
                end_line()
            for grandchild in child.iter(include_text=True):
                walk(grandchild)
            if name in ("p", "div", "body"):
                end_line()

    for child in node.iter(include_text=True):
        walk(child)
    end_line()
    return items


def code_of(node: Any) -> tuple[str, str, str]:
    inner = node.css_first("code")
    declared = (inner.attributes.get("class") or "") if inner else ""
    return ("code", declared.removeprefix("language-"), node.text().strip("\n").rstrip())


def rows_of(node: Any) -> tuple[str, list[list[list[str]]]]:
    rows = [[cell.text().split() for cell in row.css("td, th")] for row in node.css("tr")]
    return ("table", rows)


ITEMS: dict[str, Any] = {
    **{name: lambda node: (node.tag, node.text().split()) for name in HEADINGS},
    **{
        name: lambda node: (node.tag, [items_of(item) for item in node.iter() if item.tag == "li"])
        for name in ("ul", "ol")
    },
    "blockquote": lambda node: ("quote", items_of(node)),
    "pre": code_of,
    "table": rows_of,
}


# Pages made up of everything that Markdown has, with words that would be markup if they could.

TOKENS = [
    *"a b Xyz 9 é 中文 1. 7) # ## - + * ** *** _ __ = === --- ~ ~~ > < <b> </b> <!--".split(),
    *"& &amp; &#9; ! ![ [ ] [x] [x](y) [x]: ( ) | || a|b : :-- \\ \\* ` `` `x` *a* **b**".split(),
    *"_c_ __d__ ~~e~~ f_g_h".split(),
    *"“ ” “q” （ ） 。 € $ % ^ ; . , ' \" http://h.org/a_b_ <a@b.org>".split(),
]
words = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3).flatmap(
    lambda tokens: st.sampled_from([" ", ""]).map(lambda joint: escape(joint.join(tokens)))
)
code_words = words.filter(lambda text: "\\" not in text)


def element(name: str, inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return inner.map(lambda text: f"<{name}>{text}</{name}>")


def glued(parts: st.SearchStrategy[str], *, max_size: int = 3) -> st.SearchStrategy[str]:
    joints = st.sampled_from(["", " ", "\n "])
    pairs = st.lists(st.tuples(parts, joints), min_size=1, max_size=max_size)
    return pairs.map(lambda parts: "".join(part + joint for part, joint in parts))


marked = st.sampled_from(["b", "i", "em", "strong", "del", "span", "u"])
inline = st.recursive(
    words
    | element("code", code_words)
    | words.map(lambda text: f"<a href='/x?a=1&amp;b=(2)'>x{text}</a>"),
    lambda inner: st.tuples(marked, glued(inner, max_size=2)).map(
        lambda e: f"<{e[0]}>{e[1]}</{e[0]}>"
    ),
    max_leaves=4,
)
line = glued(inline)
broken_line = st.lists(line, min_size=1, max_size=3).map("<br>".join)
lines_of_code = (
    st.lists(st.sampled_from([*"a *`~#-\n\t<", "```", "    "]), max_size=8)
    .map("".join)
    .map(lambda text: f"x{text}y")
)
code = st.tuples(st.sampled_from(["", "python", "c++"]), lines_of_code).map(
    lambda code: (
        f"<pre><code class='{'language-' if code[0] else ''}{code[0]}'>"
        f"{escape(code[1])}</code></pre>"
    )
)
heading = st.sampled_from(HEADINGS).flatmap(lambda name: element(name, line))
paragraph = element("p", broken_line)


@st.composite
def tables(draw: st.DrawFn) -> str:
    width = draw(st.integers(2, 4))
    cells = st.lists(line, min_size=width, max_size=width)
    head = "".join(f"<th>{cell}</th>" for cell in draw(cells))
    body = [
        [f"<td>{cell}</td>" for cell in row]
        for row in draw(st.lists(cells, min_size=1, max_size=3))
    ]
    rows = "".join(f"<tr>{''.join(row)}</tr>" for row in body)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def lists_of(block: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    item = st.tuples(line, st.lists(block, max_size=2)).map(
        lambda i: f"<li>{i[0]}{''.join(i[1])}</li>"
    )
    items = st.lists(item, min_size=1, max_size=3).map("".join)
    return st.sampled_from(["ul", "ol", "ol start=7"]).flatmap(
        lambda name: items.map(lambda inner: f"<{name}>{inner}</{name.split()[0]}>")
    )


blocks = st.recursive(
    paragraph | heading | code | tables(),
    lambda block: (
        lists_of(block)
        | element("blockquote", st.lists(block, min_size=1, max_size=3).map("".join))
    ),
    max_leaves=5,
)
pages = st.lists(blocks, min_size=1, max_size=3).map("".join)


@settings(anytime, max_examples=60)
@given(pages)
@example("<ul><li>a<ul><li>b<ol><li>c</li><li>d</li></ol></li></ul></li></ul><ul><li>e</li></ul>")
@example("<ol><li>a</li></ol><ol start=7><li>b<ol start=7><li>c</li></ol></li></ol>")
@example("<blockquote><p>a</p></blockquote><blockquote><p>b</p></blockquote>")
def test_a_page_read_back_has_the_same_outline(html: str) -> None:
    assert outline(read_back(html)) == outline(html)


@anytime
@given(line)
def test_a_line_read_back_has_the_same_inline_code(html: str) -> None:
    def codes(source: str) -> list[str]:
        nodes = LexborHTMLParser(source).css("code")
        return [" ".join(node.text().split()) for node in nodes]

    # Codes that touch are one code for Markdown, so they are counted by their words.
    assert "".join(codes(read_back(f"<p>{html}</p>"))).replace(" ", "") == "".join(
        codes(f"<p>{html}</p>")
    ).replace(" ", "")


letters = st.text(alphabet="abc中é。“", min_size=1, max_size=4)


def emphasis(joint: str) -> st.SearchStrategy[str]:
    marked = st.sampled_from(["b", "i"])
    return st.recursive(
        letters,
        lambda inner: st.tuples(marked, st.lists(inner, min_size=1, max_size=3)).map(
            lambda e: f"<{e[0]}>{joint.join(e[1])}</{e[0]}>"
        ),
        max_leaves=6,
    )


def marked_letters(html: str) -> list[tuple[str, bool, bool]]:
    """Each letter of a page, and whether it is bold and italic."""
    chars: list[tuple[str, bool, bool]] = []

    def walk(node: Any, bold: bool, italic: bool) -> None:
        if node.tag == "-text":
            chars.extend((char, bold, italic) for char in node.text() if not char.isspace())
        for child in node.iter(include_text=True):
            walk(child, bold or child.tag in ("b", "strong"), italic or child.tag in ("i", "em"))

    walk(LexborHTMLParser(html).body, False, False)
    return chars


@anytime
@given(emphasis(" "))
def test_words_read_back_are_as_bold_and_as_italic_as_before(html: str) -> None:
    assert marked_letters(read_back(f"<p>{html}</p>")) == marked_letters(f"<p>{html}</p>")


@anytime
@given(emphasis(""))
def test_letters_read_back_are_the_same_and_none_is_bold_or_italic_that_was_not(html: str) -> None:
    before, after = marked_letters(f"<p>{html}</p>"), marked_letters(read_back(f"<p>{html}</p>"))
    assert [char for char, _, _ in after] == [char for char, _, _ in before]
    for (_, bold, italic), (_, was_bold, was_italic) in zip(after, before, strict=True):
        assert (bold, italic) in {
            (was_bold, was_italic),
            (was_bold, False),
            (False, was_italic),
            (False, False),
        }


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample.stem))
def test_a_sample_read_back_has_the_same_words_in_the_same_order(sample: Path) -> None:
    document = tamis.extract(sample.read_bytes(), method=EVERYTHING)
    shown = LexborHTMLParser(READER.render(document.markdown)).body
    assert shown is not None
    # Definitions are written with a colon, which plain CommonMark shows; the text writes dashes.
    read, written = (
        "".join(text.split()).replace("-", "").replace(":", "")
        for text in (shown.text(separator=" "), document.text)
    )
    assert read == written

"""Document: JSON, blocks, and pages at the edge of what pages can be."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tamis
from helpers.instances import PLAIN_METHODS
from tamis.blocks import TagSet
from tamis.content import Cell, fill_grid
from tamis.page import find_row
from tamis.verdict import Importance

EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))
anytime = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.html"))
FORMS = ("text", "markdown", "html")

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample.stem))
each_method = pytest.mark.parametrize("method", PLAIN_METHODS)


def extract_sample(sample: Path, method: str) -> tamis.Document:
    return tamis.extract(sample.read_bytes(), f"https://example.org/{sample.name}", method=method)


# JSON -----------------------------------------------------------------------------------------

SCHEMA: dict[str, Any] = {
    "url": (str, type(None)),
    "encoding": str,
    "method": str,
    "page_type": (str, type(None)),
    "confidence": (float, type(None)),
    "status": str,
    "truncated": list,
    "metadata": dict,
    "text": str,
    "posts": list,
    "comments": list,
    "blocks": list,
}
BLOCK_SCHEMA: dict[str, Any] = {
    "index": int,
    "label": str,
    "parent": (int, type(None)),
    "tag": str,
    "xpath": str,
    "span": list,
    "informative": bool,
    "score": float,
    "reason": str,
    "text": str,
}


def assert_schema(data: dict[str, Any]) -> None:
    assert list(data) == list(SCHEMA)
    assert all(isinstance(data[key], kind) for key, kind in SCHEMA.items())
    for number, block in enumerate(data["blocks"]):
        assert list(block) == list(BLOCK_SCHEMA)
        assert all(isinstance(block[key], kind) for key, kind in BLOCK_SCHEMA.items()), block
        assert block["index"] == number
        assert block["parent"] is None or 0 <= block["parent"] < number
        assert math.isfinite(block["score"])
        assert [type(offset) for offset in block["span"]] == [int, int]


@each_sample
@each_method
def test_json_has_its_schema_and_survives_json(sample: Path, method: str) -> None:
    data = extract_sample(sample, method).json
    assert_schema(data)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["method"] == method
    assert data["url"] == f"https://example.org/{sample.name}"


@each_sample
@each_method
def test_a_block_is_found_by_its_xpath_and_its_span(sample: Path, method: str) -> None:
    document = extract_sample(sample, method)
    assert len(document.blocks) == len(document.json["blocks"]) > 1
    for block, row in zip(document.blocks, document.json["blocks"], strict=True):
        node = find_row(document.page, row["xpath"])
        assert document.page.name(node) == row["tag"] == block.tag
        assert node == document.segments.node[block.index]
        start, stop = row["span"]
        assert document.page.source[start:stop].decode() == block.html
        assert document.page.start[node] <= start < stop <= document.page.stop[node]


@each_sample
def test_a_block_says_all_that_is_known_of_it(sample: Path) -> None:
    document = extract_sample(sample, "kfeature")
    for block in document.blocks:
        assert block.text == document.segments.text(block.index)
        assert block.full_text == block.text  # tagset's blocks have no child blocks
        assert block.score == document.verdict.score[block.index]
        assert block.informative == bool(document.verdict.informative[block.index])
        assert block.reason == document.verdict.reason(block.index)
        assert block.as_dict()["text"] == block.text
        assert repr(block).startswith(f"<Block {block.index} {block.xpath} ")


@each_sample
@each_method
def test_the_text_is_made_of_the_informative_blocks(sample: Path, method: str) -> None:
    document = extract_sample(sample, method)
    kept = [block.text for block in document.blocks if block.informative]
    if sample.stem == "docs":  # it has buttons that copy its code
        kept = [re.sub(r"\bCopy\b", "", text) for text in kept]
    text = "".join("".join(kept).split())
    letters = sorted(char for char in text if char.isalnum())
    assert letters
    assert sorted(char for char in document.text if char.isalnum()) == letters


def test_the_parent_of_a_block_is_a_block_around_it() -> None:
    nested = [
        (block, block.parent)
        for sample in SAMPLES
        for block in extract_sample(sample, "keypattern").blocks
        if block.parent is not None
    ]
    assert nested
    for block, parent in nested:
        assert parent.span[0] <= block.span[0] <= block.span[1] <= parent.span[1]
        assert block.label.startswith(f"{parent.label}-")
        assert set(block.text.split()) <= set(parent.full_text.split())


def test_a_document_is_computed_once_and_says_what_it_is() -> None:
    document = tamis.extract("<p>Some words.</p>", "http://x/", method=EVERYTHING)
    assert repr(document) == "<Document of 11 characters by tagset+importance, url='http://x/'>"
    for name in ("text", "markdown", "html", "blocks"):
        assert getattr(document, name) is getattr(document, name)


def test_json_says_what_was_left_out() -> None:
    html = "<div>" * 2000 + "words" + "</div>" * 2000
    document = tamis.extract(html, method=EVERYTHING)
    assert document.json["truncated"] == list(document.page.truncated) != []


@anytime
@given(st.text())
def test_any_text_gives_json_that_can_be_stored(text: str) -> None:
    document = tamis.extract(text, method=EVERYTHING)
    assert_schema(document.json)
    assert json.loads(json.dumps(document.json, ensure_ascii=False).encode()) == document.json


# Pages at the edge ----------------------------------------------------------------------------

EMPTY = [
    "",
    " \n\t ",
    "<html></html>",
    "<!doctype html><title>Only a title</title>",
    "<body><script>var x = 'words'</script><style>p { color: red }</style></body>",
    "<!-- nothing but a comment -->",
    "<p></p><div><br><hr></div><table><tr><td></td></tr></table>",
    "<img>",
    "\x00\x01\x02",
    b"",
    b"\xff\xfe",
]


@pytest.mark.parametrize("html", EMPTY)
@each_method
def test_an_empty_page_gives_an_empty_document(html: str | bytes, method: str) -> None:
    document = tamis.extract(html, method=method)
    assert (document.text, document.markdown, document.html) == ("", "", "")
    assert_schema(document.json)
    assert not any(block.text for block in document.blocks)


def test_a_page_of_images_alone_has_no_text_but_images() -> None:
    document = tamis.extract("<p><img src=a.png alt=A></p>", method=EVERYTHING)
    assert document.text == ""
    assert document.markdown == "![A](a.png)"
    assert document.html == '<p><img src="a.png" alt="A"></p>'


@each_method
def test_a_hidden_page_gives_a_document(method: str) -> None:
    words = "Nobody sees this paragraph of a few words. " * 20
    html = f"<div style='display:none'><p>{words}</p></div><div hidden><p>{words}</p></div>"
    document = tamis.extract(html, method=method)
    assert set(document.text.split()) <= set(words.split())
    assert "".join(document.markdown.split()) == "".join(document.text.split())
    assert all(block.reason for block in document.blocks)


@pytest.mark.parametrize(
    "name", ["div", "blockquote", "b", "span", "section", "a", "code", "pre", "dl><dd"]
)
def test_a_page_of_500_levels_does_not_recurse(name: str) -> None:
    names = name.split("><")
    opened = "".join(f"<{part}>" for part in names) * (500 // len(names))
    closed = "".join(f"</{part}>" for part in reversed(names)) * (500 // len(names))
    document = tamis.extract(
        f"<p>before</p>{opened}deep words{closed}<p>after</p>", method=EVERYTHING
    )
    for form in FORMS:
        rendered = getattr(document, form)
        positions = [rendered.index(word) for word in ("before", "deep words", "after")]
        assert positions == sorted(positions), form


def test_a_list_of_250_levels_keeps_its_words_and_stays_small() -> None:
    html = "".join(f"<ul><li>item{level}" for level in range(250))
    document = tamis.extract(html, method=EVERYTHING)
    for form in FORMS:
        rendered = getattr(document, form)
        offsets = [rendered.index(f"item{level}") for level in range(250)]
        assert offsets == sorted(offsets), form
    assert len(document.markdown) < 250 * 100


def growth(html: str, form: str) -> float:
    """How much larger a rendered page is than its source."""
    return len(getattr(tamis.extract(html, method=EVERYTHING), form)) / len(html)


@pytest.mark.parametrize("form", FORMS)
def test_no_page_grows_beyond_reason(form: str) -> None:
    wide = "<table><tr>" + "<td>x" * 5000 + "</tr>" + "<tr><td>y" * 5000 + "</table>"
    spans = "<table>" + "<tr><td colspan=1000 rowspan=1000>x<td colspan=99999>y" * 500 + "</table>"
    deep = "<blockquote><ul><li>" * 150 + "<p>z</p>" * 5000
    for html in (wide, spans, deep):
        assert growth(html, form) < 10


def test_a_grid_of_too_many_places_is_given_up_before_it_is_made() -> None:
    rows = [[Cell(columns=100, rows=1000)] for _ in range(10)]
    assert fill_grid(rows, capacity=5000) == []
    assert [len(line) for line in fill_grid(rows, capacity=6000)] == [100 * n for n in range(1, 11)]


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_work_grows_with_the_page_and_not_with_its_square(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in events and in attributes read, because times depend on the machine."""
    from tamis.content import Selection

    counted = 0
    events, attributes = Selection.events, Selection.attributes

    def counting_events(self: Selection) -> Any:
        nonlocal counted
        for event in events(self):
            counted += 1
            yield event

    def counting_attributes(self: Selection, row: int) -> dict[str, str]:
        nonlocal counted
        counted += 1
        return attributes(self, row)

    monkeypatch.setattr(Selection, "events", counting_events)
    monkeypatch.setattr(Selection, "attributes", counting_attributes)
    part = (
        "<h2>a</h2><p>b <a href=/x>c</a> <b>d</b></p><ul><li>e</li></ul>"
        "<table><tr><td rowspan=9>f<td>g</table>"
    )

    def cost(times: int) -> int:
        nonlocal counted
        counted = 0
        assert getattr(tamis.extract(part * times, method=EVERYTHING), form)
        return counted

    assert cost(80) <= 8.5 * cost(10)


LEFT_OUT = """
<p>See <a href="https://example.org/x">the <b>other</b> page</a> about rain and snow.</p>
<p><img src="https://example.org/rain.png" alt="Rain"> It rained all day, and all night too.</p>
<table><tr><th>Day</th><th>Rain</th></tr><tr><td>Monday</td><td>4 mm</td></tr></table>
<table><tr><td>A table of one cell is no table, and its text is content.</td></tr></table>
"""


def test_links_images_and_tables_can_be_left_out() -> None:
    doc = tamis.extract(LEFT_OUT, method="optimum")
    assert doc.to_text() == doc.text
    assert doc.to_markdown() == doc.markdown
    assert doc.to_html() == doc.html
    assert doc.to_markdown(links=False) == doc.markdown.replace(
        "[the **other** page](https://example.org/x)", "the **other** page"
    )
    assert doc.to_markdown(images=False) == doc.markdown.replace(
        "![Rain](https://example.org/rain.png) ", ""
    )
    bare = doc.to_html(links=False, images=False, tables=False)
    assert not any(tag in bare for tag in ("<a", "<img", "<table"))
    for form in (bare, doc.to_text(tables=False), doc.to_markdown(tables=False)):
        assert "Monday" not in form
        assert "one cell is no table" in form
        assert "other" in form

"""tagset: GetBlockSet of Debnath et al. 2005 §3, §4.1 and §4.2."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import html_trees, pages, patient, tag_soups
from helpers.samples import SAMPLES, sample
from tamis.blocks import CLASSIC, HTML5, TagSet, leaf_rows
from tamis.errors import UnknownName, WrongType
from tamis.page import Page

# The paper's loop, word for word -----------------------------------------------------------------

Token = tuple[Literal["open", "leaf", "close"], int]  # what happens, and at which row
Piece = list[Token]


def get_block_set(page: Page, tag_set: tuple[str, ...], tables: str = "cut") -> list[list[int]]:
    """Return the leaves of each block, by the paper's GetBlockSet."""
    blocks = [tokens(page)]
    whole = innermost_tables(page) if tables == "whole" else set()
    for f in tag_set:
        while any(contains(page, block, f, whole) for block in blocks):
            pieces = []
            for block in blocks:
                if contains(page, block, f, whole):
                    pieces += get_blocks(page, block, f, whole)
                else:
                    pieces.append(block)
            blocks = pieces
    owned = ([row for kind, row in block if kind == "leaf"] for block in blocks)
    return sorted(rows for rows in owned if rows)


def get_blocks(page: Page, block: Piece, f: str, whole: set[int]) -> list[Piece]:
    """Cut a block: each f element is a piece, and so is each run before, between, after them.

    What an earlier tag cut through an f element left of it, its start or its end, cuts as well.
    """
    pieces: list[Piece] = [[]]
    depth = 0
    for kind, row in block:
        boundary = kind != "leaf" and cuts(page, row, f, whole)
        depth -= boundary and kind == "close"
        if boundary and depth <= 0:
            pieces.append([])
        else:
            pieces[-1].append((kind, row))
        depth = max(depth, 0) + (boundary and kind == "open")
    return pieces


def contains(page: Page, block: Piece, f: str, whole: set[int]) -> bool:
    return any(kind != "leaf" and cuts(page, row, f, whole) for kind, row in block)


def cuts(page: Page, row: int, f: str, whole: set[int]) -> bool:
    return page.name(row) == f and whole.isdisjoint(ancestors(page, row))


def tokens(page: Page) -> Piece:
    """Return a page as start tags, leaves and end tags, in document order."""
    shown = leaf_rows(page)
    sequence: Piece = []
    is_open: list[int] = []
    for row in range(len(page) + 1):
        while is_open and page.end[is_open[-1]] <= row:
            sequence.append(("close", is_open.pop()))
        if row < len(page):
            sequence.append(("open", row))
            is_open.append(row)
            if shown[row]:
                sequence.append(("leaf", row))
    return sequence


def ancestors(page: Page, row: int) -> list[int]:
    rows = []
    while (row := int(page.parent[row])) >= 0:
        rows.append(row)
    return rows


def innermost_tables(page: Page) -> set[int]:
    tables = [row for row in range(len(page)) if page.name(row) == "table"]
    return {row for row in tables if not any(row < other < page.end[row] for other in tables)}


def blocks_of(page: Page, segmenter: TagSet) -> list[list[int]]:
    """Return the leaves of each block, by TagSet."""
    blocks = segmenter.segment(page)
    shown = np.flatnonzero(leaf_rows(page))
    return [shown[blocks.owner[shown] == index].tolist() for index in range(len(blocks))]


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(("tags", "names"), [("classic", CLASSIC), ("html5", HTML5)])
def test_a_sample_page_is_cut_as_by_the_papers_loop(
    name: str, tags: str, names: tuple[str, ...]
) -> None:
    assert blocks_of(sample(name), TagSet(tags)) == get_block_set(sample(name), names)


@patient
@given(page=pages())
@pytest.mark.parametrize(("tags", "names"), [("classic", CLASSIC), ("html5", HTML5)])
def test_any_tree_is_cut_as_by_the_papers_loop(
    tags: str, names: tuple[str, ...], page: Page
) -> None:
    assert blocks_of(page, TagSet(tags)) == get_block_set(page, names)


@patient
@given(
    html=html_trees() | tag_soups(),
    names=st.permutations((*HTML5, "span", "img", "button", "input", "select", "iframe")),
    count=st.integers(1, 40),
)
def test_neither_the_tags_nor_their_order_matter(html: str, names: list[str], count: int) -> None:
    page, chosen = tamis.parse(html), tuple(names[:count])
    assert blocks_of(page, TagSet(chosen)) == get_block_set(page, chosen)


@patient
@given(
    html=st.lists(
        st.sampled_from(["<table><tr><td>", "</table>", "<td>", "x", "<p>", "<div>", "</div>"]),
        max_size=25,
    ).map("".join),
    names=st.permutations(CLASSIC),
)
def test_whole_tables_are_cut_as_by_the_papers_loop(html: str, names: list[str]) -> None:
    page = tamis.parse(html)
    whole = blocks_of(page, TagSet("classic", tables="whole"))
    assert whole == get_block_set(page, tuple(names), "whole")


@patient
@given(page=pages())
def test_a_block_lies_in_the_nearest_element_of_the_set(page: Page) -> None:
    blocks = TagSet().segment(page)
    for index, rows in enumerate(blocks_of(page, TagSet())):
        around = [row for row in ancestors(page, rows[0]) if page.name(row) in HTML5]
        assert blocks.node[index] == (around[0] if around else 0)


# Examples -----------------------------------------------------------------------------------------


def texts(html: str, segmenter: TagSet) -> list[str]:
    return [block.text for block in segmenter.segment(tamis.parse(html))]


def test_each_element_and_each_run_between_is_a_block() -> None:
    html = "before<p>first</p>between<div>second<p>third</p>rest</div>after"
    expected = ["before", "first", "between", "second", "third", "rest", "after"]
    assert texts(html, TagSet()) == expected


def test_each_cell_of_a_table_is_a_block() -> None:
    html = "<table><tr><td>a<th>b<tr><td>c</table>"
    assert texts(html, TagSet("classic")) == ["a", "b", "c"]


def test_a_rule_has_no_content_and_only_separates() -> None:
    assert texts("one<hr>two", TagSet()) == ["one", "two"]
    assert texts("one<br>two", TagSet()) == ["one\ntwo"]


def test_inline_elements_do_not_cut() -> None:
    assert texts("<p>a <b>b</b> <a href=x>c</a></p>", TagSet()) == ["a b c"]


def test_a_span_cuts_in_the_papers_set_alone() -> None:
    html = "<p>a <span>b</span> c</p>"
    assert texts(html, TagSet("classic")) == ["a", "b", "c"]
    assert texts(html, TagSet("html5")) == ["a b c"]


def test_the_sets_are_those_of_the_specification() -> None:
    assert set(CLASSIC) == set("table tr td th p hr ul div span".split())
    assert set(HTML5) == (set(CLASSIC) - {"span"}) | set(
        "section article aside nav header footer main li ol dl dt dd blockquote pre h1 h2 h3 h4 h5 "
        "h6 form figure figcaption details address".split()
    )
    assert TagSet().tags == "html5"


def test_an_innermost_table_can_stay_whole_and_the_layout_around_it_is_cut() -> None:
    data = "<table><tr><td><p>1<td><p>2</table>"
    html = f"<table><tr><td>menu<td>{data}<p>text</table><table><tr><td>x<td>y</table>"
    assert texts(html, TagSet("classic")) == ["menu", "1", "2", "text", "x", "y"]
    assert texts(html, TagSet(tables="whole")) == ["menu", "1\n\n2", "text", "x\ty"]


def test_pictures_and_controls_are_content() -> None:
    page = tamis.parse("<div><img src=x></div><div></div><form><input></form>")
    assert [block.tag for block in TagSet().segment(page)] == ["div", "form"]


def test_a_block_that_is_all_its_element_shows_is_the_element() -> None:
    page = tamis.parse("<div class=a> <b>all</b> of it<p></p></div>")
    (block,) = TagSet().segment(page)
    assert block.html == '<div class="a"> <b>all</b> of it<p></p></div>'
    assert block.xpath == "/html/body/div"


def test_a_run_has_the_elements_around_its_ends_where_they_are_whole() -> None:
    page = tamis.parse("<b>one</b> two <i>three</i><p>four</p><b>five<p>six</p></b>")
    assert [block.html for block in TagSet().segment(page)] == [
        "<b>one</b> two <i>three</i>",
        "<p>four</p>",
        "five",
        "<p>six</p>",
    ]


def test_a_button_around_a_cutting_element_is_a_block_before_it() -> None:
    page = tamis.parse("<p>a</p><button><div>b</div></button>")
    blocks = TagSet().segment(page)
    assert [block.html for block in blocks] == ["<p>a</p>", "<button>", "<div>b</div>"]
    assert blocks.parent.tolist() == [-1, -1, -1]


def test_a_picture_that_cuts_is_a_block() -> None:
    blocks = TagSet(("img",)).segment(tamis.parse("a<img>b"))
    assert [block.html for block in blocks] == ["a", "<img>", "b"]
    assert [block.tag for block in blocks] == ["html", "img", "html"]


def test_unknown_names_are_errors() -> None:
    page = tamis.parse("<p>a</p>")
    with pytest.raises(UnknownName, match="classic, html5 or a tuple"):
        TagSet("modern").segment(page)
    with pytest.raises(UnknownName, match="no tag 'pp'"):
        TagSet(("p", "pp")).segment(page)
    with pytest.raises(UnknownName, match="no way to treat tables 'nope': take cut or whole"):
        TagSet(tables="nope")  # type: ignore[arg-type]
    with pytest.raises(WrongType, match="tags is of type int: give the name of a set"):
        TagSet(5)  # type: ignore[arg-type]

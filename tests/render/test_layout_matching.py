"""Rows of a page and elements of a browser, matched where both trees agree."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import pages, patient
from tamis.errors import Misaligned
from tamis.page import Page, tags
from tamis.render import (
    MAX_MATCHED_CHILDREN,
    encode_styles,
    match_elements,
    match_ends,
    match_names,
    match_texts,
    parse_colour,
    warn_of_missing,
)


def browser_tree(page: Page) -> tuple[list[str], list[int]]:
    """Return names and parents of the elements of a browser with the same tree."""
    rows = np.flatnonzero(page.tag != tags.TEXT)
    number = {row: index for index, row in enumerate(rows.tolist())}
    names = [page.name(row).upper() for row in rows.tolist()]
    return names, [number.get(int(page.parent[row]), -1) for row in rows.tolist()]


@patient
@given(page=pages())
def test_the_same_tree_is_matched_one_to_one(page: Page) -> None:
    matched = match_elements(page, *browser_tree(page))
    rows = page.tag != tags.TEXT
    assert matched[rows].tolist() == list(range(int(rows.sum())))
    assert (matched[~rows] == -1).all()


@patient
@given(page=pages(), data=st.data())
def test_without_one_subtree_all_else_is_matched_by_name_and_parent(
    page: Page, data: st.DataObject
) -> None:
    names, parents = browser_tree(page)
    if len(names) < 4:
        return
    gone = data.draw(st.integers(3, len(names) - 1))
    inside = {gone}
    for index in range(gone + 1, len(names)):
        if parents[index] in inside:
            inside.add(index)
    left = [index for index in range(len(names)) if index not in inside]
    renumbered = {index: number for number, index in enumerate(left)}
    matched = match_elements(
        page, [names[p] for p in left], [renumbered.get(parents[p], -1) for p in left]
    )
    indices = matched[matched >= 0]
    assert len(set(indices.tolist())) == len(indices)
    for row in np.flatnonzero(matched >= 0).tolist():
        assert names[left[matched[row]]].lower() == page.name(row).lower()
        above = int(page.parent[row])
        assert above < 0 or renumbered[parents[left[matched[row]]]] == matched[above]


def test_texts_are_matched_where_their_number_agrees() -> None:
    page = tamis.parse("<div>a<b>b</b>c</div><p>d<i></i>e</p>")
    elements = match_elements(page, *browser_tree(page))
    div, bold, paragraph = (int(elements[page.tag == tags.CODE[n]][0]) for n in ("div", "b", "p"))
    matched = match_texts(page, elements, [div, bold, div, paragraph])
    texts = [matched[row] for row in np.flatnonzero(page.tag == tags.TEXT)]
    assert texts == [0, 1, 2, -1, -1]


@given(st.text("ab", max_size=9), st.text("ab", max_size=9))
def test_matches_are_in_order_and_of_one_name(ours: str, theirs: str) -> None:
    for pairs in (match_names(list(ours), list(theirs)), match_ends(ours, theirs)):
        assert all(ours[a] == theirs[b] for a, b in pairs)
        for first, second in pairwise(pairs):
            assert first[0] < second[0]
            assert first[1] < second[1]


def test_very_many_children_are_matched_from_both_ends() -> None:
    ours = ["p"] * MAX_MATCHED_CHILDREN + ["x"] + ["b"] * 5
    theirs = ["p"] * MAX_MATCHED_CHILDREN + ["b"] * 5
    assert len(match_names(ours, theirs)) == MAX_MATCHED_CHILDREN + 5


def test_a_page_that_is_understood_differently_is_named() -> None:
    page = tamis.parse("<p>a<b>b</b></p>")
    names, parents = browser_tree(page)
    matched = match_elements(page, names[:-1], parents[:-1])
    with pytest.warns(Misaligned, match="my page: .* 1 of 5 elements have no layout"):
        warn_of_missing(page, matched, "my page")


def test_what_is_never_shown_may_be_missing() -> None:
    page = tamis.parse("<template><p>a</p></template>")
    matched = match_elements(page, ["html", "head", "template", "body"], [-1, 0, 1, 0])
    assert matched.tolist() == [0, 1, 2, -1, 3]
    warn_of_missing(page, matched, "x")


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("rgb(1, 2, 3)", 0x010203FF),
        ("rgba(1, 2, 3, 0)", 0x01020300),
        ("rgba(255, 0, 16.4, 0.5)", 0xFF001080),
        ("inline", 0),
    ],
)
def test_colours_are_numbers(word: str, value: int) -> None:
    assert parse_colour(word) == value


def test_values_outside_the_list_count_as_the_first() -> None:
    assert encode_styles(("none", "flex"), ["flex", "inline flex", "moon"]).tolist() == [1, 1, 0]

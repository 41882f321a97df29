"""vips: separators, their weights and the structure that follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.chromium import needs_chromium
from helpers.contracts import check_segmenter
from helpers.html_strategies import pages, patient
from helpers.layouts import laid_out, made_layout
from tamis.blocks import (
    MAX_COHERENCE,
    Vips,
    VisualTree,
    build_structure,
    build_visual_tree,
    find_separators,
    group_runs,
    separator_weights,
    split_at_heaviest,
)
from tamis.page import Page, freeze
from tamis.render import Browser

Box = tuple[int, int, int, int]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(timeout=60) as browser:
        yield browser


def tree_with_boxes(boxes: Sequence[Box]) -> tuple[VisualTree, list[int]]:
    """Return the visual tree of a page of paragraphs with these boxes, and their rows."""
    page = laid_out(tamis.parse("".join("<p>a</p>" for _ in boxes)))
    assert page.layout is not None
    columns = np.zeros((4, len(page)), dtype=np.float32)
    rows = [row for row in range(len(page)) if page.name(row) == "p"]
    for row, box in zip(rows, boxes, strict=True):
        columns[:, row] = box
        columns[:, row + 1] = box  # its text
    ones = np.ones(len(page))
    x, y, width, height = columns
    layout = replace(
        page.layout,
        x=x,
        y=y,
        width=width,
        height=height,
        shown=freeze(ones.astype(np.bool_)),
        font_size=freeze((16 * ones).astype(np.float32)),
        font_weight=freeze((400 * ones).astype(np.float32)),
        background=freeze((0 * ones).astype(np.uint32)),
    )
    return build_visual_tree(replace(page, layout=layout), "vips"), rows


def stripes(boxes: Sequence[Box], axis: int) -> set[int]:
    """Return where free stripes end: pixel by pixel, as an oracle."""
    covered = {p for box in boxes for p in range(box[axis], box[axis] + box[axis + 2])}
    low, high = min(covered), max(covered)
    free = [p for p in range(low, high + 1) if p not in covered]
    return {p + 1 for p in free if p + 1 in covered}


boxes_anywhere = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(1, 20), st.integers(1, 20)),
    min_size=1,
    max_size=8,
)


@patient
@given(boxes=boxes_anywhere, axis=st.sampled_from((0, 1)))
def test_separators_are_the_stripes_that_no_block_covers(boxes: list[Box], axis: int) -> None:
    tree, rows = tree_with_boxes(boxes)
    ends, weight = find_separators(tree, np.array(rows), axis)
    starts = {box[axis] for box in boxes}
    broad = {int(p) for p in ends.tolist()} - touching(boxes, axis)
    assert broad == stripes(boxes, axis)
    assert {int(p) for p in ends.tolist()} <= starts
    assert ((weight >= 0) & (weight <= 9)).all()


def touching(boxes: Sequence[Box], axis: int) -> set[int]:
    """Return the edges at which blocks meet without a pixel between them."""
    low = min(box[axis] for box in boxes)
    ends = {box[axis] + box[axis + 2] for box in boxes}
    starts = {box[axis] for box in boxes}
    crossed = {p for p in starts if any(b[axis] < p < b[axis] + b[axis + 2] for b in boxes)}
    return (starts & ends) - crossed - {low}


def test_the_broadest_separator_cuts_first() -> None:
    tree, rows = tree_with_boxes([(0, 0, 100, 20), (0, 22, 100, 20), (0, 90, 100, 20)])
    parts, weight = split_at_heaviest(tree, rows)
    assert parts == [rows[:2], rows[2:]]
    assert weight == 4


def test_columns_are_cut_across() -> None:
    tree, rows = tree_with_boxes([(0, 0, 100, 300), (150, 0, 100, 90), (150, 95, 100, 200)])
    parts, _ = split_at_heaviest(tree, rows)
    assert parts == [rows[:1], rows[1:]]


def test_groups_that_are_apart_in_the_source_stay_apart() -> None:
    assert group_runs([4, 6, 8, 10], [0, 1, 0, 0]) == [[4], [6], [8, 10]]


def test_blocks_that_overlap_have_no_separator() -> None:
    tree, rows = tree_with_boxes([(0, 0, 50, 50), (20, 20, 50, 50)])
    assert split_at_heaviest(tree, rows) == ([[rows[0]], [rows[1]]], 0.0)


@needs_chromium
@pytest.mark.parametrize(
    ("between", "style", "more"),
    [
        ("<hr>", "", True),
        ("", "background: red", True),
        ("", "font-size: 30px", True),
        ("", "font-weight: 900", True),
        ("", "", False),
    ],
)
def test_rules_colours_and_fonts_add_weight(
    browser: Browser, between: str, style: str, more: bool
) -> None:
    page = browser.render(f"<p id=a>one</p>{between}<p id=b style='{style}'>two</p>")
    tree = build_visual_tree(page, "vips")
    rows = [row for row in range(len(page)) if page.name(row) == "p"]
    weight = separator_weights(tree, np.array(rows[:1]), np.array(rows[1:]), np.array([0.0]))
    assert (float(weight[0]) > 0) is more


@needs_chromium
def test_a_page_of_header_columns_and_footer_is_cut_so(browser: Browser) -> None:
    text = "<p>Some words of a story that goes on.</p>" * 12
    page = browser.render(
        "<body style='margin: 0'><header style='background: navy; color: white'><h1>Name</h1>"
        f"<p>motto</p></header><main style='display: flex; gap: 40px'><nav style='width: 200px'>"
        f"{text}</nav><article style='width: 900px'>{text}</article></main>"
        "<footer style='background: #ddd; padding: 20px'><p>imprint</p><p>contact</p></footer>"
    )
    tags = {block.tag for block in tamis.segment(page, Vips())}
    assert {"header", "main", "footer", "nav", "article"} <= tags


@patient
@given(page=pages(), pdoc=st.integers(1, 10), rounds=st.integers(1, 4), seed=st.integers(0, 99))
def test_any_settings_keep_the_contract_on_any_layout(
    page: Page, pdoc: int, rounds: int, seed: int
) -> None:
    segmenter = Vips(pdoc=pdoc, rounds=rounds)
    check_segmenter(segmenter, replace(page, layout=made_layout(page, seed)))


def test_a_greater_permitted_coherence_gives_more_blocks() -> None:
    page = laid_out(tamis.parse("<div>" + "<div><p>a <b>b</b></p><p>c</p></div>" * 20 + "</div>"))
    counts = [len(tamis.segment(page, Vips(pdoc=pdoc))) for pdoc in (1, 5, 10)]
    assert counts == sorted(counts)


def test_the_permitted_coherence_is_6_and_the_rounds_are_10() -> None:
    assert (Vips().pdoc, Vips().rounds, MAX_COHERENCE) == (6, 10, 10)


@patient
@given(boxes=boxes_anywhere, doc=st.integers(1, 10))
def test_coherence_is_1_to_10_and_never_smaller_inside(boxes: list[Box], doc: int) -> None:
    tree, rows = tree_with_boxes(boxes)
    parts = list(build_structure(tree, rows, doc, Vips().rounds))
    assert all(doc <= degree <= MAX_COHERENCE for _, _, degree in parts)
    for first, stop, degree in parts:
        for inner, end, deeper in parts:
            if first <= inner and end <= stop and (first, stop) != (inner, end):
                assert deeper >= degree

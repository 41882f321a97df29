"""The columns say what a plain walk over the parser's tree says."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.bench import bench_files, needs_bench
from helpers.samples import SAMPLES, sample_bytes
from page import oracle
from page.soup import patient, soups
from tamis.page import Page, parse, replace_invalid, tags, to_utf8

# An iframe that is not closed in its noscript is left out on purpose.
SWALLOWING = re.compile(
    rb"(<noscript[^<>]*>\s*)<iframe[^<>]*>(?=(?:(?!</iframe)[\s\S]){0,2000}?</noscript)", re.I
)


def check_columns(html: bytes) -> Page:
    """Compare every row of a page with the oracle, and the columns with each other."""
    data, _ = to_utf8(html)
    page = parse(html, deadline=None)
    expected = oracle.rows(SWALLOWING.sub(rb"\1", replace_invalid(data)))
    assert [page.name(row) for row in range(len(page))] == [row.name for row in expected]
    assert page.parent.tolist() == [row.parent for row in expected]
    for number, row in enumerate(expected):
        if row.name == "#text":
            assert page.text[page.text_start[number] : page.text_stop[number]] == row.text
    check_tree(page)
    check_spans(page)
    return page


def check_tree(page: Page) -> None:
    """Check that depth, end and parent describe the same tree."""
    rows = np.arange(len(page))
    inner = page.parent >= 0
    assert (page.parent < rows).all()
    assert (page.depth[inner] == page.depth[page.parent[inner]] + 1).all()
    assert (page.depth[~inner] == 0).all()
    ends = rows + 1
    for row in rows[::-1]:
        if page.parent[row] >= 0:
            ends[page.parent[row]] = max(ends[page.parent[row]], ends[row])
    assert page.end.tolist() == ends.tolist()
    assert (page.end[page.tag == tags.TEXT] == rows[page.tag == tags.TEXT] + 1).all()


def check_spans(page: Page) -> None:
    """Check that spans in source and text nest like the rows, and that columns are frozen."""
    inner = np.flatnonzero(page.parent >= 0)
    outer = page.parent[inner]
    assert (page.start <= page.head).all()
    assert (page.head <= page.stop).all()
    assert (page.stop <= len(page.source)).all()
    assert (page.head[outer] <= page.start[inner]).all()
    assert (page.stop[inner] <= page.stop[outer]).all()
    assert (page.text_start <= page.text_stop).all()
    assert (page.text_start[outer] <= page.text_start[inner]).all()
    assert (page.text_stop[inner] <= page.text_stop[outer]).all()
    for row in np.flatnonzero(page.tag != tags.TEXT).tolist():
        assert page.html(row).startswith(f"<{page.name(row)}")
    for column in (page.tag, page.parent, page.chars, page.hidden, page.visible):
        assert not column.flags.writeable


@given(soups())
@patient
def test_soup_gives_the_rows_of_the_oracle(html: str) -> None:
    check_columns(html.encode())


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_give_the_rows_of_the_oracle(name: str) -> None:
    page = check_columns(sample_bytes(name))
    assert not page.truncated
    assert page.visible.sum() > 50


@needs_bench
@pytest.mark.parametrize("number", range(100))
def test_bench_pages_give_the_rows_of_the_oracle(number: int) -> None:
    page = check_columns(gzip.decompress(Path(bench_files()[number]).read_bytes()))
    assert not page.truncated


def test_no_page_is_no_page() -> None:
    page = parse(b"")
    assert [page.name(row) for row in range(len(page))] == ["html", "head", "body"]
    assert page.text == ""
    assert not page.visible.any()


@pytest.mark.parametrize(
    ("html", "names"),
    [
        ("<svg><input>x</input><p>y", "html head body svg input #text p #text"),
        ("<svg><link>x<desc><br>y", "html head body svg link #text desc br"),
        ("<svg><style>a&lt;b</style><g>x", "html head body svg style g #text"),
        ("<math><mi>x<input>y", "html head body math mi #text input #text"),
        ("<svg><mi>x<input>y</input>z", "html head body svg mi #text input #text #text"),
        ("<math><annotation-xml><input>x", "html head body math annotation-xml input"),
        (
            "<math><annotation-xml encoding=text/html><p><img><b>x",
            "html head body math annotation-xml p img b",
        ),
        ("<plaintext><b></plaintext>x", "html head body plaintext #text"),
        ("<table><plaintext></table>x", "html head body plaintext #text table"),
        ("<a<b>x", "html head body a<b #text"),
        ("<p\vq>x", "html head body p\vq #text"),
        ("<p/q>x", "html head body p #text"),
    ],
)
def test_odd_markup(html: str, names: str) -> None:
    page = parse(html)
    assert [page.name(row) for row in range(len(page))] == names.split(" ")


@patient
@given(soups(), st.sets(st.integers(0, 60)))
def test_rows_within_others_and_the_outermost_are_those_of_brute_force(
    html: str, chosen: set[int]
) -> None:
    page = parse(html)
    rows = np.array(sorted(row for row in chosen if row < len(page)), dtype=np.int64)
    below = [any(one <= row < page.end[one] for one in rows.tolist()) for row in range(len(page))]
    assert page.within(rows).tolist() == below
    outer = [row for row in rows.tolist() if not any(a < row < page.end[a] for a in rows.tolist())]
    assert page.outermost(rows).tolist() == outer

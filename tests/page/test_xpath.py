"""Every row has an XPath, and it leads back to the row."""

from __future__ import annotations

import pickle
import random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from lxml import html as lxml_html

from helpers.samples import SAMPLES, sample
from page.soup import patient, soups
from tamis.errors import InputError
from tamis.page import find_row, parse, row_xpath, tags


@given(soups())
@patient
def test_the_xpath_of_any_row_leads_back_to_it(html: str) -> None:
    page = parse(html)
    paths = [row_xpath(page, row) for row in range(len(page))]
    assert len(set(paths)) == len(paths)
    assert [find_row(page, path) for path in paths] == list(range(len(page)))


def test_xpaths_find_the_same_elements_in_lxml() -> None:
    agreed = 0
    for page in map(sample, SAMPLES):
        tree = lxml_html.document_fromstring(page.source.decode()).getroottree()
        elements = [row for row in range(len(page)) if page.tag[row] != tags.TEXT]
        shape = [
            (element.tag, len(list(element.iterancestors())))
            for element in tree.iter()
            if isinstance(element.tag, str)
        ]
        if shape != [(page.name(row), page.depth[row]) for row in elements]:
            continue  # lxml does not follow the standard in everything
        agreed += 1
        for row in elements:
            (element,) = cast(list[Any], tree.xpath(row_xpath(page, row)))
            assert element.tag == page.name(row)
            assert (
                element.get("class", "").encode()
                == (page.source[page.class_start[row] : page.class_stop[row]])
            )
    assert agreed >= 5


@pytest.mark.parametrize(
    ("html", "path"),
    [
        ("<p>a<p>b", "/html/body/p[2]"),
        ("<p>a<b>c</b>d", "/html/body/p/text()[2]"),
        ("<div><o:p>x", "/html/body/div/*[name()='o:p']"),
        ("<a<b>x</a<b><a<b>", "/html/body/*[name()='a<b'][2]"),
        ("<a'b>", '/html/body/*[name()="a\'b"]'),
        ("<i></i><a'\"[/>", "/html/body/*[2]"),
        ("<svg><foreignObject><p>x", "/html/body/svg/foreignObject/p"),
    ],
)
def test_xpaths_read_as_one_would_write_them(html: str, path: str) -> None:
    page = parse(html)
    assert path in [row_xpath(page, row) for row in range(len(page))]
    assert row_xpath(page, find_row(page, path)) == path


@pytest.mark.parametrize("path", ["/html/body/p[3]", "/html/div", "/html/body/p[x]", "", "//p"])
def test_xpaths_that_lead_nowhere_are_refused(path: str) -> None:
    with pytest.raises(InputError):
        find_row(parse("<p>a<p>b"), path)


def test_xpaths_in_any_order_are_those_that_are_written_alone() -> None:
    html = sample("forum").source + b"<x'\"y>a</x'\"y><x'\"y>b<i>c</i></x'\"y>"
    page = parse(html)
    alone = [row_xpath(parse(html), row) for row in range(len(page))]
    rows = list(range(len(page)))
    for order in (rows, rows[::-1], random.Random(1).sample(rows * 3, 3 * len(rows))):
        assert [row_xpath(page, row) for row in order] == [alone[row] for row in order]


def test_elements_are_numbered_among_those_of_their_parent() -> None:
    page = parse("<p>a<b>c</b>d<i>e</i></p><p>f</p>text<ul><li>1<li>2</ul>")
    for row in np.flatnonzero(page.tag != tags.TEXT).tolist():
        beside = np.flatnonzero((page.parent == page.parent[row]) & (page.tag != tags.TEXT))
        assert page.element_numbers[row] == beside.tolist().index(row) + 1
    assert len(parse("").element_numbers) == len(parse(""))


def test_a_page_whose_xpaths_are_deep_is_pickled() -> None:
    page = parse("<div>" * 500 + "text")
    path = row_xpath(page, len(page) - 1)
    assert path.count("/") > 500
    assert row_xpath(pickle.loads(pickle.dumps(page)), len(page) - 1) == path

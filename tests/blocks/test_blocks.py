"""Blocks and Block: columns, sums and what people read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import tamis
from helpers.html_strategies import pages, patient
from helpers.instances import SEGMENTER_NAMES, segmenter
from tamis.blocks import (
    Chunks,
    TagSet,
    count_features,
    count_kinds,
    count_tags,
    scale_to_maximum,
)
from tamis.page import Page, tags


@pytest.mark.parametrize("name", SEGMENTER_NAMES)
@patient
@given(page=pages())
def test_sums_are_those_of_the_rows(name: str, page: Page) -> None:
    blocks = segmenter(name).segment(page)
    owned, inside = blocks.owned(page.chars), blocks.inside(page.chars)
    for index in range(len(blocks)):
        assert owned[index] == page.chars[blocks.owner == index].sum()
        assert inside[index] == page.chars[blocks.first[index] : blocks.stop[index]].sum()


@pytest.mark.parametrize("name", SEGMENTER_NAMES)
@patient
@given(page=pages())
def test_tags_are_counted_but_for_the_element_that_a_block_is(name: str, page: Page) -> None:
    blocks = segmenter(name).segment(page)
    counts = count_tags(blocks)
    assert counts.shape == (len(blocks), 256)
    for index, block in enumerate(blocks):
        rows = np.flatnonzero(blocks.owner == index)
        rows = rows[(rows != blocks.node[index]) | (blocks.first[index] != blocks.node[index])]
        expected = np.bincount(page.tag[rows], minlength=256)
        np.testing.assert_array_equal(counts[index], expected, block.xpath)


def test_kinds_of_tags_are_counted_together() -> None:
    blocks = TagSet().segment(tamis.parse("<p>a<b>b</b><i>c</i></p><p>d<img></p>"))
    kinds = np.zeros(256, dtype=np.int64)
    kinds[[tags.CODE["b"], tags.CODE["i"]]] = 1
    assert count_kinds(blocks, kinds, 2)[:, 1].tolist() == [2, 0]


def test_features_are_terms_groups_of_tags_and_single_tags() -> None:
    html = (
        "<p>one two <b>three</b><br><a href=x>four</a><img><applet></applet></p>"
        "<div><fieldset>x<input><select><option>y</select></fieldset><iframe></iframe>"
        "<script></script><style></style></div>"
    )
    blocks = TagSet().segment(tamis.parse(html))
    counts = {name: list(values) for name, values in count_features(blocks, ()).items()}
    assert counts == {
        "text": [4, 1],  # no text of the option, which is a control
        "text-tag": [2, 0],
        "list": [0, 0],
        "table": [0, 0],
        "link": [1, 0],
        "object": [2, 0],
        "frame": [0, 1],
        "form": [0, 4],
        "script": [0, 1],
        "style-sheet": [0, 1],
    }
    apart = count_features(blocks, ("img", "text"))
    assert (list(apart["img"]), list(apart["object"])) == ([1, 0], [1, 0])


def test_terms_of_scripts_without_spaces_are_characters() -> None:
    blocks = TagSet().segment(tamis.parse("<p>今天天气好。</p><p>Two words, 2 numbers</p>"))
    assert count_features(blocks, ())["text"].tolist() == [5, 4]


def test_relative_counts_are_shares_of_the_greatest() -> None:
    assert scale_to_maximum(np.array([1.0, 4.0, 2.0])).tolist() == [0.25, 1.0, 0.5]
    assert scale_to_maximum(np.array([[0.0, 0.0], [5.0, 10.0]])).tolist() == [[0, 0], [0.5, 1]]
    assert scale_to_maximum(np.zeros(0)).tolist() == []


def test_blocks_are_a_sequence() -> None:
    blocks = TagSet().segment(tamis.parse("<p>a</p><p>b</p><p>c</p>"))
    assert len(blocks) == 3
    assert [block.text for block in blocks] == ["a", "b", "c"]
    assert blocks[-1].text == blocks[2].text == "c"
    with pytest.raises(IndexError):
        blocks[3]
    assert repr(blocks[1]) == "<Block 1 /html/body/p[2] 'b'>"


def test_a_block_without_verdict_has_no_score() -> None:
    (block,) = TagSet().segment(tamis.parse("<p>a</p>"))
    assert (block.score, block.informative, block.reason) == (None, None, None)
    assert block.as_dict() == {
        "index": 0,
        "label": "B-1",
        "parent": None,
        "tag": "p",
        "xpath": "/html/body/p",
        "span": list(block.span),
        "informative": None,
        "score": None,
        "reason": None,
        "text": "a",
    }


def test_text_of_a_block_has_the_breaks_of_the_page() -> None:
    html = "<div>in<b>line</b> word<br>line<table><tr><td>a<td>b</table>end<p>para</p>rest</div>"
    body, div, *_ = Chunks().segment(tamis.parse(html))
    assert body.text == ""
    assert div.text == "inline word\nline\n\nend\n\nrest"
    assert div.full_text == "inline word\nline\n\na\tb\n\nend\n\npara\n\nrest"


def test_the_span_is_counted_in_bytes_of_the_source() -> None:
    page = tamis.parse("<p>żółć</p><p>今天</p>")
    blocks = TagSet().segment(page)
    assert [block.html for block in blocks] == ["<p>żółć</p>", "<p>今天</p>"]
    start, stop = blocks[1].span
    assert page.source[start:stop] == "<p>今天</p>".encode()

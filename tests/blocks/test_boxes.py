"""Boxes of blocks: the same as around their rows one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import tamis
from helpers.html_strategies import pages, patient
from helpers.instances import SEGMENTER_NAMES, segmenter
from helpers.layouts import laid_out
from helpers.samples import SAMPLES, sample
from tamis.blocks import Blocks
from tamis.page import Page


def box_by_rows(blocks: Blocks, index: int) -> tuple[float, float, float, float]:
    """Return the box of a block row by row."""
    page, layout = blocks.page, blocks.page.layout
    assert layout is not None
    rows = np.arange(blocks.first[index], blocks.stop[index])
    rows = rows[page.end[rows] <= blocks.stop[index]]
    rows = rows[layout.shown[rows] & (layout.width[rows] > 0) & (layout.height[rows] > 0)]
    if not len(rows):
        return (0.0, 0.0, 0.0, 0.0)
    x, y, width, height = (
        column[rows].astype(np.float64)
        for column in (layout.x, layout.y, layout.width, layout.height)
    )
    left, top = x.min(), y.min()
    return (left, top, (x + width).max() - left, (y + height).max() - top)


def check(name: str, page: Page) -> None:
    blocks = segmenter(name).segment(laid_out(page))
    for index in range(len(blocks)):
        assert blocks.box(index) == pytest.approx(box_by_rows(blocks, index))


@pytest.mark.parametrize("name", SEGMENTER_NAMES)
@patient
@given(page=pages())
def test_any_blocks_have_the_boxes_of_their_rows(name: str, page: Page) -> None:
    check(name, page)


@pytest.mark.parametrize("name", SEGMENTER_NAMES)
@pytest.mark.parametrize("of", SAMPLES)
def test_blocks_of_samples_have_the_boxes_of_their_rows(name: str, of: str) -> None:
    check(name, sample(of))


def test_without_layout_there_are_no_boxes() -> None:
    blocks = tamis.segment("<p>a")
    assert blocks.box(0) is None
    assert not blocks.boxes.any()
    assert tamis.segment(laid_out(tamis.parse("<p></p>"))).boxes.shape == (0, 4)

"""Screenshots with blocks: every block where it is, in its colour, with its number and reason."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tamis
from helpers.chromium import needs_chromium
from tamis.page import Page, row_attributes, tags
from tamis.render import (
    LEGEND_HEIGHT,
    OUTLINE_WIDTH,
    Browser,
    RenderedPage,
    blocks_page,
    blocks_png,
    crosses_boxes,
    place_blocks,
    png_size,
)

pytestmark = needs_chromium

HTML = """<body style="margin: 0"><nav style="height: 50px"><a href=/>Home</a></nav>
<main style="height: 300px"><p>The river rose, by four inches; nobody slept &lt;b&gt;.</p></main>"""


@pytest.fixture(scope="module")
def rendered(browser: Browser) -> RenderedPage:
    return browser.visit(HTML, screenshot=True)


def drawn_boxes(page: Page) -> list[tuple[float, ...]]:
    layout = page.layout
    assert layout is not None
    rows = [
        row
        for row in range(len(page))
        if page.tag[row] == tags.CODE["div"]
        and row_attributes(page, row)["class"].startswith("block")
    ]
    columns = (layout.x, layout.y, layout.width, layout.height)
    return [tuple(float(column[row]) for column in columns) for row in rows]


def test_every_block_is_drawn_where_it_is(browser: Browser, rendered: RenderedPage) -> None:
    assert rendered.screenshot is not None
    blocks = tamis.extract(rendered.page, method="optimum").blocks
    overlay = blocks_page(blocks, rendered.screenshot, "a & b")
    boxes = drawn_boxes(browser.render(overlay))
    wanted = [block.box for block in blocks if block.box and block.box[2]]
    assert len(boxes) == len(wanted) == 2
    for box, (x, y, width, height) in zip(boxes, wanted, strict=True):
        assert box == pytest.approx((x, y + LEGEND_HEIGHT, width, height), abs=1)


def test_the_page_needs_nothing_but_itself(rendered: RenderedPage) -> None:
    assert rendered.screenshot is not None
    blocks = tamis.extract(rendered.page, method="optimum").blocks
    overlay = blocks_page(blocks, rendered.screenshot, "<script>alert(1)</script>")
    assert "<script" not in overlay
    assert not re.search(r"(src|href)=\"(?!data:)", overlay)
    assert "nobody slept &lt;b&gt;." in overlay
    assert blocks[1].reason is not None
    assert blocks[1].reason in overlay
    assert overlay.count("1 informative") == 1
    assert overlay.count("1 noise") == 1
    without = blocks_page(list(tamis.segment(rendered.page)), rendered.screenshot, "x")
    assert "2 blocks" in without


def test_a_png_shows_the_page_and_the_legend(browser: Browser, rendered: RenderedPage) -> None:
    assert rendered.screenshot is not None
    blocks = list(tamis.segment(rendered.page))
    png = blocks_png(blocks_page(blocks, rendered.screenshot, "x"), browser)
    width, height = png_size(rendered.screenshot)
    assert png_size(png) == (width, height + LEGEND_HEIGHT)
    assert png[:4] == b"\x89PNG"
    assert png != rendered.screenshot


@pytest.mark.parametrize("segmenter", list(tamis.SEGMENTERS))
def test_all_segmenters_can_be_drawn(rendered: RenderedPage, segmenter: str) -> None:
    blocks = list(tamis.segment(rendered.page, segmenter))
    drawn = list(place_blocks(blocks, 1280, 800))
    assert drawn
    assert len({block.label for block in drawn} | {(0.0, 0.0)}) <= len(drawn) + 1


def test_numbers_do_not_cover_each_other(browser: Browser) -> None:
    nested = browser.visit("<div><div><div><p>a</p>b</div>c</div>d</div>", screenshot=True)
    drawn = list(place_blocks(list(tamis.segment(nested.page, "chunks")), 1280, 800))
    corners = [(block.box[0] + block.label[0], block.box[1] + block.label[1]) for block in drawn]
    assert len(corners) == 5
    apart = [
        abs(a[0] - b[0]) >= 10 or abs(a[1] - b[1]) >= 10
        for i, a in enumerate(corners)
        for b in corners[:i]
    ]
    assert all(apart)


@pytest.mark.parametrize(
    ("text", "outside", "inside"),
    [
        ((20, 12, 40, 18), True, False),  # a neighbour's letters begin where the block ends
        ((10, 12, 18, 18), False, True),  # its own begin where it begins
        ((13, 13, 17, 17), False, False),
        ((0, 0, 9, 18), True, False),
        ((5, 15, 25, 16), True, True),
        ((12, 20, 18, 30), True, False),
        ((12, 10, 18, 15), False, True),
    ],
)
def test_lines_keep_off_letters(text: tuple[int, ...], *, outside: bool, inside: bool) -> None:
    texts = np.array([text], dtype=np.float64)
    assert crosses_boxes((10, 10, 20, 20), texts, OUTLINE_WIDTH) is outside
    assert crosses_boxes((10, 10, 20, 20), texts, -OUTLINE_WIDTH) is inside


def test_a_very_tall_page_is_drawn_in_part(browser: Browser) -> None:
    tall = browser.visit("<p style='height: 30000px'>a</p><p>b", screenshot=True)
    assert tall.screenshot is not None
    assert png_size(tall.screenshot) == (1280, 12000)
    overlay = blocks_page(list(tamis.segment(tall.page)), tall.screenshot, "x")
    assert overlay.count('class="block') == 1

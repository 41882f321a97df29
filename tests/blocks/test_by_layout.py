"""layout: which parts of a page are prominent enough for their level."""

from __future__ import annotations

import pytest
from hypothesis import given

import tamis
from helpers.chromium import needs_chromium
from helpers.contracts import check_segmenter
from helpers.html_strategies import pages, patient
from helpers.layouts import laid_out
from tamis.blocks import SEGMENTERS, ByLayout
from tamis.errors import InputError, NeedsLayout, WrongType
from tamis.page import Page
from tamis.render import render

CARDS = "".join(f"<p>card {n}</p><p>of clay</p><p>for soup</p><p>and more</p>" for n in range(6))
HTML = f"""<body style="margin: 0"><div id=top style="height: 80px"><b>Pottery</b>
<i style="display: block">since 1901</i></div>
<div id=main style="width: 900px; float: left">{CARDS}</div>
<div id=side style="width: 300px; float: left"><p>one</p><p>two</p><p>three</p><p>four</p>
<p>five</p></div>
<div id=end style="clear: both; height: 12px"><u>imprint</u></div>"""


@given(pages())
@patient
def test_any_page_is_cut_by_the_contract(page: Page) -> None:
    check_segmenter(ByLayout(), laid_out(page))


@pytest.fixture(scope="module", name="page")
def rendered_page() -> Page:
    return render(HTML)


def ids(page: Page, segmenter: ByLayout) -> set[str]:
    blocks = segmenter.segment(page)
    attributes = (page.source[page.start[n] : page.head[n]] for n in blocks.node.tolist())
    return {tag.split(b'id="')[1].split(b'"')[0].decode() for tag in attributes if b'id="' in tag}


@needs_chromium
def test_large_parts_are_blocks_and_single_texts_are_none(page: Page) -> None:
    assert ids(page, ByLayout()) == {"top", "main", "side"}


@needs_chromium
def test_a_lower_limit_gives_more_blocks_and_a_higher_one_fewer(page: Page) -> None:
    counts = [len(ByLayout(limit=limit).segment(page)) for limit in (-9, -4, -1.6, 0.5, 9)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[2] > counts[-1] >= 1


@needs_chromium
def test_depth_costs_and_area_counts(page: Page) -> None:
    assert len(ByLayout(level_cost=3).segment(page)) < len(ByLayout(level_cost=0).segment(page))
    assert len(ByLayout(area_weight=2).segment(page)) < len(ByLayout(area_weight=0).segment(page))


def test_it_has_a_name_and_needs_layout() -> None:
    assert SEGMENTERS["layout"] is ByLayout
    with pytest.raises(NeedsLayout, match="layout looks at pages"):
        tamis.segment(tamis.parse("<p>a"), "layout")


@pytest.mark.parametrize(
    "setting", [{"level_cost": -1}, {"area_weight": float("nan")}, {"limit": "1"}]
)
def test_settings_are_checked(setting: dict[str, float]) -> None:
    with pytest.raises((InputError, WrongType)):
        ByLayout(**setting)

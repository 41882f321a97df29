"""The visual score: features of position, layout and appearance, on made-up boxes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from helpers.html_strategies import pages, patient
from helpers.layouts import laid_out, made_layout
from tamis.page import Page, parse, tags
from tamis.records import (
    Boxes,
    find_best_region,
    find_regions,
    score_centering,
    score_left_alignment,
    score_size,
    score_spacing,
    score_uniformity,
)

SIZE = (1000.0, 2000.0)


def boxes(*edges: tuple[float, float, float, float]) -> Boxes:
    """Return boxes of records, each given by its left, upper, right and lower edge."""
    return Boxes(*np.array(edges, dtype=np.float64).T)


COLUMN = boxes((300, 0, 700, 90), (300, 100, 700, 190), (300, 200, 700, 290))
GRID = boxes((200, 0, 480, 90), (520, 0, 800, 90), (200, 100, 480, 190), (520, 100, 800, 190))
SIDE = boxes((0, 0, 100, 20), (0, 20, 100, 40))
RAGGED = boxes((0, 0, 100, 90), (31, 120, 100, 190), (67, 500, 100, 510))


def test_a_column_in_the_middle_is_centred_and_a_side_bar_is_not() -> None:
    assert score_centering(COLUMN, SIZE) == score_centering(GRID, SIZE) == 1
    assert score_centering(SIDE, SIZE) == pytest.approx(0.1)


def test_size_is_the_part_of_the_page() -> None:
    assert score_size(COLUMN, SIZE) == pytest.approx((0.4 * 290 / 2000) ** 0.5)
    assert score_size(COLUMN, (0.0, 0.0)) == 1  # a page without a size is full


def test_records_of_columns_and_grids_are_left_aligned() -> None:
    assert score_left_alignment(COLUMN) == score_left_alignment(GRID) == 1
    assert score_left_alignment(RAGGED) == 0


def test_neighbours_stand_at_one_distance_below_or_beside_each_other() -> None:
    assert score_spacing(COLUMN) == score_spacing(SIDE) == 1
    assert score_spacing(RAGGED) == 0
    assert score_spacing(boxes((0, 0, 9, 90), (0, 50, 9, 140), (0, 100, 9, 190))) == 0  # overlap


def test_uniformity_is_the_share_of_the_most_frequent_value() -> None:
    assert score_uniformity(np.array([1, 1, 1, 2])) == 0.75


def two_lists(html: str, left: float, width: float) -> Page:
    """Return a page whose second list is moved to the right."""
    page = parse(html)
    layout = made_layout(page)
    size = len(page)
    x, wide = np.full(size, 0.0, np.float32), np.full(size, 150.0, np.float32)
    y = np.arange(size, dtype=np.float32) * 20
    high = np.full(size, 20.0, np.float32)
    second = int(np.flatnonzero(page.tag == tags.CODE["ul"])[1])
    x[second:], wide[second:] = left, width
    shown = np.ones(size, dtype=np.bool_)
    moved = replace(layout, x=x, y=y, width=wide, height=high, shown=shown)
    return replace(page, layout=replace(moved, size=(1280.0, 20.0 * size)))


def test_of_two_lists_the_one_in_the_middle_is_taken() -> None:
    item = "<li><h3>{0} {1} of many</h3><p>It is {1} good to have</p><i>{1}</i></li>"
    first, second = (
        "<ul>" + "".join(item.format(word, n) for n in range(count)) + "</ul>"
        for word, count in (("side", 8), ("main", 7))
    )
    page = two_lists(f"<div>{first}</div>{second}", left=250.0, width=780.0)
    blind = replace(page, layout=None)
    for either, word in ((blind, "side"), (page, "main")):
        region = find_best_region(either)
        assert region is not None
        assert word in region.cell_texts[int(region.cell[0])]
        assert region.cell.tolist() == find_regions(either)[0].cell.tolist()


@patient
@given(pages())
def test_rank_scores_are_within_their_bounds(page: Page) -> None:
    for seed in range(2):
        for region in find_regions(laid_out(page, seed)):
            assert 0 <= region.rank_score <= region.score * 11

"""Records of pages that a browser has laid out: what it does not show is no part of a record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tamis
from helpers.layouts import made_layout
from tamis.page import Layout, Page

COUNT = 6
ITEMS = "".join(
    f"<li><h3><a href=/{n}>Title number {n}</a></h3><p class=d>Words of the item {n}, and more</p>"
    f"<div class=x><span>clipped from a page {n}</span></div></li>"
    for n in range(COUNT)
)


def shown(page: Page) -> Layout:
    """A layout in which everything is to be seen."""
    all_shown = np.ones(len(page), dtype=np.bool_)
    side = np.full(len(page), 100, dtype=np.float32)
    return replace(made_layout(page), shown=all_shown, x=side, y=side, width=side, height=side)


def boxes(page: Page) -> list[int]:
    """The rows of what a test hides."""
    starts = np.flatnonzero(page.class_stop > page.class_start)
    return [
        row
        for row in starts.tolist()
        if b'class="x"' in page.source[page.start[row] : page.head[row]]
    ]


def texts(page: Page) -> list[str]:
    records = tamis.extract(page, method="tagwindow").records
    assert len(records) == COUNT
    return [field.texts[1] for field in records.fields if any(field.texts)]


def with_inside(page: Page, **columns: float | bool) -> Page:
    """Return a page in whose layout what a test hides, and all in it, has other values."""
    layout = shown(page)
    changed: dict[str, Any] = {}
    for name, value in columns.items():
        column = getattr(layout, name).copy()
        for row in boxes(page):
            column[row : page.end[row]] = value
        changed[name] = column
    return replace(page, layout=replace(layout, **changed))


ALL = ["Title number 1", "Words of the item 1, and more", "clipped from a page 1"]


@pytest.fixture
def page() -> Page:
    return tamis.parse(f"<body><main><ul>{ITEMS}</ul></main></body>")


def test_what_is_shown_stays(page: Page) -> None:
    assert texts(page) == texts(replace(page, layout=shown(page))) == ALL


@pytest.mark.parametrize(
    "columns", [{"shown": False}, {"height": 0.0}, {"width": 0.0}, {"x": -9999.0}, {"y": -500.0}]
)
def test_what_is_not_shown_is_left_out(page: Page, columns: dict[str, float | bool]) -> None:
    assert len(boxes(page)) == COUNT
    assert texts(with_inside(page, **columns)) == ALL[:2]


def test_a_box_of_a_point_is_for_screen_readers(page: Page) -> None:
    layout = shown(page)
    width, height = layout.width.copy(), layout.height.copy()
    width[boxes(page)] = height[boxes(page)] = 1.0  # the text in it is as large as it is
    small = replace(layout, width=width, height=height)
    assert texts(replace(page, layout=small)) == ALL[:2]


def test_a_layout_that_shows_nothing_is_not_believed(page: Page) -> None:
    layout = shown(page)
    blank = replace(layout, shown=np.zeros(len(page), dtype=np.bool_))
    assert texts(replace(page, layout=blank)) == ALL

"""Layouts that nobody rendered: for what must hold on any layout, and where there is no browser."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from tamis.page import CLEARS, DISPLAYS, FLOATS, POSITIONS, Layout, Page, freeze, tags
from tamis.render import COLUMN_TYPES

LINE = 20.0
COLOURS = (0x000000FF, 0xFFFFFFFF, 0xCC0000FF, 0x00000000)


def made_layout(page: Page, seed: int = 0) -> Layout:
    """Return a layout in which rows stand below each other, with styles drawn by lot."""
    size = len(page)
    rows = np.arange(size)
    # A generator each, so that the rows of a page and of a longer one begin with the same lots.
    generators = (np.random.default_rng([seed, number]) for number in count())

    def lots() -> Any:
        return next(generators).random(size)

    def drawn(values: int, usual: int = 0, share: float = 0.7) -> Any:
        return np.where(lots() < share, usual, (lots() * values).astype(int))

    is_text = page.tag == tags.TEXT
    colours = np.array(COLOURS, dtype=np.uint32)
    columns: list[Any] = [
        8.0 * page.depth,
        LINE * rows,
        np.maximum(1200.0 - 16.0 * page.depth, 0) * (lots() < 0.97),
        LINE * (page.end - rows),
        lots() < 0.95,
        np.where(is_text, DISPLAYS.index("inline"), drawn(len(DISPLAYS), DISPLAYS.index("block"))),
        drawn(len(POSITIONS)),
        drawn(len(FLOATS)),
        drawn(len(CLEARS)),
        np.array([13.0, 16.0, 24.0])[drawn(3)],
        np.array([400.0, 700.0])[drawn(2)],
        colours[drawn(3)],
        colours[drawn(4, 3)],
        lots() < 0.1,
        *(drawn(3, 0, 0.9) for _ in range(4)),
    ]
    made: list[Any] = [
        freeze(np.asarray(column).astype(kind))
        for column, kind in zip(columns, COLUMN_TYPES, strict=True)
    ]
    return Layout((1280.0, 800.0), (1280.0, LINE * size + 1), *made)


def laid_out(page: Page, seed: int = 0) -> Page:
    """Return a page with a layout: its own, or one that was made up."""
    return page if page.layout is not None else replace(page, layout=made_layout(page, seed))

"""Layout: what a browser made of each row of a page, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

# Values of CSS properties by code; what is in no list has the code of the first.
DISPLAYS: Final = tuple(
    "none inline block inline-block flex inline-flex grid inline-grid contents list-item flow-root "
    "table inline-table table-row table-cell table-row-group table-header-group table-footer-group "
    "table-caption table-column table-column-group ruby ruby-text math".split()
)
POSITIONS: Final = ("static", "relative", "absolute", "fixed", "sticky")
FLOATS: Final = ("none", "left", "right")
CLEARS: Final = ("none", "left", "right", "both")

Box = tuple[float, float, float, float]  # x, y, width, height
Floats = NDArray[np.float32]
Codes = NDArray[np.uint8]
Colours = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Layout:
    """Per row of a page: its box in CSS pixels of the whole page, and its computed style.

    A text row has the box of its text and the style of the element around it. Colours are
    0xRRGGBBAA. `shown` rows have a box and are not hidden; what no browser laid out (scripts,
    templates, rows that the browser does not have) has an empty box at 0, 0 and is not shown.
    `screen` is the size of the window, `size` that of the page.
    """

    screen: tuple[float, float]
    size: tuple[float, float]
    x: Floats
    y: Floats
    width: Floats
    height: Floats
    shown: NDArray[np.bool_]
    display: Codes  # of DISPLAYS
    position: Codes  # of POSITIONS
    floated: Codes  # of FLOATS
    cleared: Codes  # of CLEARS
    font_size: Floats
    font_weight: Floats
    colour: Colours
    background: Colours
    has_background_image: NDArray[np.bool_]  # a background image
    border_top: Floats
    border_right: Floats
    border_bottom: Floats
    border_left: Floats

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        return f"<Layout of {len(self)} rows on {self.size[0]:.0f} × {self.size[1]:.0f} pixels>"

"""Layout: boxes and computed styles of the rows of a page, from a browser, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

# Values of CSS properties by code; a value that is not listed has the code of the first.
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
    """For each row of a page: its box, in CSS pixels from the top left of the page, and its style.

    A text row has the box of its text and the style of its parent. Colours are 0xRRGGBBAA. `shown`
    rows have a box and are not hidden. Rows that the browser did not lay out (scripts, templates,
    rows that it does not have) have an empty box at 0, 0 and are not shown. `screen` is the size of
    the window, `size` that of the page.
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
    has_background_image: NDArray[np.bool_]
    border_top: Floats
    border_right: Floats
    border_bottom: Floats
    border_left: Floats

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        return f"<Layout of {len(self)} rows on {self.size[0]:.0f} × {self.size[1]:.0f} pixels>"

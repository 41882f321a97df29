"""What a block holds itself: text, marks, links, elements, letters."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.verdict.evidence.frame import COUNTED, Frame, Matrix
from tamis.verdict.kernel.measures import measure_own

# Elements that a block can be, in an order that a threshold can cut: running text first.
KINDS: Final = (
    "p blockquote pre dd td h1 h2 h3 h4 h5 h6 figcaption dt th li div article main section details "
    "figure address body html form header aside footer nav ul ol dl tr table hr"
).split()
NAMES: Final = (
    *"terms marks link_density marks_per_term share of_longest".split(),
    *"kind level whole depth hidden".split(),
    *(f"n_{group[0]}" for group in COUNTED),
)

_KIND = np.full(256, len(KINDS))
for _place, _name in enumerate(KINDS):
    _KIND[tags.CODE[_name]] = _place
_LEVEL = np.full(256, 9)
for _place, _name in enumerate(tags.HEADINGS, start=1):
    _LEVEL[tags.CODE[_name]] = _place


def own(frame: Frame, columns: Matrix) -> None:
    """Write what the blocks hold themselves."""
    first, node = (np.ascontiguousarray(rows) for rows in (frame.blocks.first, frame.blocks.node))
    measure_own(
        *(frame.sums, frame.elements, frame.tag, _KIND, _LEVEL),
        *(frame.page.depth, first, node, columns),
    )


def kind_table() -> NDArray[np.int64]:
    """Return the place of each tag code in `KINDS`."""
    return _KIND


def level_table() -> NDArray[np.int64]:
    """Return the level of each tag code as a heading, 9 for what is none."""
    return _LEVEL

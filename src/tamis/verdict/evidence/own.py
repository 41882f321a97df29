"""What a block holds itself: text, marks, links, elements, letters."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.verdict.evidence.frame import COUNTED, Frame, Matrix

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
    blocks, page, terms = frame.blocks, frame.page, frame.terms
    columns[0] = np.minimum(terms, 2000.0)
    columns[1] = np.minimum(frame.marks, 500.0)
    columns[2] = frame.link_density
    columns[3] = frame.marks / np.maximum(terms, 1.0)
    columns[4] = terms / frame.all_terms
    columns[5] = terms / max(float(terms.max()), 1.0)
    columns[6] = kinds(frame.tag)
    columns[7] = levels(frame.tag)
    columns[8] = blocks.first == blocks.node
    columns[9] = page.depth[frame.anchor]
    columns[10] = frame.sums[4] / np.maximum(frame.chars, 1.0)
    columns[11:] = np.minimum(frame.elements, 50)


def kinds(tag: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the place of tag codes in `KINDS`."""
    return _KIND[tag]


def levels(tag: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the level of headings, 9 for what is none."""
    return _LEVEL[tag]

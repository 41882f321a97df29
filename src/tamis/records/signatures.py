"""Signatures of rows: numbers for their paths, tags and classes, so that numpy can compare them.

Rows with equal paths have equal path keys; the key of the part of a path below an ancestor is a
difference of two keys. A class symbol stands for the most frequent name in a class attribute.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import MAX_DEPTH, Bools, Ints, Page, freeze, tags
from tamis.records import _align
from tamis.records._align import hash_names, hash_paths, read_class_names

Keys = NDArray[np.uint64]
Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]

# Odd numbers whose bits look random: sums of products with them are hashes.
HASH_FACTOR: Final = np.uint64(0xE7037ED1A0B428DB)
_STEP: Final = 0x9E3779B97F4A7C15

_MAX_SIMPLE_CELLS: Final = 2  # texts and images in a cell of a data table

# What each tag is for names of rows.
_TRAITS: Final = (
    _align.TABLE_CELL * tags.tag_table(("td", "th"))
    + _align.HEADING * tags.tag_table(tags.HEADINGS)
).astype(np.uint8)

# Classes that hide their elements in widely used style sheets: Bootstrap, HTML5 Boilerplate,
# WordPress, Drupal, Google's site search, …
_HIDING_CLASSES: Final = (
    b"hidden hide invisible offscreen off-screen d-none display-none is-hidden u-hidden js-hidden "
    b"is-hide js-hide a-hidden a-offscreen u-offscreen is-invisible u-invisible sr-only "
    b"visually-hidden visuallyhidden visuallyHidden screen-reader screenreader screen-reader-only "
    b"screen-reader-text element-invisible assistive-text accessible-text accessible-description "
    b"accessibility-text gs-visibleUrl-short gs-watermark"
)


def prefix_sums(values: NDArray[np.generic]) -> Int64s:
    """Return the sum of all values before each row, and as the last number the sum of all."""
    sums = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=sums[1:])
    return sums


# Paths ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PathKeys:
    """A key for the path of each row, from the root down.

    The key is a polynomial of the symbols on the path. So the key of the path below an ancestor is
    a difference.
    """

    depth: Ints
    key: Keys
    power: Keys

    def below(self, rows: Ints, ancestors: Ints) -> Keys:
        """Return keys for the paths of rows below given ancestors of theirs."""
        powers: Keys = self.power[self.depth[rows] - self.depth[ancestors]]
        return self.key[rows] - powers * self.key[ancestors]


def build_path_keys(page: Page, symbols: Keys) -> PathKeys:
    """Return the path keys of all rows, given a symbol for each row."""
    return PathKeys(page.depth, hash_paths(symbols, page.parent, _STEP), _step_powers())


@cache
def _step_powers() -> Keys:
    """Return the powers of the hash step, for as many levels as a page can have."""
    power = np.full(MAX_DEPTH + 1, _STEP, dtype=np.uint64)
    power[0] = 1
    return freeze(np.cumprod(power))


# Tags -------------------------------------------------------------------------------------------


def _mix_bits(values: Keys) -> Keys:
    """Return numbers whose bits depend on all bits of the given ones."""
    values = (values ^ (values >> np.uint64(31))) * np.uint64(0x7FB5D329728EA185)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x81DADEF4BC2DD44D)
    return values ^ (values >> np.uint64(33))


TAG_SYMBOLS: Final = _mix_bits(np.arange(1, 257, dtype=np.uint64))


def tag_symbols(page: Page) -> Keys:
    """Return a symbol for the tag of each row."""
    return TAG_SYMBOLS[page.tag]


def name_rows(page: Page, cells_before: Int64s, classes: Classes) -> tuple[Keys, Keys]:
    """Return a symbol for the class of each row that has cells, and one for its tag and its name.

    The name of a row is its class; that of a table cell without one is its index in its row. Table
    cells with more than a few texts and images, or with headings, are layout: each may hold a
    product, say. They have no such name, so that they are equal to their neighbours.
    """
    return _align.name_rows(
        page, cells_before, classes.symbol, TAG_SYMBOLS, _TRAITS, _MAX_SIMPLE_CELLS
    )


# Classes ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Classes:
    """What the class attribute of each row tells.

    `symbol` is a number for the class, 0 for none. Of several names in a class attribute the one
    that the page has most often counts, digits aside: `item odd`, `item first` and `item-3 item`
    are all items. `hides`: the class hides its element by convention. `is_date`: it names a date or
    a time.
    """

    symbol: Keys
    hides: Bools
    is_date: Bools


def read_classes(page: Page) -> Classes:
    """Return what the class attributes of a page tell."""
    return Classes(*read_class_names(page, _hiding_class_keys()))


@cache
def _hiding_class_keys() -> Keys:
    """Return the keys of class names that hide their elements by convention, sorted."""
    return freeze(hash_names(_HIDING_CLASSES))

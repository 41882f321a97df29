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
from tamis.records._align import group_equal, hash_names, hash_paths

Keys = NDArray[np.uint64]
Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]

# Odd numbers whose bits look random: sums of products with them are hashes.
HASH_FACTOR: Final = np.uint64(0xE7037ED1A0B428DB)
_STEP: Final = 0x9E3779B97F4A7C15

_MAX_SIMPLE_CELLS: Final = 2  # texts and images in a cell of a data table

_IS_TABLE_CELL: Final = tags.tag_table(("td", "th"))
_IS_HEADING: Final = tags.tag_table(tags.HEADINGS)

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


_TAG_SYMBOLS: Final = _mix_bits(np.arange(1, 257, dtype=np.uint64))


def tag_symbols(page: Page) -> Keys:
    """Return a symbol for the tag of each row."""
    return _TAG_SYMBOLS[page.tag]


def table_cell_symbols(page: Page, cells_inside: Ints) -> Keys:
    """Return a symbol for the index of each table cell in its row, 0 for all other rows.

    `cells_inside` is the number of texts and images in each row. Table cells with more than a few
    of them, or with headings, are layout: each may hold a product, say. They get no symbol, so
    that they are equal to their neighbours.
    """
    symbols = np.zeros(len(page), dtype=np.uint64)
    rows = np.flatnonzero(_IS_TABLE_CELL[page.tag])
    if len(rows):
        rows = rows[np.argsort(page.parent[rows], kind="stable")]
        first_cells = np.flatnonzero(np.diff(page.parent[rows], prepend=-1))
        row_lengths = np.diff(first_cells, append=len(rows))
        index = np.arange(len(rows)) - np.repeat(first_cells, row_lengths)
        index_symbols = (index.astype(np.uint64) + np.uint64(1)) << np.uint64(32)
        headings = prefix_sums(_IS_HEADING[page.tag])
        has_no_heading = headings[page.end[rows]] == headings[rows]
        is_simple = (cells_inside[rows] <= _MAX_SIMPLE_CELLS) & has_no_heading
        symbols[rows] = np.where(is_simple, index_symbols, np.uint64(0))
    return symbols


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
    symbol = np.zeros(len(page), dtype=np.uint64)
    hides, is_date = np.zeros((2, len(page)), dtype=np.bool_)
    rows = np.flatnonzero(page.class_stop > page.class_start)
    if len(rows) == 0:
        return Classes(symbol, hides, is_date)
    # Equal attributes form a group; each group is read once.
    group, count = group_equal(page.class_key[rows].astype(np.uint64))
    first = np.empty(count, dtype=np.int64)
    first[group[::-1]] = np.arange(len(rows) - 1, -1, -1)  # the last write counts
    examples = rows[first]
    name, owner, names_date = hash_names(
        page.source, page.class_start[examples], page.class_stop[examples]
    )
    number, distinct = group_equal(name)
    frequency = np.bincount(number, np.bincount(group)[owner], distinct)
    group_symbol, group_hides = np.zeros(count, dtype=np.uint64), np.zeros(count, dtype=np.bool_)
    # The last write counts: of the names of a class the most frequent one, the first of several.
    order = np.argsort(frequency[number[::-1]], kind="stable")
    group_symbol[owner[::-1][order]] = number[::-1][order] + 1
    hiding = _hiding_class_keys()
    group_hides[owner[hiding[np.searchsorted(hiding[:-1], name)] == name]] = True
    symbol[rows], hides[rows] = group_symbol[group], group_hides[group]
    is_date[rows] = names_date[group]
    return Classes(symbol, hides, is_date)


@cache
def _hiding_class_keys() -> Keys:
    """Return the keys of class names that hide their elements by convention, sorted."""
    span = np.array([0, len(_HIDING_CLASSES)], dtype=np.int32)
    return np.unique(hash_names(_HIDING_CLASSES, span[:1], span[1:])[0])

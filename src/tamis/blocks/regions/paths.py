"""Elements → numbers for their paths: equal paths, equal numbers, also below any element."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.kernel.aligned import hash_paths
from tamis.page import Page, tags
from tamis.page.limits import MAX_DEPTH
from tamis.page.page import Ints, frozen

Keys = NDArray[np.uint64]

SIMPLE: Final = 2  # texts and pictures in a cell of a table of data

SPREAD: Final = np.uint64(0xE7037ED1A0B428DB)  # odd, with bits that look like chance

_STEP: Final = 0x9E3779B97F4A7C15
_IS_CELL: Final = tags.tag_table(("td", "th"))
_IS_HEADING: Final = tags.tag_table(tags.HEADINGS)


@dataclass(frozen=True, eq=False)
class Paths:
    """A number for the path of each row, from the root down.

    The number is a polynomial of the symbols on the path, so that the path below an ancestor is a
    difference.
    """

    depth: Ints
    key: Keys
    power: Keys

    def below(self, rows: Ints, above: Ints) -> Keys:
        """Return numbers for the paths of rows below ancestors of theirs."""
        steps: Keys = self.power[self.depth[rows] - self.depth[above]]
        return self.key[rows] - steps * self.key[above]


def paths_of(page: Page, symbols: Keys) -> Paths:
    """Return the paths of all rows, given a symbol for each row."""
    keys = np.empty(len(page), dtype=np.uint64)
    hash_paths(symbols, page.parent, _STEP, keys)
    return Paths(page.depth, keys, powers())


@cache
def powers() -> Keys:
    """Return the powers of the step from one level to the next, for as many as a page can have."""
    power = np.full(MAX_DEPTH + 1, _STEP, dtype=np.uint64)
    power[0] = 1
    return frozen(np.cumprod(power))


def mixed(values: Keys) -> Keys:
    """Return numbers whose bits depend on all bits of the given ones."""
    values = (values ^ (values >> np.uint64(31))) * np.uint64(0x7FB5D329728EA185)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x81DADEF4BC2DD44D)
    return values ^ (values >> np.uint64(33))


def tag_symbols(page: Page) -> Keys:
    """Return a symbol for the tag of each row."""
    return _TAG_SYMBOLS[page.tag]


def cell_numbers(page: Page, held: Ints) -> Keys:
    """Return a symbol for the number of each table cell in its row, 0 for all other rows.

    `held` is how many texts and pictures a row holds. What holds more than a few, or headings, is
    a part of the page's layout, such as a product, and has no number: its neighbours are its like.
    """
    numbers = np.zeros(len(page), dtype=np.uint64)
    rows = np.flatnonzero(_IS_CELL[page.tag])
    if len(rows):
        rows = rows[np.argsort(page.parent[rows], kind="stable")]
        above = page.parent[rows]
        begins = np.flatnonzero(np.diff(above, prepend=-1))
        number = np.arange(len(rows)) - np.repeat(begins, np.diff(begins, append=len(rows)))
        symbol = (number.astype(np.uint64) + np.uint64(1)) << np.uint64(32)
        headings = np.concatenate(([0], np.cumsum(_IS_HEADING[page.tag])))
        simple = (held[rows] <= SIMPLE) & (headings[page.end[rows]] == headings[rows])
        numbers[rows] = np.where(simple, symbol, np.uint64(0))
    return numbers


_TAG_SYMBOLS: Final = mixed(np.arange(1, 257, dtype=np.uint64))

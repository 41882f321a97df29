"""The elements around a block: how much of the page's text each holds, and of what kind."""

from __future__ import annotations

from typing import Final

import numpy as np

from tamis.verdict.evidence.frame import Frame, Matrix, Numbers
from tamis.verdict.evidence.own import kind_table
from tamis.verdict.kernel.measures import measure_best, measure_levels
from tamis.verdict.kernel.passes import find_levels

LEVELS: Final = 6
MEASURES: Final = (
    "long_share share blocks terms_per_block link_density marks_per_term kind headings part".split()
)
NAMES: Final = (
    *(f"{measure}_{level}" for measure in MEASURES for level in range(1, LEVELS + 1)),
    *"in_best around_best best_share side_of_best".split(),
)


def levels_above(frame: Frame) -> Numbers:
    """Return the elements around each block, inside out, that hold more blocks than the last.

    A row a level; past the root it stays the root.
    """
    page = frame.page
    levels = np.empty((LEVELS, len(frame)), dtype=np.int64)
    find_levels(page.parent, page.end, frame.before, frame.anchor, levels)
    return levels


def containers(frame: Frame, levels: Numbers, columns: Matrix) -> None:
    """Write what the elements around the blocks hold."""
    page, totals, before = frame.page, frame.totals, frame.before
    measure_levels(totals, levels, before, page.end, page.tag, kind_table(), columns[:-4])
    room = np.zeros(len(page))
    measure_best(totals, page.parent, page.end, before, frame.anchor, room, columns[-4:])

"""The elements around a block: how much of the page's text each holds, and of what kind."""

from __future__ import annotations

from typing import Final

import numpy as np

from tamis.verdict.evidence.frame import Columns, Frame, Matrix, Numbers, groups_of
from tamis.verdict.evidence.own import kinds
from tamis.verdict.kernel.measures import measure_levels
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
    before = frame.before
    levels = np.empty((LEVELS, len(frame)), dtype=np.int64)
    find_levels(page.parent, before[page.end] - before[:-1], frame.anchor, levels)
    return levels


def containers(frame: Frame, levels: Numbers, columns: Matrix) -> None:
    """Write what the elements around the blocks hold."""
    page = frame.page
    measure_levels(frame.totals, levels, frame.before, page.end, kinds(page.tag), columns[:-4])
    columns[-4:] = best_container(frame)


def best_container(frame: Frame) -> Columns:
    """Return where the blocks stand to the element that gathers the most running text.

    Each block gives its weight to the element around it and half of that to the next, as
    Readability does.
    """
    page = frame.page
    weight = (1.0 + frame.marks + np.minimum(frame.chars / 100.0, 3.0)) * (1 - frame.link_density)
    weight = np.where(frame.chars >= 25, weight, 0.0)
    parent = np.maximum(page.parent[frame.anchor], 0)
    above = np.concatenate((parent, np.maximum(page.parent[parent], 0)))
    place, count = groups_of(above.astype(np.uint64))
    score = np.bincount(place, weights=np.concatenate((weight, weight / 2)), minlength=count)
    rows = np.empty(count, dtype=np.int64)
    rows[place] = above
    first, stop = frame.before[rows], frame.before[page.end[rows]]
    terms, linked, chars = frame.totals[:3, stop] - frame.totals[:3, first]
    chosen = int(np.argmax(score * (1 - linked / np.maximum(chars, 1.0))))
    best, share = int(rows[chosen]), float(terms[chosen]) / frame.all_terms
    outer = max(int(page.parent[best]), 0)
    inside = (frame.anchor >= best) & (frame.anchor < page.end[best])
    return np.stack(
        (
            inside,
            (frame.anchor >= outer) & (frame.anchor < page.end[outer]),
            np.full(len(frame), share),
            np.where(inside, 0, np.where(frame.anchor < best, -1, 1)),
        )
    )

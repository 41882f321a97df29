"""Region → the same with records of its make that stand before or after its list, on their own."""

from __future__ import annotations

from typing import Final

import numpy as np

from tamis.blocks.regions.candidates import Candidate, Ground
from tamis.blocks.regions.cells import Numbers
from tamis.blocks.regions.region import Region, region_of
from tamis.page.page import Bools

COMMON: Final = 0.5  # share of records that have a column which others of their make have too


def with_strays(ground: Ground, region: Region) -> Region:
    """Return a region with the elements of its make that stand beside its list or above it.

    A list may show its first record larger, or only its others in a part that can be folded. Such
    a record has the tag and the class of the others, and at least half of what most of them have.
    """
    strays = strays_of(ground, region)
    if len(strays) == 0:
        return region
    ends = ground.cells.page.end[strays].astype(np.int64)
    start, stop = np.append(region.start, strays), np.append(region.stop, ends)
    order = np.argsort(start)
    whole = region_of(ground, Candidate(start[order], stop[order]))
    if whole is None:
        return region
    alike = like_most(whole) | (order < len(region))
    if not alike[order >= len(region)].any():
        return region
    kept = order[alike]
    return region_of(ground, Candidate(start[kept], stop[kept])) or region


def strays_of(ground: Ground, region: Region) -> Numbers:
    """Return elements of one tag and class with all records, in an element around them all."""
    page, before, start = region.page, ground.cells.before, region.start
    name = ground.name[start[0]]
    rows = np.flatnonzero(ground.name == name)
    if name == 0 or len(rows) <= len(region) or (ground.name[start] != name).any():
        return np.zeros(0, dtype=np.int64)
    tag = page.tag[start[0]]
    rows = rows[(page.tag[rows] == tag) & (before[page.end[rows]] > before[rows])]
    if len(rows) <= len(region) or (page.tag[start] != tag).any():
        return np.zeros(0, dtype=np.int64)
    around = (page.parent[rows] <= region.node) & (page.end[page.parent[rows]] > start[-1])
    rows = rows[around]
    held = np.searchsorted(start, rows, side="right")
    inside = (held > 0) & (rows < region.stop[held - 1])
    # What holds a record, or begins before the end of one, is none.
    upto = np.searchsorted(start, page.end[rows], side="left")
    strays: Numbers = page.outermost(rows[~inside & (upto == held)])
    return strays


def like_most(region: Region) -> Bools:
    """Return which records have at least half of the columns that most have."""
    common = region.fill >= COMMON
    pairs = np.unique(region.record * len(common) + region.column)
    having = np.bincount(pairs // len(common), common[pairs % len(common)], minlength=len(region))
    alike: Bools = having >= COMMON * common.sum()
    return alike

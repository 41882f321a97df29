"""Page → its regions of records."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.regions.asked import Phrase
from tamis.blocks.regions.candidates import Candidate, Marks, ground_of
from tamis.blocks.regions.cells import cells_of
from tamis.blocks.regions.region import Region, region_of
from tamis.blocks.regions.strays import with_strays
from tamis.page import Page
from tamis.page.limits import ENDLESS, Budget

MOST: Final = 500  # candidates that are looked at; a real page has some fifty


def best_region(
    page: Page,
    interest: NDArray[np.floating] | None = None,
    phrases: Sequence[Phrase] = (),
    budget: Budget = ENDLESS,
) -> Region | None:
    """Return the region of a page that is worth most, if there is any.

    `interest` is a number for each row of the page, such as its chance of being content: what is
    of no interest does not count. `phrases` is what the page was asked. Candidates that cannot be
    better than the best are not looked at.
    """
    cells = cells_of(page, interest, budget)
    if len(cells) == 0:
        return None
    ground, marks = ground_of(cells, phrases), Marks()
    best: Region | None = None
    seen: list[Region] = []
    score = worth = 0.0
    for sketch in islice(ground.sketches(), MOST):
        if sketch.most <= min(score, worth):
            break
        if sketch.most <= worth and sketch.bound <= score:
            continue
        budget.check()  # each is a pass over many rows
        candidate = ground.candidate(sketch, marks)
        region = region_of(ground, candidate) if candidate else None
        if region is not None and region.score > 0:
            seen.append(region)
            if region.worth > worth:
                best, score, worth = region, region.score, region.worth
    return with_strays(ground, cut_best(best, seen)) if best is not None else None


def cut_best(best: Region, found: Sequence[Region]) -> Region:
    """Return the region that scores best of those that share cells with the one worth most.

    What was asked says where on the page the records are; how they are cut is told by the score.
    """
    if best.answered == 0 and best.page.layout is None:
        return best
    taken = np.zeros(len(best.cells), dtype=np.bool_)
    taken[best.cell] = True
    others = (one for one in found if one.score > best.score and taken[one.cell].any())
    return min(others, key=rank, default=best)


def regions(
    page: Page,
    interest: NDArray[np.floating] | None = None,
    phrases: Sequence[Phrase] = (),
    budget: Budget = ENDLESS,
) -> tuple[Region, ...]:
    """Return all regions of a page; none has records that are part of one before it.

    The first one is `best_region`, others follow by their scores.
    """
    cells = cells_of(page, interest, budget)
    if len(cells) == 0:
        return ()
    ground, marks = ground_of(cells, phrases), Marks()
    found: list[Region] = []
    for sketch in islice(ground.sketches(plain=True), MOST):
        budget.check()
        candidate = ground.candidate(sketch, marks)
        region = region_of(ground, candidate) if candidate is not None else None
        if region is not None:
            found.append(region)
    found.sort(key=rank)
    if found:
        first = cut_best(max(found, key=lambda region: region.worth), found)
        found.sort(key=lambda region: region is not first)
    taken = np.zeros(len(cells), dtype=np.bool_)
    kept: list[Region] = []
    for region in found:
        budget.check()
        if not taken[region.cell].any():
            whole = with_strays(ground, region)
            kept.append(region if taken[whole.cell].any() else whole)
            taken[kept[-1].cell] = True
    return tuple(kept)


def regions_at(page: Page, elements: Sequence[int]) -> tuple[Region, ...]:
    """Return the regions whose records begin with given elements of one depth, even with one.

    The first one has all of them; where they have several parents, one for each follows, the
    largest first.
    """
    cells, rows = cells_of(page), np.array(elements, dtype=np.int64)
    rows = rows[cells.before[page.end[rows]] > cells.before[rows]]
    if len(rows) == 0:
        return ()
    ground, above = ground_of(cells), page.parent[rows]
    parents, counts = np.unique(above, return_counts=True)
    largest = parents[np.argsort(-counts, kind="stable")][:MOST]
    groups = [rows, *(rows[above == parent] for parent in largest if len(parents) > 1)]
    found: list[Region] = []
    for start in groups:
        ends = page.end[page.parent[start]].astype(np.int64)
        stop = np.minimum(np.append(start[1:], len(page)), ends)
        region = region_of(ground, Candidate(start, stop))
        if region is not None:
            found.append(with_strays(ground, region))
    return tuple(found)


def rank(region: Region) -> tuple[float, float]:
    """Return what regions are sorted by: those of equal score, such as menus, by their size."""
    return -region.score, -float(region.cells.weight[region.cell].sum())

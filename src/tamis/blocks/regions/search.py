"""Page → its regions of records."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.regions.asked import ASKED, Asked, Phrase
from tamis.blocks.regions.candidates import ground_of
from tamis.blocks.regions.cells import cells_of
from tamis.blocks.regions.region import Region, region_of
from tamis.blocks.regions.strays import with_strays
from tamis.page import Page

MOST: Final = 500  # candidates that are looked at; a real page has some fifty


def best_region(
    page: Page, interest: NDArray[np.floating] | None = None, phrases: Sequence[Phrase] = ()
) -> Region | None:
    """Return the region of a page that is worth most, if there is any.

    `interest` is a number for each row of the page, such as its chance of being content: what is
    of no interest does not count. `phrases` is what the page was asked. Candidates that cannot be
    better than the best are not looked at.
    """
    cells = cells_of(page, interest)
    if len(cells) == 0:
        return None
    ground, asked = ground_of(cells), Asked(cells, phrases)
    most = 1 + ASKED if asked else 1.0
    seen: list[Region] = []
    worth = 0.0
    for candidate in islice(ground.candidates(), MOST):
        if candidate.bound * most <= worth:
            break
        region = region_of(ground, candidate, asked)
        if region is not None and region.score > 0:
            seen.append(region)
            worth = max(worth, region.worth)
    best = first_of(seen)
    return with_strays(ground, best, asked) if best is not None else None


def first_of(found: Sequence[Region]) -> Region | None:
    """Return the first of regions: of those at the place of the one worth most the one that scores.

    What was asked says where on the page the records are; how they are cut is told by the score.
    """
    if not found:
        return None
    most = min(found, key=lambda region: (-region.worth, rank(region)))
    if most.answered == 0:
        return most
    taken = np.zeros(len(most.cells), dtype=np.bool_)
    taken[most.cell] = True
    return min((region for region in found if taken[region.cell].any()), key=rank)


def regions(
    page: Page, interest: NDArray[np.floating] | None = None, phrases: Sequence[Phrase] = ()
) -> tuple[Region, ...]:
    """Return all regions of a page; none has records that are part of one before it.

    The first one is `best_region`, others follow by their scores.
    """
    cells = cells_of(page, interest)
    if len(cells) == 0:
        return ()
    ground, asked = ground_of(cells), Asked(cells, phrases)
    some = islice(ground.candidates(plain=True), MOST)
    found = [region for one in some if (region := region_of(ground, one, asked)) is not None]
    first = first_of(found)
    taken = np.zeros(len(cells), dtype=np.bool_)
    kept: list[Region] = []
    for region in sorted(found, key=lambda region: (region is not first, rank(region))):
        if not taken[region.cell].any():
            whole = with_strays(ground, region, asked)
            kept.append(region if taken[whole.cell].any() else whole)
            taken[kept[-1].cell] = True
    return tuple(kept)


def rank(region: Region) -> tuple[float, float]:
    """Return what regions are sorted by: those of equal score, such as menus, by their size."""
    return -region.score, -float(region.cells.weight[region.cell].sum())

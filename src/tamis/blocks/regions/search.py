"""Page → its regions of records."""

from __future__ import annotations

from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.regions.candidates import ground_of
from tamis.blocks.regions.cells import cells_of
from tamis.blocks.regions.region import Region, region_of
from tamis.page import Page

MOST: Final = 500  # candidates that are looked at; a real page has some fifty


def best_region(page: Page, interest: NDArray[np.floating] | None = None) -> Region | None:
    """Return the region of a page with the greatest score, if there is any.

    `interest` is a number for each row of the page, such as its chance of being content: what is
    of no interest does not count. Candidates that cannot be better than the best are not looked at.
    """
    cells = cells_of(page, interest)
    if len(cells) == 0:
        return None
    ground = ground_of(cells)
    best: Region | None = None
    for candidate in islice(ground.candidates(), MOST):
        if best is not None and candidate.bound <= best.score:
            break
        region = region_of(ground, candidate)
        if region is not None and region.score > (best.score if best else 0.0):
            best = region
    return best


def regions(page: Page, interest: NDArray[np.floating] | None = None) -> tuple[Region, ...]:
    """Return all regions of a page, the best first; none has records that are part of a better one.

    The first one is `best_region`.
    """
    cells = cells_of(page, interest)
    if len(cells) == 0:
        return ()
    ground = ground_of(cells)
    some = islice(ground.candidates(plain=True), MOST)
    made = (region_of(ground, candidate) for candidate in some)
    taken = np.zeros(len(cells), dtype=np.bool_)
    kept: list[Region] = []
    for region in sorted(filter(None, made), key=rank):
        if not taken[region.cell].any():
            taken[region.cell] = True
            kept.append(region)
    return tuple(kept)


def rank(region: Region) -> tuple[float, float]:
    """Return what regions are sorted by: those of equal score, such as menus, by their size."""
    return -region.score, -float(region.cells.weight[region.cell].sum())

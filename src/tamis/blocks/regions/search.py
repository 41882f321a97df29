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
    best: Region | None = None
    worth = 0.0
    for candidate in islice(ground.candidates(), MOST):
        if candidate.bound * most <= worth:
            break
        region = region_of(ground, candidate, asked)
        if region is not None and region.worth > worth:
            best, worth = region, region.worth
    return best


def regions(
    page: Page, interest: NDArray[np.floating] | None = None, phrases: Sequence[Phrase] = ()
) -> tuple[Region, ...]:
    """Return all regions of a page, the best first; none has records that are part of a better one.

    The first one is `best_region`.
    """
    cells = cells_of(page, interest)
    if len(cells) == 0:
        return ()
    ground, asked = ground_of(cells), Asked(cells, phrases)
    some = islice(ground.candidates(plain=True), MOST)
    made = (region_of(ground, candidate, asked) for candidate in some)
    taken = np.zeros(len(cells), dtype=np.bool_)
    kept: list[Region] = []
    for region in sorted(filter(None, made), key=rank):
        if not taken[region.cell].any():
            taken[region.cell] = True
            kept.append(region)
    return tuple(kept)


def rank(region: Region) -> tuple[float, float]:
    """Return what regions are sorted by: those of equal worth, such as menus, by their size."""
    return -region.worth, -float(region.cells.weight[region.cell].sum())

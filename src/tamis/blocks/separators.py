"""Separators of VIPS: the free stripes between blocks, and how much they separate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.sight import Sight

BROAD: Final = 40.0  # pixels of a separator that is as broad as separators get
ALIKE: Final = 0.5  # difference of weights that does not count

Part = list[int]
Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


def best_cuts(seen: Sight, rows: Sequence[int]) -> tuple[list[Part], float]:
    """Return blocks parted at the heaviest separators between them, and their weight, 0 to 9.

    Separators that weigh about the same cut together. Blocks between which there is none, because
    they overlap, stay together as long as the source has them one after the other.
    """
    blocks = np.asarray(rows, dtype=np.int64)
    across, down = separators(seen, blocks, 1), separators(seen, blocks, 0)
    heaviest = max((float(weight.max(initial=-1.0)) for _, weight in (across, down)), default=-1.0)
    if heaviest < 0:
        return [[row] for row in rows], 0.0
    axis, (places, weight) = next(
        (axis, found)
        for axis, found in ((1, across), (0, down))
        if found[1].max(initial=-1.0) == heaviest
    )
    places = places[weight >= heaviest - ALIKE]
    groups = np.searchsorted(places, seen.boxes[axis, blocks], side="right")
    return runs(rows, groups.tolist()), heaviest


def runs(rows: Sequence[int], groups: Sequence[int]) -> list[Part]:
    """Return rows of one group that follow each other in the source."""
    parts: list[Part] = [[rows[0]]]
    for (_, before), (row, here) in pairwise(zip(rows, groups, strict=True)):
        if here == before:
            parts[-1].append(row)
        else:
            parts.append([row])
    return parts


def separators(seen: Sight, rows: Rows, axis: int) -> tuple[Floats, Floats]:
    """Return the free stripes across all blocks: where each ends, and its weight.

    To start with one separator over everything and to split and shrink it by each block leaves
    what no block covers: the gaps between the blocks' extents along one axis.
    """
    low, high = seen.boxes[axis, rows], seen.boxes[axis + 2, rows]
    order = np.argsort(low, kind="stable")
    rows, low, high = rows[order], low[order], high[order]
    reached = np.maximum.accumulate(high)
    furthest = np.maximum.accumulate(np.where(high >= reached, np.arange(len(high)), 0))
    gaps = low[1:] - reached[:-1]
    free = np.flatnonzero(gaps >= 0)
    sides = rows[furthest[free]], rows[free + 1]
    return low[free + 1], weights(seen, *sides, gaps[free])


def weights(seen: Sight, one: Rows, two: Rows, gaps: Floats) -> Floats:
    """Return how much stripes separate blocks: by breadth, a rule between, colours and fonts."""
    layout, rules = seen.layout, seen.rules_before
    first, last = np.minimum(one, two), np.maximum(one, two)
    found: Floats = (
        4 * np.minimum(gaps, BROAD) / BROAD
        + 2 * (rules[last] > rules[np.minimum(seen.page.end[first], last)])
        + 2 * (seen.ground[one] != seen.ground[two])
        + (layout.font_size[one] != layout.font_size[two])
        + (layout.font_weight[one] != layout.font_weight[two]) / 2
    )
    return found

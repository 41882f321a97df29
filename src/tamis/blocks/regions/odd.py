"""Region → the same without what stands between its records but is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from tamis.blocks.regions.region import Region

COMMON: Final = 0.5  # share of records that have a column which makes a record one of them


def without_odd(region: Region) -> Region:
    """Return a region without the records that have nothing in common with most others.

    Headers of tables and banners inside a list are such. All stay where nothing is common.
    """
    common = region.fill >= COMMON
    proper = np.zeros(len(region), dtype=np.bool_)
    proper[region.record[common[region.column]]] = True
    if proper.all() or proper.sum() < 2:
        return region
    kept = proper[region.record]
    number = np.cumsum(proper) - 1
    return replace(
        region,
        start=region.start[proper],
        stop=region.stop[proper],
        cell=region.cell[kept],
        column=region.column[kept],
        record=number[region.record[kept]],
    )

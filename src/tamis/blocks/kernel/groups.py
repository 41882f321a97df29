# cython: boundscheck=False, wraparound=False, cdivision=True
"""Groups of elements that may begin records.

Each function fills arrays that it is given. What the numbers mean is told in blocks/regions.
"""

from __future__ import annotations

from typing import Any

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers; groups.pxd has the types


def find_stops(rows: Array, group: Array, limit: Array, following: Array, stop: Array) -> None:
    """Find where records stop: with the next row of the group, or at the limit before it.

    `following` is the limit of all, for each group.
    """
    for back in range(rows.shape[0]):
        place = rows.shape[0] - 1 - back
        after = following[group[place]]
        stop[place] = after if after < limit[place] else limit[place]
        following[group[place]] = rows[place]


def add_up(group: Array, weight: Array, cells: Array, alone: Array, sums: Array) -> None:
    """Add up, for each group: its rows, their weights, the greatest, their cells, and company.

    `sums` is all 0, a row for each group. A row that is alone in its parent is no company.
    """
    for place in range(group.shape[0]):
        number = group[place]
        sums[number, 0] += 1
        sums[number, 1] += weight[place]
        if weight[place] > sums[number, 2]:
            sums[number, 2] = weight[place]
        sums[number, 3] += cells[place]
        if not alone[place]:
            sums[number, 4] += 1


if not cython.compiled:
    find_stops = on_numbers(find_stops)
    add_up = on_numbers(add_up)

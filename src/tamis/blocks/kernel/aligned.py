# cython: boundscheck=False, wraparound=False, cdivision=True
"""Paths of rows, and cells of records put into columns by their paths.

Each function fills arrays that it is given. What the numbers mean is told in blocks/regions.
"""

from __future__ import annotations

from typing import Any, Final

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one axis; aligned.pxd has the types

SPREAD: Final = 0xD6E8FEB86659FD93
WRAP: Final = 0xFFFFFFFFFFFFFFFF  # numbers of 64 bits, as C has them


def hash_paths(symbols: Array, parent: Array, step: int, keys: Array) -> None:
    """Give each row a number for its path: its symbol, and its parent's number times a step."""
    for row in range(parent.shape[0]):
        above = keys[parent[row]] if parent[row] >= 0 else 0
        keys[row] = (symbols[row] + step * above) & WRAP


def deal_cells(low: Array, high: Array, record: Array, cell: Array) -> None:
    """Write the cells of all records one after the other, each with its record.

    Record `i` has the cells from `low[i]` up to `high[i]`.
    """
    place = 0
    for number in range(low.shape[0]):
        for one in range(low[number], high[number]):
            record[place] = number
            cell[place] = one
            place += 1


def key_cells(
    first: Array,
    node: Array,
    level: Array,
    parent: Array,
    depth: Array,
    path: Array,
    power: Array,
    tag: Array,
    step: int,
    keys: Array,
) -> None:
    """Give each cell a number for its path below the child of the region that it is in.

    The child is the row on the cell's level that its first row is or lies in; of this the tag alone
    counts. A cell whose element is above that level has the number 0.
    """
    for place in range(first.shape[0]):
        if depth[node[place]] < level[place]:
            keys[place] = 0
            continue
        child = first[place]
        while depth[child] > level[place]:
            child = parent[child]
        steps = power[depth[node[place]] - depth[child]]
        below = (path[node[place]] - steps * path[child]) & WRAP
        keys[place] = (below * step + tag[child]) & WRAP


def number_keys(keys: Array, table: Array, numbers: Array) -> int:
    """Give equal keys equal small numbers, and return how many there are.

    `table` is all -1, and its length a power of two above twice that of the keys.
    """
    last = table.shape[0] - 1
    count = 0
    for place in range(keys.shape[0]):
        key = keys[place]
        slot = (((key * SPREAD) & WRAP) >> 32) & last
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = (slot + 1) & last
        if table[slot] < 0:
            table[slot] = place
            numbers[place] = count
            count += 1
        else:
            numbers[place] = numbers[table[slot]]
    return count


def count_columns(record: Array, column: Array, times: Array, having: Array, room: Array) -> None:
    """Count how often the record of each cell has its column, and how many records have each.

    Cells are in order of their records. `having` and `room` are all 0, a place for each column.
    """
    begin = 0
    size = record.shape[0]
    while begin < size:
        end = begin
        while end < size and record[end] == record[begin]:
            if room[column[end]] == 0:
                having[column[end]] += 1
            room[column[end]] += 1
            end += 1
        for place in range(begin, end):
            times[place] = room[column[place]]
        for place in range(begin, end):
            room[column[place]] = 0
        begin = end


if not cython.compiled:
    hash_paths = on_numbers(hash_paths)
    deal_cells = on_numbers(deal_cells)
    key_cells = on_numbers(key_cells)
    number_keys = on_numbers(number_keys)
    count_columns = on_numbers(count_columns)

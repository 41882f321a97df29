# cython: boundscheck=False, wraparound=False, cdivision=True
"""Beliefs in the surroundings of blocks: the evidence of second forests."""

from __future__ import annotations

from typing import Any

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one or two axes; beliefs.pxd has the types


def sum_beliefs(belief: Array, terms: Array, most: float, sums: Array) -> None:
    """Sum weighted beliefs, and the weights, over the blocks before each block, and all.

    A block weighs as much as its terms, up to `most`, and a little more than none.
    """
    sums[0, 0] = sums[1, 0] = 0
    for block in range(belief.shape[0]):
        weight = (terms[block] if terms[block] < most else most) + 0.5
        sums[0, block + 1] = sums[0, block] + belief[block] * weight
        sums[1, block + 1] = sums[1, block] + weight


def rank_beliefs(belief: Array, order: Array, sums: Array, own: Array, rest: Array) -> None:
    """Write each belief and its rank; then its place in the sum, the mean, and the greatest.

    `order` are the blocks by falling belief.
    """
    size = belief.shape[0]
    total = sums[0, size] if sums[0, size] > 1e-9 else 1e-9
    for place in range(size):
        own[1, order[place]] = 1.0 * place / size
    for block in range(size):
        own[0, block] = belief[block]
        rest[0, block] = sums[0, block] / total
        rest[1, block] = 1.0 - sums[0, block + 1] / total
        rest[2, block] = total / sums[1, size]
        rest[3, block] = belief[order[0]]


def measure_beliefs(
    sums: Array, windows: Array, levels: Array, before: Array, end: Array, out: Array
) -> None:
    """Write the mean belief within windows of blocks, then in the elements around each block.

    `sums` are of weighted beliefs, and of the weights, over the blocks before each block.
    """
    size = sums.shape[1] - 1
    for number in range(windows.shape[0]):
        window = windows[number]
        for block in range(size):
            start = block - window if block > window else 0
            stop = block + window + 1 if block + window + 1 < size else size
            out[number, block] = (sums[0, stop] - sums[0, start]) / (sums[1, stop] - sums[1, start])
    at = windows.shape[0]
    for level in range(levels.shape[0]):
        for block in range(size):
            row = levels[level, block]
            start = before[row]
            stop = before[end[row]]
            out[at + level, block] = (sums[0, stop] - sums[0, start]) / (
                sums[1, stop] - sums[1, start]
            )


def mean_beliefs(sums: Array, group: Array, room: Array, out: Array) -> None:
    """Write the mean belief over each block's group; `room` (zeros) is for two sums a group."""
    size = group.shape[0]
    for block in range(size):
        of = group[block]
        room[0, of] += sums[0, block + 1] - sums[0, block]
        room[1, of] += sums[1, block + 1] - sums[1, block]
    for block in range(size):
        of = group[block]
        out[block] = room[0, of] / room[1, of]


def step_beliefs(belief: Array, steps: Array, out: Array) -> None:
    """Write the belief in the block some steps further on, -1 where there is none."""
    size = belief.shape[0]
    for number in range(steps.shape[0]):
        for block in range(size):
            other = block + steps[number]
            out[number, block] = belief[other] if 0 <= other < size else -1


def record_beliefs(
    sums: Array,
    before: Array,
    end: Array,
    rows: Array,
    group: Array,
    inner: Array,
    outer: Array,
    belief: Array,
    room: Array,
    out: Array,
) -> None:
    """Write the mean belief over each block's record, over those of its make and the outer ones.

    Where there is no record it is the belief itself. `room` (zeros) is for two sums a make.
    """
    for record in range(rows.shape[0]):
        start = before[rows[record]]
        stop = before[end[rows[record]]]
        room[0, group[record]] += sums[0, stop] - sums[0, start]
        room[1, group[record]] += sums[1, stop] - sums[1, start]
    for block in range(belief.shape[0]):
        out[0, block] = out[1, block] = out[2, block] = belief[block]
        record = inner[block]
        if record >= 0:
            start = before[rows[record]]
            stop = before[end[rows[record]]]
            out[0, block] = (sums[0, stop] - sums[0, start]) / (sums[1, stop] - sums[1, start])
            out[1, block] = room[0, group[record]] / room[1, group[record]]
            record = outer[block]
            out[2, block] = room[0, group[record]] / room[1, group[record]]


if not cython.compiled:
    sum_beliefs = on_numbers(sum_beliefs)
    rank_beliefs = on_numbers(rank_beliefs)
    measure_beliefs = on_numbers(measure_beliefs)
    mean_beliefs = on_numbers(mean_beliefs)
    step_beliefs = on_numbers(step_beliefs)
    record_beliefs = on_numbers(record_beliefs)

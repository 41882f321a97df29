# cython: boundscheck=False, wraparound=False
"""Runs of rows between the boundaries of elements that cut, and the blocks that they make."""

from __future__ import annotations

from typing import Any

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one axis; runs.pxd has the types


def number_runs(cut: Array, end: Array, opened: Array, run: Array, inner: Array) -> None:
    """Number the runs of rows with no boundary between them, rising through the page.

    `inner` becomes the innermost cutting element that a row is or lies in, or the root; `opened`
    is room for the rows that are open.
    """
    number = 0
    depth = 0
    for row in range(cut.shape[0]):
        while depth > 0 and end[opened[depth - 1]] <= row:
            depth -= 1
            number += 1
        if cut[row]:
            opened[depth] = row
            depth += 1
            number += 1
        run[row] = number
        inner[row] = opened[depth - 1] if depth > 0 else 0


def find_blocks(
    run: Array, inner: Array, end: Array, shown: Array, before: Array, blocks: Array
) -> int:
    """Find the runs that show something: the element, the first row and the stop of each.

    Return how many there are. Elements that lie in one run belong to it as a whole, if they show
    something. `before` becomes the number of shown rows before each row, and of all.
    """
    size = run.shape[0]
    count = 0
    last = -1
    before[0] = 0
    for row in range(size):
        before[row + 1] = before[row] + shown[row]
    for row in range(size):
        whole = run[end[row] - 1] == run[row]
        if not shown[row] and not (whole and before[end[row]] > before[row]):
            continue
        if run[row] != last:
            last = run[row]
            blocks[0, count] = inner[row]
            blocks[1, count] = row
            blocks[2, count] = row + 1
            count += 1
        if whole and end[row] > blocks[2, count - 1]:
            blocks[2, count - 1] = end[row]
        elif row >= blocks[2, count - 1]:
            blocks[2, count - 1] = row + 1
    return count


def own_rows(
    run: Array, cut: Array, end: Array, shown: Array, before: Array, blocks: Array, owner: Array
) -> None:
    """Give each row to the block of its run; a run that holds all that its element shows is that.

    A cutting element that shows nothing itself belongs to no other block.
    """
    count = blocks.shape[1]
    block = 0
    for row in range(run.shape[0]):
        while block < count and run[blocks[1, block]] < run[row]:
            block += 1
        is_in = block < count and run[blocks[1, block]] == run[row]
        owner[row] = block if is_in and (shown[row] or not cut[row]) else -1
    for block in range(count):
        node = blocks[0, block]
        held = before[blocks[2, block]] - before[blocks[1, block]]
        if held == before[end[node]] - before[node]:
            owner[node] = block
            blocks[1, block] = node
            blocks[2, block] = end[node]


if not cython.compiled:
    number_runs = on_numbers(number_runs)
    find_blocks = on_numbers(find_blocks)
    own_rows = on_numbers(own_rows)

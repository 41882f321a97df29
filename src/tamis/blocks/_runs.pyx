# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Runs of rows between the boundaries of elements that divide a page, and the blocks they make.

A run is a sequence of rows without the start or the end of a dividing element between them. A block
is a run that shows something. Rows are in document order, and `end` is where the subtree of a row
ends, so that a stack of open elements is enough for one pass.
"""

from libc.stdint cimport int32_t, uint8_t

import numpy as np


def find_blocks(is_boundary, const int32_t[::1] end, is_leaf):
    """Return the element, the first row and the stop of each block, and the block of each row.

    `is_boundary` says which rows are elements that divide the page, `is_leaf` which rows show
    something themselves. A row that belongs to no block has the block -1.
    """
    cdef const uint8_t[::1] boundary = is_boundary.view(np.uint8)
    cdef const uint8_t[::1] leaf = is_leaf.view(np.uint8)
    cdef Py_ssize_t size = end.shape[0], count
    owners = np.empty(size, np.int32)
    columns = np.empty((3, size), np.int32)
    cdef int32_t[::1] owner = owners
    cdef int32_t[:, ::1] blocks = columns
    cdef int32_t[::1] run = np.empty(size, np.int32)
    cdef int32_t[::1] inner = np.empty(size, np.int32)
    cdef int32_t[::1] leaves_before = np.empty(size + 1, np.int32)
    with nogil:
        _number_runs(boundary, end, owner, run, inner)  # owner is only space for its stack
        _count_leaves(leaf, leaves_before)
        count = _collect_blocks(run, inner, end, leaf, leaves_before, blocks)
        _assign_rows(run, boundary, leaf, blocks, count, owner)
        _widen_blocks(end, leaves_before, blocks, count, owner)
    node, first, stop = columns[:, :count].copy()
    return node, first, stop, owners


cdef void _number_runs(
    const uint8_t[::1] boundary,
    const int32_t[::1] end,
    int32_t[::1] opened,
    int32_t[::1] run,
    int32_t[::1] inner,
) noexcept nogil:
    """Number the runs, rising through the page, and write the number of each row's run.

    `inner` becomes the innermost dividing element that a row is or lies in, or the root. `opened`
    is space for the dividing elements that are open.
    """
    cdef int32_t number = 0
    cdef Py_ssize_t depth = 0, row
    for row in range(end.shape[0]):
        while depth > 0 and end[opened[depth - 1]] <= row:
            depth -= 1
            number += 1
        if boundary[row]:
            opened[depth] = <int32_t> row
            depth += 1
            number += 1
        run[row] = number
        inner[row] = opened[depth - 1] if depth > 0 else 0


cdef void _count_leaves(const uint8_t[::1] leaf, int32_t[::1] leaves_before) noexcept nogil:
    """Write how many leaves there are before each row, and in all."""
    cdef Py_ssize_t row
    leaves_before[0] = 0
    for row in range(leaf.shape[0]):
        leaves_before[row + 1] = leaves_before[row] + leaf[row]


cdef Py_ssize_t _collect_blocks(
    const int32_t[::1] run,
    const int32_t[::1] inner,
    const int32_t[::1] end,
    const uint8_t[::1] leaf,
    const int32_t[::1] leaves_before,
    int32_t[:, ::1] blocks,
) noexcept nogil:
    """Write the element, the first row and the stop of each run with leaves; return their number.

    An element that has leaves and lies in one run belongs to it as a whole.
    """
    cdef Py_ssize_t count = 0, row
    cdef int32_t last_run = -1
    cdef bint is_whole
    for row in range(run.shape[0]):
        is_whole = run[end[row] - 1] == run[row]
        if not leaf[row] and not (is_whole and leaves_before[end[row]] > leaves_before[row]):
            continue
        if run[row] != last_run:
            last_run = run[row]
            blocks[0, count] = inner[row]
            blocks[1, count] = <int32_t> row
            blocks[2, count] = <int32_t> row + 1
            count += 1
        if is_whole and end[row] > blocks[2, count - 1]:
            blocks[2, count - 1] = end[row]
        elif row >= blocks[2, count - 1]:
            blocks[2, count - 1] = <int32_t> row + 1
    return count


cdef void _assign_rows(
    const int32_t[::1] run,
    const uint8_t[::1] boundary,
    const uint8_t[::1] leaf,
    const int32_t[:, ::1] blocks,
    Py_ssize_t count,
    int32_t[::1] owner,
) noexcept nogil:
    """Give each row to the block of its run.

    A dividing element that shows nothing itself belongs to no block of a run inside it.
    """
    cdef Py_ssize_t block = 0, row
    cdef bint is_in_block
    for row in range(run.shape[0]):
        while block < count and run[blocks[1, block]] < run[row]:
            block += 1
        is_in_block = block < count and run[blocks[1, block]] == run[row]
        owner[row] = <int32_t> block if is_in_block and (leaf[row] or not boundary[row]) else -1


cdef void _widen_blocks(
    const int32_t[::1] end,
    const int32_t[::1] leaves_before,
    int32_t[:, ::1] blocks,
    Py_ssize_t count,
    int32_t[::1] owner,
) noexcept nogil:
    """Make a block that has all leaves of its element that whole element."""
    cdef Py_ssize_t block
    cdef int32_t node, leaf_count
    for block in range(count):
        node = blocks[0, block]
        leaf_count = leaves_before[blocks[2, block]] - leaves_before[blocks[1, block]]
        if leaf_count == leaves_before[end[node]] - leaves_before[node]:
            owner[node] = <int32_t> block
            blocks[1, block] = node
            blocks[2, block] = end[node]

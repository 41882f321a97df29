# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""What finding records does for every row, cell and candidate of a page.

The parts, in the order of use:

    _classes   names in classes (signatures.py)
    _cells     lines of text and cells (cells.py)
    _groups    paths, and groups of rows that may begin records (candidates.py)
    _columns   the cells of records put into columns (regions.py)

What the results mean is described there; here are the loops. They need no GIL.
"""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from tamis._hashing cimport FNV_SEED, add_to_hash, number_keys, slot_count

import numpy as np


def group_equal(const uint64_t[::1] keys):
    """Return for each key the number of its group of equal keys, and the number of groups.

    Groups are numbered in the order of their first keys.
    """
    cdef Py_ssize_t size = keys.shape[0], group_count, index
    groups = np.empty(size, np.int64)
    cdef int64_t[::1] group = groups
    cdef int32_t* numbers = <int32_t*> malloc((size + slot_count(size)) * sizeof(int32_t))
    if numbers == NULL:
        raise MemoryError
    with nogil:
        group_count = number_keys(&keys[0], size, numbers + size, numbers)
        for index in range(size):
            group[index] = numbers[index]
        free(numbers)
    return groups, group_count


include "_classes.pxi"
include "_cells.pxi"
include "_groups.pxi"
include "_columns.pxi"

# C types of names.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef uint64_t SEED, PRIME, WRAP, FOUR, SIX, SEVEN, DATE, TIME, POSTED, PUBLISH

@cython.locals(
    place=cython.Py_ssize_t, at=cython.Py_ssize_t, last=cython.Py_ssize_t,
    begin=cython.Py_ssize_t, count=int64_t, number=uint64_t, window=uint64_t, short=uint64_t,
    sign=uint8_t,
)
cpdef int64_t hash_names(
    const uint8_t[::1] source, const int32_t[::1] start, const int32_t[::1] stop,
    uint64_t[::1] hashes, int64_t[::1] owner, uint8_t[::1] day,
) except -1

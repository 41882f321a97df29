# C types of cuts.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

cdef Py_ssize_t LEAST, GROUP, LARGEST_GROUP, SHORT, SHORT_GROUP, NEAR

cdef Py_ssize_t noted(
    Py_ssize_t count, int64_t place, int64_t block, int64_t[::1] places, int64_t[::1] blocks,
) noexcept

@cython.locals(
    count=cython.Py_ssize_t, depth=cython.Py_ssize_t, row=cython.Py_ssize_t, around=int64_t,
)
cpdef Py_ssize_t find_owners(
    const int32_t[::1] start, const int32_t[::1] stop, const int32_t[::1] parent,
    const int32_t[::1] owner, int32_t[::1] opened, int64_t[::1] places, int64_t[::1] blocks,
) except -1

cdef Py_ssize_t spaced(const uint8_t[::1] source, Py_ssize_t start, Py_ssize_t limit) noexcept

cdef Py_ssize_t add_span(
    Py_ssize_t count, Py_ssize_t start, Py_ssize_t stop, bint informative, int32_t[:, ::1] spans,
) noexcept

@cython.locals(
    size=cython.Py_ssize_t, count=cython.Py_ssize_t, begin=cython.Py_ssize_t,
    seen=cython.Py_ssize_t, end=cython.Py_ssize_t, own=cython.Py_ssize_t, run=cython.Py_ssize_t,
    start=cython.Py_ssize_t, stop=cython.Py_ssize_t,
)
cpdef Py_ssize_t find_spans(
    const uint8_t[::1] source, const int64_t[::1] starts, const int64_t[::1] stops,
    const uint8_t[::1] informative, int32_t[:, ::1] spans,
) except -1

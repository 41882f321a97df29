# C types of lines.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

cdef int DAY, ENDS, FORMAT, LINK, TEXT

@cython.locals(
    row=cython.Py_ssize_t, child=cython.Py_ssize_t, begin=cython.Py_ssize_t,
    first=cython.Py_ssize_t, bare=int64_t, long=int64_t, led=cython.bint,
)
cpdef mark_lines(
    const uint8_t[::1] kind, const int32_t[::1] end, const int64_t[::1] inside,
    const int64_t[::1] links, int64_t share, uint8_t[::1] inline,
)

@cython.locals(row=cython.Py_ssize_t)
cpdef spread_marks(const uint8_t[::1] kind, const int32_t[::1] parent, uint8_t[::1] inline)

@cython.locals(place=cython.Py_ssize_t, above=int32_t)
cpdef find_holders(
    const int64_t[::1] rows, const int32_t[::1] parent, const uint8_t[::1] inline,
    int64_t[::1] holders,
)

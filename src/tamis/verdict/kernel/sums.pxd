# C types of sums.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

@cython.locals(
    last=cython.Py_ssize_t, row=cython.Py_ssize_t, block=cython.Py_ssize_t,
    group=cython.Py_ssize_t,
)
cpdef count_elements(
    const int32_t[::1] owner, const uint8_t[::1] tag, const int64_t[::1] groups,
    int32_t[:, ::1] elements,
)

@cython.locals(
    row=cython.Py_ssize_t, block=cython.Py_ssize_t, count=cython.int, kind=cython.int,
)
cpdef sum_blocks(
    const int32_t[::1] owner, const int32_t[::1] terms, const int32_t[::1] chars,
    const int32_t[::1] marks, const uint8_t[::1] flags, const uint8_t[::1] kinds,
    double[:, ::1] sums,
)

@cython.locals(
    size=cython.Py_ssize_t, column=cython.Py_ssize_t, block=cython.Py_ssize_t,
    linked=cython.double, long=cython.double, count=cython.int, group=cython.Py_ssize_t,
)
cpdef sum_before(
    const double[:, ::1] sums, const int32_t[:, ::1] elements, const uint8_t[::1] tag,
    const uint8_t[::1] heading, const uint8_t[::1] objects, int least, double[:, ::1] totals,
)

@cython.locals(block=cython.Py_ssize_t, row=cython.Py_ssize_t)
cpdef count_before(const int64_t[::1] anchor, int64_t[::1] before)

@cython.locals(row=cython.Py_ssize_t)
cpdef count_tags(const uint8_t[::1] tag, double[::1] counts)

@cython.locals(block=cython.Py_ssize_t)
cpdef sum_tags(const uint8_t[::1] tag, const double[::1] terms, double[::1] sums)

@cython.locals(block=cython.Py_ssize_t, place=cython.Py_ssize_t)
cpdef find_longest(const double[::1] terms, double[::1] longest)

@cython.locals(row=cython.Py_ssize_t, block=cython.Py_ssize_t)
cpdef sum_rows(const float[:, ::1] rows, double[::1] sums)

@cython.locals(row=cython.Py_ssize_t, block=cython.Py_ssize_t)
cpdef sum_told(const float[:, ::1] told, const double[::1] terms, double[::1] sums)

@cython.locals(
    block=cython.Py_ssize_t, best=cython.Py_ssize_t, make=cython.Py_ssize_t,
    record=cython.Py_ssize_t, column=cython.Py_ssize_t,
)
cpdef sum_records(
    const int64_t[::1] group, const int64_t[::1] outer, const double[:, ::1] blocks,
    double[::1] held, double[::1] sums,
)

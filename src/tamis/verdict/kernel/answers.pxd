# C types of answers.py, for when it is compiled.

cimport cython
from libc.stdint cimport int64_t, uint8_t

cdef int GAP

@cython.locals(
    last=cython.Py_ssize_t, most=cython.double, size=cython.double, place=cython.Py_ssize_t,
    block=cython.Py_ssize_t, value=cython.double, view=cython.Py_ssize_t,
)
cpdef Py_ssize_t last_kept(
    const int64_t[::1] order, const double[::1] score, const double[::1] terms,
    const double[:, ::1] weighed, const double[::1] whole, const double[::1] chances,
    double[::1] hits,
) except -1

@cython.locals(
    block=cython.Py_ssize_t, in_run=cython.bint, part=cython.Py_ssize_t, kept=cython.bint,
    terms=cython.double, column=cython.Py_ssize_t, row=cython.Py_ssize_t,
)
cpdef sum_answers(
    const double[:, ::1] totals, const double[:, ::1] told, const uint8_t[::1] article,
    const uint8_t[::1] other, const int64_t[::1] bounds, double[:, ::1] sums,
)

@cython.locals(
    runs=cython.Py_ssize_t, most=cython.double, held=cython.double, first=cython.Py_ssize_t,
    last=cython.Py_ssize_t, place=cython.Py_ssize_t, block=cython.Py_ssize_t,
    terms=cython.double,
)
cpdef Py_ssize_t find_run(
    const double[:, ::1] totals, const uint8_t[::1] kept, int64_t[::1] bounds,
) except -1

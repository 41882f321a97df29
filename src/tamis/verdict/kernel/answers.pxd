# C types of answers.py, for when it is compiled.

cimport cython
from libc.stdint cimport int64_t, uint8_t

cdef int GAP

cdef int ALL_WEIGHED
cdef int ALL_EXPECTED
cdef int WEIGHED
cdef int EXPECTED
cdef double TINY

@cython.locals(
    count=cython.Py_ssize_t, best=cython.double, place=cython.Py_ssize_t, block=cython.Py_ssize_t,
)
cpdef Py_ssize_t find_some(
    const double[::1] score, const double[::1] terms, double lowest, int64_t[::1] some,
    double[::1] told,
) except -1

@cython.locals(
    view=cython.Py_ssize_t, place=cython.Py_ssize_t, block=cython.Py_ssize_t, size=cython.double,
    most=cython.double, value=cython.double,
)
cpdef find_cut(
    const int64_t[::1] order, const double[::1] score, const double[::1] terms,
    const double[:, ::1] beliefs, const double[::1] chances, double power,
    double[:, ::1] weighed, double[:, ::1] sums, double[::1] told,
)

@cython.locals(view=cython.Py_ssize_t, hits=cython.double, wanted=cython.double)
cdef void expect(
    double size, const double[::1] chances, double[:, ::1] sums, double[::1] told,
) noexcept

@cython.locals(
    block=cython.Py_ssize_t, in_run=cython.bint, part=cython.Py_ssize_t, kept=cython.bint,
    terms=cython.double, column=cython.Py_ssize_t, at=cython.Py_ssize_t,
    place=cython.Py_ssize_t,
)
cpdef sum_answers(
    const double[:, ::1] totals, const float[:, ::1] columns, const int64_t[::1] told,
    const double[:, ::1] beliefs, const uint8_t[::1] article, const uint8_t[::1] other,
    const int64_t[::1] bounds, double[:, ::1] sums,
)

@cython.locals(best=cython.double, block=cython.Py_ssize_t)
cpdef double run_cover(
    const uint8_t[::1] kept, const int64_t[::1] bounds, const float[::1] match,
    const float[::1] cover,
) except -1

@cython.locals(
    runs=cython.Py_ssize_t, most=cython.double, held=cython.double, first=cython.Py_ssize_t,
    last=cython.Py_ssize_t, place=cython.Py_ssize_t, block=cython.Py_ssize_t,
    terms=cython.double,
)
cpdef Py_ssize_t find_run(
    const double[:, ::1] totals, const uint8_t[::1] kept, int64_t[::1] bounds,
) except -1

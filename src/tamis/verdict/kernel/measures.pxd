# C types of measures.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

@cython.locals(
    size=cython.Py_ssize_t, all_terms=cython.double, most=cython.double, block=cython.Py_ssize_t,
    terms=cython.double, chars=cython.double, marks=cython.double, group=cython.Py_ssize_t,
    count=cython.int,
)
cpdef measure_own(
    const double[:, ::1] sums, const int32_t[:, ::1] elements, const uint8_t[::1] tag,
    const int64_t[::1] kinds, const int64_t[::1] levels, const int32_t[::1] depth,
    const int32_t[::1] first, const int32_t[::1] node, float[:, ::1] out,
)

@cython.locals(
    size=cython.Py_ssize_t, number=cython.Py_ssize_t, at=cython.Py_ssize_t,
    block=cython.Py_ssize_t, other=cython.Py_ssize_t, terms=cython.double, chars=cython.double,
)
cpdef measure_steps(
    const double[:, ::1] sums, const uint8_t[::1] tag, const int64_t[::1] kinds,
    const int64_t[::1] steps, float[:, ::1] out,
)

@cython.locals(
    size=cython.Py_ssize_t, number=cython.Py_ssize_t, window=cython.Py_ssize_t,
    at=cython.Py_ssize_t, block=cython.Py_ssize_t, start=cython.Py_ssize_t,
    stop=cython.Py_ssize_t, terms=cython.double, chars=cython.double, count=cython.double,
)
cpdef measure_windows(
    const double[:, ::1] totals, const int64_t[::1] windows, double all_long, float[:, ::1] out,
)

@cython.locals(
    depth=cython.Py_ssize_t, size=cython.Py_ssize_t, all_terms=cython.double,
    all_long=cython.double, level=cython.Py_ssize_t, block=cython.Py_ssize_t,
    row=cython.Py_ssize_t, start=cython.Py_ssize_t, stop=cython.Py_ssize_t,
    terms=cython.double, chars=cython.double, count=cython.double, some=cython.double,
    own=cython.double,
)
cpdef measure_levels(
    const double[:, ::1] totals, const int64_t[:, ::1] levels, const int64_t[::1] before,
    const int32_t[::1] end, const uint8_t[::1] tag, const int64_t[::1] kinds, float[:, ::1] out,
)

@cython.locals(
    size=cython.Py_ssize_t, all_terms=cython.double, all_long=cython.double,
    block=cython.Py_ssize_t, of=cython.Py_ssize_t, column=cython.Py_ssize_t,
    count=cython.double, terms=cython.double,
)
cpdef measure_groups(
    const double[:, ::1] totals, const int64_t[::1] group, double[:, ::1] sums,
    float[:, ::1] out,
)

@cython.locals(
    size=cython.Py_ssize_t, all_terms=cython.double, all_long=cython.double,
    record=cython.Py_ssize_t, block=cython.Py_ssize_t, of=cython.Py_ssize_t,
    column=cython.Py_ssize_t, count=cython.double, terms=cython.double, number=cython.double,
    start=cython.Py_ssize_t, stop=cython.Py_ssize_t,
)
cpdef measure_records(
    const double[:, ::1] totals, const int64_t[::1] before, const int32_t[::1] end,
    const int64_t[::1] rows, const int64_t[::1] group, const int64_t[::1] of_block,
    double[:, ::1] sums, float[:, ::1] out,
)

@cython.locals(
    size=cython.Py_ssize_t, kind=cython.Py_ssize_t, block=cython.Py_ssize_t,
    back=cython.Py_ssize_t, distance=cython.int,
)
cpdef measure_distances(
    const float[:, ::1] around, const double[:, ::1] totals, uint8_t[::1] marked, int far,
    float[:, ::1] after, float[:, ::1] before,
)

@cython.locals(longest=cython.Py_ssize_t, most=cython.double, block=cython.Py_ssize_t)
cpdef Py_ssize_t longest_text(const double[:, ::1] totals) except -1

@cython.locals(
    depth=cython.int, row=cython.Py_ssize_t, other=cython.Py_ssize_t, place=int64_t,
    shared=cython.int,
)
cpdef measure_kinship(
    const int32_t[::1] parent, const int32_t[::1] end, const int64_t[::1] anchor,
    Py_ssize_t block, float[:, ::1] out,
)

@cython.locals(
    size=cython.Py_ssize_t, all_long=cython.double, other=cython.Py_ssize_t,
    distance=cython.Py_ssize_t, headings=cython.double, since=cython.double,
)
cpdef measure_since(const double[:, ::1] totals, Py_ssize_t block, float[:, ::1] out)

@cython.locals(
    size=cython.Py_ssize_t, block=cython.Py_ssize_t, chars=cython.double, linked=cython.double,
    weight=cython.double, row=cython.Py_ssize_t, best=cython.Py_ssize_t, most=cython.double,
    turn=cython.int, start=cython.Py_ssize_t, stop=cython.Py_ssize_t, outer=cython.Py_ssize_t,
    all_terms=cython.double, share=cython.double, inside=cython.bint,
)
cpdef measure_best(
    const double[:, ::1] totals, const int32_t[::1] parent, const int32_t[::1] end,
    const int64_t[::1] before, const int64_t[::1] anchor, double[::1] score, float[:, ::1] out,
)

@cython.locals(
    size=cython.Py_ssize_t, all_terms=cython.double, all_long=cython.double,
    h1=cython.Py_ssize_t, block=cython.Py_ssize_t, distance=cython.Py_ssize_t,
    heading=cython.Py_ssize_t,
)
cpdef Py_ssize_t measure_order(
    const double[:, ::1] totals, const uint8_t[::1] tag, const int64_t[::1] levels,
    const float[::1] after, float[:, ::1] out, float[:, ::1] last,
) except -2

@cython.locals(size=cython.Py_ssize_t, block=cython.Py_ssize_t)
cpdef measure_likeness(const int64_t[::1] paths, float[:, ::1] out)

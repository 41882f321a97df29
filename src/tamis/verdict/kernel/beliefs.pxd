# C types of beliefs.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, int64_t

@cython.locals(
    size=cython.Py_ssize_t, number=cython.Py_ssize_t, window=cython.Py_ssize_t,
    block=cython.Py_ssize_t, start=cython.Py_ssize_t, stop=cython.Py_ssize_t,
    at=cython.Py_ssize_t, level=cython.Py_ssize_t, row=cython.Py_ssize_t,
)
cpdef measure_beliefs(
    const double[:, ::1] sums, const int64_t[::1] windows, const int64_t[:, ::1] levels,
    const int64_t[::1] before, const int32_t[::1] end, float[:, ::1] out,
)

@cython.locals(size=cython.Py_ssize_t, block=cython.Py_ssize_t, of=cython.Py_ssize_t)
cpdef mean_beliefs(
    const double[:, ::1] sums, const int64_t[::1] group, double[:, ::1] room, float[::1] out,
)

@cython.locals(
    size=cython.Py_ssize_t, number=cython.Py_ssize_t, block=cython.Py_ssize_t,
    other=cython.Py_ssize_t,
)
cpdef step_beliefs(const double[::1] belief, const int64_t[::1] steps, float[:, ::1] out)

@cython.locals(
    record=cython.Py_ssize_t, start=cython.Py_ssize_t, stop=cython.Py_ssize_t,
    block=cython.Py_ssize_t,
)
cpdef record_beliefs(
    const double[:, ::1] sums, const int64_t[::1] before, const int32_t[::1] end,
    const int64_t[::1] rows, const int64_t[::1] group, const int64_t[::1] inner,
    const int64_t[::1] outer, const double[::1] belief, double[:, ::1] room, float[:, ::1] out,
)

@cython.locals(block=cython.Py_ssize_t, weight=cython.double)
cpdef sum_beliefs(
    const double[::1] belief, const double[::1] terms, double most, double[:, ::1] sums,
)

@cython.locals(
    size=cython.Py_ssize_t, total=cython.double, place=cython.Py_ssize_t, block=cython.Py_ssize_t,
)
cpdef rank_beliefs(
    const double[::1] belief, const int64_t[::1] order, const double[:, ::1] sums,
    float[:, ::1] own, float[:, ::1] rest,
)

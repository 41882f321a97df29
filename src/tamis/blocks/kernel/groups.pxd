# C types of groups.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

@cython.locals(back=cython.Py_ssize_t, place=cython.Py_ssize_t, after=int64_t)
cpdef find_stops(
    const int64_t[::1] rows, const int64_t[::1] group, const int32_t[::1] limit,
    int64_t[::1] following, int64_t[::1] stop,
)

@cython.locals(place=cython.Py_ssize_t, number=int64_t)
cpdef add_up(
    const int64_t[::1] group, const double[::1] weight, const int64_t[::1] cells,
    const uint8_t[::1] alone, double[:, ::1] sums,
)

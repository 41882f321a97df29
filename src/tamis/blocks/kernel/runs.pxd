# C types of runs.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, uint8_t

@cython.locals(number=cython.int, depth=cython.int, row=cython.Py_ssize_t)
cpdef number_runs(
    const uint8_t[::1] cut, const int32_t[::1] end, int32_t[::1] opened, int32_t[::1] run,
    int32_t[::1] inner,
)

@cython.locals(
    size=cython.Py_ssize_t, count=cython.Py_ssize_t, last=cython.int, row=cython.Py_ssize_t,
    whole=cython.bint,
)
cpdef Py_ssize_t find_blocks(
    const int32_t[::1] run, const int32_t[::1] inner, const int32_t[::1] end,
    const uint8_t[::1] shown, int32_t[::1] before, int32_t[:, ::1] blocks,
) except -1

@cython.locals(
    count=cython.Py_ssize_t, block=cython.Py_ssize_t, row=cython.Py_ssize_t, is_in=cython.bint,
    node=cython.Py_ssize_t, held=cython.int,
)
cpdef own_rows(
    const int32_t[::1] run, const uint8_t[::1] cut, const int32_t[::1] end,
    const uint8_t[::1] shown, const int32_t[::1] before, int32_t[:, :] blocks,
    int32_t[::1] owner,
)

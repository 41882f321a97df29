# C types of trees.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, uint32_t

cdef uint32_t ALL
cdef uint32_t SLOTS

@cython.locals(
    count=cython.Py_ssize_t, tree=cython.Py_ssize_t, place=cython.Py_ssize_t,
    nodes=cython.Py_ssize_t, first=uint32_t,
)
cdef add_leaves(
    const float[:, ::1] features, const float[:, ::1] threshold, const int32_t[:, ::1] feature,
    const uint32_t[:, ::1] crossed, const float[:, ::1] value, const int32_t[::1] trees,
    uint32_t[::1] leaves, double[::1] sums,
)

@cython.locals(
    place=cython.Py_ssize_t,
    row0=cython.Py_ssize_t, row1=cython.Py_ssize_t, row2=cython.Py_ssize_t, row3=cython.Py_ssize_t,
    limit0=cython.float, limit1=cython.float, limit2=cython.float, limit3=cython.float,
    out0=uint32_t, out1=uint32_t, out2=uint32_t, out3=uint32_t,
)
cdef void cross_out(
    const float[:, ::1] features, const float[:, ::1] threshold, const int32_t[:, ::1] feature,
    const uint32_t[:, ::1] crossed, Py_ssize_t nodes, uint32_t[::1] leaves,
) noexcept nogil

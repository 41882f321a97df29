# C types of trees.py, for when it is compiled.

cimport cython
from libc.stdint cimport int64_t

@cython.locals(
    count=cython.Py_ssize_t, tree=cython.Py_ssize_t, place=cython.Py_ssize_t, root=cython.int,
    feature=cython.Py_ssize_t, left=cython.int, limit=cython.float, node=cython.int, _=cython.int,
)
cdef walk(
    const float[::1] features,
    Py_ssize_t size,
    const int64_t[::1] some,
    const float[::1] threshold,
    const int[:, ::1] steps,
    const float[::1] value,
    const int[:, ::1] trees,
    int[::1] nodes,
    double[::1] sums,
)

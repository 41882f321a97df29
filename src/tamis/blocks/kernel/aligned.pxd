# C types of aligned.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

cdef uint64_t SPREAD, WRAP

@cython.locals(row=cython.Py_ssize_t, above=uint64_t)
cpdef hash_paths(
    const uint64_t[::1] symbols, const int32_t[::1] parent, uint64_t step, uint64_t[::1] keys,
)

@cython.locals(place=cython.Py_ssize_t, number=cython.Py_ssize_t, one=int64_t)
cpdef deal_cells(
    const int64_t[::1] low, const int64_t[::1] high, int64_t[::1] record, int64_t[::1] cell,
)

@cython.locals(place=cython.Py_ssize_t, child=int64_t, steps=uint64_t, below=uint64_t)
cpdef key_cells(
    const int64_t[::1] first, const int64_t[::1] node, const int32_t[::1] level,
    const int32_t[::1] parent, const int32_t[::1] depth, const uint64_t[::1] path,
    const uint64_t[::1] power, const uint64_t[::1] tag, uint64_t step, uint64_t[::1] keys,
)

@cython.locals(
    last=uint64_t, slot=uint64_t, count=int64_t, place=cython.Py_ssize_t, key=uint64_t,
)
cpdef int64_t number_keys(
    const uint64_t[::1] keys, int64_t[::1] table, int64_t[::1] numbers,
) except -1

@cython.locals(
    begin=cython.Py_ssize_t, end=cython.Py_ssize_t, size=cython.Py_ssize_t,
    place=cython.Py_ssize_t,
)
cpdef count_columns(
    const int64_t[::1] record, const int64_t[::1] column, int64_t[::1] times,
    int64_t[::1] having, int64_t[::1] room,
)

# C types of words.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

cdef uint64_t PRIME, WRAP
cdef uint32_t CRC
cdef uint8_t SPACE, LINE

@cython.locals(
    count=cython.Py_ssize_t, key=uint64_t, place=cython.Py_ssize_t, byte=uint64_t,
)
cpdef Py_ssize_t find_parts(
    const uint8_t[::1] data, const uint8_t[::1] folds, uint64_t seed, uint64_t[::1] keys,
    int32_t[::1] starts, int32_t[::1] stops,
) except -1

@cython.locals(last=uint64_t, slot=uint64_t)
cdef Py_ssize_t slot_of(uint64_t key, const uint64_t[::1] known) noexcept

@cython.locals(count=cython.Py_ssize_t, place=cython.Py_ssize_t, slot=cython.Py_ssize_t)
cpdef Py_ssize_t find_slots(
    const uint64_t[::1] keys, uint64_t[::1] known, int32_t[::1] slots, int32_t[::1] new,
) except -1

@cython.locals(size=cython.Py_ssize_t, number=cython.Py_ssize_t, place=cython.Py_ssize_t)
cpdef Py_ssize_t write_parts(
    const uint8_t[::1] data, const uint8_t[::1] folds, const int32_t[::1] starts,
    const int32_t[::1] stops, const int32_t[::1] new, uint8_t[::1] out,
) except -1

@cython.locals(number=cython.Py_ssize_t, slot=cython.Py_ssize_t)
cpdef note_lines(
    const int32_t[::1] slots, const int32_t[::1] new, const uint8_t[::1] words, int32_t begin,
    int32_t[::1] first, int32_t[::1] stop,
)

@cython.locals(size=cython.Py_ssize_t, place=cython.Py_ssize_t)
cpdef Py_ssize_t count_bytes(
    const int32_t[::1] slots, const int32_t[::1] first, const int32_t[::1] stop,
) except -1

@cython.locals(
    size=cython.Py_ssize_t, place=cython.Py_ssize_t, begin=cython.Py_ssize_t,
    end=cython.Py_ssize_t, at=cython.Py_ssize_t,
)
cpdef Py_ssize_t write_words(
    const int32_t[::1] slots, const int32_t[::1] first, const int32_t[::1] stop,
    const uint8_t[::1] words, uint8_t[::1] out,
) except -1

@cython.locals(count=cython.Py_ssize_t, begun=cython.bint, value=uint32_t, place=cython.Py_ssize_t)
cpdef Py_ssize_t hash_words(
    const uint8_t[::1] line, const uint32_t[::1] table, uint32_t[::1] out,
) except -1

# C types of words.py, for when it is compiled.

cimport cython
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

cdef uint64_t SEED, PRIME, ONE, WRAP

cdef bint is_paired(uint32_t code) noexcept

@cython.locals(
    size=uint32_t, count=cython.Py_ssize_t, key=uint64_t, length=cython.int, paired=uint64_t,
    place=cython.Py_ssize_t, code=uint32_t, small=uint64_t,
)
cdef Py_ssize_t find_keys(
    const uint32_t[::1] text, Py_ssize_t start, Py_ssize_t stop, const uint32_t[::1] folds,
    uint64_t initials, uint64_t[::1] keys,
) noexcept

@cython.locals(found=uint64_t, place=cython.Py_ssize_t, small=uint64_t)
cdef uint64_t initials_of(const uint32_t[::1] text, const uint32_t[::1] folds) noexcept

@cython.locals(last=uint64_t, found=cython.Py_ssize_t, place=cython.Py_ssize_t, key=uint64_t,
    slot=uint64_t, initials=uint64_t,
)
cpdef Py_ssize_t note_words(
    const uint32_t[::1] title, const uint32_t[::1] folds, uint64_t[::1] keys,
    uint64_t[::1] known,
) except -1

@cython.locals(
    last=uint64_t, room=cython.Py_ssize_t, block=cython.Py_ssize_t, letters=cython.Py_ssize_t,
    read=cython.Py_ssize_t, words=cython.Py_ssize_t, hits=cython.Py_ssize_t,
    place=cython.Py_ssize_t, key=uint64_t, slot=uint64_t, initials=uint64_t,
)
cpdef match_words(
    const uint32_t[::1] title, const uint32_t[::1] text, const uint32_t[::1] folds,
    const int64_t[::1] start, const int64_t[::1] stop, const double[::1] terms, const uint64_t[::1] known, Py_ssize_t count, int64_t[::1] seen,
    uint64_t[::1] keys, float[:, ::1] out,
)

@cython.locals(
    best=cython.Py_ssize_t, most=cython.double, block=cython.Py_ssize_t, value=cython.double,
)
cpdef Py_ssize_t find_headline(
    const float[:, ::1] match, const uint8_t[::1] tag, const uint8_t[::1] heading,
) except -1

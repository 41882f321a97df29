# C types of passes.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

cdef uint64_t SEED, PRIME, SPREAD, WRAP

@cython.locals(
    depth=cython.int, row=cython.Py_ssize_t, bit=cython.int, block=cython.Py_ssize_t,
    place=cython.Py_ssize_t, mask=int64_t,
)
cpdef count_around(
    const int64_t[::1] masks, const int32_t[::1] end, const int64_t[::1] anchor, int most,
    float[:, ::1] around, int32_t[:, ::1] now, int32_t[::1] opened,
)

@cython.locals(bit=cython.int)
cdef void count_bits(
    int64_t mask, int step, int most, Py_ssize_t block, int32_t[:, ::1] now,
    float[:, ::1] around,
) noexcept

@cython.locals(count=cython.float, block=cython.Py_ssize_t)
cdef void write_count(
    int bit, int most, Py_ssize_t stop, int32_t[:, ::1] now, float[:, ::1] around,
) noexcept

@cython.locals(found=int64_t, row=cython.Py_ssize_t)
cpdef int64_t join_names(
    const int64_t[::1] masks, const uint8_t[::1] tag, const uint8_t[::1] wanted,
) except -1

@cython.locals(row=cython.Py_ssize_t)
cpdef add_elements(int64_t[::1] masks, const uint8_t[::1] tag, const int64_t[::1] groups)

@cython.locals(block=cython.Py_ssize_t, mask=int64_t, place=cython.Py_ssize_t)
cpdef measure_names(
    const int64_t[::1] masks, const int64_t[::1] anchor, const int32_t[::1] node,
    const int64_t[::1] wanted, float[:, ::1] out,
)

@cython.locals(key=uint64_t, letter=uint8_t)
cpdef uint64_t word_key(bytes word)

@cython.locals(
    found=int64_t, key=uint64_t, length=cython.int, small=cython.bint, last=uint64_t,
    place=cython.Py_ssize_t, letter=cython.int, is_small=cython.bint, is_big=cython.bint,
    slot=uint64_t,
)
cdef int64_t find_words(
    const uint8_t[::1] source, Py_ssize_t start, Py_ssize_t stop,
    const uint64_t[::1] known, const int64_t[::1] groups,
) noexcept

@cython.locals(
    places=int64_t, row=cython.Py_ssize_t, mask=int64_t, key=int64_t, slot=int64_t,
)
cpdef find_names(
    const uint8_t[::1] source, const uint32_t[::1] keys, const int32_t[::1] classes,
    const int32_t[::1] class_stops, const int32_t[::1] ids, const int32_t[::1] id_stops,
    const uint64_t[::1] known, const int64_t[::1] groups, int64_t[:, ::1] cache,
    int64_t[::1] masks,
)

@cython.locals(
    size=uint32_t, block=cython.Py_ssize_t, total=int64_t, first=cython.Py_ssize_t,
    last=cython.Py_ssize_t, end=cython.Py_ssize_t, place=cython.Py_ssize_t, code=uint32_t,
    kind=cython.int, bit=cython.int,
)
cpdef measure_letters(
    const uint32_t[::1] text, const uint8_t[::1] classes, Py_ssize_t read,
    const int64_t[::1] start, const int64_t[::1] stop, uint64_t[::1] keys, float[:, ::1] out,
)

@cython.locals(block=cython.Py_ssize_t, begun=int64_t, count=int64_t)
cpdef measure_repeats(const int64_t[::1] group, int64_t[::1] sizes, float[:, ::1] out)

@cython.locals(count=cython.Py_ssize_t, row=cython.Py_ssize_t, key=uint64_t)
cpdef Py_ssize_t find_makes(
    const double[:, ::1] totals, const int64_t[::1] before, const int32_t[::1] end,
    const uint8_t[::1] tag, const int32_t[::1] parent, const uint32_t[::1] classes, int lowest,
    int64_t[::1] rows, uint64_t[::1] keys,
) except -1

@cython.locals(
    block=cython.Py_ssize_t, row=cython.Py_ssize_t, level=cython.int, count=int64_t,
)
cpdef find_levels(
    const int32_t[::1] parent, const int32_t[::1] end, const int64_t[::1] before,
    const int64_t[::1] anchor, int64_t[:, ::1] levels,
)

@cython.locals(block=cython.Py_ssize_t, name=uint64_t)
cpdef hash_blocks(
    const uint64_t[::1] keys, const int64_t[::1] anchor, const int32_t[::1] node,
    const uint32_t[::1] classes, uint64_t[::1] paths, uint64_t[::1] named,
)

@cython.locals(place=cython.Py_ssize_t, count=cython.Py_ssize_t)
cpdef Py_ssize_t keep_makes(
    int64_t[::1] rows, int64_t[::1] group, int64_t[::1] sizes, int least,
) except -1

@cython.locals(row=cython.Py_ssize_t, above=uint64_t)
cpdef hash_paths(const uint8_t[::1] tag, const int32_t[::1] parent, uint64_t[::1] keys)

@cython.locals(
    depth=cython.Py_ssize_t, place=cython.Py_ssize_t, block=cython.Py_ssize_t, at=int64_t,
)
cpdef find_around(
    const int64_t[::1] rows, const int32_t[::1] end, const int64_t[::1] anchor,
    int64_t[::1] inner, int64_t[::1] outer, int64_t[::1] room,
)

@cython.locals(block=cython.Py_ssize_t, begin=cython.Py_ssize_t, end=cython.Py_ssize_t)
cpdef find_text(
    const uint32_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops,
    const int32_t[::1] firsts, const int32_t[::1] ends, int64_t[::1] start, int64_t[::1] stop,
)

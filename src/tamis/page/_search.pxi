# Searching the source for a fixed string.

cdef enum:
    SEARCH_STRIDE = 64  # offsets that are looked at in one go


def find_bytes(bytes text, bytes needle, Py_ssize_t start=0, stop=None):
    """Return the first offset of a needle between two offsets of a text, or -1.

    It is `bytes.find`, several times as fast for the names of attributes, of which pages have
    many that are alike. Offsets count from the beginning.
    """
    cdef Py_ssize_t size = len(text), last
    if stop is not None and stop < size:
        size = stop
    last = size - <Py_ssize_t> len(needle)  # where the needle can begin at the latest
    if start < 0 or last < 0 or len(needle) < 2:
        return text.find(needle, start, size)
    cdef const unsigned char* letters = text
    cdef const unsigned char* sought = needle
    cdef Py_ssize_t length = len(needle), offset
    with nogil:
        offset = _find_needle(letters, sought, length, start, last)
    return offset


cdef Py_ssize_t _find_needle(
    const unsigned char* text, const unsigned char* needle, Py_ssize_t length, Py_ssize_t start,
    Py_ssize_t last,
) noexcept nogil:
    """Return the first offset of a needle from `start` to `last`, or -1.

    Three letters are compared at many offsets at once, without a branch, so that the compiler takes
    vectors; where all three fit the whole needle is compared.
    """
    cdef const unsigned char* at
    cdef unsigned char first = needle[0], second = needle[1], end = needle[length - 1]
    cdef unsigned char fits
    cdef Py_ssize_t index, offset = start
    while offset + SEARCH_STRIDE <= last + 1:
        at = text + offset
        fits = 0
        for index in range(SEARCH_STRIDE):
            fits |= (
                <unsigned char> (at[index] == first)
                & <unsigned char> (at[index + 1] == second)
                & <unsigned char> (at[index + length - 1] == end)
            )
        if fits:
            for index in range(SEARCH_STRIDE):
                if at[index] == first and not memcmp(at + index, needle, length):
                    return offset + index
        offset += SEARCH_STRIDE
    while offset <= last:
        if text[offset] == first and not memcmp(text + offset, needle, length):
            return offset
        offset += 1
    return -1

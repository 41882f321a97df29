# Style sheets: the rules that hide elements, and the elements that they hide. See `css.py`.

cdef enum:
    MAX_SPACES = 3  # before and after the colon of a declaration
    CLASS_SLOTS = 512  # of the cache of class attributes, a power of two


def find_hiding_rules(bytes css):
    """Return the selectors of the rules of a sheet without comments that hide, as bytes.

    Rules in other ones do not count, such as those in @media.
    """
    cdef const unsigned char* text = css
    cdef const unsigned char* letter = text
    cdef Py_ssize_t size = len(css), start, brace, edge
    cdef Py_ssize_t depth = 0, counted = 0  # braces are counted up to the offset `counted`
    cdef Py_ssize_t last = 0  # the last declaration that hides
    cdef list selectors = []
    while True:  # both properties end with a letter that is rare
        letter = <const unsigned char*> memchr(letter, c"y", text + size - letter)
        if letter == NULL:
            return selectors
        letter += 1
        start = _find_hiding_declaration(text, letter - text, size)
        if start < 0:
            continue
        brace = start - 1
        while brace >= last and text[brace] != c"{":
            brace -= 1
        if brace < last:
            last = start
            continue  # a second declaration of the same rule
        last = start
        edge = brace
        while edge > counted and not _ends_selector(text[edge - 1]):
            edge -= 1
        depth += _count_braces(text, counted, brace)
        if depth <= 0:
            selectors.append(css[edge:brace])
            depth = 0
        depth += 1
        counted = brace + 1


cdef Py_ssize_t _find_hiding_declaration(
    const unsigned char* text, Py_ssize_t offset, Py_ssize_t size
) noexcept nogil:
    """Return where the declaration whose property ends at an offset begins, -1 unless it hides."""
    cdef Py_ssize_t value = _skip_spaces(text, offset, size)
    if value == size or text[value] != c":":
        return -1
    value = _skip_spaces(text, value + 1, size)
    if _is_at(text, offset - 7, size, b"display", 7) and _is_at(text, value, size, b"none", 4):
        return offset - 7
    if _is_at(text, offset - 10, size, b"visibility", 10):
        if _is_at(text, value, size, b"hidden", 6):
            return offset - 10
    return -1


cdef inline Py_ssize_t _skip_spaces(
    const unsigned char* text, Py_ssize_t offset, Py_ssize_t size
) noexcept nogil:
    """Return the offset after white space, of which there may be a little."""
    cdef Py_ssize_t stop = min(offset + MAX_SPACES, size)
    while offset < stop and (text[offset] == 32 or 9 <= text[offset] <= 13):
        offset += 1
    return offset


cdef inline bint _is_at(
    const unsigned char* text, Py_ssize_t offset, Py_ssize_t size, const char* word,
    Py_ssize_t length,
) noexcept nogil:
    """Say whether a word is at an offset."""
    return 0 <= offset <= size - length and not memcmp(text + offset, word, length)


cdef inline bint _ends_selector(unsigned char byte) noexcept nogil:
    return byte == c"{" or byte == c"}" or byte == c";"


cdef inline Py_ssize_t _count_braces(
    const unsigned char* text, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return how many more braces are opened than closed between two offsets."""
    cdef Py_ssize_t offset, count = 0
    for offset in range(start, stop):
        count += (text[offset] == c"{") - (text[offset] == c"}")
    return count


def match_names(page, frozenset classes, frozenset ids):
    """Say for each row whether one of its classes, or its id, is among the given ones.

    A page has few different classes: one that was looked at lately is not looked at again.
    """
    cdef bytes source = page.source
    cdef const int32_t[::1] class_start = page.class_start, class_stop = page.class_stop
    cdef const int32_t[::1] id_start = page.id_start, id_stop = page.id_stop
    cdef const uint32_t[::1] class_key = page.class_key
    cdef uint32_t cached_key[CLASS_SLOTS]
    cdef int8_t cached[CLASS_SLOTS]  # -1 for none
    cdef Py_ssize_t size = class_key.shape[0], row
    cdef uint32_t slot
    matches = np.zeros(size, dtype=np.bool_)
    cdef uint8_t[::1] out = matches.view(np.uint8)
    memset(cached, 0xFF, sizeof(cached))
    for row in range(size):
        if classes and class_stop[row] > class_start[row]:
            slot = class_key[row] & (CLASS_SLOTS - 1)
            if cached[slot] < 0 or cached_key[slot] != class_key[row]:
                cached_key[slot] = class_key[row]
                cached[slot] = not classes.isdisjoint(
                    source[class_start[row] : class_stop[row]].split()
                )
            out[row] = cached[slot]
        if ids and id_stop[row] > id_start[row]:
            out[row] |= source[id_start[row] : id_stop[row]] in ids
    return matches

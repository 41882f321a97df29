# Marks and counts of rows by the elements that they are in.


def mark_below(marks, const int32_t[::1] end):
    """Mark all rows that are below a marked one as well."""
    cdef uint8_t[::1] is_marked = marks.view(np.uint8)
    cdef Py_ssize_t row
    cdef int32_t stop = 0  # of the marked rows so far
    for row in range(end.shape[0]):
        if is_marked[row]:
            stop = max(stop, end[row])
        is_marked[row] = row < stop


# Text that is not to be read: its counts are set to zero while the columns can still be written.


def discount_controls(dict columns, const uint8_t[::1] is_control):
    """Set the counts to zero in menus and text fields of forms: that is to be chosen or changed.

    `is_control` has their tags.
    """
    cdef const uint8_t[::1] tag = columns["tag"]
    cdef const int32_t[::1] end = columns["end"]
    cdef int32_t[::1] chars = columns["chars"], terms = columns["terms"], marks = columns["marks"]
    cdef Py_ssize_t row
    cdef int32_t stop = 0  # of the controls so far
    for row in range(tag.shape[0]):
        if is_control[tag[row]]:
            stop = max(stop, end[row])
        if row < stop:
            chars[row] = terms[row] = marks[row] = 0


def discount_noscript(dict columns, int64_t min_terms, double max_share):
    """Set the counts to zero in `<noscript>`, unless the page has hardly any other text.

    That is so if it has at least so many terms, and the rest of the page, without its links, less
    than this share of them.
    """
    cdef const uint8_t[::1] flags = columns["flags"]
    cdef int32_t[::1] chars = columns["chars"], terms = columns["terms"], marks = columns["marks"]
    cdef Py_ssize_t row
    cdef int64_t inside = 0, outside = 0
    cdef bint has_noscript = False
    for row in range(flags.shape[0]):
        if flags[row] & ROW_NOSCRIPT:
            has_noscript = True
            inside += terms[row]
        elif not flags[row] & ROW_LINK:
            outside += terms[row]
    if not has_noscript or (inside >= min_terms and outside < max_share * inside):
        return
    for row in range(flags.shape[0]):
        if flags[row] & ROW_NOSCRIPT:
            chars[row] = terms[row] = marks[row] = 0

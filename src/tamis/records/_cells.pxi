# The cells of a page: see `Cells` in cells.py.

# The part that a row can have in a line of text.
cpdef enum:
    ENDS_LINE
    TEXT
    FORMAT  # an element that may mark up a part of a line
    DATE  # the same, but a line that it begins goes on with something else
    LINK
    OBJECT

# What else a tag can be; one number per tag has its part in a line and these bits.
cpdef enum:
    IMAGE = 16  # img
    DRAWING = 32  # img or svg: a link that begins with one is a cell of its own
    CHOICE = 64  # an element of a form that has texts to choose from

cdef enum:
    PART_IN_LINE = 15
    INVISIBLE = 1  # of the flags of a row: see tags.py


def find_cells(page, texts, is_date, const uint8_t[::1] traits, int64_t min_text_per_link):
    """Return the cells of a page: their first rows, last rows, elements and terms.

    The fifth array has how many cells begin before each row, and in all. `texts` are the rows whose
    text may be a cell, `is_date` those that state dates, `traits` what each tag is for cells. An
    image has no terms.
    """
    cdef const uint8_t[::1] is_text = texts.view(np.uint8)
    cdef const uint8_t[::1] tag = page.tag, flags = page.flags
    cdef const int32_t[::1] parent = page.parent, terms = page.terms
    cdef Py_ssize_t size = tag.shape[0], count = 0, row
    cdef int64_t element, last_element = -1
    kind, chars_before, links_before = _find_parts_in_lines(page, is_date, traits)
    cdef const uint8_t[::1] inline = mark_inline(
        kind, page.end, page.parent, chars_before, links_before, min_text_per_link
    ).view(np.uint8)
    found, cells_before = np.empty((4, size), np.int64), np.empty(size + 1, np.int64)
    cdef int64_t[:, ::1] cell = found
    cdef int64_t[::1] before = cells_before
    with nogil:
        for row in range(size):
            before[row] = count
            if traits[tag[row]] & IMAGE and not flags[row] & INVISIBLE:
                element = row
            elif is_text[row]:
                element = parent[row]
                while element >= 0 and inline[element]:
                    element = parent[element]
            else:
                continue
            if parent[row] >= 0 and traits[tag[parent[row]]] & CHOICE:
                continue
            if element != last_element:
                cell[0, count], cell[2, count], cell[3, count] = row, element, 0
                last_element = element
                count += 1
            cell[1, count - 1] = row
            cell[3, count - 1] += terms[row] if is_text[row] else 0
        before[size] = count
    return *found[:, :count], cells_before


def _find_parts_in_lines(page, is_date, const uint8_t[::1] traits):
    """Return the part of each row in a line, and the characters and links with text before it.

    A link that has an image before its text ends a line.
    """
    cdef const uint8_t[::1] tag = page.tag, dated = is_date.view(np.uint8)
    cdef const int32_t[::1] end = page.end, chars = page.chars
    cdef Py_ssize_t size = tag.shape[0], row
    cdef Py_ssize_t image = size  # the next one from a row on
    kinds = np.empty(size, np.uint8)
    chars_before, links_before = np.zeros((2, size + 1), np.int64)
    cdef uint8_t[::1] kind = kinds
    cdef int64_t[::1] before = chars_before, links = links_before
    with nogil:
        for row in range(size):
            before[row + 1] = before[row] + chars[row]
        for row in range(size - 1, -1, -1):
            kind[row] = traits[tag[row]] & PART_IN_LINE
            if kind[row] == FORMAT and dated[row]:
                kind[row] = DATE
            if traits[tag[row]] & DRAWING:
                image = row
            if kind[row] == LINK and image < end[row]:
                if before[image] == before[row] and before[end[row]] > before[image]:
                    kind[row] = ENDS_LINE
        for row in range(size):
            links[row + 1] = links[row] + (kind[row] == LINK and before[end[row]] > before[row])
    return kinds, chars_before, links_before


def mark_inline(
    const uint8_t[::1] kind,
    const int32_t[::1] end,
    const int32_t[::1] parent,
    const int64_t[::1] chars_before,
    const int64_t[::1] links_before,
    int64_t min_text_per_link,
):
    """Return which rows are only a part of a line of text: texts, and elements that mark it up.

    `chars_before` and `links_before` are how many characters and links with text there are before
    each row, and in all. A link is part of a line that has `min_text_per_link` times its characters
    beside it, or that begins with words and has no other link.
    """
    cdef Py_ssize_t row, child
    marks = np.zeros(kind.shape[0], np.uint8)
    cdef uint8_t[::1] inline = marks
    with nogil:
        for row in range(kind.shape[0]):
            child = row + 1
            while child < end[row]:
                child = _mark_line(
                    child,
                    end[row],
                    kind,
                    end,
                    chars_before,
                    links_before,
                    min_text_per_link,
                    inline,
                )
                if child < end[row]:
                    child = end[child]
        for row in range(1, kind.shape[0]):  # what formats a part of something marked, in turn
            if inline[parent[row]] and (kind[row] == FORMAT or kind[row] == DATE):
                inline[row] = True
    return marks.view(np.bool_)


cdef Py_ssize_t _mark_line(
    Py_ssize_t start,
    Py_ssize_t limit,
    const uint8_t[::1] kind,
    const int32_t[::1] end,
    const int64_t[::1] chars_before,
    const int64_t[::1] links_before,
    int64_t min_text_per_link,
    uint8_t[::1] inline,
) noexcept nogil:
    """Mark the siblings from `start` on that make a line; return the row that ends the line."""
    cdef Py_ssize_t stop = start, first = -1, row  # `first` is the first row with text
    cdef int64_t chars, bare_chars = 0  # of text that is in no element
    cdef bint is_led_by_words
    while stop < limit and kind[stop] != ENDS_LINE:
        chars = chars_before[end[stop]] - chars_before[stop]
        if chars > 0 and first < 0:
            first = stop
        if kind[stop] == TEXT:
            bare_chars += chars
        stop = end[stop]
    if bare_chars == 0:
        return stop
    is_led_by_words = (
        links_before[stop] - links_before[start] == 1
        and links_before[end[first]] == links_before[first]
    )
    row = start
    while row < stop:
        if kind[row] == LINK:
            chars = chars_before[end[row]] - chars_before[row]
            inline[row] = chars > 0 and (is_led_by_words or bare_chars > min_text_per_link * chars)
        else:
            inline[row] = row != first or kind[row] != DATE
        row = end[row]
    return stop

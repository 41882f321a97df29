# Plain text: which texts are selected, and what stands between them. Part of `_render.pyx`.


def select_text_rows(page, owner, informative, excluded, str signs):
    """Return the visible text rows of informative blocks.

    Rows in `excluded`, if it is given, are left out, and links whose text is one of the signs.
    """
    cdef const int32_t[::1] chars = page.chars, text_start = page.text_start
    cdef const uint8_t[::1] flags = page.flags
    cdef const int32_t[:] owners = owner
    cdef const uint8_t[:] is_informative = informative.view(np.uint8)
    cdef const uint8_t[:] is_excluded = None if excluded is None else excluded.view(np.uint8)
    cdef str text = page.text
    cdef Py_ssize_t size = chars.shape[0], blocks = is_informative.shape[0], row, count = 0
    selected = np.empty(size, dtype=np.int32)
    cdef int32_t[::1] out = selected
    for row in range(size):
        if chars[row] <= 0 or (is_excluded is not None and is_excluded[row]):
            continue
        if not 0 <= owners[row] < blocks or not is_informative[owners[row]]:
            continue
        if chars[row] == 1 and flags[row] & LINK_FLAG and text[text_start[row]] in signs:
            continue
        out[count] = <int32_t> row
        count += 1
    return selected[:count].copy()


cdef struct _Slice:
    # A part of the page's text that is selected as it is.
    int32_t start
    int32_t stop
    int32_t depth  # of the list whose item it begins, 0 if it begins none
    bint continues_list  # the one that the slice before it is in
    bint is_code


def join_slices(page, const int32_t[::1] rows, const uint8_t[::1] is_list, uint8_t item, budget):
    """Return the text of text rows: blank lines between paragraphs, tabs between cells, dashes.

    The page's text separates texts already, so most of it is copied in slices. A slice ends where
    something was left out, a list item begins or code ends (whose last line break is its own).
    """
    cdef str text = page.text, gap
    cdef Py_ssize_t count = 0, index, previous_stop = 0
    cdef _Slice[::1] slices = np.empty(rows.shape[0], dtype=_SLICE)
    cdef _Slice part
    cdef int kind
    cdef list parts = []
    budget.check()
    count = _find_slices(page, rows, is_list, item, slices)
    for index in range(count):
        if index % STRIDE == 0:
            budget.check()
        part = slices[index]
        if index:
            kind = _find_separator(text, previous_stop, part.start)
            if kind == PARAGRAPH_GAP and part.depth and part.continues_list:
                kind = LINE_GAP
            parts.append(<str> GAPS[kind])
        if part.depth:
            parts.append("  " * (part.depth - 1) + "- ")
        elif part.is_code:
            gap = text[previous_stop : part.start]
            gap = gap[gap.rfind("\n") + 1 :]
            parts.append("" if gap.strip() else gap)  # the indentation of the first line
        parts.append(text[part.start : part.stop])
        previous_stop = part.stop
    return "".join(parts)


_SLICE = np.dtype(
    [(name, np.int32) for name in ("start", "stop", "depth", "continues_list", "is_code")]
)


cdef Py_ssize_t _find_slices(
    page, const int32_t[::1] rows, const uint8_t[::1] is_list, uint8_t item, _Slice[::1] slices
) except -1:
    """Write the slices that the texts of some rows make, and return how many there are.

    One pass over all rows of the page finds where lists are.
    """
    cdef const uint8_t[::1] tag = page.tag, flags = page.flags
    cdef const int32_t[::1] parent = page.parent, end = page.end
    cdef const int32_t[::1] text_start = page.text_start, text_stop = page.text_stop
    cdef int32_t[::1] lists = np.zeros(tag.shape[0], dtype=np.int32)  # around each row
    cdef Py_ssize_t row = 0, index, count = 0, last = -1
    cdef int32_t depth, texts = 0, last_text = 0, outer = 0, last_outer = 0, outer_stop = 0
    cdef bint is_code, was_code = False, is_in_outer = False
    for index in range(rows.shape[0]):
        while row <= rows[index]:
            if row:
                lists[row] = lists[parent[row]]
            if is_list[tag[row]]:
                lists[row] += 1
                if row >= outer_stop:  # a list that is in no other one
                    outer += 1
                    outer_stop = end[row]
            texts += tag[row] == TEXT
            row += 1
        depth = _find_item_depth(tag, parent, lists, item, rows[index], last)
        is_code = flags[rows[index]] & PREFORMATTED_FLAG != 0
        if not index or depth or texts != last_text + 1 or (was_code and not is_code):
            slices[count].start = text_start[rows[index]]
            slices[count].depth = depth
            slices[count].is_code = is_code
            slices[count].continues_list = is_in_outer and outer == last_outer
            count += 1
        slices[count - 1].stop = text_stop[rows[index]]
        last, last_text, last_outer, was_code = rows[index], texts, outer, is_code
        is_in_outer = rows[index] < outer_stop
    return count


cdef inline int32_t _find_item_depth(
    const uint8_t[::1] tag,
    const int32_t[::1] parent,
    const int32_t[::1] lists,
    uint8_t item,
    Py_ssize_t row,
    Py_ssize_t last,
) noexcept nogil:
    """Return the depth of the list whose item begins with a row, 0 if none does.

    Of two items that begin with it the inner one counts. `last` is the row before it.
    """
    row = parent[row]
    while row > last:
        if tag[row] == item:
            return max(lists[row], 1)
        row = parent[row]
    return 0

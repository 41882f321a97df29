# A serialised tree is read as it is nested: by the rules of parsing it would not always give the
# same tree (a link in a link). Nothing is taken on trust: a source that was kept may have been
# changed since. Index 0 of the stack is the innermost open element; parents are in the rows.


cdef void read_literal(Reader* r) noexcept nogil:
    """Go through a serialised tree, token by token."""
    cdef int c
    while r.pos < r.n and not r.hard:
        r.token = r.pos
        if r.src[r.pos] != 60:
            read_text(r, find_byte(r, 60, r.pos), False)
            continue
        end_text(r)
        c = r.src[r.pos + 1] if r.pos + 1 < r.n else 0
        if c == 47:
            read_literal_end_tag(r)
        elif c == 33 or c == 63:
            skip_literal_declaration(r)
        else:
            read_literal_start_tag(r)
    r.token = r.n
    end_text(r)
    while r.stack[0].row >= 0 and not r.hard:
        close_literal(r, r.stack[0].row)
    if r.pruning:
        copy_until(r, r.n)


cdef void skip_literal_declaration(Reader* r) noexcept nogil:
    """Pass over a comment, a document type or a processing instruction."""
    cdef Py_ssize_t pos = find_byte(r, 62, r.pos)
    if pos - r.pos > 3 and r.src[r.pos + 2] == 45:
        while pos < r.n:
            if pos - r.pos > 5 and r.src[pos - 1] == 45 and r.src[pos - 2] == 45:
                break
            pos = find_byte(r, 62, pos + 1)
    r.pos = min(pos + 1, r.n)


cdef void read_literal_start_tag(Reader* r) noexcept nogil:
    """Read a start tag into a row; pass over the text of raw elements."""
    cdef Py_ssize_t begin = r.pos + 1, name_stop, stop
    cdef Attribute* attribute
    cdef int code = read_name(r, begin), above = r.stack[0].row, row, i
    cdef bint foreign = above >= 0 and r.flags[above] & ROW_FOREIGN != 0
    name_stop = r.name_stop
    row = open_row(r, code, offset_of(r, r.pos))
    if r.hard:
        return
    r.name_at[row] = <int> begin
    read_attributes(r)
    for i in range(r.attribute_count):
        attribute = &r.attributes[i]
        if r.pruning and is_outline(r, attribute):
            attribute.dropped = True
            cut(r, attribute.gap, attribute.value_stop + 1)
        else:
            attribute.written = offset_of(r, attribute.value)
            attribute.written_stop = offset_of(r, attribute.value_stop)
    note_attributes(r, code, row)
    r.flags[row] = derive_flags(r, code)
    r.head[row] = r.stop[row] = <int> offset_of(r, r.pos)
    if _reading[code] & VOID and not foreign:
        return
    r.stack[0].row = row
    if _reading[code] & RAW:
        if code == TAG_PLAINTEXT and not foreign:
            stop = find_last_end(r, begin, name_stop)
        else:
            stop = find_raw_end(r, r.pos, begin, name_stop, code == TAG_SCRIPT)
            if stop == r.n:  # the page ended in a script, in which `<!--<script` hides the end tag
                stop = find_last_end(r, begin, name_stop)
        if (
            r.pruning
            and not foreign
            and _parsing[code] & PRUNED
            and not has_data_type(r.src + begin, r.pos - begin)
        ):
            cut(r, r.pos, stop)
        elif r.pos < stop:
            read_text(r, stop, True)
        r.pos = max(r.pos, stop)


cdef Py_ssize_t find_last_end(Reader* r, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return where the last end tag of a name stands: plaintext holds all there is to come."""
    cdef Py_ssize_t pos = r.n - 1
    while pos > stop:
        if r.src[pos] == 47 and r.src[pos - 1] == 60 and is_name(r, pos + 1, start, stop):
            return pos - 1
        pos -= 1
    return r.n


cdef void read_literal_end_tag(Reader* r) noexcept nogil:
    """Close the element that an end tag names; one that closes nothing is passed over."""
    cdef Py_ssize_t name = r.pos + 2, stop = find_byte(r, 62, name)
    cdef int row = r.stack[0].row
    r.pos = min(stop + 1, r.n)
    while row >= 0 and not is_name(r, r.name_at[row], name, stop):
        row = r.parent[row]
    if row >= 0:
        while r.stack[0].row > row:
            close_literal(r, r.stack[0].row)
        close_literal(r, row)


cdef void close_literal(Reader* r, int row) noexcept nogil:
    """Close the innermost element at this offset."""
    close_row(r, row, offset_of(r, r.pos))
    r.stack[0].row = r.parent[row]

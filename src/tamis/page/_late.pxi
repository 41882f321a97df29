# What comes late and still belongs further up: elements of the head after its end (13.2.6.4.6), and
# the attributes of a second html or body (13.2.6.4.7). No row changes its number by either, so
# only the source is mended. Each of them moves what was written since, so there is a limit.

cdef enum:
    MAX_LATE = 64  # such tags


cdef void open_late_in_head(Reader* r, int code, int kind) noexcept nogil:
    """Add an element to the head, which is closed already."""
    cdef int head_row = r.html_row + 1
    cdef Py_ssize_t end, length
    cdef unsigned char* after
    if code == TAG_TEMPLATE or not note_late(r):
        if not give_up(r, LATE_HEAD):
            enter_body(r)
            open_in_body(r, code, kind)
        return
    end_text(r)
    copy_until(r, r.token)
    end = r.stop[head_row] - 7  # of "</head>"
    length = r.size - end
    after = <unsigned char*> malloc(length)
    if after == NULL:
        stop_reading(r, NO_MEMORY)
        return
    memcpy(after, r.out + end, length)
    r.size = end
    r.stack[0].row = head_row
    open_in_head(r, code, kind)
    r.stack[0].row = r.html_row
    if not r.hard:
        copy_until(r, r.pos)
        r.end[head_row] = r.rows
        r.stop[head_row] = <int> r.size + 7
        put(r, after, length)
    free(after)


cdef bint note_late(Reader* r) noexcept nogil:
    """Count a tag that comes late; False if there are too many."""
    r.late_tags += 1
    return r.late_tags <= MAX_LATE


cdef void add_late_attributes(Reader* r, int row) noexcept nogil:
    """Add to html or body what its second start tag has and the first has not."""
    cdef Attribute* attribute
    cdef Py_ssize_t base, tag_end = 0
    cdef bint hides = False
    cdef int i
    copy_until(r, r.token)
    r.copied = r.pos
    base = r.size
    for i in range(r.attribute_count):
        attribute = &r.attributes[i]
        if attribute.dropped or has_attribute(r, row, attribute.key):
            attribute.dropped = True
            continue
        write_attribute(r, attribute, 0)
        if r.hard:
            return
        hides = hides or attribute.key == KEY_HIDDEN or attribute.key == KEY_ARIA_HIDDEN
        hides = hides or attribute.key == KEY_STYLE and hides_by_style(
            r.out + attribute.written, attribute.written_stop - attribute.written
        )
    if r.size == base:
        return
    if hides or not note_late(r):  # rows that are written would be hidden
        give_up(r, LATE_ROOT)
        r.size = base
        return
    tag_end = r.head[row] - 1
    insert_tail(r, tag_end, base)
    note_late_attributes(r, row, base - tag_end)


cdef bint has_attribute(Reader* r, int row, Key key) noexcept nogil:
    """Say whether the start tag of a row, as it is written, has an attribute."""
    cdef Py_ssize_t pos = r.start[row] + 1, stop = r.head[row] - 1
    cdef Key other
    while pos < stop and r.out[pos] != 32:
        pos += 1
    while pos < stop:
        pos += 1
        other = FNV_SEED
        while True:
            other = add_to_hash(other, r.out[pos])
            pos += 1
            if r.out[pos] == 61:  # the first byte belongs to the name, even an equals sign
                break
        if other == key:
            return True
        pos += 2
        while r.out[pos] != 34:
            pos += 1
        pos += 1
    return False


cdef void note_late_attributes(Reader* r, int row, Py_ssize_t shift) noexcept nogil:
    """Note the class and the id among attributes that stand so many bytes further up now."""
    cdef Attribute* attribute
    cdef int i
    for i in range(r.attribute_count):
        attribute = &r.attributes[i]
        if attribute.dropped:
            continue
        if attribute.key == KEY_CLASS:
            r.class_start[row] = <int> (attribute.written - shift)
            r.class_stop[row] = <int> (attribute.written_stop - shift)
            r.class_key[row] = hash_value(
                r.out + r.class_start[row], attribute.written_stop - attribute.written
            )
        elif attribute.key == KEY_ID:
            r.id_start[row] = <int> (attribute.written - shift)
            r.id_stop[row] = <int> (attribute.written_stop - shift)


cdef void insert_tail(Reader* r, Py_ssize_t target, Py_ssize_t base) noexcept nogil:
    """Move what was written from `base` on up to an offset, and shift all that comes after it."""
    cdef Py_ssize_t length = r.size - base
    cdef unsigned char* tail = <unsigned char*> malloc(length)
    cdef int* column
    cdef int number, row
    if tail == NULL:
        stop_reading(r, NO_MEMORY)
        return
    memcpy(tail, r.out + base, length)
    memmove(r.out + target + length, r.out + target, base - target)
    memcpy(r.out + target, tail, length)
    free(tail)
    if r.in_text and r.text_begin > target:
        r.text_begin += <int> length
    for number in range(7):
        column = (
            r.start if number == 0 else r.head if number == 1 else r.stop if number == 2
            else r.class_start if number == 3 else r.class_stop if number == 4
            else r.id_start if number == 5 else r.id_stop
        )
        for row in range(r.rows):
            if column[row] > target:
                column[row] += <int> length

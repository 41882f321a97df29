# The stack of open elements (13.2.4.2) and the list of active formatting elements (13.2.4.3).
#
# What a regular page needs of them is opening and closing at the end. Where the standard takes an
# element out of the middle, or moves one, the reader gives up.


cdef void push(Reader* r, int code, Key key, int kind, int row) noexcept nogil:
    """Open an element."""
    cdef Open* top
    cdef Open* below = &r.stack[r.depth]
    if r.depth + 1 >= STACK:
        stop_reading(r, NO_MEMORY)
        return
    r.depth += 1
    r.max_depth = max(r.max_depth, r.depth + r.surplus)
    top = &r.stack[r.depth]
    top.code = code
    top.key = key
    top.kind = kind
    top.format = -1
    top.row = row
    if kind & MODE:
        top.mode = kind & MODE
        top.anchor = r.depth
    else:
        top.mode = below.mode
        top.anchor = below.anchor
    if code == TAG_P and not kind & FOREIGN:
        top.paragraph = r.depth
    else:
        top.paragraph = 0 if kind & (SCOPE | BUTTON_SCOPE) else below.paragraph


cdef void pop(Reader* r) noexcept nogil:
    """Close the innermost element; its end tag has been written."""
    cdef Open* top = &r.stack[r.depth]
    if top.format >= 0:
        r.formats[top.format].index = 0
    if r.form == r.depth:
        r.form = -1  # the parser still remembers the form, and refuses another
    if top.code == TAG_TEMPLATE and not top.kind & FOREIGN:
        r.templates -= 1
    r.depth -= 1


cdef void close_to(Reader* r, int index) noexcept nogil:
    """Close all elements from the innermost one out to the one at an index.

    If the current token is the end tag of that one, and is written as serialising would write it,
    it stays as it is.
    """
    cdef int row
    end_text(r)
    if index < r.surplus_index:
        r.surplus = 0  # a parser closes those as well
    while r.depth > index:
        row = r.stack[r.depth].row
        write_end_tag(r, row)
        close_row(r, row, r.size)
        pop(r)
    row = r.stack[index].row
    if r.end_key and r.stack[index].key == r.end_key:
        r.kept_end = True
        close_row(r, row, offset_of(r, r.pos))
    else:
        write_end_tag(r, row)
        close_row(r, row, r.size)
    r.end_key = 0
    pop(r)


cdef int find_open(Reader* r, int code, int walls) noexcept nogil:
    """Return the index of the innermost open element of a code, 0 if a wall comes first."""
    cdef int index = r.depth
    while index > 0:
        if r.stack[index].code == code and not r.stack[index].kind & FOREIGN:
            return index
        if r.stack[index].kind & walls:
            return 0
        index -= 1
    return 0


cdef void close_implied(Reader* r, int but) noexcept nogil:
    """Close what needs no end tag of its own, but for elements of one code (13.2.6.3)."""
    while r.stack[r.depth].kind & IMPLIED and r.stack[r.depth].code != but and r.depth:
        close_to(r, r.depth)


cdef void close_if_open(Reader* r, int index) noexcept nogil:
    """Close the element at an index, if it is one, and all inside it."""
    if index:
        close_to(r, index)


cdef void close_any_other(Reader* r, Key key) noexcept nogil:
    """Close the element of an end tag of no special meaning, within special elements."""
    cdef int index = r.depth
    while index > 0:
        if r.stack[index].key == key and not r.stack[index].kind & FOREIGN:
            close_to(r, index)
            return
        if r.stack[index].kind & SPECIAL:
            return
        index -= 1


# Formatting elements


cdef void add_marker(Reader* r) noexcept nogil:
    """Keep the formatting that follows apart from what there is."""
    if r.format_count >= FORMATS - 1:
        give_up(r, MARKERS)
        return
    r.formats[r.format_count].code = 0
    r.format_count += 1
    r.format_mark = r.format_count


cdef void clear_to_marker(Reader* r) noexcept nogil:
    """Forget the formatting since the last marker, and the marker."""
    while r.format_count > r.format_mark:
        forget(r, r.format_count - 1)
    r.format_count = max(0, r.format_mark - 1)
    r.format_mark = r.format_count
    while r.format_mark and r.formats[r.format_mark - 1].code:
        r.format_mark -= 1


cdef void remember(Reader* r, int code) noexcept nogil:
    """Enter the innermost element into the list of formatting elements.

    Of more than three alike, the first is forgotten (the "Noah's Ark clause").
    """
    cdef Format* entry
    cdef int i, first = -1, alike = 0
    entry = &r.formats[r.format_count]
    entry.code = code
    entry.index = r.depth
    entry.row = r.stack[r.depth].row
    entry.attributes = hash_attributes(r)
    entry.hides = r.hides
    for i in range(r.format_mark, r.format_count):
        if r.formats[i].code == code and r.formats[i].attributes == entry.attributes:
            alike += 1
            if first < 0:
                first = i
    r.stack[r.depth].format = r.format_count
    r.format_count += 1
    r.max_formats = max(r.max_formats, r.format_count - r.format_mark)
    if alike >= 3:
        forget(r, first)


cdef Key hash_attributes(Reader* r) noexcept nogil:
    """Return a hash of the attributes that were read last, whatever their order."""
    cdef Attribute* attribute
    cdef const unsigned char* value
    cdef Key total = 1, key
    cdef Py_ssize_t j
    cdef int i
    for i in range(r.attribute_count):
        attribute = &r.attributes[i]
        if attribute.dropped:
            continue
        key = attribute.key
        if attribute.written >= r.size:
            value = r.src + attribute.value
        else:
            value = r.out + attribute.written
        for j in range(attribute.written_stop - attribute.written):
            key = add_to_hash(key, value[j])
        total += key
    return total


cdef void forget(Reader* r, int format) noexcept nogil:
    """Take an element out of the list of formatting elements; it may stay open."""
    cdef int i
    if r.formats[format].index:
        r.stack[r.formats[format].index].format = -1
    r.format_count -= 1
    for i in range(format, r.format_count):
        r.formats[i] = r.formats[i + 1]
        if r.formats[i].code and r.formats[i].index:
            r.stack[r.formats[i].index].format = i
    if format < r.format_mark:
        r.format_mark -= 1


cdef int find_format(Reader* r, int code) noexcept nogil:
    """Return the last formatting element of a code since the last marker, or -1."""
    cdef int i = r.format_count - 1
    while i >= r.format_mark:
        if r.formats[i].code == code:
            return i
        i -= 1
    return -1


cdef inline bint has_lost_formatting(Reader* r) noexcept nogil:
    """Say whether formatting elements wait to be opened again."""
    return r.format_count > r.format_mark and not r.formats[r.format_count - 1].index


cdef void reopen(Reader* r) noexcept nogil:
    """Open the formatting elements again that were closed by another's end."""
    cdef int first = r.format_count
    if not has_lost_formatting(r):
        return
    while first > r.format_mark and not r.formats[first - 1].index:
        first -= 1
    while first < r.format_count and not r.hard:
        reopen_format(r, first)
        first += 1


cdef void reopen_format(Reader* r, int format) noexcept nogil:
    """Open an element with the start tag of another one."""
    cdef int code = r.formats[format].code, model = r.formats[format].row, row
    cdef Py_ssize_t start, length, shift
    end_text(r)
    copy_until(r, r.token)
    start = r.start[model]
    length = r.head[model] - start
    reserve(r, length)
    if r.hard:
        return
    shift = r.size - start
    row = open_row(r, code, r.size)
    put(r, r.out + start, length)
    r.head[row] = r.stop[row] = <int> r.size
    if r.class_stop[model]:
        r.class_start[row] = <int> (r.class_start[model] + shift)
        r.class_stop[row] = <int> (r.class_stop[model] + shift)
        r.class_key[row] = r.class_key[model]
    if r.id_stop[model]:
        r.id_start[row] = <int> (r.id_start[model] + shift)
        r.id_stop[row] = <int> (r.id_stop[model] + shift)
    r.hides = r.formats[format].hides
    r.shows = r.opens = False
    r.flags[row] = derive_flags(r, code)
    push(r, code, _tag_keys[code], _parsing[code], row)
    if r.hard:
        return
    r.stack[r.depth].format = format
    r.formats[format].index = r.depth
    r.nodes += 4 + length // 32


cdef void close_formatting(Reader* r, int code, Key key) noexcept nogil:
    """Close a formatting element; give up where the adoption agency would move a block."""
    cdef Open* top = &r.stack[r.depth]
    cdef int format, index, i
    if top.code == code and top.format < 0 and not top.kind & FOREIGN and r.depth:
        close_to(r, r.depth)
        return
    format = find_format(r, code)
    if format < 0:
        close_any_other(r, key)
        return
    index = r.formats[format].index
    if not index:
        forget(r, format)
        return
    i = r.depth
    while i > index:
        if r.stack[i].kind & SCOPE:
            return
        i -= 1
    for i in range(index + 1, r.depth + 1):
        if r.stack[i].kind & SPECIAL:
            if give_up(r, ADOPTION):
                return
            expect_surplus(r, index)
            break
    close_to(r, index)
    forget(r, format)


cdef void expect_surplus(Reader* r, int index) noexcept nogil:
    """Note that a parser closes the element at an index, but not all that is open inside it."""
    if not r.surplus or index < r.surplus_index:
        r.surplus_index = index
    r.surplus += r.depth - index

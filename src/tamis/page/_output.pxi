# The output: the normalised source, the text of the page, and its rows.
#
# Most markup is written as serialising would write it. So the source is the input with edits:
# everything up to `copied` is in the output, the rest is copied as it is, unless something cuts or
# replaces it.


cdef void reserve(Reader* r, Py_ssize_t count) noexcept nogil:
    """Make sure that so many more bytes fit into the output."""
    cdef unsigned char* larger
    if r.size + count <= r.capacity:
        return
    if r.size + count > r.max_size:
        stop_reading(r, MANY_BYTES)
        r.size = r.copied = 0  # nobody reads it any more
        if count <= r.capacity:
            return
    r.capacity = 2 * (r.size + count) + 64
    larger = <unsigned char*> realloc(r.out, r.capacity)
    if larger == NULL:
        stop_reading(r, NO_MEMORY)
        return
    r.out = larger


cdef inline Py_ssize_t offset_of(Reader* r, Py_ssize_t pos) noexcept nogil:
    """Return where a byte of the input, not copied yet, will stand in the output."""
    return r.size + pos - r.copied


cdef void copy_until(Reader* r, Py_ssize_t pos) noexcept nogil:
    """Copy the input as it is up to an offset."""
    cdef Py_ssize_t count = pos - r.copied
    if count <= 0:
        return
    reserve(r, count)
    if r.hard:
        return
    memcpy(r.out + r.size, r.src + r.copied, count)
    r.size += count
    r.copied = pos


cdef void cut(Reader* r, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Leave out a part of the input."""
    copy_until(r, start)
    r.copied = stop


cdef void put(Reader* r, const void* bytes, Py_ssize_t count) noexcept nogil:
    """Write bytes that are not in the input."""
    reserve(r, count)
    if r.hard:
        return
    memcpy(r.out + r.size, bytes, count)
    r.size += count


cdef void put_text(Reader* r, const char* text) noexcept nogil:
    put(r, text, strlen(text))


cdef void put_lower(Reader* r, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Write a name of the input in lower case."""
    cdef Py_ssize_t i
    cdef int c
    reserve(r, stop - start)
    if r.hard:
        return
    for i in range(start, stop):
        c = r.src[i]
        r.out[r.size] = c + 32 if 65 <= c <= 90 else c
        r.size += 1


cdef int encode(int code, unsigned char* target) noexcept nogil:
    """Write a character as UTF-8 and return its length."""
    if code < 0x80:
        target[0] = code
        return 1
    if code < 0x800:
        target[0] = 0xC0 | code >> 6
        target[1] = 0x80 | code & 63
        return 2
    if code < 0x10000:
        target[0] = 0xE0 | code >> 12
        target[1] = 0x80 | code >> 6 & 63
        target[2] = 0x80 | code & 63
        return 3
    target[0] = 0xF0 | code >> 18
    target[1] = 0x80 | code >> 12 & 63
    target[2] = 0x80 | code >> 6 & 63
    target[3] = 0x80 | code & 63
    return 4


cdef void put_character(Reader* r, int code, bint in_value) noexcept nogil:
    """Write a character as serialising does (13.3)."""
    cdef unsigned char buffer[4]
    if code == 38:
        put(r, b"&amp;", 5)
    elif code == 60:
        put(r, b"&lt;", 4)
    elif code == 62:
        put(r, b"&gt;", 4)
    elif code == 160:
        put(r, b"&nbsp;", 6)
    elif code == 34 and in_value:
        put(r, b"&quot;", 6)
    else:
        put(r, buffer, encode(code, buffer))


cdef void read_special(Reader* r, Py_ssize_t stop, bint raw, bint in_value) noexcept nogil:
    """Read the special byte at `pos` and edit the source where serialising writes it otherwise.

    `code` and `width` are the character and its length; `code` is -1 if there is none.
    """
    cdef Py_ssize_t pos = r.pos
    cdef int c = r.src[pos]
    r.code = c
    r.width = 1
    r.referenced = False
    if c == 13:
        if pos + 1 < r.n and r.src[pos + 1] == 10:
            cut(r, pos, pos + 1)
            r.code = -1
        else:
            cut(r, pos, pos + 1)
            put(r, b"\n", 1)
            r.code = 10
    elif raw:
        read_bytes(r)
    elif c == 0xC2:
        read_bytes(r)
        if r.code == 160:
            cut(r, pos, pos + 2)
            put(r, b"&nbsp;", 6)
    elif c == 38:
        if read_reference(r, pos, stop, in_value):
            r.referenced = True
            if serialised_reference(r, pos, in_value) == r.width:
                return
        if r.hard:
            return
        cut(r, pos, pos + r.width)
        put_character(r, r.code, in_value)
    elif c != 34 or in_value:
        cut(r, pos, pos + 1)
        put_character(r, c, in_value)


cdef inline void read_bytes(Reader* r) noexcept nogil:
    """Read a character of several bytes at `pos`."""
    cdef const unsigned char* p = r.src + r.pos
    cdef Py_ssize_t left = r.n - r.pos
    cdef int c = p[0]
    r.code = c
    r.width = 1
    r.referenced = False
    if c >= 240 and left > 3:
        r.width = 4
        r.code = (c & 7) << 18 | (p[1] & 63) << 12 | (p[2] & 63) << 6 | (p[3] & 63)
    elif c >= 224 and left > 2:
        r.width = 3
        r.code = (c & 15) << 12 | (p[1] & 63) << 6 | (p[2] & 63)
    elif c >= 128 and left > 1:
        r.width = 2
        r.code = (c & 31) << 6 | (p[1] & 63)


cdef void read_literal_reference(Reader* r) noexcept nogil:
    """Read one of the four references that serialised text may hold; all else is text."""
    cdef int length = serialised_reference(r, r.pos, False)
    r.code = 38
    r.width = 1
    r.referenced = length > 0
    if length == 4:
        r.code = 60 if r.src[r.pos + 1] == 108 else 62
    elif length == 6:
        r.code = 160
    if length:
        r.width = length


# Text


cdef inline void write_byte(Reader* r, int byte) noexcept nogil:
    """Write one ASCII character to the text."""
    r.text[r.text_size] = byte
    r.text_size += 1
    r.written += 1


cdef void write_pending(Reader* r) noexcept nogil:
    """Write what separates the next text from the one before."""
    if r.written:
        if r.pending == BREAK_SPACE:
            write_byte(r, 32)
        elif r.pending == BREAK_CELL:
            write_byte(r, 9)
        elif r.pending >= BREAK_LINE:
            write_byte(r, 10)
            if r.pending == BREAK_PARAGRAPH:
                write_byte(r, 10)
    r.pending = 0


cdef void write_space(Reader* r, bint preformatted) noexcept nogil:
    """Fold white space into one pending space, or write it as it is."""
    if not preformatted:
        r.pending = max(r.pending, BREAK_SPACE)
        return
    write_pending(r)
    write_byte(r, r.code if r.code == 9 or r.code == 10 else 32)


cdef void write_character(Reader* r) noexcept nogil:
    """Write the character read last to the text."""
    if r.code < 128:
        write_byte(r, r.code)
        return
    if r.referenced:
        r.text_size += encode(r.code, r.text + r.text_size)
    else:
        memcpy(r.text + r.text_size, r.src + r.pos, r.width)
        r.text_size += r.width
    r.written += 1


cdef void write_words(Reader* r, int row) noexcept nogil:
    """Write and count ASCII words that are one space apart, most of most texts."""
    cdef const unsigned char* src = r.src
    cdef unsigned char* text = r.text
    cdef Py_ssize_t pos = r.pos, size = r.text_size, n = r.n
    cdef int spaces = 0, length
    while True:
        while pos < n and src[pos] < 128 and _classes[src[pos]] == WORD:
            text[size] = src[pos]
            size += 1
            pos += 1
        if pos + 1 >= n or src[pos] != 32 or src[pos + 1] >= 128:
            break
        if _classes[src[pos + 1]] != WORD:
            break
        text[size] = 32
        size += 1
        pos += 1
        spaces += 1
    length = <int> (size - r.text_size)
    r.pos = pos
    r.text_size = size
    r.written += length
    r.terms[row] += spaces if r.in_word else spaces + 1
    r.chars[row] += length - spaces
    r.text_stop[row] = r.written
    r.in_word = True


cdef inline void count_character(Reader* r, int row, int kind) noexcept nogil:
    """Count a character, and the term that it begins."""
    r.chars[row] += 1
    if kind & WORD:
        if kind & SINGLE or not r.in_word:
            r.terms[row] += 1
        r.in_word = not kind & SINGLE
    else:
        r.in_word = False
        if kind & PUNCTUATION:
            r.marks[row] += 1


cdef inline int classify(int code) noexcept nogil:
    """Return the class of a character."""
    if code >= CLASSES:
        return WORD | SINGLE if code < IDEOGRAPHS_END else 0
    return _classes[code]


cdef void read_text(Reader* r, Py_ssize_t stop, bint raw) noexcept nogil:
    """Read text up to an offset: its row, its characters and their counts."""
    cdef int row_flags = r.flags[r.stack[r.depth].row] if r.stack[r.depth].row >= 0 else 0
    cdef bint preformatted = row_flags & ROW_PREFORMATTED
    cdef int c, kind
    r.referenced = False
    if not r.in_text:
        r.in_text = True
        r.text_begin = <int> offset_of(r, r.pos)
        r.text_row = -1
        r.in_word = False
    if row_flags & ROW_INVISIBLE:
        copy_text(r, stop, raw)
        return
    while r.pos < stop:
        c = r.src[r.pos]
        if c < 128 and not _special[c]:
            r.code = c
            r.width = 1
        elif r.literal:
            if c == 38 and not raw:
                read_literal_reference(r)
            else:
                read_bytes(r)
        elif _special[c]:
            read_special(r, stop, raw, False)
            if r.code < 0:
                r.pos += r.width
                continue
        else:
            read_bytes(r)
        kind = classify(r.code)
        if kind & SPACE:
            r.in_word = False
            write_space(r, preformatted)
        elif not kind & NOT_SHOWN:
            if r.pending:
                write_pending(r)
            if r.text_row < 0:
                r.text_row = add_row(r, 0, row_flags, r.text_begin)
                if r.hard:
                    return
            if kind == WORD and c < 128 and not r.referenced and r.width == 1:
                write_words(r, r.text_row)
                continue
            count_character(r, r.text_row, kind)
            write_character(r)
            r.text_stop[r.text_row] = r.written
        r.referenced = False
        r.pos += r.width


cdef void copy_text(Reader* r, Py_ssize_t stop, bint raw) noexcept nogil:
    """Pass over text that nobody sees; only the source has it."""
    if not r.literal:
        while r.pos < stop:
            if _special[r.src[r.pos]]:
                read_special(r, stop, raw, False)
                r.pos += r.width
            else:
                r.pos += 1
    if not r.hard:
        r.pos = stop


cdef inline void end_text(Reader* r) noexcept nogil:
    """End the text node before the current token."""
    if r.in_text:
        r.in_text = False
        if r.text_row >= 0:
            r.stop[r.text_row] = r.head[r.text_row] = <int> offset_of(r, r.token)


# Rows


cdef void point_columns(Reader* r) noexcept nogil:
    """Let each column point into the block of all columns."""
    cdef int* cells = r.cells
    cdef Py_ssize_t room = r.room
    r.tag = cells
    r.flags = cells + room
    r.depth_of = cells + 2 * room
    r.parent = cells + 3 * room
    r.end = cells + 4 * room
    r.start = cells + 5 * room
    r.head = cells + 6 * room
    r.stop = cells + 7 * room
    r.text_start = cells + 8 * room
    r.text_stop = cells + 9 * room
    r.class_start = cells + 10 * room
    r.class_stop = cells + 11 * room
    r.class_key = cells + 12 * room
    r.id_start = cells + 13 * room
    r.id_stop = cells + 14 * room
    r.chars = cells + 15 * room
    r.terms = cells + 16 * room
    r.marks = cells + 17 * room
    r.name_at = cells + 18 * room


cdef bint make_room(Reader* r, int room) noexcept nogil:
    """Make room for so many rows; False if there is no memory."""
    cdef int* cells = <int*> malloc(<size_t> CELLS * room * sizeof(int))
    cdef int column
    if cells == NULL:
        return False
    for column in range(CELLS):
        if r.rows:
            memcpy(
                cells + <Py_ssize_t> column * room,
                r.cells + <Py_ssize_t> column * r.room,
                r.rows * sizeof(int),
            )
    free(r.cells)
    r.cells = cells
    r.room = room
    point_columns(r)
    return True


cdef int add_row(Reader* r, int code, int row_flags, Py_ssize_t start) noexcept nogil:
    """Append a row below the innermost open element and return its number."""
    cdef int row = r.rows, above = r.stack[r.depth].row
    if row >= r.room and not make_room(r, 2 * r.room):
        stop_reading(r, NO_MEMORY)
        return 0
    r.rows += 1
    r.tag[row] = code
    r.flags[row] = row_flags
    r.parent[row] = above
    r.depth_of[row] = r.depth_of[above] + 1 if above >= 0 else 0
    r.end[row] = row + 1
    r.start[row] = r.head[row] = r.stop[row] = <int> start
    r.text_start[row] = r.text_stop[row] = r.written
    r.class_start[row] = r.class_stop[row] = r.class_key[row] = 0
    r.id_start[row] = r.id_stop[row] = 0
    r.chars[row] = r.terms[row] = r.marks[row] = 0
    return row


cdef void separate(Reader* r, int code) noexcept nogil:
    """Remember that this tag stands between two texts; two line breaks are a paragraph's."""
    cdef int level = _reading[code] & BREAK
    if code == TAG_BR and r.pending == BREAK_LINE:
        level = BREAK_PARAGRAPH
    if level > r.pending:
        r.pending = level


cdef int open_row(Reader* r, int code, Py_ssize_t start) noexcept nogil:
    """Add the row of an element; its flags are not known yet."""
    cdef int above = r.stack[r.depth].row
    cdef int row = add_row(r, code, 0, start)
    if above < 0 or not r.flags[above] & ROW_INVISIBLE:
        separate(r, code)
    return row


cdef void close_row(Reader* r, int row, Py_ssize_t stop) noexcept nogil:
    """End an element's row."""
    cdef int above = r.parent[row]
    r.end[row] = r.rows
    r.stop[row] = <int> stop
    r.text_stop[row] = r.written
    if above < 0 or not r.flags[above] & ROW_INVISIBLE:
        separate(r, r.tag[row])


cdef int derive_flags(Reader* r, int code) noexcept nogil:
    """Return the flags of an element from those above it, its name and its attributes."""
    cdef int parent = r.stack[r.depth].row
    cdef int above = r.flags[parent] if parent >= 0 else 0
    cdef int own = (_reading[code] >> FLAGS_SHIFT) & FLAGS
    cdef int language = above & ROW_FOREIGN
    if r.shows:
        own &= ~(ROW_HIDDEN | ROW_INVISIBLE)
    if r.hides:
        own |= ROW_HIDDEN
    if language:
        # Names mean nothing here but where HTML may stand again ("integration points").
        own &= ~ROW_FOREIGN
        if r.opens or _parsing[code] & (HTML_POINT if language == ROW_SVG else MATH_POINT):
            language = 0
        elif code == TAG_SVG and r.tag[parent] == TAG_ANNOTATION:
            language = ROW_SVG
    return above & ~ROW_FOREIGN | language | own


cdef void note_attributes(Reader* r, int code, int row) noexcept nogil:
    """Note what attributes say about their row: class, id, whether it is hidden."""
    cdef Attribute* attribute
    cdef const unsigned char* value
    cdef Py_ssize_t size
    cdef Key key
    cdef int i
    r.hides = r.shows = r.opens = False
    for i in range(r.attribute_count):
        attribute = &r.attributes[i]
        if attribute.dropped:
            continue
        key = attribute.key
        size = attribute.written_stop - attribute.written
        if attribute.written >= r.size:  # it is not copied yet
            value = r.src + attribute.value
        else:
            value = r.out + attribute.written
        if key == KEY_CLASS:
            r.class_start[row] = <int> attribute.written
            r.class_stop[row] = <int> attribute.written_stop
            r.class_key[row] = hash_value(value, size)
        elif key == KEY_ID:
            r.id_start[row] = <int> attribute.written
            r.id_stop[row] = <int> attribute.written_stop
        elif key == KEY_STYLE:
            r.hides = r.hides or hides_by_style(value, size)
        elif key == KEY_HIDDEN:
            r.hides = True
        elif key == KEY_ARIA_HIDDEN:
            r.hides = r.hides or holds_word(value, size, b"true")
        elif key == KEY_OPEN:
            r.shows = r.shows or code == TAG_DIALOG
        elif key == KEY_SHADOW:
            r.shows = r.shows or code == TAG_TEMPLATE
        elif key == KEY_ENCODING and code == TAG_ANNOTATION:
            r.opens = is_word(r, attribute.value, attribute.value_stop, b"text/html") or is_word(
                r, attribute.value, attribute.value_stop, b"application/xhtml+xml"
            )


cdef bint hides_by_style(const unsigned char* value, Py_ssize_t size) noexcept nogil:
    """Say whether a style attribute hides its element."""
    return holds_word(value, size, b"display:none") or holds_word(
        value, size, b"visibility:hidden"
    )


cdef int hash_value(const unsigned char* value, Py_ssize_t size) noexcept nogil:
    """Return a hash of a class attribute that is never 0.

    Of every other byte and of the rest, because a processor does two at once.
    """
    cdef unsigned int key = 2166136261, other = <unsigned int> size
    cdef Py_ssize_t i
    for i in range(0, size - 1, 2):
        key = (key ^ value[i]) * 16777619 & 0x7FFFFFFF
        other = (other ^ value[i + 1]) * 16777619 & 0x7FFFFFFF
    if size & 1:
        key = (key ^ value[size - 1]) * 16777619 & 0x7FFFFFFF
    key = (key ^ other * 31) & 0x7FFFFFFF
    return <int> max(key, 1)


# Tags


cdef void write_value(Reader* r, Attribute* attribute) noexcept nogil:
    """Write the value of an attribute as serialising does."""
    cdef Py_ssize_t after = r.pos
    attribute.written = r.size
    if attribute.clean:
        put(r, r.src + attribute.value, attribute.value_stop - attribute.value)
    else:
        r.copied = r.pos = attribute.value
        while r.pos < attribute.value_stop and not r.hard:
            if _special[r.src[r.pos]]:
                read_special(r, attribute.value_stop, False, True)
                r.pos += r.width
            else:
                r.pos += 1
        copy_until(r, attribute.value_stop)
    attribute.written_stop = r.size
    if not r.hard:
        r.pos = r.copied = after


cdef void write_start_tag(Reader* r, int language) noexcept nogil:
    """Write the start tag that was read last, or leave it as it is."""
    cdef SpelledName* spelling = NULL
    cdef bint plain = r.plain
    cdef int i
    if language == SVG:
        spelling = find_spelling(_svg_elements, r.key)
    if language:
        for i in range(r.attribute_count):
            # Of attributes with a namespace (xml:, xlink:) a second one may stay.
            if r.attributes[i].dropped and (r.src[r.attributes[i].name] | 32) == 120:
                if give_up(r, RARE_TAG):
                    return
    if language and plain:
        plain = spelling == NULL
        for i in range(r.attribute_count):
            if spelled_attribute(r, &r.attributes[i], language) != NULL:
                plain = False
    if plain:
        for i in range(r.attribute_count):
            r.attributes[i].written = offset_of(r, r.attributes[i].value)
            r.attributes[i].written_stop = offset_of(r, r.attributes[i].value_stop)
        if r.tail < r.pos - 1:
            cut(r, r.tail, r.pos - 1)
        return
    copy_until(r, r.token)
    put(r, b"<", 1)
    if spelling != NULL:
        put(r, spelling.text, spelling.length)
    else:
        put_lower(r, r.token + 1, r.name_stop)
    for i in range(r.attribute_count):
        if not r.attributes[i].dropped:
            write_attribute(r, &r.attributes[i], language)
    put(r, b">", 1)
    r.copied = r.pos


cdef SpelledName* spelled_attribute(
    Reader* r, Attribute* attribute, int language
) noexcept nogil:
    """Return the name with capitals that an attribute has in SVG or MathML, or NULL."""
    if language == SVG:
        return find_spelling(_svg_attributes, attribute.key)
    return find_spelling(_math_attributes, attribute.key)


cdef void write_attribute(Reader* r, Attribute* attribute, int language) noexcept nogil:
    """Write an attribute as serialising does."""
    cdef SpelledName* spelling = NULL
    if language:
        spelling = spelled_attribute(r, attribute, language)
    put(r, b" ", 1)
    if spelling != NULL:
        put(r, spelling.text, spelling.length)
    else:
        put_lower(r, attribute.name, attribute.name_stop)
    put(r, b'="', 2)
    write_value(r, attribute)
    put(r, b'"', 1)


cdef void write_end_tag(Reader* r, int row) noexcept nogil:
    """Write the end tag of an element that has none in the input, at the current token."""
    cdef Py_ssize_t i
    copy_until(r, r.token)
    put(r, b"</", 2)
    if r.hard:
        return
    i = r.start[row] + 1
    while not ends_name(r.out[i]):
        i += 1
    reserve(r, i - r.start[row])
    put(r, r.out + r.start[row] + 1, i - r.start[row] - 1)
    put(r, b">", 1)

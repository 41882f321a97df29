# The input: names, attributes, character references and the ends of raw text (13.2.5).


cdef void stop_reading(Reader* r, int reason) noexcept nogil:
    """End the reading."""
    if not r.hard:
        r.hard = reason
    r.pos = r.n


cdef bint give_up(Reader* r, int reason) noexcept nogil:
    """Note that the page is hard; say whether this ends the reading.

    A lenient reader goes on: what the standard would move stays where it is.
    """
    r.hard_count += 1
    if not r.reason:
        r.reason = reason
    if not r.lenient:
        stop_reading(r, reason)
    return not r.lenient


cdef inline bint is_space(int c) noexcept nogil:
    return c == 32 or c == 10 or c == 9 or c == 13 or c == 12


cdef inline bint is_letter(int c) noexcept nogil:
    return 97 <= (c | 32) <= 122


cdef inline bint ends_name(int c) noexcept nogil:
    return c == 62 or c == 32 or c == 47 or is_space(c)


cdef inline Py_ssize_t find_byte(Reader* r, int byte, Py_ssize_t pos) noexcept nogil:
    """Return the offset of the next such byte, or the end."""
    cdef const unsigned char* match
    if pos >= r.n:
        return r.n
    match = <const unsigned char*> memchr(r.src + pos, byte, r.n - pos)
    return r.n if match == NULL else match - r.src


cdef bint is_word(
    Reader* r, Py_ssize_t start, Py_ssize_t stop, const char* word
) noexcept nogil:
    """Say whether the bytes between two offsets are this lower-case word, in any case."""
    cdef Py_ssize_t i, length = strlen(word)
    cdef int c
    if stop - start != length or stop > r.n:
        return False
    for i in range(length):
        c = r.src[start + i]
        if (c + 32 if 65 <= c <= 90 else c) != <unsigned char> word[i]:
            return False
    return True


cdef bint begins_with(Reader* r, Py_ssize_t start, const char* word) noexcept nogil:
    """Say whether this lower-case word stands at an offset, in any case."""
    return is_word(r, start, start + <Py_ssize_t> strlen(word), word)


cdef bint holds_word(
    const unsigned char* text, Py_ssize_t size, const char* word
) noexcept nogil:
    """Say whether a text holds this lower-case word, in any case and with spaces in it."""
    cdef Py_ssize_t i, j, length = strlen(word)
    cdef int c, k
    for i in range(size - length + 1):
        c = text[i]
        if (c | 32) != word[0]:
            continue
        j = i
        k = 0
        while j < size and k < length:
            c = text[j]
            if (c + 32 if 65 <= c <= 90 else c) == <unsigned char> word[k]:
                k += 1
            elif c != 32 or k == 0:
                break
            j += 1
        if k == length:
            return True
    return False


cdef bint has_data_type(const unsigned char* tag, Py_ssize_t size) noexcept nogil:
    """Say whether the type of a script is one of data that is kept: JSON-LD and formulas."""
    return holds_word(tag, size, b"ld+json") or holds_word(tag, size, b"math/tex")


cdef int read_name(Reader* r, Py_ssize_t pos) noexcept nogil:
    """Read the tag name at an offset and return its code; `key` is its hash."""
    cdef const unsigned char* src = r.src
    cdef Key key = FNV_SEED
    cdef int c, slot
    cdef bint capitals = False
    while pos < r.n:
        c = src[pos]
        if ends_name(c):
            break
        if 65 <= c <= 90:
            c += 32
            capitals = True
        key = add_to_hash(key, c)
        pos += 1
    r.key = key
    r.capitals = capitals
    r.name_stop = pos
    slot = key % TAG_SLOTS
    while _tag_slots[slot]:
        if _tag_keys[_tag_slots[slot]] == key:
            return _tag_slots[slot]
        slot = (slot + 1) % TAG_SLOTS
    return TAG_OTHER


cdef bint read_attributes(Reader* r) noexcept nogil:
    """Read the attributes of a tag, from the end of its name to behind its `>`.

    False if the page ends before. `plain` becomes False if the tag is written in any other way
    than a serialised one: ` name="value"`.
    """
    cdef const unsigned char* src = r.src
    cdef Py_ssize_t pos = r.name_stop, gap
    r.attribute_count = 0
    r.plain = not r.capitals
    r.self_closing = False
    while True:
        gap = pos
        while pos < r.n and (src[pos] == 47 or is_space(src[pos])):
            pos += 1
        if pos >= r.n:
            r.pos = pos
            return False
        if src[pos] == 62:
            r.self_closing = pos > gap and src[pos - 1] == 47
            r.tail = gap
            r.pos = pos + 1
            if r.attribute_count > MAX_ATTRIBUTES:
                r.attribute_count = MAX_ATTRIBUTES
                r.plain = False
                r.crowded += 1
            return True
        if pos != gap + 1 or src[gap] != 32:
            r.plain = False
        pos = read_attribute(r, gap, pos)
        if pos < 0:
            r.pos = r.n
            return False


cdef Py_ssize_t read_attribute(Reader* r, Py_ssize_t gap, Py_ssize_t pos) noexcept nogil:
    """Read one attribute and return where it ends, -1 if the page ends in it."""
    cdef const unsigned char* src = r.src
    cdef Attribute* attribute = &r.attributes[min(r.attribute_count, MAX_ATTRIBUTES)]
    cdef Key key = FNV_SEED
    cdef int c
    attribute.gap = gap
    attribute.name = pos
    while pos < r.n:
        c = src[pos]
        if c == 61 and pos > attribute.name or ends_name(c):
            break
        if 65 <= c <= 90:
            c += 32
            r.plain = False
        key = add_to_hash(key, c)
        pos += 1
    attribute.key = key
    attribute.name_stop = attribute.value = attribute.value_stop = pos
    attribute.clean = True
    while pos < r.n and is_space(src[pos]):
        pos += 1
    if pos < r.n and src[pos] == 61:
        if pos != attribute.name_stop:
            r.plain = False
        pos = read_value(r, attribute, pos + 1)
    else:
        r.plain = False
        pos = attribute.name_stop
    if pos >= 0:
        keep_or_drop(r, attribute)
    return pos


cdef Py_ssize_t read_value(Reader* r, Attribute* attribute, Py_ssize_t pos) noexcept nogil:
    """Read the value after an equals sign and return where it ends, -1 if the page ends in it."""
    cdef const unsigned char* src = r.src
    cdef int quote
    if pos < r.n and src[pos] != 34:
        r.plain = False
    while pos < r.n and is_space(src[pos]):
        pos += 1
    if pos >= r.n:
        return -1
    quote = src[pos]
    if quote == 34 or quote == 39:
        pos += 1
        attribute.value = pos
        while pos < r.n and src[pos] != quote:
            if _special[src[pos]] and not stands_as_it_is(r, pos):
                attribute.clean = r.plain = False
            pos += 1
        if pos >= r.n and not r.literal:
            return -1
        attribute.value_stop = pos
        return pos + 1 if pos < r.n else pos
    attribute.value = pos
    while pos < r.n and src[pos] != 62 and not is_space(src[pos]):
        if _special[src[pos]] and not stands_as_it_is(r, pos):
            attribute.clean = False
        pos += 1
    attribute.value_stop = pos
    return pos


cdef bint stands_as_it_is(Reader* r, Py_ssize_t pos) noexcept nogil:
    """Say whether a special byte in a value is written as it would be serialised."""
    cdef int c = r.src[pos]
    if c == 0xC2:
        return pos + 1 >= r.n or r.src[pos + 1] != 0xA0
    return c == 38 and serialised_reference(r, pos, True) != 0


cdef int serialised_reference(Reader* r, Py_ssize_t pos, bint in_value) noexcept nogil:
    """Return the length of the reference at an offset if it is one that serialising writes."""
    if pos + 3 < r.n and r.src[pos + 3] == 59 and r.src[pos + 2] == 116:
        if r.src[pos + 1] == 108 or r.src[pos + 1] == 103:
            return 4  # &lt; &gt;
    if pos + 4 < r.n and memcmp(r.src + pos, b"&amp;", 5) == 0:
        return 5
    if pos + 5 < r.n:
        if memcmp(r.src + pos, b"&nbsp;", 6) == 0:
            return 6
        if in_value and memcmp(r.src + pos, b"&quot;", 6) == 0:
            return 6
    return 0


cdef void keep_or_drop(Reader* r, Attribute* attribute) noexcept nogil:
    """Decide whether the attribute that was read stays: not a second one of its name."""
    cdef int i
    attribute.dropped = False
    if r.literal or r.attribute_count >= MAX_ATTRIBUTES:
        r.attribute_count = min(r.attribute_count, MAX_ATTRIBUTES) + 1
        return
    if is_outline(r, attribute):
        attribute.dropped = True
        r.plain = False
    for i in range(r.attribute_count):
        if r.attributes[i].key == attribute.key:
            attribute.dropped = True
            r.plain = False
            break
    r.attribute_count += 1
    if r.lenient:
        count_name(r, attribute.key)


cdef bint is_outline(Reader* r, Attribute* attribute) noexcept nogil:
    """Say whether an attribute is the outline of a drawing: `d`, and more than a few bytes.

    Only those count that are the same when they are serialised.
    """
    cdef Py_ssize_t pos = attribute.value
    cdef int count = 0, c
    if attribute.name_stop - attribute.name != 1 or (r.src[attribute.name] | 32) != 100:
        return False
    while pos < attribute.value_stop and count <= MAX_OUTLINE:
        c = r.src[pos]
        if _special[c] and c != 13:
            return False
        count += c != 13
        pos += 1
    return count > MAX_OUTLINE


cdef void count_name(Reader* r, Key key) noexcept nogil:
    """Count a name if it is new."""
    cdef int slot = key % NAMES
    while r.names[slot]:
        if r.names[slot] == key:
            return
        slot = (slot + 1) % NAMES
    if r.name_count < MAX_NAMES:
        r.names[slot] = key
        r.name_count += 1


cdef Attribute* find_attribute(Reader* r, Key key) noexcept nogil:
    """Return the attribute of a name, or NULL."""
    cdef int i
    for i in range(r.attribute_count):
        if r.attributes[i].key == key:
            return &r.attributes[i]
    return NULL


cdef bint read_reference(Reader* r, Py_ssize_t pos, Py_ssize_t stop, bint in_value) noexcept nogil:
    """Read the character reference at an offset (13.2.5.72); False if it is just an ampersand.

    `code` and `width` are its character and its length.
    """
    cdef Py_ssize_t i = pos + 1
    if i >= stop:
        return False
    if r.src[i] == 35:
        return read_numeric_reference(r, pos, stop)
    if not is_letter(r.src[i]):
        return False
    return read_named_reference(r, pos, stop, in_value)


cdef bint read_numeric_reference(Reader* r, Py_ssize_t pos, Py_ssize_t stop) noexcept nogil:
    """Read a reference by number (13.2.5.75 to 13.2.5.80)."""
    cdef Py_ssize_t i = pos + 2
    cdef int c, digit, base = 10
    cdef Py_ssize_t first
    cdef long long number = 0
    if i < stop and (r.src[i] | 32) == 120:
        base = 16
        i += 1
    first = i
    while i < stop:
        c = r.src[i]
        if 48 <= c <= 57:
            digit = c - 48
        elif base == 16 and 97 <= (c | 32) <= 102:
            digit = (c | 32) - 87
        else:
            break
        if number <= 0x10FFFF:
            number = number * base + digit
        i += 1
    if i == first:
        return False
    if i < stop and r.src[i] == 59:
        i += 1
    if number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        number = 0xFFFD
    elif 128 <= number < 160:
        number = _replacements[number - 128]
    r.code = <int> number
    r.width = i - pos
    return True


cdef bint read_named_reference(
    Reader* r, Py_ssize_t pos, Py_ssize_t stop, bint in_value
) noexcept nogil:
    """Read the longest name of a reference that stands at an offset (13.2.5.73)."""
    cdef Py_ssize_t i = pos + 1, end = 0
    cdef Key key = FNV_SEED
    cdef int c = 0, code = 0, slot
    while i < stop and i - pos <= MAX_REFERENCE:
        c = r.src[i]
        if not (is_letter(c) or 48 <= c <= 57 or c == 59):
            break
        key = add_to_hash(key, c)
        i += 1
        slot = key % REFERENCE_SLOTS
        while _references[slot].key:
            if _references[slot].key == key:
                code = _references[slot].code
                end = i
                break
            slot = (slot + 1) % REFERENCE_SLOTS
        if c == 59:
            break
    if not end:
        return False
    if in_value and r.src[end - 1] != 59 and end < stop:
        c = r.src[end]
        if c == 61 or is_letter(c) or 48 <= c <= 57:
            return False  # as in href="?a=1&copy=2"
    if code < 0:
        give_up(r, REFERENCE)
        return False
    r.code = code
    r.width = end - pos
    return True


cdef bint is_name(Reader* r, Py_ssize_t pos, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Say whether the tag name between two offsets stands at another one and ends there."""
    cdef Py_ssize_t end = pos + stop - start, i
    cdef int a, b
    if end >= r.n or not ends_name(r.src[end]):
        return False
    for i in range(stop - start):
        a = r.src[pos + i]
        b = r.src[start + i]
        if (a + 32 if 65 <= a <= 90 else a) != (b + 32 if 65 <= b <= 90 else b):
            return False
    return True


cdef Py_ssize_t find_raw_end(
    Reader* r, Py_ssize_t pos, Py_ssize_t start, Py_ssize_t stop, bint script
) noexcept nogil:
    """Return where the raw text at `pos` ends, of the element whose name is `start:stop`.

    In a script, `<!--` followed by `<script` hides the next end tag (the "double escaped" states
    of the standard, 13.2.5.26 to 13.2.5.31).
    """
    cdef bint escaped = False, hidden = False
    while True:
        if escaped:
            while pos < r.n and r.src[pos] != 60 and r.src[pos] != 45:
                pos += 1
        else:
            pos = find_byte(r, 60, pos)
        if pos + 1 >= r.n:
            return r.n
        if r.src[pos] == 45:
            if is_word(r, pos + 1, min(pos + 3, r.n), b"->"):
                escaped = hidden = False
        elif r.src[pos + 1] == 47:
            if is_name(r, pos + 2, start, stop):
                if not hidden:
                    return pos
                hidden = False
        elif escaped:
            hidden = hidden or is_name(r, pos + 1, start, stop)
        elif script and is_word(r, pos + 1, min(pos + 4, r.n), b"!--"):
            escaped = True
            pos += 1  # so that `<!-->` closes at once, its dashes being shared
        pos += 1


cdef Py_ssize_t find_markup(Reader* r, Py_ssize_t pos) noexcept nogil:
    """Return where the next tag, comment or declaration begins, or the end."""
    cdef int c
    while True:
        pos = find_byte(r, 60, pos)
        if pos + 1 >= r.n:
            return r.n
        c = r.src[pos + 1]
        if is_letter(c) or c == 47 or c == 33 or c == 63:
            return pos
        pos += 1

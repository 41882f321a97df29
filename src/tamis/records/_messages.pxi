# Texts and tags of messages, and the elements that hold them: see date_marks.py, message_names.py,
# messages.py and message_parts.py.

cdef enum:
    SPACE = 32
    QUOTATION_MARK = 34
    HYPHEN = 45
    FULL_STOP = 46
    SLASH = 47
    ZERO = 48
    COLON = 58


# Dates --------------------------------------------------------------------------------------------


def find_date_digits(str text):
    """Return the offsets of digits that are as in dates: 19.. or 20.., 5/3, 5.3 or 5-3, -12."""
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t size = len(text), offset
    cdef uint32_t char, after
    offsets = []
    for offset in range(size - 1):
        if not _is_digit(kind, data, offset, size):
            continue
        char = PyUnicode_READ(kind, data, offset)
        after = PyUnicode_READ(kind, data, offset + 1)
        if _is_digit(kind, data, offset + 1, size):
            if not (
                char == ZERO + 1 and after == ZERO + 9
                or char == ZERO + 2 and after == ZERO
                or offset > 0 and PyUnicode_READ(kind, data, offset - 1) == HYPHEN
            ):
                continue
        elif not (after in (FULL_STOP, SLASH, HYPHEN) and _is_digit(kind, data, offset + 2, size)):
            continue
        offsets.append(offset)
    return offsets


def find_times(str text):
    """Return the offsets of times of day, such as 9:05, that are not parts of longer numbers."""
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t size = len(text), offset, start, stop
    offsets = []
    for offset in range(1, size - 2):
        if PyUnicode_READ(kind, data, offset) != COLON:
            continue
        start = offset - 1
        if not (
            _is_digit(kind, data, start, size)
            and ZERO <= PyUnicode_READ(kind, data, offset + 1) <= ZERO + 5
            and _is_digit(kind, data, offset + 2, size)
        ):
            continue
        if start > 0 and ZERO <= PyUnicode_READ(kind, data, start - 1) <= ZERO + 2:
            start -= 1
        if start > 0 and (
            PyUnicode_READ(kind, data, start - 1) in (FULL_STOP, COLON)
            or _is_digit(kind, data, start - 1, size)
        ):
            continue
        stop = offset + 3
        while stop < size and PyUnicode_READ(kind, data, stop) == COLON:
            stop += 1
        if stop < size and (
            PyUnicode_READ(kind, data, stop) == HYPHEN or _is_digit(kind, data, stop, size)
        ):
            continue
        offsets.append(start)
    return offsets


cdef inline bint _is_digit(int kind, void* data, Py_ssize_t offset, Py_ssize_t size) noexcept:
    """Say whether there is a digit at an offset, of any script."""
    if offset >= size:
        return False
    cdef uint32_t char = PyUnicode_READ(kind, data, offset)
    return ZERO <= char <= ZERO + 9 or char >= 128 and Py_UNICODE_ISDECIMAL(char)


def find_words(str text, tuple words):
    """Return the offsets at which one of some words begins; ideographs may stand after others."""
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t size = len(text), offset
    cdef uint32_t char
    cdef list beginning = [()] * 256  # words by the lowest bits of their first letters
    cdef uint8_t[256] may_begin
    memset(may_begin, 0, 256)
    for word in words:
        offset = ord(word[0]) & 255
        beginning[offset] += (word,)
        may_begin[offset] = True
    offsets = []
    for offset in range(size):
        char = PyUnicode_READ(kind, data, offset)
        if not may_begin[char & 255]:
            continue
        if char < 0x3000 and offset > 0:
            if Py_UNICODE_ISALNUM(PyUnicode_READ(kind, data, offset - 1)):
                continue
        if _begins_with_any(kind, data, offset, size, <tuple> beginning[char & 255]):
            offsets.append(offset)
    return offsets


cdef bint _begins_with_any(
    int kind, void* data, Py_ssize_t offset, Py_ssize_t size, tuple words
) noexcept:
    """Say whether one of some words stands at an offset."""
    cdef Py_ssize_t index, length
    cdef str word
    for word in words:
        length = len(word)
        if length > size - offset:
            continue
        for index in range(length):
            if PyUnicode_READ(kind, data, offset + index) != PyUnicode_READ(
                PyUnicode_KIND(word), PyUnicode_DATA(word), index
            ):
                break
        else:
            return True
    return False


def find_surroundings(str text, list offsets, Py_ssize_t margin):
    """Return the parts of a text around offsets, as pairs of offsets apart from each other.

    Parts hold at least `margin` characters before and after each offset, and begin and end beside
    words and numbers.
    """
    cdef int kind = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(text)
    cdef Py_ssize_t size = len(text), offset, begin, start = 0, stop = -1
    parts = []
    for offset in offsets:
        begin = max(0, offset - margin)
        while begin > 0 and _is_inner(PyUnicode_READ(kind, data, begin - 1)):
            begin -= 1
        if begin > stop:
            if stop >= 0:
                parts.append((start, stop))
            start = begin
        stop = max(stop, min(size, offset + margin))
        while stop < size and _is_inner(PyUnicode_READ(kind, data, stop)):
            stop += 1
    if stop >= 0:
        parts.append((start, stop))
    return parts


cdef inline bint _is_inner(uint32_t char) noexcept:
    """Say whether a character may be inside of a word or a number."""
    return char == HYPHEN or Py_UNICODE_ISALNUM(char)


# Tags ---------------------------------------------------------------------------------------------


def find_attributes(
    bytes source, const int32_t[::1] start, const int32_t[::1] head, const uint8_t[::1] is_included,
    tuple names,
):
    """Return which included rows have attributes whose values have digits, and where these begin.

    Each of the names has the space before it, and the equals sign and the quotation mark after it.
    """
    cdef const char* data = source
    cdef Py_ssize_t row, offset, value, stop
    cdef bytes name
    rows = []
    for row in range(start.shape[0]):
        if not is_included[row]:
            continue
        offset, stop = start[row], head[row]
        while offset < stop:
            if data[offset] == SPACE:
                for name in names:
                    if data[offset + 1] == (<const char*> name)[1] and len(name) < stop - offset:
                        if not memcmp(data + offset, <const char*> name, len(name)):
                            value = offset + len(name)
                            if _has_digit(data, value, stop):
                                rows.append((row, value))
                            break
            offset += 1
    return rows


cdef inline bint _has_digit(const char* data, Py_ssize_t offset, Py_ssize_t stop) noexcept nogil:
    """Say whether the value of an attribute has a digit."""
    while offset < stop and data[offset] != QUOTATION_MARK:
        if ZERO <= data[offset] <= ZERO + 9:
            return True
        offset += 1
    return False


def find_values_with(
    bytes source, const int32_t[::1] start, const int32_t[::1] stop, bytes letters
):
    """Return the rows whose attribute from `start` to `stop` has letters, given in lower case."""
    cdef const char* data = source
    cdef const char* wanted = letters
    cdef Py_ssize_t length = len(letters), row
    rows = []
    for row in range(start.shape[0]):
        if stop[row] - start[row] >= length and _has_letters(
            data, start[row], stop[row], wanted, length
        ):
            rows.append(row)
    return rows


def find_tags_with(
    bytes source,
    const int32_t[::1] start,
    const int32_t[::1] head,
    const int64_t[::1] rows,
    bytes letters,
):
    """Return those rows whose start tags have some letters, which are given in lower case."""
    cdef const char* data = source
    cdef const char* wanted = letters
    cdef Py_ssize_t length = len(letters), index, count = 0
    kept = np.empty(rows.shape[0], np.int64)
    cdef int64_t[::1] result = kept
    for index in range(rows.shape[0]):
        if _has_letters(data, start[rows[index]], head[rows[index]], wanted, length):
            result[count] = rows[index]
            count += 1
    return kept[:count]


cdef bint _has_letters(
    const char* data, Py_ssize_t offset, Py_ssize_t stop, const char* letters, Py_ssize_t length
) noexcept nogil:
    """Say whether a part of the source has some letters, in any case."""
    return _has_ending(data, offset, stop, letters, length, letters[length - 1]) or _has_ending(
        data, offset, stop, letters, length, letters[length - 1] - 32
    )


cdef bint _has_ending(
    const char* data,
    Py_ssize_t offset,
    Py_ssize_t stop,
    const char* letters,
    Py_ssize_t length,
    char last,
) noexcept nogil:
    """Say whether a part of the source has some letters, the last of them small or a capital."""
    cdef const char* ending
    cdef Py_ssize_t matched
    offset += length - 1
    while offset < stop:
        ending = <const char*> memchr(data + offset, last, stop - offset)
        if ending == NULL:
            return False
        matched = 1
        while matched < length and _lower(ending[-matched]) == letters[length - 1 - matched]:
            matched += 1
        if matched == length:
            return True
        offset = ending - data + 1
    return False


cdef inline char _lower(char byte) noexcept nogil:
    """Return a letter in lower case."""
    return byte | 32 if 65 <= byte <= 90 else byte


def read_values(
    bytes source,
    const int32_t[::1] start,
    const int32_t[::1] head,
    rows,
    Py_ssize_t max_bytes,
    tuple names,
):
    """Return for each row the values of named attributes, joined.

    So many bytes of each start tag are read. Each of the names, in lower case, ends with the equals
    sign and the quotation mark.
    """
    cdef Py_ssize_t row
    return [
        _read_values(source, start[row], min(head[row], start[row] + max_bytes), names)
        for row in rows
    ]


cdef bytes _read_values(bytes source, Py_ssize_t start, Py_ssize_t stop, tuple names):
    """Return the values of named attributes in a part of the source, joined."""
    cdef const char* data = source
    cdef const char* wanted
    cdef const char* closing
    cdef Py_ssize_t offset = start, index, length = 0
    cdef bint is_first = True
    cdef bytes name
    cdef char[1024] values
    stop = min(stop, start + 1024)
    while offset < stop:
        offset += 1
        if data[offset - 1] != SPACE and not 9 <= data[offset - 1] <= 13:
            continue
        for name in names:
            wanted, index = name, 0
            while (
                wanted[index]
                and offset + index < stop
                and _lower(data[offset + index]) == wanted[index]
            ):
                index += 1
            if not wanted[index]:
                break
        else:
            continue
        closing = <const char*> memchr(
            data + offset + index, QUOTATION_MARK, stop - offset - index
        )
        if closing == NULL:
            continue
        if not is_first:
            values[length] = SPACE
            length += 1
        is_first = False
        offset += index
        memcpy(values + length, data + offset, closing - data - offset)
        length += closing - data - offset
        offset = closing - data + 1
    return values[:length]


# Elements -----------------------------------------------------------------------------------------


def find_message_elements(
    const int64_t[::1] marks, const int32_t[::1] parent, const int32_t[::1] end
):
    """Return for each mark the largest element around it that holds no other of the marks."""
    cdef Py_ssize_t index, count = marks.shape[0]
    cdef int64_t before, after, node, above
    nodes = np.empty(count, np.int64)
    cdef int64_t[::1] result = nodes
    with nogil:
        for index in range(count):
            before = marks[index - 1] if index > 0 else 0
            after = marks[index + 1] if index + 1 < count else parent.shape[0]
            if before < 0:
                before = 0
            node = marks[index]
            while True:
                above = parent[node]
                if above <= before or end[above] > after:
                    break
                node = above
            result[index] = node
    return nodes


def count_siblings(
    const int64_t[::1] start, const int64_t[::1] stop, const int32_t[::1] end
):
    """Return how many siblings there are from each row to a stop."""
    cdef Py_ssize_t index
    cdef int64_t row, number
    counts = np.empty(start.shape[0], np.int64)
    cdef int64_t[::1] result = counts
    with nogil:
        for index in range(start.shape[0]):
            row, number = start[index], 0
            while row < stop[index]:
                row = end[row]
                number += 1
            result[index] = number
    return counts


def skip_siblings(
    const int64_t[::1] start, const int64_t[::1] stop, const int32_t[::1] end, int64_t count
):
    """Return where so many siblings from each row end, but not after a stop."""
    cdef Py_ssize_t index
    cdef int64_t row, number
    ends = np.empty(start.shape[0], np.int64)
    cdef int64_t[::1] result = ends
    with nogil:
        for index in range(start.shape[0]):
            row, number = start[index], 0
            while number < count and row < stop[index]:
                row = end[row]
                number += 1
            result[index] = min(row, stop[index])
    return ends


def find_common_child(
    const int64_t[::1] start,
    const int64_t[::1] stop,
    page,
    const uint64_t[::1] symbol,
    const double[::1] sums,
):
    """Return the child that holds most of ranges of rows, with its weight and how many have it.

    Children are the same if they have the same symbol and the same number among the siblings of
    that symbol. The result is the row of the child in each range, -1 for none, its weight in all,
    and the number of ranges in which it has weight.
    """
    cdef const int32_t[::1] end = page.end
    cdef const uint8_t[::1] tag = page.tag
    cdef Py_ssize_t index, count = 0, capacity = 0, best = -1
    cdef int64_t row
    cdef double weight
    for index in range(start.shape[0]):
        capacity += max(0, stop[index] - start[index])
    child_rows, owners = np.empty((2, capacity), np.int64)
    cdef int64_t[::1] child = child_rows, owner = owners
    for index in range(start.shape[0]):
        row = start[index]
        while row < stop[index]:
            if end[row] > stop[index]:  # it holds the next message as well
                row += 1
                continue
            if tag[row] != 0:
                child[count], owner[count] = row, index
                count += 1
            row = end[row]
    result = np.full(start.shape[0], -1, np.int64)
    if count == 0:
        return result, 0.0, 0
    keys = np.empty(count, np.uint64)
    cdef uint64_t[::1] key = keys
    for index in range(count):
        key[index] = symbol[child[index]]
    numbers, group_count = group_equal(keys)
    cdef int64_t[::1] group = numbers
    latest, sibling_numbers = np.full(group_count, -1, np.int64), np.zeros(group_count, np.int64)
    cdef int64_t[::1] owner_of = latest, sibling = sibling_numbers
    for index in range(count):
        if owner_of[group[index]] != owner[index]:
            owner_of[group[index]], sibling[group[index]] = owner[index], 0
        key[index] = add_to_hash(add_to_hash(FNV_SEED, group[index]), sibling[group[index]])
        sibling[group[index]] += 1
    numbers, group_count = group_equal(keys)
    group = numbers
    weights, counts = np.zeros(group_count), np.zeros(group_count, np.int64)
    cdef double[::1] total = weights
    cdef int64_t[::1] filled = counts
    for index in range(count):
        weight = sums[end[child[index]]] - sums[child[index]]
        total[group[index]] += weight
        filled[group[index]] += weight > 0
    best = weights.argmax()
    cdef int64_t[::1] chosen = result
    for index in range(count):
        if group[index] == best:
            chosen[owner[index]] = child[index]
    return result, weights[best], counts[best]

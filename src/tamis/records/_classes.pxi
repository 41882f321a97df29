# What the class attributes of a page tell: see `Classes` in signatures.py.

# The last letters of a name are in one number, the last letter in the lowest bits.
cdef extern from *:
    """
    #define LAST_FOUR 0xFFFFFFFFULL
    #define LAST_SIX 0xFFFFFFFFFFFFULL
    #define LAST_SEVEN 0xFFFFFFFFFFFFFFULL
    #define LETTERS_DATE 0x64617465ULL
    #define LETTERS_TIME 0x74696D65ULL
    #define LETTERS_POSTED 0x706F73746564ULL
    #define LETTERS_PUBLISH 0x7075626C697368ULL
    """
    const uint64_t LAST_FOUR
    const uint64_t LAST_SIX
    const uint64_t LAST_SEVEN
    const uint64_t LETTERS_DATE
    const uint64_t LETTERS_TIME
    const uint64_t LETTERS_POSTED
    const uint64_t LETTERS_PUBLISH


def hash_names(const uint8_t[::1] source, const int32_t[::1] start, const int32_t[::1] stop):
    """Return a hash of each name in some class attributes, its attribute, and which ones date.

    Attribute `i` is from `start[i]` to `stop[i]` in the source. Digits in names do not count. An
    attribute with `date`, `time`, `posted` or `publish` in it, in any case, names a date.
    """
    cdef Py_ssize_t capacity = 0, count = 0, index, offset
    cdef uint64_t key = 0
    for index in range(start.shape[0]):
        capacity += (stop[index] - start[index]) // 2 + 1
    hashes, owners = np.empty(capacity, np.uint64), np.empty(capacity, np.int64)
    dates = np.zeros(start.shape[0], np.uint8)
    cdef uint64_t[::1] hashed = hashes
    cdef int64_t[::1] owner = owners
    cdef uint8_t[::1] is_date = dates
    with nogil:
        for index in range(start.shape[0]):
            offset = start[index]
            while offset < stop[index]:
                if source[offset] <= 32:
                    offset += 1
                    continue
                offset = _hash_name(source, offset, stop[index], &key, &is_date[index])
                hashed[count] = key
                owner[count] = index
                count += 1
    return hashes[:count], owners[:count], dates.view(np.bool_)


cdef Py_ssize_t _hash_name(
    const uint8_t[::1] source, Py_ssize_t offset, Py_ssize_t stop, uint64_t* key, uint8_t* is_date
) noexcept nogil:
    """Write the hash of the name at an offset, and whether it dates; return where it ends."""
    cdef uint64_t letters = 0  # the last seven, in lower case
    cdef uint8_t byte
    key[0] = FNV_SEED
    while offset < stop and source[offset] > 32:
        byte = source[offset]
        offset += 1
        if 48 <= byte <= 57:
            continue
        key[0] = add_to_hash(key[0], byte)
        letters = (letters << 8 | (byte | 32)) & LAST_SEVEN
        if (
            letters & LAST_FOUR == LETTERS_DATE
            or letters & LAST_FOUR == LETTERS_TIME
            or letters & LAST_SIX == LETTERS_POSTED
            or letters == LETTERS_PUBLISH
        ):
            is_date[0] = True
    return offset


def choose_names(
    const int64_t[::1] group,
    const int64_t[::1] owner,
    const uint64_t[::1] names,
    const uint64_t[::1] hiding,
    Py_ssize_t group_count,
):
    """Return for each group of equal attributes the symbol of its class, and whether it hides.

    `group` is the group of each attribute of a page, `owner` the group that each of `names` is in.
    The name that most attributes have is the class, the first one of several; its symbol is its
    number, from 1. `hiding` are the hashes of the names that hide, sorted.
    """
    cdef Py_ssize_t index, first, last, middle
    symbols, hides = np.zeros(group_count, np.uint64), np.zeros(group_count, np.uint8)
    numbers, name_count = group_equal(names)
    cdef const int64_t[::1] number = numbers
    cdef uint64_t[::1] symbol = symbols
    cdef uint8_t[::1] hidden = hides
    cdef int64_t[::1] members = np.zeros(group_count, np.int64)
    cdef int64_t[::1] frequency = np.zeros(name_count, np.int64)
    cdef int64_t[::1] greatest = np.zeros(group_count, np.int64)
    with nogil:
        for index in range(group.shape[0]):
            members[group[index]] += 1
        for index in range(number.shape[0]):
            frequency[number[index]] += members[owner[index]]
        for index in range(number.shape[0]):
            if frequency[number[index]] > greatest[owner[index]]:
                greatest[owner[index]] = frequency[number[index]]
                symbol[owner[index]] = number[index] + 1
            if _contains(hiding, names[index]):
                hidden[owner[index]] = True
    return symbols, hides.view(np.bool_)


cdef bint _contains(const uint64_t[::1] keys, uint64_t key) noexcept nogil:
    """Say whether a key is among sorted ones."""
    cdef Py_ssize_t first = 0, last = keys.shape[0], middle
    while first < last:
        middle = (first + last) // 2
        if keys[middle] < key:
            first = middle + 1
        else:
            last = middle
    return first < keys.shape[0] and keys[first] == key

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


def read_class_names(page, const uint64_t[::1] hiding):
    """Return what the class of each row tells: its symbol, whether it hides, whether it dates.

    The name that most attributes of a page have is the class, the first one of several; its symbol
    is its number, from 1, and 0 for none. `hiding` are the hashes of the names that hide, sorted.
    """
    cdef const int32_t[::1] start = page.class_start, stop = page.class_stop
    cdef const uint32_t[::1] class_key = page.class_key
    cdef Py_ssize_t size = start.shape[0], count = 0, row, index
    symbols, traits = np.zeros(size, np.uint64), np.zeros((2, size), np.uint8)
    cdef uint64_t[::1] symbol = symbols
    cdef uint8_t[:, ::1] trait = traits
    cdef int32_t[::1] rows = np.empty(size, np.int32)  # those with a class
    keys = np.empty(size, np.uint64)
    cdef uint64_t[::1] key = keys
    for row in range(size):
        if stop[row] > start[row]:
            rows[count] = <int32_t> row
            key[count] = class_key[row]
            count += 1
    if count:
        # Equal attributes form a group; each group is read once.
        groups, group_count = group_equal(keys[:count])
        group_symbols, group_traits = _read_groups(page, rows, groups, group_count, hiding)
        _write_groups(rows, groups, group_symbols, group_traits, symbol, trait)
    return symbols, traits[0].view(np.bool_), traits[1].view(np.bool_)


cdef void _write_groups(
    const int32_t[::1] rows,
    const int64_t[::1] group,
    const uint64_t[::1] group_symbol,
    const uint8_t[:, ::1] group_trait,
    uint64_t[::1] symbol,
    uint8_t[:, ::1] trait,
) noexcept nogil:
    """Write what the class of each group tells for all its rows."""
    cdef Py_ssize_t index
    for index in range(group.shape[0]):
        symbol[rows[index]] = group_symbol[group[index]]
        trait[0, rows[index]] = group_trait[0, group[index]]
        trait[1, rows[index]] = group_trait[1, group[index]]


cdef tuple _read_groups(
    page,
    const int32_t[::1] rows,
    const int64_t[::1] group,
    Py_ssize_t group_count,
    const uint64_t[::1] hiding,
):
    """Return for each group of rows with equal attributes its symbol, and whether it hides, dates.

    Digits in names do not count. An attribute with `date`, `time`, `posted` or `publish` in it, in
    any case, dates.
    """
    cdef bytes page_source = page.source
    cdef const uint8_t* source = page_source
    cdef const int32_t[::1] start = page.class_start, stop = page.class_stop
    cdef Py_ssize_t index, offset, capacity = 0, count = 0
    cdef int64_t number, last = -1
    cdef int32_t[::1] example = np.empty(group_count, np.int32)  # the first row of each
    cdef int64_t[::1] members = np.zeros(group_count, np.int64)
    for index in range(group.shape[0]):
        members[group[index]] += 1
        if group[index] > last:  # groups are numbered in the order of their first rows
            last = group[index]
            example[last] = rows[index]
            capacity += (stop[rows[index]] - start[rows[index]]) // 2 + 1
    hashes = np.empty(capacity, np.uint64)
    cdef uint64_t[::1] name = hashes
    cdef int64_t[::1] owner = np.empty(capacity, np.int64)
    symbols, traits = np.zeros(group_count, np.uint64), np.zeros((2, group_count), np.uint8)
    cdef uint64_t[::1] symbol = symbols
    cdef uint8_t[:, ::1] trait = traits
    with nogil:
        for index in range(group_count):
            offset = start[example[index]]
            while offset < stop[example[index]]:
                if source[offset] <= 32:
                    offset += 1
                    continue
                offset = _hash_name(
                    source, offset, stop[example[index]], &name[count], &trait[1, index]
                )
                owner[count] = index
                count += 1
    if not count:
        return symbols, traits
    numbers, name_count = group_equal(hashes[:count])
    cdef const int64_t[::1] name_number = numbers
    cdef int64_t[::1] frequency = np.zeros(name_count, np.int64)
    cdef int64_t[::1] greatest = np.zeros(group_count, np.int64)
    with nogil:
        for index in range(count):
            frequency[name_number[index]] += members[owner[index]]
        for index in range(count):
            number = name_number[index]
            if frequency[number] > greatest[owner[index]]:
                greatest[owner[index]] = frequency[number]
                symbol[owner[index]] = number + 1
            if _contains(hiding, name[index]):
                trait[0, owner[index]] = True
    return symbols, traits


def hash_names(bytes names):
    """Return the hashes of names that are separated by spaces, sorted."""
    cdef const uint8_t* source = names
    cdef Py_ssize_t offset = 0, size = len(names)
    cdef uint64_t key = 0
    cdef uint8_t is_date = False
    cdef list hashes = []
    while offset < size:
        if source[offset] <= 32:
            offset += 1
            continue
        offset = _hash_name(source, offset, size, &key, &is_date)
        hashes.append(key)
    return np.array(sorted(hashes), np.uint64)


cdef Py_ssize_t _hash_name(
    const uint8_t* source, Py_ssize_t offset, Py_ssize_t stop, uint64_t* key, uint8_t* is_date
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

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""What finding records does for every row, cell and candidate of a page.

In the order of use: names in classes (signatures.py), lines of text (cells.py), paths of rows,
groups of rows (candidates.py), and the cells of records put into columns (regions.py). What the
results mean is described there; here are the loops. They need no GIL.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from tamis._hashing cimport FNV_SEED, add_to_hash, number_keys, slot_count

import numpy as np

# The part that a row can have in a line of text.
cpdef enum:
    ENDS_LINE
    TEXT
    FORMAT  # an element that may mark up a part of a line
    DATE  # the same, but a line that it begins goes on with something else
    LINK
    OBJECT

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


def group_equal(const uint64_t[::1] keys):
    """Return for each key the number of its group of equal keys, and the number of groups.

    Groups are numbered in the order of their first keys.
    """
    cdef Py_ssize_t size = keys.shape[0], group_count, index
    groups = np.empty(size, np.int64)
    cdef int64_t[::1] group = groups
    cdef int32_t* numbers = <int32_t*> malloc((size + slot_count(size)) * sizeof(int32_t))
    if numbers == NULL:
        raise MemoryError
    with nogil:
        group_count = number_keys(&keys[0], size, numbers + size, numbers)
        for index in range(size):
            group[index] = numbers[index]
        free(numbers)
    return groups, group_count


# Names in classes --------------------------------------------------------------------------------


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


# Lines of text -----------------------------------------------------------------------------------


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


def find_holders(const int64_t[::1] rows, const int32_t[::1] parent, is_inline):
    """Return, for each of some rows, the innermost element around it that is not inline."""
    cdef const uint8_t[::1] inline = is_inline.view(np.uint8)
    cdef Py_ssize_t index
    cdef int32_t element
    holders = np.empty(rows.shape[0], np.int64)
    cdef int64_t[::1] holder = holders
    with nogil:
        for index in range(rows.shape[0]):
            element = parent[rows[index]]
            while inline[element]:
                element = parent[element]
            holder[index] = element
    return holders


# Paths and groups of rows ------------------------------------------------------------------------


def hash_paths(const uint64_t[::1] symbols, const int32_t[::1] parent, uint64_t step):
    """Return a key for the path of each row: its symbol, and its parent's key times a step."""
    cdef Py_ssize_t row
    keys = np.empty(parent.shape[0], np.uint64)
    cdef uint64_t[::1] key = keys
    with nogil:
        for row in range(parent.shape[0]):
            key[row] = symbols[row]
            if parent[row] >= 0:
                key[row] += step * key[parent[row]]
    return keys


def find_stops(
    const int64_t[::1] rows,
    const int64_t[::1] group,
    Py_ssize_t group_count,
    const int32_t[::1] limit,
    int64_t end,
):
    """Return where records stop: at the next row of their group, or at the limit before it.

    The last record of a group has only its limit and the end of the page.
    """
    cdef Py_ssize_t index
    stops = np.empty(rows.shape[0], np.int64)
    cdef int64_t[::1] stop = stops
    cdef int64_t[::1] next_row = np.full(group_count, end, np.int64)
    with nogil:
        for index in range(rows.shape[0] - 1, -1, -1):
            stop[index] = min(next_row[group[index]], <int64_t> limit[index])
            next_row[group[index]] = rows[index]
    return stops


def sum_groups(
    const int64_t[::1] group,
    Py_ssize_t group_count,
    const double[::1] weight,
    const int64_t[::1] cells,
    is_alone,
):
    """Return for each group: its size, sum of weights, greatest weight, cells, rows not alone.

    They are the five rows of an array. `is_alone` says which rows are alone in their parents.
    """
    cdef const uint8_t[::1] alone = is_alone.view(np.uint8)
    cdef Py_ssize_t index, number
    totals = np.zeros((5, group_count))
    cdef double[:, ::1] total = totals
    with nogil:
        for index in range(group.shape[0]):
            number = group[index]
            total[0, number] += 1
            total[1, number] += weight[index]
            total[2, number] = max(total[2, number], weight[index])
            total[3, number] += cells[index]
            total[4, number] += not alone[index]
    return totals


def list_members(const int64_t[::1] group, Py_ssize_t group_count):
    """Return the members of all groups, one group after the other, and where each group begins."""
    cdef Py_ssize_t index
    members, offsets = np.empty(group.shape[0], np.int64), np.zeros(group_count + 1, np.int64)
    cdef int64_t[::1] member = members, offset = offsets
    cdef int64_t[::1] filled = np.zeros(group_count, np.int64)
    with nogil:
        for index in range(group.shape[0]):
            offset[group[index] + 1] += 1
        for index in range(group_count):
            offset[index + 1] += offset[index]
        for index in range(group.shape[0]):
            member[offset[group[index]] + filled[group[index]]] = index
            filled[group[index]] += 1
    return members, offsets


# Cells of records --------------------------------------------------------------------------------


cdef struct Cell:  # of a record
    int64_t record
    int64_t cell
    int64_t column
    int64_t times  # how often its record has its column
    bint is_included


def align_cells(start, stop, cells, page, paths, tag_symbol, uint64_t factor):
    """Put the cells of records into columns, and say which of them belong to their record.

    Record `i` reaches from the row `start[i]` up to `stop[i]`. The cells of siblings after a
    record's element belong to it if at least half of the records have such a cell. A cell that goes
    on into the next record belongs to neither. Returned are for each cell that belongs: its record,
    the cell, its column, how often its record has that column, and its agreement: the share of the
    other records that have its column, over that number. A single record is like itself. The last
    array has the number of records per column.
    """
    cdef const int64_t[::1] starts = start, stops = stop, before = cells.cells_before
    cdef const int64_t[::1] last_row = cells.last_row
    cdef const int32_t[::1] end = page.end
    cdef Py_ssize_t count = starts.shape[0], size = 0, index, column_count, kept
    for index in range(count):
        size += before[stops[index]] - before[starts[index]]
    cdef uint64_t[::1] keys = np.empty(size, np.uint64)
    cdef int32_t[::1] numbers = np.empty(size + slot_count(size), np.int32)
    cdef Cell* listed = <Cell*> malloc(max(size, 1) * sizeof(Cell))
    if listed == NULL:
        raise MemoryError
    try:
        _list_cells(starts, stops, before, end, listed)
        _hash_cells(listed, starts, cells, page, paths, tag_symbol, factor, keys)
        column_count = number_keys(&keys[0], size, &numbers[size], &numbers[0]) if size else 0
        for index in range(size):
            listed[index].column = numbers[index]
        counts = np.zeros(column_count, np.int64)
        _count_columns(listed, size, counts, np.zeros(column_count, np.int64))
        _include_siblings(listed, size, count, np.zeros((2, column_count), np.int64))
        _exclude_open_lines(starts, stops, before, last_row, listed)
        kept = 0
        for index in range(size):
            kept += listed[index].is_included
        columns, agreement = np.empty((4, kept), np.int64), np.empty(kept)
        _copy_included(listed, size, count, counts, columns, agreement)
    finally:
        free(listed)
    return *columns, agreement, counts


cdef void _list_cells(
    const int64_t[::1] start,
    const int64_t[::1] stop,
    const int64_t[::1] before,
    const int32_t[::1] end,
    Cell* listed,
) noexcept nogil:
    """Write the cells of each record; those in its element are included."""
    cdef Py_ssize_t number, index = 0
    cdef int64_t cell
    for number in range(start.shape[0]):
        for cell in range(before[start[number]], before[stop[number]]):
            listed[index].record = number
            listed[index].cell = cell
            listed[index].is_included = cell < before[end[start[number]]]
            index += 1


cdef int _hash_cells(
    Cell* listed,
    const int64_t[::1] start,
    cells,
    page,
    paths,
    const uint64_t[::1] tag_symbol,
    uint64_t factor,
    uint64_t[::1] keys,
) except -1:
    """Write a key for the path of each cell below the child of the region that it is in.

    The child is the row on the record's level that the cell's first row is or lies in; of this only
    the tag counts: its class often tells no more than odd or even. A cell whose element is above
    that level has the key 0: text beside the records' elements is a column of its own.
    """
    cdef const int64_t[::1] first_row = cells.first_row, element = cells.element
    cdef const int32_t[::1] parent = page.parent, depth = page.depth
    cdef const uint64_t[::1] path = paths.key, power = paths.power
    cdef Py_ssize_t index
    cdef int64_t child, node
    cdef int32_t level
    cdef uint64_t below
    with nogil:
        for index in range(keys.shape[0]):
            keys[index] = 0
            node = element[listed[index].cell]
            level = depth[start[listed[index].record]]
            if depth[node] < level:
                continue
            child = first_row[listed[index].cell]
            while depth[child] > level:
                child = parent[child]
            below = path[node] - power[depth[node] - depth[child]] * path[child]
            keys[index] = below * factor + tag_symbol[child]
    return 0


cdef void _count_columns(
    Cell* listed, Py_ssize_t size, int64_t[::1] record_count, int64_t[::1] in_record
) noexcept nogil:
    """Write how often the record of each cell has its column, and count records per column."""
    cdef Py_ssize_t start = 0, stop, index
    while start < size:
        stop = start
        while stop < size and listed[stop].record == listed[start].record:
            record_count[listed[stop].column] += in_record[listed[stop].column] == 0
            in_record[listed[stop].column] += 1
            stop += 1
        for index in range(start, stop):
            listed[index].times = in_record[listed[index].column]
        for index in range(start, stop):
            in_record[listed[index].column] = 0
        start = stop


cdef void _include_siblings(
    Cell* listed, Py_ssize_t size, Py_ssize_t count, int64_t[:, ::1] columns
) noexcept nogil:
    """Include the cells after records' elements whose column half of the records have there.

    `columns` is space for two numbers per column: the records that have it there, and the last one.
    """
    cdef Py_ssize_t index
    cdef int64_t column
    for index in range(size):
        column = listed[index].column
        if not listed[index].is_included and columns[1, column] <= listed[index].record:
            columns[0, column] += 1
            columns[1, column] = listed[index].record + 1
    for index in range(size):
        if not listed[index].is_included:
            listed[index].is_included = 2 * columns[0, listed[index].column] >= count


cdef void _exclude_open_lines(
    const int64_t[::1] start,
    const int64_t[::1] stop,
    const int64_t[::1] before,
    const int64_t[::1] last_row,
    Cell* listed,
) noexcept nogil:
    """Exclude the last cell of each record whose line goes on into the next record."""
    cdef Py_ssize_t number, index = 0
    for number in range(start.shape[0]):
        index += before[stop[number]] - before[start[number]]
        if index > 0 and last_row[before[stop[number]] - 1] >= stop[number]:
            listed[index - 1].is_included = False


cdef void _copy_included(
    Cell* listed,
    Py_ssize_t size,
    Py_ssize_t count,
    const int64_t[::1] record_count,
    int64_t[:, ::1] columns,
    double[::1] agreement,
) noexcept nogil:
    """Copy the cells that are included, and write their agreement."""
    cdef Py_ssize_t index, kept = 0
    cdef double others
    for index in range(size):
        if not listed[index].is_included:
            continue
        columns[0, kept] = listed[index].record
        columns[1, kept] = listed[index].cell
        columns[2, kept] = listed[index].column
        columns[3, kept] = listed[index].times
        others = <double> record_count[listed[index].column]
        if count > 1:
            others = (others - 1) / <double> (count - 1)
        agreement[kept] = others / <double> listed[index].times
        kept += 1

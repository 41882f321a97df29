# Units and sections, the loops: see `units.py` for what they are and why.
#
# Sums over the rows of an element are differences of sums before rows, and what depends on the
# section of a heading is read off its blocks, so that one pass does for each.
# Part of `_answers.pyx`.

# What an element may be, as bits; `units.py` has the tags.
cpdef enum:
    TRAIT_WHOLE = 1
    TRAIT_LIST = 2
    TRAIT_ITEM = 4
    TRAIT_PART = 8
    TRAIT_CONTAINER = 16
    TRAIT_TABLE = 32
    TRAIT_ROW = 64
    TRAIT_CELL = 128

cdef enum:
    SHORT_TERMS = 25  # of a cell or an item, on average
    OPENER_TERMS = 40  # of a question that opens its answer

cdef struct Counts:
    int64_t terms
    int32_t items
    int32_t parts
    int32_t containers
    int32_t tables
    int32_t rows
    int32_t cells

_COUNTS = np.dtype(
    [("terms", np.int64)]
    + [(name, np.int32) for name in ("items", "parts", "containers", "tables", "rows", "cells")]
)


def find_unit_rows(
    const uint8_t[::1] tag, const int32_t[::1] end, const int32_t[::1] terms,
    const uint8_t[::1] traits,
):
    """Return the elements that are units and in no other one."""
    cdef Py_ssize_t size = tag.shape[0], row = 0, count = 0
    cdef uint8_t trait, any_trait = 0
    for row in range(size):
        any_trait |= traits[tag[row]]
    if not any_trait & (TRAIT_WHOLE | TRAIT_LIST | TRAIT_TABLE):
        return np.zeros(0, dtype=np.int32)
    cdef Counts[::1] before = _count_before(tag, terms, traits)
    units = np.empty(size, dtype=np.int32)
    cdef int32_t[::1] out = units
    row = 0
    with nogil:
        while row < size:
            trait = traits[tag[row]]
            if (
                trait & TRAIT_WHOLE
                or (trait & TRAIT_LIST and _is_plain_list(&before[row], &before[end[row]]))
                or (trait & TRAIT_TABLE and _is_data_table(&before[row], &before[end[row]]))
            ):
                out[count] = <int32_t> row
                count += 1
                row = end[row]
            else:
                row += 1
    return units[:count]


cdef Counts[::1] _count_before(
    const uint8_t[::1] tag, const int32_t[::1] terms, const uint8_t[::1] traits
):
    """Return the sums over all rows before each row, and over all."""
    cdef Py_ssize_t size = tag.shape[0], row
    cdef Counts[::1] before = np.empty(size + 1, dtype=_COUNTS)
    cdef Counts sums = Counts(0, 0, 0, 0, 0, 0, 0)
    cdef uint8_t trait
    for row in range(size):
        before[row] = sums
        trait = traits[tag[row]]
        sums.terms += terms[row]
        sums.items += (trait & TRAIT_ITEM) != 0
        sums.parts += (trait & TRAIT_PART) != 0
        sums.containers += (trait & TRAIT_CONTAINER) != 0
        sums.tables += (trait & TRAIT_TABLE) != 0
        sums.rows += (trait & TRAIT_ROW) != 0
        sums.cells += (trait & TRAIT_CELL) != 0
    before[size] = sums
    return before


cdef inline bint _is_plain_list(const Counts* first, const Counts* last) noexcept nogil:
    """Return whether a list is one of texts, not of sections, posts or other containers."""
    if last.parts > first.parts:
        return False
    if last.containers == first.containers:
        return True
    return last.terms - first.terms <= SHORT_TERMS * (last.items - first.items)


cdef inline bint _is_data_table(const Counts* first, const Counts* last) noexcept nogil:
    """Return whether a table holds rows and columns of short texts, and no table in a cell."""
    cdef int64_t rows = last.rows - first.rows, cells = last.cells - first.cells
    if last.tables - first.tables != 1 or rows < 2 or cells < 2 * rows:
        return False
    return last.terms - first.terms <= SHORT_TERMS * cells


def number_units(
    const int32_t[::1] units, const int32_t[::1] end, const int32_t[::1] first
):
    """Return the number of the unit of each block.

    Blocks of one unit follow one another, so a unit begins where its element changes.
    """
    cdef Py_ssize_t size = first.shape[0], block, index = -1, count = units.shape[0]
    cdef Py_ssize_t unit, previous = -1
    cdef int64_t number = -1
    numbers = np.empty(size, dtype=np.int64)
    cdef int64_t[::1] out = numbers
    with nogil:
        for block in range(size):
            while index + 1 < count and units[index + 1] <= first[block]:
                index += 1
            unit = index if index >= 0 and first[block] < end[units[index]] else -1
            if unit < 0 or unit != previous:
                number += 1
            out[block] = number
            previous = unit
    return numbers


def average_units(
    const int64_t[::1] number, const double[:, ::1] values, const double[::1] terms,
    const double[::1] unit_terms,
):
    """Return the mean of values of blocks over the terms of each unit, for each row of them."""
    cdef Py_ssize_t rows = values.shape[0], row, block, unit
    means = np.zeros((rows, unit_terms.shape[0]))
    cdef double[:, ::1] out = means
    with nogil:
        for row in range(rows):
            for block in range(number.shape[0]):
                out[row, number[block]] += values[row, block] * terms[block]
            for unit in range(unit_terms.shape[0]):
                out[row, unit] /= max(unit_terms[unit], 1.0)
    return means


# Sections ----------------------------------------------------------------------------------------


def find_opened_rows(
    rows, const uint8_t[::1] is_opener, const uint8_t[::1] tag, const int32_t[::1] end,
    const int32_t[::1] row_terms, const int32_t[::1] owner, const double[::1] terms,
):
    """Return for each block whose text is that of one of the rows the first such row, else -1."""
    openers = np.full(terms.shape[0], -1, dtype=np.int32)
    cdef int32_t[::1] out = openers
    cdef Py_ssize_t row, inner
    cdef int64_t total
    cdef int32_t block
    for row in rows:
        if not is_opener[tag[row]]:
            continue
        total, block = 0, -1
        for inner in range(row, end[row]):
            if row_terms[inner] > 0:
                if not total:
                    block = owner[inner]
                total += row_terms[inner]
                if total > OPENER_TERMS:
                    break
        if block >= 0 and total == terms[block] <= OPENER_TERMS and out[block] < 0:
            out[block] = <int32_t> row
    return openers


def find_sections(
    const int64_t[::1] headings, const int32_t[::1] nodes, const uint8_t[::1] level, int h1,
    const int32_t[::1] first, const int32_t[::1] end, const int32_t[::1] parent,
    const int32_t[::1] row_terms, const double[::1] before,
):
    """Return the heading, the next heading and the stop of each section with text, as blocks.

    `nodes` are the elements of the headings, `before` has the terms before each block. The section
    of the first h1 is left out.
    """
    cdef Py_ssize_t count = headings.shape[0], size = first.shape[0], rows = end.shape[0]
    cdef Py_ssize_t index, later, kept = 0, row
    cdef int64_t stop
    cdef bint is_after_h1 = False
    row_sums = np.empty(rows + 1, dtype=np.int64)
    cdef int64_t[::1] sums = row_sums
    sections = np.empty((3, count), dtype=np.int64)
    cdef int64_t[:, ::1] out = sections
    with nogil:
        sums[0] = 0
        for row in range(rows):
            sums[row + 1] = sums[row] + row_terms[row]
        for index in range(count):
            stop = _find_container_stop(nodes[index], first, end, parent, sums)
            out[0, kept] = headings[index]
            out[1, kept] = min(headings[index + 1] if index + 1 < count else size, stop)
            later = index + 1
            while later < count and level[later] > level[index]:
                later += 1
            out[2, kept] = min(headings[later] if later < count else size, stop)
            if level[index] == h1 and not is_after_h1:
                is_after_h1 = True
            elif before[out[2, kept]] > before[headings[index] + 1]:
                kept += 1
    return np.ascontiguousarray(sections[:, :kept])


cdef int64_t _find_container_stop(
    Py_ssize_t node, const int32_t[::1] first, const int32_t[::1] end,
    const int32_t[::1] parent, const int64_t[::1] sums,
) noexcept nogil:
    """Return the block after the element that holds more than a heading."""
    cdef Py_ssize_t container = parent[node], low = 0, high = first.shape[0], middle
    cdef int64_t terms = sums[end[node]] - sums[node]
    cdef int32_t stop
    while container > 0 and sums[end[container]] - sums[container] == terms:
        container = parent[container]
    stop = end[max(container, 0)]
    while low < high:
        middle = (low + high) // 2
        if first[middle] < stop:
            low = middle + 1
        else:
            high = middle
    return low


def bind_headings(
    const int64_t[:, ::1] sections, const double[::1] before, const double[::1] terms,
    double[:, ::1] by_expert,
):
    """Make headings as probable as their sections: see `units.bind_sections`."""
    cdef Py_ssize_t count = sections.shape[1], size = by_expert.shape[1]
    cdef Py_ssize_t expert, index, block, heading, following
    cdef double greatest, least, section_terms, value
    memory = np.empty((2, size + 1))
    cdef double[::1] texts = memory[0]  # without headings
    cdef double[::1] expected = memory[1]  # terms of content before each block
    with nogil:
        for expert in range(by_expert.shape[0]):
            expected[0] = 0
            for block in range(size):
                texts[block] = by_expert[expert, block]
                expected[block + 1] = (
                    expected[block] + by_expert[expert, block] * terms[block]
                )
            for index in range(count):
                texts[sections[0, index]] = 0
            for index in range(count):
                heading, following = sections[0, index], sections[1, index]
                greatest = 0
                for block in range(heading + 1, sections[2, index]):
                    greatest = max(greatest, texts[block])
                least = greatest
                section_terms = before[following] - before[heading + 1]
                if section_terms > 0:
                    least = (expected[following] - expected[heading + 1]) / max(
                        section_terms, 1.0
                    )
                value = max(by_expert[expert, heading], least)
                by_expert[expert, heading] = min(value, greatest)

# Units and sections, the loops: see `units.py` for what they are and why.
#
# Sums over the rows of an element are differences of sums before rows, and what depends on the
# section of a heading is read off its blocks, so that one pass does for each. Segmenters may give
# columns that are not contiguous.
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
    const int32_t[::1] units, const int32_t[::1] end, const int32_t[:] first
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
            while index >= 0 and units[index] > first[block]:
                index -= 1
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


cdef struct Section:
    # As blocks: its heading, the next heading of any level, and where it stops.
    int32_t heading
    int32_t following
    int32_t stop


cdef class Outline:
    """The headings, the sections with text and the code of a page, as blocks.

    `openers` has for each block the element that it is all the text of and that opens a panel, else
    -1; it may be None. Such a block counts as a heading.
    """

    cdef Memory memory
    cdef Py_ssize_t size, row_count, heading_count, section_count
    cdef const int32_t[:] first, node
    cdef const int32_t[::1] openers, end, parent
    cdef const uint8_t[::1] tag
    cdef const double[::1] terms
    cdef double* before  # terms before each block, and of all
    cdef int64_t* row_sums  # terms before each row, and of all
    cdef int32_t* headings
    cdef Section* sections
    cdef uint8_t* is_code  # for each block

    def __init__(self, blocks, terms, openers):
        page = blocks.page
        cdef const int32_t[::1] row_terms = page.terms
        cdef Memory memory = Memory()
        self.memory, self.size, self.row_count = memory, len(blocks), len(page)
        self.first, self.node, self.openers, self.terms = blocks.first, blocks.node, openers, terms
        self.tag, self.end, self.parent = page.tag, page.end, page.parent
        self.before = <double*> memory.take(self.size + 1, sizeof(double))
        self.row_sums = <int64_t*> memory.take(self.row_count + 1, sizeof(int64_t))
        self.headings = <int32_t*> memory.take(self.size, sizeof(int32_t))
        self.sections = <Section*> memory.take(self.size, sizeof(Section))
        self.is_code = <uint8_t*> memory.take(self.size, sizeof(uint8_t))
        cdef Py_ssize_t row
        with nogil:
            for row in range(self.row_count):
                self.row_sums[row + 1] = self.row_sums[row] + row_terms[row]
            self._read_blocks()
            self._find_sections()

    cdef void _read_blocks(self) noexcept nogil:
        """Find the headings with text, the buttons that open a panel, and the code."""
        cdef Py_ssize_t block, row = 0
        cdef int32_t code_stop = 0  # of the last `pre`
        cdef bint is_heading
        for block in range(self.size):
            self.before[block + 1] = self.before[block] + self.terms[block]
            is_heading = (
                LEVEL_OF_TAG[self.tag[self.node[block]]] != NO_LEVEL and self.terms[block] > 0
            )
            if is_heading or self._opener(block) >= 0:
                self.headings[self.heading_count] = <int32_t> block
                self.heading_count += 1
            while row <= self.first[block]:
                if self.tag[row] == PRE:
                    code_stop = max(code_stop, self.end[row])
                row += 1
            self.is_code[block] = self.first[block] < code_stop

    cdef inline int32_t _opener(self, Py_ssize_t block) noexcept nogil:
        return self.openers[block] if self.openers is not None else -1

    cdef inline int _level(self, Py_ssize_t index) noexcept nogil:
        """Return the level of a heading; that of a button is below all others."""
        return LEVEL_OF_TAG[self.tag[self.node[self.headings[index]]]]

    cdef void _find_sections(self) noexcept nogil:
        """Find the sections with text. That of the first h1 is left out."""
        cdef Py_ssize_t index, later
        cdef int32_t heading, stop
        cdef Section* section
        cdef bint is_after_h1 = False
        for index in range(self.heading_count):
            heading = self.headings[index]
            stop = self._find_container_stop(heading)
            later = index + 1
            while later < self.heading_count and self._level(later) > self._level(index):
                later += 1
            section = &self.sections[self.section_count]
            section.heading = heading
            section.following = min(self._heading_block(index + 1), stop)
            section.stop = min(self._heading_block(later), stop)
            if self._level(index) == 1 and not is_after_h1:
                is_after_h1 = True
            elif self.before[section.stop] > self.before[heading + 1]:
                self.section_count += 1

    cdef inline int32_t _heading_block(self, Py_ssize_t index) noexcept nogil:
        """Return the block of a heading; after the last one it is the end of the page."""
        return self.headings[index] if index < self.heading_count else <int32_t> self.size

    cdef int32_t _find_container_stop(self, Py_ssize_t heading) noexcept nogil:
        """Return the block after the element that holds more than a heading."""
        cdef int32_t node = self._opener(heading), row, stop
        if node < 0:
            node = self.node[heading]
        row = self.parent[node]
        while row > 0 and self._terms_inside(row) == self._terms_inside(node):
            row = self.parent[row]
        stop = self.end[max(row, 0)]
        cdef Py_ssize_t low = 0, high = self.size, middle
        while low < high:
            middle = (low + high) // 2
            if self.first[middle] < stop:
                low = middle + 1
            else:
                high = middle
        return <int32_t> low

    cdef inline int64_t _terms_inside(self, Py_ssize_t row) noexcept nogil:
        return self.row_sums[self.end[row]] - self.row_sums[row]

    cdef void bind_code(self, double* probability) noexcept nogil:
        """Make code as probable as the most probable text between the headings around it."""
        cdef Py_ssize_t index, block, start = 0, stop
        cdef double best
        for index in range(self.heading_count + 1):
            stop = self._heading_block(index)
            best = 0
            for block in range(start, stop):
                if not self.is_code[block]:
                    best = max(best, probability[block])
            for block in range(start, stop):
                if self.is_code[block] and self.terms[block] > 0:
                    probability[block] = max(probability[block], best)
            start = stop

    cdef void bind_headings(
        self, double* probability, double* texts, double* expected
    ) noexcept nogil:
        """Make a heading as probable as its section.

        It is no less probable than the section on average, and no more than the most probable part
        of it. Headings of subsections, which are bound in the same way, are left out in looking for
        that part. The last two arguments have space for one number per block and one more.
        """
        cdef Py_ssize_t index, block
        cdef double greatest, least, section_terms
        cdef const Section* section
        expected[0] = 0  # terms of content before each block
        for block in range(self.size):
            texts[block] = probability[block]
            expected[block + 1] = expected[block] + probability[block] * self.terms[block]
        for index in range(self.section_count):
            texts[self.sections[index].heading] = 0
        for index in range(self.section_count):
            section = &self.sections[index]
            greatest = 0
            for block in range(section.heading + 1, section.stop):
                greatest = max(greatest, texts[block])
            least = greatest
            section_terms = self.before[section.following] - self.before[section.heading + 1]
            if section_terms > 0:
                least = expected[section.following] - expected[section.heading + 1]
                least /= max(section_terms, 1.0)
            least = max(probability[section.heading], least)
            probability[section.heading] = min(least, greatest)


def bind_to_sections(blocks, terms, openers, double[:, ::1] by_expert):
    """Bind code and headings to their sections, in the probabilities of each expert."""
    cdef Outline outline = Outline(blocks, terms, openers)
    cdef Py_ssize_t expert
    if by_expert.shape[1] != outline.size or len(terms) != outline.size:
        raise ValueError("give a probability by each expert and terms for every block")
    cdef double* space = <double*> outline.memory.take(2 * outline.size + 2, sizeof(double))
    with nogil:
        for expert in range(by_expert.shape[0]):
            outline.bind_code(&by_expert[expert, 0])
            outline.bind_headings(&by_expert[expert, 0], space, space + outline.size + 1)


def find_openers(blocks, const double[::1] terms, bytes needle, const uint8_t[::1] is_opener):
    """Return for each block the element that opens a panel and that it is all the text of, or -1.

    These are elements of some tags whose start tag has the needle. The result is None if the source
    does not have it at all.
    """
    page = blocks.page
    cdef bytes source = page.source
    cdef Py_ssize_t offset = find_bytes(source, needle), row = 0
    if offset < 0:
        return None
    cdef const uint8_t[::1] tag = page.tag
    cdef const int32_t[::1] start = page.start, head = page.head, end = page.end
    cdef const int32_t[::1] row_terms = page.terms
    cdef const int32_t[:] owner = blocks.owner
    openers = np.full(terms.shape[0], -1, dtype=np.int32)
    cdef int32_t[::1] out = openers
    while offset >= 0:
        while row + 1 < tag.shape[0] and start[row + 1] <= offset:
            row += 1
        if start[row] <= offset < head[row] and is_opener[tag[row]]:
            _mark_opener(row, end[row], row_terms, owner, terms, out)
        offset = find_bytes(source, needle, offset + len(needle))
    return openers


cdef void _mark_opener(
    Py_ssize_t row, Py_ssize_t stop, const int32_t[::1] row_terms, const int32_t[:] owner,
    const double[::1] terms, int32_t[::1] openers,
) noexcept nogil:
    """Mark the block that is all the text of an element, if there is such a block."""
    cdef Py_ssize_t inner
    cdef int64_t total = 0
    cdef int32_t block = -1
    for inner in range(row, stop):
        if row_terms[inner] > 0:
            if not total:
                block = owner[inner]
            total += row_terms[inner]
            if total > OPENER_TERMS:
                return
    if block >= 0 and total == terms[block] and openers[block] < 0:
        openers[block] = <int32_t> row

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Feature context: the sums over rows and blocks that the features of a page are computed from.

All passes over the rows of a page are here. Each one fills columns of the context; the formulas in
`_features.pyx` and `_answers.pyx` read them. Nothing here needs the GIL but the constructor.
"""

from cpython.unicode cimport PyUnicode_DATA, PyUnicode_KIND
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from tamis._hashing cimport FNV_SEED, add_to_hash, number_keys, slot_count

import numpy as np

from tamis.page import tags
from tamis.verdict.learned.feature_tables import (
    ANCESTOR_GROUPS,
    COUNTED_TAGS,
    KINDS,
    NAME_GROUPS,
    OBJECT_GROUPS,
)

cdef enum:
    MIN_LONG_TERMS = 15  # of a block of running text
    MIN_RECORDS = 3  # siblings
    WORD_SLOTS = 2048  # of the hash table of words in names, a power of two
    CLASS_SLOTS = 512  # of the cache of classes, a power of two

# Lookup tables, by tag code.
cdef uint8_t COUNTED_GROUP[256]  # index into COUNTED_TAGS, or COUNTED_GROUP_COUNT
cdef int64_t ANCESTOR_BIT[256]
cdef bint IS_OBJECT_GROUP[COUNTED_GROUP_COUNT]
cdef uint8_t LINK = tags.LINK
cdef uint8_t HIDDEN = tags.HIDDEN
cdef uint8_t OTHER = tags.OTHER
# Words in names: their hashes, 0 where the table is empty, and the groups of each word as bits.
cdef uint64_t WORD_HASH[WORD_SLOTS]
cdef int64_t WORD_GROUPS[WORD_SLOTS]


def _fill_tables():
    """Fill the lookup tables from the groups of feature_tables.py."""
    for code in range(256):
        COUNTED_GROUP[code] = COUNTED_GROUP_COUNT
        KIND_OF_TAG[code] = len(KINDS)
        LEVEL_OF_TAG[code] = NO_LEVEL
    for index, name in enumerate(KINDS):
        KIND_OF_TAG[tags.CODE[name]] = index
    for index, name in enumerate(tags.HEADINGS, start=1):
        LEVEL_OF_TAG[tags.CODE[name]] = index
    for index, names in enumerate(COUNTED_TAGS):
        IS_OBJECT_GROUP[index] = index in OBJECT_GROUPS
        for name in names:
            COUNTED_GROUP[tags.CODE[name]] = index
    for index, names in enumerate(ANCESTOR_GROUPS):
        for name in names:
            ANCESTOR_BIT[tags.CODE[name]] = <int64_t> 1 << (NAME_GROUP_COUNT + index)
    for index, words in enumerate(NAME_GROUPS.values()):
        for word in words.split():
            _add_word(word.encode(), index)


cdef void _add_word(bytes word, int group):
    """Add a word of a name group to the hash table of words."""
    cdef uint64_t key = FNV_SEED
    cdef uint8_t letter
    for letter in word:
        key = add_to_hash(key, letter)
    cdef uint64_t slot = key & (WORD_SLOTS - 1)
    while WORD_HASH[slot] and WORD_HASH[slot] != key:
        slot = (slot + 1) & (WORD_SLOTS - 1)
    WORD_HASH[slot] = key
    WORD_GROUPS[slot] |= <int64_t> 1 << group


_fill_tables()


cdef class Memory:
    """Arrays of zeros that live as long as the object."""

    cdef void* take(self, Py_ssize_t length, size_t item_size) except NULL:
        """Return an array of zeros with one item more than asked for: none is empty."""
        if self.count == MAX_ARRAYS:
            raise MemoryError("raise MAX_ARRAYS in _context.pxd")
        cdef void* array = calloc(length + 1, item_size)
        if array == NULL:
            raise MemoryError()
        self.arrays[self.count] = array
        self.count += 1
        return array

    def __dealloc__(self):
        cdef int index
        for index in range(self.count):
            free(self.arrays[index])


cdef class FeatureContext:
    """The blocks of a page with the sums that most features need.

    It is immutable once it is made. Of its columns only a few are seen from Python.
    """

    def __init__(self, blocks):
        if not len(blocks):
            raise ValueError("a page without blocks has no features")
        self.blocks = blocks
        self.size = len(blocks)
        self.row_count = len(blocks.page)
        self._set_columns()
        self._allocate()
        page = blocks.page
        cdef const int32_t[::1] owner = np.ascontiguousarray(blocks.owner)
        cdef const int32_t[::1] terms = page.terms
        cdef const int32_t[::1] chars = page.chars
        cdef const int32_t[::1] marks = page.marks
        cdef const int32_t[::1] text_start = page.text_start
        cdef const int32_t[::1] text_stop = page.text_stop
        cdef Names names = Names(page)
        self.terms = np.empty(self.size)
        cdef double[::1] block_terms = self.terms
        with nogil:
            _sum_rows(self, &owner[0], &terms[0], &chars[0], &marks[0])
            _sum_blocks(self, &block_terms[0])
            _count_blocks_before(self)
            _find_text(self, &text_start[0], &text_stop[0])
            names.read(self.masks)
            _add_ancestors(self)
            _find_levels(self)
            _group_by_path(self)
            _find_records(self)
            _find_records_around(self)
        groups = max(self.size, self.record_group_count)
        self.groups = <Group*> self.memory.take(groups, sizeof(Group))

    cdef void _set_columns(self) except *:
        page, blocks = self.blocks.page, self.blocks
        cdef const uint8_t[::1] tag = page.tag
        cdef const uint8_t[::1] flags = page.flags
        cdef const int32_t[::1] parent = page.parent
        cdef const int32_t[::1] end = page.end
        cdef const int32_t[::1] depth = page.depth
        cdef const uint32_t[::1] class_key = page.class_key
        # Some segmenters make columns that are not contiguous.
        self.block_columns = tuple(
            np.ascontiguousarray(column) for column in (blocks.first, blocks.stop, blocks.node)
        )
        cdef const int32_t[::1] first = self.block_columns[0]
        cdef const int32_t[::1] stop = self.block_columns[1]
        cdef const int32_t[::1] node = self.block_columns[2]
        self.tag, self.flags = &tag[0], &flags[0]
        self.parent, self.end, self.depth = &parent[0], &end[0], &depth[0]
        self.class_key = &class_key[0]
        self.first, self.stop, self.node = &first[0], &stop[0], &node[0]
        self.text_kind = PyUnicode_KIND(page.text)
        self.text = PyUnicode_DATA(page.text)

    cdef void _allocate(self) except *:
        cdef Memory memory = Memory()
        cdef Py_ssize_t size = self.size, rows = self.row_count
        self.memory = memory
        self.block_tag = <uint8_t*> memory.take(size, sizeof(uint8_t))
        self.text_start = <int32_t*> memory.take(size, sizeof(int32_t))
        self.text_stop = <int32_t*> memory.take(size, sizeof(int32_t))
        self.sums = <Sums*> memory.take(size, sizeof(Sums))
        self.before = <Sums*> memory.take(size + 1, sizeof(Sums))
        self.hidden = <double*> memory.take(size, sizeof(double))
        self.elements = <int32_t*> memory.take(COUNTED_GROUP_COUNT * size, sizeof(int32_t))
        self.blocks_before = <int32_t*> memory.take(rows + 1, sizeof(int32_t))
        self.masks = <int64_t*> memory.take(rows, sizeof(int64_t))
        self.levels = <int32_t*> memory.take(LEVELS * size, sizeof(int32_t))
        self.paths = <int32_t*> memory.take(size, sizeof(int32_t))
        self.named_paths = <int32_t*> memory.take(size, sizeof(int32_t))
        self.record_rows = <int32_t*> memory.take(rows, sizeof(int32_t))
        self.record_group = <int32_t*> memory.take(rows, sizeof(int32_t))
        self.inner_record = <int32_t*> memory.take(size, sizeof(int32_t))
        self.outer_record = <int32_t*> memory.take(size, sizeof(int32_t))
        self.keys = <uint64_t*> memory.take(rows + size, sizeof(uint64_t))
        self.table = <int32_t*> memory.take(slot_count(rows + size), sizeof(int32_t))
        self.stack = <int32_t*> memory.take(rows, sizeof(int32_t))
        self.row_scores = <double*> memory.take(rows, sizeof(double))

    def __len__(self):
        return self.size

    @property
    def page(self):
        """The page of the blocks."""
        return self.blocks.page

    @property
    def chars(self):
        """Number of characters of each block."""
        cdef Py_ssize_t block
        return np.array([self.sums[block].chars for block in range(self.size)])

    @property
    def elements(self):
        """Number of elements that each block owns; one row per group of `COUNTED_TAGS`."""
        shape = (COUNTED_GROUP_COUNT, self.size)
        return np.array(<int32_t[:COUNTED_GROUP_COUNT * self.size]> self.elements).reshape(shape)


# Sums over rows and blocks.

cdef void _sum_rows(
    FeatureContext context,
    const int32_t* owner,
    const int32_t* terms,
    const int32_t* chars,
    const int32_t* marks,
) noexcept nogil:
    """Sum columns of the page, and count elements, over the rows that each block owns."""
    cdef Py_ssize_t row, block
    cdef uint8_t group
    cdef Sums* sums
    for row in range(context.row_count):
        context.rows_by_tag[context.tag[row]] += 1
        block = owner[row]
        if block < 0:
            continue
        group = COUNTED_GROUP[context.tag[row]]
        if group < COUNTED_GROUP_COUNT:
            context.elements[group * context.size + block] += 1
        if chars[row]:
            sums = &context.sums[block]
            sums.terms += terms[row]
            sums.chars += chars[row]
            sums.marks += marks[row]
            if context.flags[row] & LINK:
                sums.linked += chars[row]
            if context.flags[row] & HIDDEN:
                context.hidden[block] += chars[row]


cdef void _sum_blocks(FeatureContext context, double* terms) noexcept nogil:
    """Complete the sums of each block, and sum those of all blocks before it."""
    cdef Py_ssize_t block, group
    cdef Sums* sums
    cdef const Sums* low
    cdef Sums* high
    for block in range(context.size):
        sums = &context.sums[block]
        terms[block] = sums.terms
        context.block_tag[block] = context.tag[context.node[block]]
        if sums.terms >= MIN_LONG_TERMS and link_density(sums) < 0.5:
            sums.long_terms = sums.terms
        sums.headings = LEVEL_OF_TAG[context.block_tag[block]] != NO_LEVEL
        for group in range(COUNTED_GROUP_COUNT):
            if IS_OBJECT_GROUP[group]:
                sums.objects += context.elements[group * context.size + block]
        low, high = &context.before[block], &context.before[block + 1]
        high.terms = low.terms + sums.terms
        high.linked = low.linked + sums.linked
        high.chars = low.chars + sums.chars
        high.marks = low.marks + sums.marks
        high.long_terms = low.long_terms + sums.long_terms
        high.headings = low.headings + sums.headings
        high.objects = low.objects + sums.objects
    context.all_terms = at_least_one(context.before[context.size].terms)
    context.all_long = at_least_one(context.before[context.size].long_terms)


cdef void _count_blocks_before(FeatureContext context) noexcept nogil:
    cdef Py_ssize_t row
    cdef int32_t block = 0
    for row in range(context.row_count + 1):
        context.blocks_before[row] = block
        if block < context.size and context.first[block] == row:
            block += 1


cdef void _find_text(
    FeatureContext context, const int32_t* starts, const int32_t* stops
) noexcept nogil:
    """Find where the text of each block starts, after white space, and where it stops."""
    cdef Py_ssize_t block
    cdef int32_t start, stop
    for block in range(context.size):
        start = starts[context.first[block]]
        stop = stops[context.stop[block] - 1]
        while start < stop and PyUnicode_READ(context.text_kind, context.text, start) <= 32:
            start += 1
        context.text_start[block] = start
        context.text_stop[block] = stop if stop > start else start


# Names: words in the class and id of elements.

cdef class Names:
    """Reads the name groups of the rows of a page."""

    cdef Py_ssize_t row_count
    cdef const uint8_t* source
    cdef const uint32_t[::1] class_key
    cdef const int32_t[::1] class_start
    cdef const int32_t[::1] class_stop
    cdef const int32_t[::1] id_start
    cdef const int32_t[::1] id_stop

    def __init__(self, page):
        self.row_count = len(page)
        cdef bytes source = page.source
        self.source = source  # a pointer; the page keeps the bytes
        self.class_key = page.class_key
        self.class_start, self.class_stop = page.class_start, page.class_stop
        self.id_start, self.id_stop = page.id_start, page.id_stop

    cdef void read(self, int64_t* masks) noexcept nogil:
        """Write the groups of the words in the class and id of each row, as bits.

        A page has few different classes: one that was read lately is not read again.
        """
        cdef uint32_t cached_keys[CLASS_SLOTS]
        cdef int64_t cached_masks[CLASS_SLOTS]
        cdef bint is_cached[CLASS_SLOTS]
        cdef Py_ssize_t row
        cdef uint32_t key, slot
        cdef int64_t mask
        memset(is_cached, 0, sizeof(is_cached))
        for row in range(self.row_count):
            mask = 0
            if self.class_stop[row] > self.class_start[row]:
                key = self.class_key[row]
                slot = key & (CLASS_SLOTS - 1)
                if not (is_cached[slot] and cached_keys[slot] == key):
                    is_cached[slot] = True
                    cached_keys[slot] = key
                    cached_masks[slot] = _read_words(
                        self.source, self.class_start[row], self.class_stop[row]
                    )
                mask = cached_masks[slot]
            if self.id_stop[row] > self.id_start[row]:
                mask |= _read_words(self.source, self.id_start[row], self.id_stop[row])
            masks[row] = mask


cdef int64_t _read_words(const uint8_t* source, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Return the groups of the words between two offsets, as bits.

    A word is a run of letters; a capital after a small letter begins another one.
    """
    cdef int64_t groups = 0
    cdef uint64_t key = FNV_SEED
    cdef bint is_small, is_capital, after_small = False, in_word = False
    cdef Py_ssize_t offset
    cdef uint8_t letter
    for offset in range(start, stop + 1):
        letter = source[offset] if offset < stop else c" "
        is_small = c"a" <= letter <= c"z"
        is_capital = c"A" <= letter <= c"Z"
        if in_word and (not (is_small or is_capital) or (is_capital and after_small)):
            groups |= _groups_of_word(key)
            key = FNV_SEED
            in_word = False
        if is_small or is_capital:
            key = add_to_hash(key, letter | 32)  # in lower case
            in_word = True
        after_small = is_small
    return groups


cdef inline int64_t _groups_of_word(uint64_t key) noexcept nogil:
    """Return the groups of the word with a hash, 0 if it is in none."""
    cdef uint64_t slot = key & (WORD_SLOTS - 1)
    while WORD_HASH[slot]:
        if WORD_HASH[slot] == key:
            return WORD_GROUPS[slot]
        slot = (slot + 1) & (WORD_SLOTS - 1)
    return 0


def find_name_groups(page):
    """Return the groups of the words in the class and id of each row, as bits."""
    groups = np.empty(len(page), dtype=np.int64)
    cdef int64_t[::1] masks = groups
    cdef Names names = Names(page)
    if len(page):
        names.read(&masks[0])
    return groups


cdef void _add_ancestors(FeatureContext context) noexcept nogil:
    """Add the ancestor groups to the masks of names, so that one pass counts both."""
    cdef Py_ssize_t row
    for row in range(context.row_count):
        context.masks[row] |= ANCESTOR_BIT[context.tag[row]]


# Containers, paths and records.

cdef void _find_levels(FeatureContext context) noexcept nogil:
    """Find the elements around each block, inside out, that hold more blocks than the last.

    Beyond the root, levels repeat the root.
    """
    cdef const int32_t* before = context.blocks_before
    cdef const int32_t* end = context.end
    cdef Py_ssize_t block, level
    cdef int32_t row, count
    for block in range(context.size):
        row = context.first[block]
        for level in range(LEVELS):
            count = before[end[row]] - before[row]
            while row > 0 and before[end[row]] - before[row] == count:
                row = context.parent[row]
            context.levels[level * context.size + block] = row


cdef void _group_by_path(FeatureContext context) noexcept nogil:
    """Group blocks by the tags above them, and by these and their classes."""
    cdef uint64_t* row_keys = context.keys
    cdef uint64_t* block_keys = context.keys + context.row_count
    cdef Py_ssize_t row, block
    cdef uint64_t above = FNV_SEED
    for row in range(context.row_count):
        if row:
            above = row_keys[context.parent[row]]
        row_keys[row] = add_to_hash(above, context.tag[row] + 1)
    for block in range(context.size):
        block_keys[block] = row_keys[context.first[block]]
    number_keys(block_keys, context.size, context.table, context.paths)
    for block in range(context.size):
        block_keys[block] += context.class_key[context.node[block]] * <uint64_t> 1_000_003
    number_keys(block_keys, context.size, context.table, context.named_paths)


cdef void _find_records(FeatureContext context) noexcept nogil:
    """Find the records: siblings with the same tag and class that hold text.

    They are simpler than the records of `tamis.records`, which need alignment.
    """
    cdef Py_ssize_t row, index, candidate_count = 0, count = 0
    cdef int32_t* group_sizes = context.stack
    cdef int32_t* rows = context.record_rows
    for row in range(context.row_count):
        if context.tag[row] > OTHER and sums_inside(context, row).terms > 0:
            rows[candidate_count] = <int32_t> row
            context.keys[candidate_count] = _sibling_key(context, row)
            candidate_count += 1
    context.record_group_count = number_keys(
        context.keys, candidate_count, context.table, context.record_group
    )
    for index in range(context.record_group_count):
        group_sizes[index] = 0
    for index in range(candidate_count):
        group_sizes[context.record_group[index]] += 1
    for index in range(candidate_count):
        if group_sizes[context.record_group[index]] >= MIN_RECORDS:
            rows[count] = rows[index]
            context.record_group[count] = context.record_group[index]
            count += 1
    context.record_count = count


cdef inline uint64_t _sibling_key(FeatureContext context, Py_ssize_t row) noexcept nogil:
    """Return a key that siblings with the same tag and class share."""
    cdef uint64_t key = add_to_hash(FNV_SEED, context.parent[row])
    key = add_to_hash(key, context.class_key[row])
    return add_to_hash(key, context.tag[row])


cdef void _find_records_around(FeatureContext context) noexcept nogil:
    """Find the innermost and the outermost record around each block, as indices."""
    cdef int32_t* opened = context.stack  # records that are open
    cdef const int32_t* rows = context.record_rows
    cdef const int32_t* end = context.end
    cdef Py_ssize_t block, depth = 0
    cdef int32_t record = 0, row
    for block in range(context.size):
        row = context.first[block]
        while record < context.record_count and rows[record] <= row:
            while depth > 0 and end[rows[opened[depth - 1]]] <= rows[record]:
                depth -= 1
            opened[depth] = record
            depth += 1
            record += 1
        while depth > 0 and end[rows[opened[depth - 1]]] <= row:
            depth -= 1
        context.inner_record[block] = opened[depth - 1] if depth else -1
        context.outer_record[block] = opened[0] if depth else -1

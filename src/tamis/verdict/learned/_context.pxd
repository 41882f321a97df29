# C types of the feature context, for the modules that compute features from it.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

cdef extern from "Python.h":
    # A macro of CPython: the character at an index. Typed as a number, so that it can be summed.
    uint32_t PyUnicode_READ(int kind, const void* text, Py_ssize_t index) noexcept nogil

cdef enum:
    LEVELS = 6  # elements around a block, each of which holds more blocks than the last
    COUNTED_GROUP_COUNT = 15  # of COUNTED_TAGS in feature_tables.py
    NAME_GROUP_COUNT = 24
    ANCESTOR_GROUP_COUNT = 19
    NO_LEVEL = 9  # of what is no heading
    MAX_ARRAYS = 40

# Lookup tables, by tag code.
cdef uint8_t KIND_OF_TAG[256]  # index into KINDS of feature_tables.py
cdef uint8_t LEVEL_OF_TAG[256]  # of headings


cdef struct Sums:
    # What some blocks hold together. All of them are whole numbers.
    double terms
    double linked  # characters in links
    double chars
    double marks
    double long_terms  # terms of blocks of running text
    double headings
    double objects


cdef struct Group:
    # Blocks with the same path, or records of one kind.
    Sums sums
    double count  # of blocks or records
    double block_count  # in records
    Py_ssize_t first  # index of a record


cdef class Memory:
    cdef void* arrays[MAX_ARRAYS]
    cdef int count
    cdef void* take(self, Py_ssize_t length, size_t item_size) except NULL


cdef class FeatureContext:
    cdef readonly object blocks
    cdef readonly object terms
    cdef Memory memory
    cdef Py_ssize_t size  # number of blocks
    cdef Py_ssize_t row_count
    # Columns of the page. The page has the arrays that these point into.
    cdef const uint8_t* tag
    cdef const uint8_t* flags
    cdef const int32_t* parent
    cdef const int32_t* end
    cdef const int32_t* depth
    cdef const uint32_t* class_key
    # The page's text, as CPython stores it.
    cdef int text_kind
    cdef const void* text
    # Columns of the blocks, and the arrays that they point into. The first row of a block
    # represents it: its element, or what it owns.
    cdef tuple block_columns
    cdef const int32_t* first
    cdef const int32_t* stop
    cdef const int32_t* node
    cdef uint8_t* block_tag  # of the element that the block is or lies in
    cdef int32_t* text_start  # after white space
    cdef int32_t* text_stop
    # Sums.
    cdef Sums* sums  # of each block
    cdef Sums* before  # of the blocks before each block, and of all blocks
    cdef double* hidden  # characters of each block that are hidden
    cdef int32_t* elements  # one row per group of COUNTED_TAGS, one column per block
    cdef int32_t* blocks_before  # number of blocks before each row, and of all blocks
    cdef int64_t rows_by_tag[256]
    cdef double all_terms  # at least 1
    cdef double all_long  # at least 1
    # The groups of names (lower bits) and elements (above them) that each row belongs to.
    cdef int64_t* masks
    # One row per level, one column per block: an element around the block, or the root.
    cdef int32_t* levels
    # Groups of blocks by the tags above them, and by these and their classes.
    cdef int32_t* paths
    cdef int32_t* named_paths
    # Records: at least three siblings with the same tag and class that all hold text.
    cdef Py_ssize_t record_count
    cdef Py_ssize_t record_group_count
    cdef int32_t* record_rows  # in document order
    cdef int32_t* record_group
    cdef int32_t* inner_record  # the index of the innermost record around each block, or -1
    cdef int32_t* outer_record
    # Space for passes that need some for a moment.
    cdef uint64_t* keys  # one per row and one per block
    cdef int32_t* table  # for `number_keys` of as many
    cdef int32_t* stack  # one per row
    cdef double* row_scores  # one per row, all 0
    cdef Group* groups  # one per block and one per group of records

    cdef void _set_columns(self) except *
    cdef void _allocate(self) except *


cdef inline void copy_text(
    int kind, const void* text, Py_ssize_t start, Py_ssize_t stop, uint32_t* codes
) noexcept nogil:
    """Copy the code points between two offsets of a text that has 1, 2 or 4 bytes for each."""
    cdef Py_ssize_t offset
    if kind == 1:
        for offset in range(start, stop):
            codes[offset - start] = (<const uint8_t*> text)[offset]
    elif kind == 2:
        for offset in range(start, stop):
            codes[offset - start] = (<const uint16_t*> text)[offset]
    else:
        for offset in range(start, stop):
            codes[offset - start] = (<const uint32_t*> text)[offset]


cdef inline double at_least_one(double value) noexcept nogil:
    return value if value > 1 else 1


cdef inline double at_most(double value, double limit) noexcept nogil:
    return value if value < limit else limit


cdef inline Sums sums_between(
    FeatureContext context, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    """Return the sums of the blocks from `start` up to `stop`."""
    cdef Sums result
    cdef const Sums* low = &context.before[start]
    cdef const Sums* high = &context.before[stop]
    result.terms = high.terms - low.terms
    result.linked = high.linked - low.linked
    result.chars = high.chars - low.chars
    result.marks = high.marks - low.marks
    result.long_terms = high.long_terms - low.long_terms
    result.headings = high.headings - low.headings
    result.objects = high.objects - low.objects
    return result


cdef inline Sums sums_inside(FeatureContext context, Py_ssize_t row) noexcept nogil:
    """Return the sums of the blocks inside an element."""
    return sums_between(
        context, context.blocks_before[row], context.blocks_before[context.end[row]]
    )


cdef inline void add_sums(Sums* sums, const Sums* more) noexcept nogil:
    sums.terms += more.terms
    sums.linked += more.linked
    sums.chars += more.chars
    sums.marks += more.marks
    sums.long_terms += more.long_terms
    sums.headings += more.headings
    sums.objects += more.objects


cdef inline void clear_groups(Group* groups, Py_ssize_t count) noexcept nogil:
    memset(groups, 0, count * sizeof(Group))


cdef inline double link_density(const Sums* sums) noexcept nogil:
    return sums.linked / at_least_one(sums.chars)


cdef inline double marks_per_term(const Sums* sums) noexcept nogil:
    return sums.marks / at_least_one(sums.terms)

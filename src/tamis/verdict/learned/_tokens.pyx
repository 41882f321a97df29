# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Tokens: names of elements and first words of blocks, hashed, and what they say about blocks.

A linear model has a weight for each hashed token, one table per place in which a token can stand:
the block itself, an element around it, its text, the heading before it. Token features are sums of
these weights. Different tokens may share a weight; that is what keeps the tables small (Weinberger
et al., "Feature hashing for large scale multitask learning", ICML 2009).
"""

from cpython.unicode cimport Py_UNICODE_ISALNUM, Py_UNICODE_TOLOWER
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from tamis._hashing cimport FNV_SEED, SLOT_MULTIPLIER, add_to_hash
from tamis.verdict.learned._context cimport (
    LEVEL_OF_TAG,
    NO_LEVEL,
    FeatureContext,
    Memory,
    copy_text,
)

import numpy as np

cdef enum:
    BUCKET_BITS = 15
    NAME_CAPACITY = 24  # tokens of an element that are read, at most
    ID_CAPACITY = 8  # of them, those of the id
    CLASS_SLOTS = 512  # of the cache of classes, a power of two
    READ_CHARACTERS = 100  # of a block
    WORD_CAPACITY = 8  # first words of a block
    FOLDED_SIZE = 0x3000
    HEADING_DISTANCE = 50  # blocks
    MAX_WEIGHT_TERMS = 60  # of a block, that count as its weight in means
    PAGE_BUCKET_BITS = 13
    PAGE_SHIFT = BUCKET_BITS - PAGE_BUCKET_BITS
    OUTER_DEPTH = 2
    OUTER_CAPACITY = 40  # elements
    HEADING_CAPACITY = 60

# The tables of weights, by where a token stands.
cpdef enum:
    TABLE_OWN  # names of the element that the block is, or begins with
    TABLE_AROUND  # names of it and of all elements around it, with weights that fall
    TABLE_TEXT  # first words of the block, and its text if it has no more
    TABLE_HEADING  # first words of the last heading before the block
    TABLE_COUNT

# The tables of tokens of a page, by where they stand.
cdef enum:
    PAGE_OUTER  # on its outermost elements
    PAGE_NAMES  # on any element
    PAGE_HEADINGS
    PAGE_WORDS  # in any block
    PAGE_TABLES

# Features of blocks: see `_features.pxd` for how they get their names.
cpdef enum:
    TOKENS_OWN
    TOKENS_AROUND
    TOKENS_WORST_AROUND  # of the elements around, the one that speaks most against content …
    TOKENS_BEST_AROUND  # … and the one that speaks most for it
    TOKENS_TEXT
    TOKENS_HEADING
    TOKENS_SUM
    TOKENS_WITHIN_2  # means of the sum
    TOKENS_WITHIN_8
    TOKENS_BEFORE
    TOKENS_AFTER
    TOKENS_FEATURE_COUNT

BUCKETS = 1 << BUCKET_BITS
PAGE_BUCKETS = 1 << PAGE_BUCKET_BITS
PAGE_TABLE_COUNT = PAGE_TABLES
MAX_HEADING_DISTANCE = HEADING_DISTANCE  # of the heading that belongs to a block, in blocks
DECAY = 0.85  # of the weight of a name with each element between it and the block
cdef double LEVEL_DECAY = DECAY

cdef uint32_t FOLDED[FOLDED_SIZE]  # lower case, 0 for what is in no word; all digits are one


cdef void _fill_folded():
    """Fill the table of lower case."""
    cdef int code
    for code in range(FOLDED_SIZE):
        if Py_UNICODE_ISALNUM(code):
            FOLDED[code] = Py_UNICODE_TOLOWER(code)
    for code in range(c"0", c"9" + 1):
        FOLDED[code] = c"0"
    FOLDED[0x130] = 0x130  # a capital i with a dot has no lower case of one letter


_fill_folded()


cdef inline uint16_t _bucket(uint64_t key) noexcept nogil:
    return <uint16_t> ((key * SLOT_MULTIPLIER) >> (64 - BUCKET_BITS))


cdef class Tokens:
    """The tokens of a page, as buckets.

    Those of a row are `names` from `name_start` to `name_stop`, and rows may share them; those of a
    block are `words` from `word_start` up to that of the next block.
    """

    cdef readonly object names
    cdef readonly object name_start
    cdef readonly object name_stop
    cdef readonly object words
    cdef readonly object word_start

    def __init__(self, FeatureContext context):
        self._read_names(context)
        self._read_words(context)

    cdef void _read_names(self, FeatureContext context) except *:
        """Read the tokens of each row; a page has few different classes, so they are cached."""
        page = context.page
        cdef Py_ssize_t rows = context.row_count, row
        cdef int32_t count = 0
        cdef bytes page_source = page.source
        cdef const uint8_t* source = page_source
        cdef const int32_t[::1] class_start = page.class_start
        cdef const int32_t[::1] class_stop = page.class_stop
        cdef const int32_t[::1] id_start = page.id_start
        cdef const int32_t[::1] id_stop = page.id_stop
        self.name_start = np.zeros(rows, dtype=np.int32)
        self.name_stop = np.zeros(rows, dtype=np.int32)
        names = np.empty(NAME_CAPACITY * (rows + 1), dtype=np.uint16)
        cdef int32_t[::1] start = self.name_start
        cdef int32_t[::1] stop = self.name_stop
        cdef uint16_t[::1] out = names
        cdef int32_t cached_rows[CLASS_SLOTS]  # the last row of a class, or -1
        cdef int32_t cached
        cdef uint32_t slot
        cdef bint has_class
        memset(cached_rows, 0xFF, sizeof(cached_rows))
        with nogil:
            for row in range(rows):
                has_class = class_stop[row] > class_start[row]
                start[row] = count
                if id_stop[row] > id_start[row]:
                    count += _hash_names(
                        source, id_start[row], id_stop[row], &out[count], ID_CAPACITY
                    )
                    if has_class:
                        count += _hash_names(
                            source, class_start[row], class_stop[row], &out[count],
                            NAME_CAPACITY - ID_CAPACITY,
                        )
                elif has_class:
                    slot = context.class_key[row] & (CLASS_SLOTS - 1)
                    cached = cached_rows[slot]
                    if cached >= 0 and context.class_key[cached] == context.class_key[row]:
                        start[row], stop[row] = start[cached], stop[cached]
                        continue
                    cached_rows[slot] = <int32_t> row
                    count += _hash_names(
                        source, class_start[row], class_stop[row], &out[count], NAME_CAPACITY
                    )
                stop[row] = count
        self.names = names[:count].copy()

    cdef void _read_words(self, FeatureContext context) except *:
        cdef Py_ssize_t block
        self.word_start = np.zeros(context.size + 1, dtype=np.int32)
        words = np.empty((WORD_CAPACITY + 1) * context.size, dtype=np.uint16)
        cdef int32_t[::1] start = self.word_start
        cdef uint16_t[::1] out = words
        with nogil:
            for block in range(context.size):
                start[block + 1] = start[block] + _hash_words(context, block, &out[start[block]])
        self.words = words[:start[context.size]].copy()


cdef int32_t _hash_names(
    const uint8_t* source, Py_ssize_t start, Py_ssize_t stop, uint16_t* out, int32_t capacity
) noexcept nogil:
    """Write the tokens of a class or id, and return how many there are.

    Tokens are the words of each name, as in `_context.pyx`, and the name itself if it is more than
    one word. All digits are one.
    """
    cdef Py_ssize_t offset
    cdef int32_t count = 0
    cdef uint64_t word = FNV_SEED, name = FNV_SEED + 1
    cdef bint is_small, is_capital, is_space
    cdef bint after_small = False, in_word = False, is_composite = False
    cdef uint8_t letter
    for offset in range(start, stop + 1):
        letter = source[offset] if offset < stop else c" "
        is_space = letter <= c" "
        is_small = c"a" <= letter <= c"z"
        is_capital = c"A" <= letter <= c"Z"
        if in_word and (not (is_small or is_capital) or (is_capital and after_small)):
            if count < capacity:
                out[count] = _bucket(word)
                count += 1
            word = FNV_SEED
            in_word = False
            is_composite |= not is_space
        if is_space:
            if is_composite and count < capacity:
                out[count] = _bucket(name)
                count += 1
            name = FNV_SEED + 1
            is_composite = False
        elif is_small or is_capital:
            word = add_to_hash(word, letter | 32)
            name = add_to_hash(name, letter | 32)
            in_word = True
        else:
            name = add_to_hash(name, c"0" if c"0" <= letter <= c"9" else letter)
            is_composite = True
        after_small = is_small
    return count


cdef inline bint _is_paired(uint32_t code) noexcept nogil:
    """Return whether a character is of a script without spaces."""
    return (
        0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7AF
    )


cdef int32_t _hash_words(FeatureContext context, Py_ssize_t block, uint16_t* out) noexcept nogil:
    """Write the tokens of the text of a block, and return how many there are.

    Tokens are its first words, in scripts without spaces pairs of characters, and the text itself
    if that is all of it.
    """
    cdef uint32_t codes[READ_CHARACTERS]
    cdef Py_ssize_t start = context.text_start[block], offset
    cdef Py_ssize_t length = min(context.text_stop[block] - start, READ_CHARACTERS)
    cdef uint32_t code, letter, previous = 0
    cdef uint64_t word = FNV_SEED + 3, text = FNV_SEED + 2
    cdef bint in_word = False
    cdef int32_t count = 0
    copy_text(context.text_kind, context.text, start, start + length, codes)
    for offset in range(length + 1):
        code = codes[offset] if offset < length else c" "
        letter = FOLDED[code] if code < FOLDED_SIZE else 0
        if letter:
            in_word = True
            word = add_to_hash(word, letter)
            text = add_to_hash(text, letter)
        elif in_word:
            out[count] = _bucket(word)
            count += 1
            in_word = False
            word = FNV_SEED + 3
            text = add_to_hash(text, c" ")
        if code >= FOLDED_SIZE and _is_paired(code):
            if previous and count < WORD_CAPACITY:
                out[count] = _bucket(add_to_hash(add_to_hash(FNV_SEED + 3, previous), code))
                count += 1
            text = add_to_hash(text, code)
            previous = code
        else:
            previous = 0
        if count == WORD_CAPACITY:
            break
    if count and offset >= length:
        out[count] = _bucket(text)
        count += 1
    return count


# What the tokens say about the blocks, by the weights of a linear model.

cdef inline double _sum_weights(
    const float[::1] weights, const uint16_t[::1] tokens, int32_t start, int32_t stop
) noexcept nogil:
    cdef double total = 0
    cdef int32_t index
    for index in range(start, stop):
        total += weights[tokens[index]]
    return total


def write_token_features(
    FeatureContext context, Tokens tokens, const float[:, ::1] weights, float[:, ::1] matrix
):
    """Write the token features of the blocks: `weights` has one row per table."""
    cdef Py_ssize_t size = context.size
    cdef Memory memory = Memory()
    cdef Py_ssize_t value_size = sizeof(double)
    cdef double* around = <double*> memory.take(3 * context.row_count, value_size)
    cdef double* before = <double*> memory.take(2 * (size + 1), value_size)
    if weights.shape[0] != TABLE_COUNT or weights.shape[1] != BUCKETS:
        raise ValueError(f"give {TABLE_COUNT} tables of {BUCKETS} weights")
    if matrix.shape[0] != TOKENS_FEATURE_COUNT or matrix.shape[1] != size:
        raise ValueError("give a matrix with one row per token feature, one column per block")
    _write_names(context, tokens, weights, around, matrix)
    _write_texts(context, tokens, weights, matrix)
    with nogil:
        _write_sums(context, before, matrix)


cdef void _write_names(
    FeatureContext context,
    Tokens tokens,
    const float[:, ::1] weights,
    double* around,
    float[:, ::1] out,
) except *:
    """Write what names say: those of a block, and those around it, summed from the root down."""
    cdef const uint16_t[::1] names = tokens.names
    cdef const int32_t[::1] start = tokens.name_start
    cdef const int32_t[::1] stop = tokens.name_stop
    cdef const float[::1] own_weights = weights[TABLE_OWN]
    cdef const float[::1] weights_around = weights[TABLE_AROUND]
    cdef Py_ssize_t rows = context.row_count, row, block, parent
    cdef double* worst = around + rows
    cdef double* best = worst + rows
    cdef double value
    cdef int32_t first, node
    with nogil:
        for row in range(rows):
            value = _sum_weights(weights_around, names, start[row], stop[row])
            around[row], worst[row], best[row] = value, min(value, 0.0), max(value, 0.0)
            if row:
                parent = context.parent[row]
                around[row] += LEVEL_DECAY * around[parent]
                worst[row] = min(worst[row], worst[parent])
                best[row] = max(best[row], best[parent])
        for block in range(context.size):
            first, node = context.first[block], context.node[block]
            value = _sum_weights(own_weights, names, start[first], stop[first])
            if node != first:
                value += _sum_weights(own_weights, names, start[node], stop[node])
            out[TOKENS_OWN, block] = value
            out[TOKENS_AROUND, block] = around[first]
            out[TOKENS_WORST_AROUND, block] = worst[first]
            out[TOKENS_BEST_AROUND, block] = best[first]


cdef void _write_texts(
    FeatureContext context, Tokens tokens, const float[:, ::1] weights, float[:, ::1] out
) except *:
    """Write what the first words of each block say, and those of the last heading before it."""
    cdef const uint16_t[::1] words = tokens.words
    cdef const int32_t[::1] start = tokens.word_start
    cdef const float[::1] text_weights = weights[TABLE_TEXT]
    cdef const float[::1] heading_weights = weights[TABLE_HEADING]
    cdef Py_ssize_t block, heading = -1
    cdef double value = 0
    cdef bint is_near
    with nogil:
        for block in range(context.size):
            out[TOKENS_TEXT, block] = _sum_weights(
                text_weights, words, start[block], start[block + 1]
            )
            is_near = heading >= 0 and block - heading <= HEADING_DISTANCE
            out[TOKENS_HEADING, block] = value if is_near else 0
            if LEVEL_OF_TAG[context.block_tag[block]] != NO_LEVEL and context.sums[block].terms:
                heading = block
                value = _sum_weights(heading_weights, words, start[block], start[block + 1])


cdef void _write_sums(FeatureContext context, double* before, float[:, ::1] out) noexcept nogil:
    """Write the sum of a block's tokens, those of its neighbours, and means around it."""
    cdef Py_ssize_t block, size = context.size
    cdef double* weights_before = before + size + 1
    cdef double weight
    for block in range(size):
        out[TOKENS_SUM, block] = (
            out[TOKENS_OWN, block]
            + out[TOKENS_AROUND, block]
            + out[TOKENS_TEXT, block]
            + out[TOKENS_HEADING, block]
        )
        weight = min(context.sums[block].terms, MAX_WEIGHT_TERMS) + 0.5
        before[block + 1] = before[block] + out[TOKENS_SUM, block] * weight
        weights_before[block + 1] = weights_before[block] + weight
    for block in range(size):
        out[TOKENS_BEFORE, block] = out[TOKENS_SUM, block - 1] if block else 0
        out[TOKENS_AFTER, block] = out[TOKENS_SUM, block + 1] if block + 1 < size else 0
        out[TOKENS_WITHIN_2, block] = _mean_within(before, weights_before, block, 2, size)
        out[TOKENS_WITHIN_8, block] = _mean_within(before, weights_before, block, 8, size)


cdef inline double _mean_within(
    const double* before,
    const double* weights_before,
    Py_ssize_t block,
    Py_ssize_t distance,
    Py_ssize_t size,
) noexcept nogil:
    cdef Py_ssize_t start = max(block - distance, 0), stop = min(block + distance + 1, size)
    return (before[stop] - before[start]) / (weights_before[stop] - weights_before[start])


# What the tokens say about the page.

def find_page_tokens(FeatureContext context, Tokens tokens):
    """Return the tokens of a page, each once, as rows of the weights of page tokens."""
    is_present = np.zeros(PAGE_TABLES << PAGE_BUCKET_BITS, dtype=np.uint8)
    cdef uint8_t[::1] marks = is_present
    cdef uint8_t* present = &marks[0]
    cdef const uint16_t[::1] names = tokens.names
    cdef const uint16_t[::1] words = tokens.words
    cdef const int32_t[::1] name_start = tokens.name_start
    cdef const int32_t[::1] name_stop = tokens.name_stop
    cdef const int32_t[::1] word_start = tokens.word_start
    cdef const int32_t[::1] depth = context.page.depth
    cdef Py_ssize_t row, block, outer = 0, headings = 0, count = 0
    with nogil:
        for row in range(context.row_count):
            if depth[row] <= OUTER_DEPTH:
                outer += 1
                count += _mark(present, PAGE_OUTER, names, name_start[row], name_stop[row])
            if outer == OUTER_CAPACITY:
                break
        count += _mark(present, PAGE_NAMES, names, 0, names.shape[0])
        for block in range(context.size):
            if LEVEL_OF_TAG[context.block_tag[block]] != NO_LEVEL:
                headings += 1
                count += _mark(
                    present, PAGE_HEADINGS, words, word_start[block], word_start[block + 1]
                )
            if headings == HEADING_CAPACITY:
                break
        count += _mark(present, PAGE_WORDS, words, 0, words.shape[0])
    rows = np.empty(count, dtype=np.int64)
    _list_marks(is_present.view(np.uint64), marks, rows)
    return rows


cdef void _list_marks(
    const uint64_t[::1] eights, const uint8_t[::1] marks, int64_t[::1] rows
) noexcept nogil:
    """Write where the marks are. Most are not set, so that eight are looked at in one go."""
    cdef Py_ssize_t eight, index, count = 0
    for eight in range(eights.shape[0]):
        if not eights[eight]:
            continue
        for index in range(8 * eight, 8 * eight + 8):
            if marks[index]:
                rows[count] = index
                count += 1


cdef inline Py_ssize_t _mark(
    uint8_t* present, Py_ssize_t table, const uint16_t[::1] tokens, Py_ssize_t start,
    Py_ssize_t stop,
) noexcept nogil:
    """Mark the tokens of a range as present in a table; return how many were not."""
    cdef Py_ssize_t index, row, count = 0
    for index in range(start, stop):
        row = (table << PAGE_BUCKET_BITS) + (tokens[index] >> PAGE_SHIFT)
        count += not present[row]
        present[row] = 1
    return count


def sum_page_weights(const float[:, ::1] weights, const int64_t[::1] rows):
    """Return the sums of the weights in some rows."""
    cdef Py_ssize_t index, column
    sums = np.zeros(weights.shape[1], dtype=np.float32)
    cdef float[::1] out = sums
    with nogil:
        for index in range(rows.shape[0]):
            for column in range(weights.shape[1]):
                out[column] += weights[rows[index], column]
    return sums

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Features of blocks and of the page as a whole: one formula each.

`Features(blocks, …)` computes all of them without the GIL, into a matrix with one row per feature
and one column per block. `_features.pxd` has the enum that names the features of blocks. Here are
the formulas on what a block is and says, and on the page; those on its position are in
`_surroundings.pxi`.
"""

from cpython.unicode cimport (
    Py_UNICODE_ISALNUM,
    Py_UNICODE_TOLOWER,
    PyUnicode_DATA,
    PyUnicode_KIND,
)
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from tamis._hashing cimport FNV_SEED, add_to_hash, number_keys
from tamis.verdict.learned._context cimport (
    KIND_OF_TAG,
    LEVEL_OF_TAG,
    LEVELS,
    NO_LEVEL,
    Group,
    PyUnicode_READ,
    Sums,
    add_sums,
    at_least_one,
    at_most,
    clear_groups,
    copy_text,
    link_density,
    marks_per_term,
    sums_between,
    sums_inside,
)

import numpy as np

from tamis.page import tags
from tamis.verdict.learned._tokens import Tokens
from tamis.verdict.learned.feature_tables import (
    COUNTED_CHARACTERS,
    END_CHARACTERS,
    MIN_HEADLINE_MATCH,
    NAME_GROUPS,
    OWN_NAME_GROUPS,
    PAGE_TAGS,
    SHARE_GROUPS,
    STEPS,
    WINDOWS,
)

include "_surroundings.pxi"

cdef enum:
    SHARE_GROUP_COUNT = 7  # lengths of the tables of feature_tables.py
    PAGE_TAG_COUNT = 9
    OG_TYPE_COUNT = 4
    COUNTED_CHARACTER_COUNT = 5


# The features of the page as a whole, named as those of blocks in _features.pxd. The size of the
# page and traces of scripts are not among them: part of the training pages was stripped of scripts,
# so a model would learn that instead of the pages.
cpdef enum:
    PAGE_LINK_DENSITY
    PAGE_LONG
    PAGE_MARKS
    PAGE_TERMS_PER_BLOCK
    PAGE_LONGEST
    PAGE_TOP5
    PAGE_SHARE  # one per group of SHARE_GROUPS
    PAGE_TAG_PER_BLOCK = PAGE_SHARE + SHARE_GROUP_COUNT  # one per tag of PAGE_TAGS
    PAGE_RECORDS = PAGE_TAG_PER_BLOCK + PAGE_TAG_COUNT
    PAGE_RECORD_TERMS
    PAGE_RECORD_LINKS
    PAGE_DIGITS
    PAGE_MONEY
    PAGE_H1
    PAGE_OG_TYPE  # one per type of OG_TYPES; this and the next two are declared by the page
    PAGE_PATH_DEPTH = PAGE_OG_TYPE + OG_TYPE_COUNT
    PAGE_PATH_LENGTH
    PAGE_MEAN_NAME  # one per group of NAME_GROUPS
    PAGE_IS_NAME = PAGE_MEAN_NAME + NAME_GROUP_COUNT  # one per group of NAME_GROUPS
    PAGE_FEATURE_COUNT = PAGE_IS_NAME + NAME_GROUP_COUNT


cdef enum:
    READ_CHARACTERS = 160  # MAX_CHARACTERS, MAX_TITLE_CHARS and MAX_FOLDED of feature_tables.py
    READ_TITLE_CHARACTERS = 120
    FOLDED_SIZE = 0x3000
    TITLE_SLOTS = 256  # of the hash table of a title's words, a power of two
    CHARACTER_TABLE_SIZE = 0x10000  # beyond it no character is in a class
    MAX_AROUND = 5  # elements of one group around a block that are counted
    NEAR = 20  # blocks after the headline whose text is counted
    LONGEST_BLOCKS = 5  # whose share of the page is a feature

cdef double LEAST_MATCH = MIN_HEADLINE_MATCH

# Lookup tables, by tag code or code point.
cdef uint8_t SHARE_GROUP_OF_TAG[256]
cdef uint8_t PAGE_TAG_CODE[PAGE_TAG_COUNT]
cdef bint IS_OUTER[256]  # html, body and main: their names are those of the page
cdef bint IS_HTML5[256]
cdef int OWN_NAME_BIT[OWN_NAME_COUNT]
cdef uint8_t CHARACTER_CLASSES[CHARACTER_TABLE_SIZE]  # as bits
cdef uint32_t FOLDED[FOLDED_SIZE]  # lower case, 0 for what is in no word


def _fill_tables():
    """Fill the lookup tables from feature_tables.py."""
    for code in range(256):
        SHARE_GROUP_OF_TAG[code] = SHARE_GROUP_COUNT
    for index, names in enumerate(SHARE_GROUPS):
        for name in names:
            SHARE_GROUP_OF_TAG[tags.CODE[name]] = index
    for index, name in enumerate(PAGE_TAGS):
        PAGE_TAG_CODE[index] = tags.CODE[name]
    for name in ("html", "body", "main"):
        IS_OUTER[tags.CODE[name]] = True
    for name in tags.HTML5_SECTIONS:
        IS_HTML5[tags.CODE[name]] = True
    for index, name in enumerate(OWN_NAME_GROUPS):
        OWN_NAME_BIT[index] = list(NAME_GROUPS).index(name)
    for bit, characters in enumerate((*COUNTED_CHARACTERS, *END_CHARACTERS)):
        for character in characters:
            CHARACTER_CLASSES[ord(character)] |= 1 << bit


cdef void _fill_folded():
    """Fill the table of lower case."""
    cdef int code
    for code in range(FOLDED_SIZE):
        if Py_UNICODE_ISALNUM(code):
            FOLDED[code] = Py_UNICODE_TOLOWER(code)
    FOLDED[0x130] = 0x130  # a capital i with a dot has no lower case of one letter
    FOLDED[ord("ς")] = ord("σ")  # the only letter with two forms in lower case


_fill_tables()
_fill_folded()


cdef class Features:
    """The features of the blocks of a page, and what further features are computed from.

    `matrix` has one row per name of `BLOCK_FEATURES`. The rows of `buffer` below it are for token
    features and stacked features. `plain` says whether the page has none of the elements that
    HTML 5 introduced.
    """

    def __init__(self, blocks, str title not None, declared, Py_ssize_t extra_rows):
        cdef FeatureContext context = FeatureContext(blocks)
        self.context = context
        self.tokens = Tokens(context)
        self.buffer = np.empty((BLOCK_FEATURE_COUNT + extra_rows, context.size), dtype=np.float32)
        self.matrix = self.buffer[:BLOCK_FEATURE_COUNT]
        self.page_features = np.empty(PAGE_FEATURE_COUNT)
        self.page_features[PAGE_OG_TYPE:PAGE_MEAN_NAME] = declared
        self.out = self.buffer
        cdef double[::1] page_out = self.page_features
        cdef Title words
        cdef int title_kind = PyUnicode_KIND(title)
        cdef const void* title_data = PyUnicode_DATA(title)
        cdef Py_ssize_t title_length = len(title)
        with nogil:
            _read_title(&words, title_kind, title_data, title_length)
            self.plain = _is_plain(context)
            _write_text(context, self.out)
            _write_characters(context, self.out)
            _write_title(context, &words, &self.page_headline, self.out)
            _write_names(context, self.out)
            write_surroundings(context, self.out)
            _write_page(context, self.out, page_out)
            _write_page_records(context, page_out)
            _write_page_names(context, self.out, page_out)

    @property
    def headline(self):
        """The block that is the page's headline, -1 if there is none."""
        return self.page_headline.block


# Text: what a block owns.

cdef void _write_text(FeatureContext context, float[:, ::1] out) noexcept nogil:
    cdef Py_ssize_t block, group
    cdef uint8_t tag
    cdef double longest = 1
    cdef Sums* own
    for block in range(context.size):
        if context.sums[block].terms > longest:
            longest = context.sums[block].terms
    for block in range(context.size):
        own = &context.sums[block]
        tag = context.block_tag[block]
        out[TERMS, block] = at_most(own.terms, 2000)
        out[MARKS, block] = at_most(own.marks, 500)
        out[LINK_DENSITY, block] = link_density(own)
        out[MARKS_PER_TERM, block] = marks_per_term(own)
        out[SHARE, block] = own.terms / context.all_terms
        out[OF_LONGEST, block] = own.terms / longest
        out[KIND, block] = KIND_OF_TAG[tag]
        out[LEVEL, block] = LEVEL_OF_TAG[tag]
        out[WHOLE, block] = context.first[block] == context.node[block]
        out[DEPTH, block] = context.depth[context.first[block]]
        out[HIDDEN, block] = context.hidden[block] / at_least_one(own.chars)
    for group in range(COUNTED_GROUP_COUNT):
        for block in range(context.size):
            out[N_ELEMENTS + group, block] = at_most(
                context.elements[group * context.size + block], 50
            )


# Characters: digits, signs, how the text of a block ends, whether it is repeated.

cdef inline uint8_t _classes(uint32_t character) noexcept nogil:
    """Return the classes of a character: those that are counted, then those at the end."""
    return CHARACTER_CLASSES[character] if character < CHARACTER_TABLE_SIZE else 0


cdef void _write_characters(FeatureContext context, float[:, ::1] out) noexcept nogil:
    cdef Py_ssize_t block, offset, start, stop, read_stop
    cdef uint32_t character
    cdef uint64_t code_sum
    cdef uint32_t text[READ_CHARACTERS]
    cdef int counts[COUNTED_CHARACTER_COUNT]
    cdef int bit
    cdef uint8_t classes
    for block in range(context.size):
        start, stop = context.text_start[block], context.text_stop[block]
        read_stop = min(stop, start + READ_CHARACTERS)
        for bit in range(COUNTED_CHARACTER_COUNT):
            counts[bit] = 0
        copy_text(context.text_kind, context.text, start, read_stop, text)
        code_sum = 0
        for offset in range(read_stop - start):
            character = text[offset]
            code_sum += character
            classes = _classes(character)
            if classes:
                for bit in range(COUNTED_CHARACTER_COUNT):
                    counts[bit] += classes >> bit & 1
        character, classes = 0, 0
        if stop > start:
            character = PyUnicode_READ(context.text_kind, context.text, stop - 1)
            classes = _classes(character)
        for bit in range(COUNTED_CHARACTER_COUNT):
            out[DIGITS + bit, block] = <double> counts[bit] / max(read_stop - start, 1)
        out[ENDS_SENTENCE, block] = classes >> COUNTED_CHARACTER_COUNT & 1
        out[ENDS_COLON, block] = classes >> (COUNTED_CHARACTER_COUNT + 1) & 1
        # Equal texts have equal keys, and different texts hardly ever.
        context.keys[block] = (code_sum * 65537 + (stop - start)) * 257 + character
    _write_repeats(context, out)


cdef void _write_repeats(FeatureContext context, float[:, ::1] out) noexcept nogil:
    """Write how often the text of each block occurs; its key is in `context.keys`."""
    cdef int32_t* group = context.stack  # it has one value per row, and no block has no row
    cdef int32_t* counts = context.table
    cdef Py_ssize_t block
    cdef Py_ssize_t group_count = number_keys(context.keys, context.size, context.table, group)
    for block in range(group_count):
        counts[block] = 0
    for block in range(context.size):
        out[FIRST_OF_SAME, block] = counts[group[block]] == 0
        counts[group[block]] += 1
    for block in range(context.size):
        out[SAME, block] = at_most(counts[group[block]], 50)


# Title: how the words of a block match it, and where the headline is. A word is a run of letters
# and digits in lower case; in scripts without spaces it is each pair of characters.

cdef struct Title:
    uint64_t hashes[TITLE_SLOTS]  # of its words, 0 where the table is empty
    Py_ssize_t last_block[TITLE_SLOTS]  # that has the word, plus 1
    Py_ssize_t word_count
    uint64_t initials  # the letters of its words, as bits of their codes modulo 64


cdef inline bint _is_paired(uint32_t code) noexcept nogil:
    """Return whether a character is of a script without spaces."""
    return (
        0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7AF
    )


cdef inline uint32_t _fold(uint32_t code) noexcept nogil:
    """Return the lower case of a character, 0 if it is in no word."""
    return FOLDED[code] if code < FOLDED_SIZE else 0


cdef Py_ssize_t _hash_words(
    const uint32_t* text, Py_ssize_t length, uint64_t initials, uint64_t* keys
) noexcept nogil:
    """Write the hashes of the words of a text, and return how many there are.

    Words that do not begin with an initial get 0: most words of a page are not in its title.
    """
    cdef Py_ssize_t offset, count = 0
    cdef uint64_t key = 0
    cdef uint32_t letter
    cdef uint32_t code, previous = 0
    cdef bint in_word = False
    for offset in range(length):
        code = text[offset]
        letter = _fold(code)
        if letter:
            if not in_word:
                key = FNV_SEED if initials >> (letter & 63) & 1 else 0
                in_word = True
            if key:
                key = add_to_hash(key, letter)
        elif in_word:
            keys[count] = key
            count += 1
            in_word = False
        if code >= FOLDED_SIZE and _is_paired(code):
            if previous:
                keys[count] = add_to_hash(add_to_hash(FNV_SEED, previous), code)
                count += 1
            previous = code
        else:
            previous = 0
    if in_word:
        keys[count] = key
        count += 1
    return count


cdef inline uint64_t _title_slot(const Title* title, uint64_t key) noexcept nogil:
    """Return the slot of a word in the table of the title, an empty one if it is not there."""
    cdef uint64_t slot = (key ^ (key >> 32)) & (TITLE_SLOTS - 1)
    while title.hashes[slot] and title.hashes[slot] != key:
        slot = (slot + 1) & (TITLE_SLOTS - 1)
    return slot


cdef void _read_title(
    Title* title, int kind, const void* text, Py_ssize_t length
) noexcept nogil:
    """Read the words of a title; beyond `READ_TITLE_CHARACTERS` they are left out."""
    cdef uint64_t keys[READ_TITLE_CHARACTERS]
    cdef uint32_t codes[READ_TITLE_CHARACTERS]
    cdef Py_ssize_t index, word_count
    cdef uint32_t letter
    cdef uint64_t slot
    length = min(length, READ_TITLE_CHARACTERS)
    copy_text(kind, text, 0, length, codes)
    for index in range(TITLE_SLOTS):
        title.hashes[index] = 0
        title.last_block[index] = 0
    title.initials = 0
    title.word_count = 0
    for index in range(length):
        letter = _fold(codes[index])
        if letter:
            title.initials |= <uint64_t> 1 << (letter & 63)
    word_count = _hash_words(codes, length, title.initials, keys)
    for index in range(word_count):
        slot = _title_slot(title, keys[index])
        if not title.hashes[slot]:
            title.hashes[slot] = keys[index]
            title.word_count += 1


cdef void _write_title(
    FeatureContext context, Title* title, Headline* headline, float[:, ::1] out
) noexcept nogil:
    cdef Py_ssize_t block, near_stop
    for block in range(context.size):
        out[TITLE_MATCH, block] = out[TITLE_COVER, block] = out[TITLE_SHARE, block] = 0
        if title.word_count and context.sums[block].terms > 0:
            _match_title(context, title, block, out)
    headline.block = _find_headline(context, out)
    headline.match = out[TITLE_MATCH, headline.block]
    headline.follow = headline.repeats = 0
    if headline.match < LEAST_MATCH:
        headline.block = -1
        _write_no_headline(context, out)
        return
    write_kinship(context, headline.block, WITH_HEADLINE, out)
    _write_since_headline(context, headline.block, out)
    near_stop = min(headline.block + NEAR + 1, context.size)
    headline.follow = (
        sums_between(context, headline.block, near_stop).long_terms / context.all_long
    )
    for block in range(context.size):
        headline.repeats += out[TITLE_MATCH, block] > 0.5


cdef void _match_title(
    FeatureContext context, Title* title, Py_ssize_t block, float[:, ::1] out
) noexcept nogil:
    """Write how the words of a block match the title, by the beginning of its text."""
    cdef uint64_t keys[READ_TITLE_CHARACTERS]
    cdef uint32_t codes[READ_TITLE_CHARACTERS]
    cdef Py_ssize_t start = context.text_start[block]
    cdef Py_ssize_t length = context.text_stop[block] - start
    cdef Py_ssize_t read = min(length, READ_TITLE_CHARACTERS)
    cdef Py_ssize_t index, word_count, hits = 0
    cdef uint64_t slot
    copy_text(context.text_kind, context.text, start, start + read, codes)
    word_count = _hash_words(codes, read, title.initials, keys)
    for index in range(word_count):
        if keys[index]:
            slot = _title_slot(title, keys[index])
            if title.hashes[slot] and title.last_block[slot] != block + 1:
                title.last_block[slot] = block + 1
                hits += 1
    if hits:
        # The number of words of the whole block is estimated from those that were read.
        out[TITLE_MATCH, block] = (
            2.0 * hits / (title.word_count + 1.0 * word_count * length / read)
        )
        out[TITLE_COVER, block] = 1.0 * hits / title.word_count
        out[TITLE_SHARE, block] = 1.0 * hits / word_count


cdef Py_ssize_t _find_headline(FeatureContext context, float[:, ::1] out) noexcept nogil:
    """Return the block that matches the title best; headings that match well come first."""
    cdef Py_ssize_t block, best = 0
    cdef double value, greatest = -1
    for block in range(context.size):
        value = out[TITLE_MATCH, block]
        if value > 0.2 and context.sums[block].headings:
            value += 0.25
        if value > greatest:
            greatest = value
            best = block
    return best


cdef void _write_no_headline(FeatureContext context, float[:, ::1] out) noexcept nogil:
    cdef Py_ssize_t block
    for block in range(context.size):
        out[WITH_HEADLINE, block] = out[WITH_HEADLINE_SHARE, block] = -1
        out[AFTER_HEADLINE, block] = -101
        out[HEADINGS_SINCE_HEADLINE, block] = out[LONG_SINCE_HEADLINE, block] = -1


cdef void _write_since_headline(
    FeatureContext context, Py_ssize_t headline, float[:, ::1] out
) noexcept nogil:
    """Write how far each block is after the headline, and what stands in between."""
    cdef Py_ssize_t block
    cdef double headings, long_share
    for block in range(context.size):
        headings = sums_between(context, headline, block).headings - 1
        long_share = -1
        if block > headline:
            headings = sums_between(context, headline + 1, block + 1).headings
            long_share = sums_between(context, headline + 1, block).long_terms / context.all_long
        out[AFTER_HEADLINE, block] = max(-100, min(block - headline, 200))
        out[HEADINGS_SINCE_HEADLINE, block] = max(-20, at_most(headings, 20))
        out[LONG_SINCE_HEADLINE, block] = long_share


# Names and ancestors: the groups that name a block, and how many elements around it belong to each.

cdef struct Count:
    int value  # of elements of a group that are open
    Py_ssize_t first_block  # for which it is not written yet


cdef void _write_names(FeatureContext context, float[:, ::1] out) noexcept nogil:
    cdef Py_ssize_t block, index
    cdef int64_t mask
    for block in range(context.size):
        mask = context.masks[context.first[block]] | context.masks[context.node[block]]
        for index in range(OWN_NAME_COUNT):
            out[OWN_NAME + index, block] = mask >> OWN_NAME_BIT[index] & 1
    _write_counts_around(context, out)


cdef void _write_counts_around(FeatureContext context, float[:, ::1] out) noexcept nogil:
    """Write, for each bit of the masks, how many elements at or above each block have it.

    Counts change seldom, so each is written for a run of blocks at once when it changes.
    """
    cdef Count counts[NAME_GROUP_COUNT + ANCESTOR_GROUP_COUNT]
    cdef int32_t* opened = context.stack
    cdef Py_ssize_t depth = 0, block
    cdef int32_t row = 0, anchor
    cdef int bit
    for bit in range(NAME_GROUP_COUNT + ANCESTOR_GROUP_COUNT):
        counts[bit].value = 0
        counts[bit].first_block = 0
    for block in range(context.size):
        anchor = context.first[block]
        while row <= anchor:
            if context.masks[row]:
                while depth > 0 and context.end[opened[depth - 1]] <= row:
                    depth -= 1
                    _change_counts(counts, context.masks[opened[depth]], -1, block, out)
                _change_counts(counts, context.masks[row], 1, block, out)
                opened[depth] = row
                depth += 1
            row += 1
        while depth > 0 and context.end[opened[depth - 1]] <= anchor:
            depth -= 1
            _change_counts(counts, context.masks[opened[depth]], -1, block, out)
    for bit in range(NAME_GROUP_COUNT + ANCESTOR_GROUP_COUNT):
        _write_count(counts, bit, context.size, out)


cdef void _change_counts(
    Count* counts, int64_t mask, int change, Py_ssize_t block, float[:, ::1] out
) noexcept nogil:
    """Change the count of each bit of a mask, from a block on."""
    cdef int bit = 0
    while mask:
        while not mask & 255:
            mask >>= 8
            bit += 8
        while not mask & 1:
            mask >>= 1
            bit += 1
        _write_count(counts, bit, block, out)
        counts[bit].value += change
        mask >>= 1
        bit += 1


cdef void _write_count(
    Count* counts, int bit, Py_ssize_t stop, float[:, ::1] out
) noexcept nogil:
    """Write the count of a bit for the blocks up to one."""
    cdef Py_ssize_t block
    # Ancestor groups follow name groups in the masks, and so do their features.
    for block in range(counts[bit].first_block, stop):
        out[IN_NAME + bit, block] = min(counts[bit].value, MAX_AROUND)
    counts[bit].first_block = stop


# The page as a whole.

cdef bint _is_plain(FeatureContext context) noexcept nogil:
    """Return whether the page has none of the elements that HTML 5 introduced."""
    cdef int code
    for code in range(256):
        if IS_HTML5[code] and context.rows_by_tag[code]:
            return False
    return True


cdef void _write_page(
    FeatureContext context, float[:, ::1] blocks, double[::1] out
) noexcept nogil:
    """Write sums over the page; `blocks` has the features of its blocks."""
    cdef Py_ssize_t block, index
    cdef const Sums* page = &context.before[context.size]
    cdef double all_terms = context.all_terms
    cdef double shares[SHARE_GROUP_COUNT + 1]
    cdef double digits = 0, money = 0, h1_count = 0, terms
    for index in range(SHARE_GROUP_COUNT + 1):
        shares[index] = 0
    for block in range(context.size):
        terms = context.sums[block].terms
        shares[SHARE_GROUP_OF_TAG[context.block_tag[block]]] += terms
        digits += blocks[DIGITS, block] * terms
        money += blocks[MONEY, block] * terms
        h1_count += LEVEL_OF_TAG[context.block_tag[block]] == 1
    out[PAGE_LINK_DENSITY] = link_density(page)
    out[PAGE_LONG] = context.all_long / all_terms
    out[PAGE_MARKS] = page.marks / all_terms
    out[PAGE_TERMS_PER_BLOCK] = all_terms / context.size
    for index in range(SHARE_GROUP_COUNT):
        out[PAGE_SHARE + index] = shares[index] / all_terms
    for index in range(PAGE_TAG_COUNT):
        out[PAGE_TAG_PER_BLOCK + index] = (
            <double> context.rows_by_tag[PAGE_TAG_CODE[index]] / context.size
        )
    out[PAGE_DIGITS] = digits / all_terms
    out[PAGE_MONEY] = money / all_terms
    out[PAGE_H1] = at_most(h1_count, 5)
    _write_longest(context, out)


cdef void _write_longest(FeatureContext context, double[::1] out) noexcept nogil:
    """Write the share of the page's terms that its longest blocks have."""
    cdef double longest[LONGEST_BLOCKS]  # rising
    cdef Py_ssize_t block, index
    cdef double terms, total = 0
    for index in range(LONGEST_BLOCKS):
        longest[index] = 0
    for block in range(context.size):
        terms = context.sums[block].terms
        if terms > longest[0]:
            index = 1
            while index < LONGEST_BLOCKS and terms > longest[index]:
                longest[index - 1] = longest[index]
                index += 1
            longest[index - 1] = terms
    for index in range(LONGEST_BLOCKS):
        total += longest[index]
    out[PAGE_LONGEST] = longest[LONGEST_BLOCKS - 1] / context.all_terms
    out[PAGE_TOP5] = total / context.all_terms


cdef void _write_page_records(FeatureContext context, double[::1] out) noexcept nogil:
    """Write how much is in records of the group that holds the most terms as outermost ones."""
    cdef Py_ssize_t block, record, index, best = 0
    cdef double count = 0
    cdef Group* groups = context.groups
    clear_groups(groups, context.record_group_count)
    for block in range(context.size):
        record = context.outer_record[block]
        if record >= 0:
            add_sums(&groups[context.record_group[record]].sums, &context.sums[block])
    for index in range(context.record_group_count):
        if groups[index].sums.terms > groups[best].sums.terms:
            best = index
    for record in range(context.record_count):
        count += context.record_group[record] == best
    out[PAGE_RECORDS] = at_most(count, 300)
    out[PAGE_RECORD_TERMS] = groups[best].sums.terms / context.all_terms
    out[PAGE_RECORD_LINKS] = link_density(&groups[best].sums)


cdef void _write_page_names(
    FeatureContext context, float[:, ::1] blocks, double[::1] out
) noexcept nogil:
    """Write how the page is named: on average over its blocks, and on html, body and main."""
    cdef Py_ssize_t row, group, block
    cdef int64_t outer = 0
    cdef double total
    for row in range(context.row_count):
        if IS_OUTER[context.tag[row]]:
            outer |= context.masks[row]
    for group in range(NAME_GROUP_COUNT):
        total = 0
        for block in range(context.size):
            total += blocks[IN_NAME + group, block]
        out[PAGE_MEAN_NAME + group] = total / context.size
        out[PAGE_IS_NAME + group] = outer >> group & 1

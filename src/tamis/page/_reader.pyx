# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False, infer_types=False
"""Markup → the columns of a page, in one pass.

`read_markup` follows the HTML standard's tokenizer and tree construction (sections 13.2.5 and
13.2.6, whose steps the functions are named for) and writes what a parser's tree would be when
serialised, its text, and a row per element and text. It is exact, or it gives up: where tree
construction would move what has been written already, the page is *hard*, and the answer is the
reason. `read_serialised` reads a tree that another parser serialised, as it is nested.

State is one C struct, `Reader`, and all work on it is done without the GIL. The parts:

    _tags      what is known of tag names, and all tables
    _state     the struct, the limits, the reasons to give up
    _input     names, attributes, references, the ends of raw text
    _output    the normalised source, text, rows
    _stack     open elements and formatting elements
    _rules     tags in the body, in tables and in foreign content
    _late      what comes late and belongs further up
    _phases    tags and text before and after the body, comments, document type
    _literal   reading a serialised tree
    _counts    rows below others, and text that is not to be read
    _styles    what style sheets hide
    _search    searching the source
"""

from html import unescape
from typing import NamedTuple

import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset, strlen

from tamis._hashing cimport FNV_SEED, add_to_hash

include "_tags.pxi"
include "_state.pxi"
include "_input.pxi"
include "_output.pxi"
include "_stack.pxi"
include "_rules.pxi"
include "_late.pxi"
include "_phases.pxi"
include "_literal.pxi"
include "_counts.pxi"
include "_styles.pxi"
include "_search.pxi"

cdef enum:
    MAX_STEPS = 40000000
    MAX_APPENDED = 1 << 20

NODES = REASONS[MANY_NODES]
BYTES = REASONS[MANY_BYTES]

COLUMN_NAMES = (
    "tag", "flags", "depth", "parent", "end", "start", "head", "stop", "text_start", "text_stop",
    "class_start", "class_stop", "class_key", "id_start", "id_stop", "chars", "terms", "marks",
)  # fmt: skip


class Markup(NamedTuple):
    """A page that was read.

    `reason` says why it is hard, and is empty if it is not; a hard page was read leniently. Then
    `parseable` says whether a parser that moves elements about can read it in reasonable time, and
    `cuts` which parts of the input it must not see.
    """

    source: bytes  # normalised
    text: str
    columns: dict
    styles: tuple
    deep: int = 0  # elements that were left out because of their depth
    crowded: int = 0  # tags that lost attributes
    unclosed: int = 0  # formatting elements that were left out because none of them is closed
    misplaced: int = 0  # what a parser would have moved
    reason: str = ""
    parseable: bool = True
    cuts: tuple = ()


def read_markup(bytes data, long long max_nodes, long long max_bytes, bint lenient=False):
    """Read raw markup in valid UTF-8; return its Markup, or the reason why it was not read.

    The latter is one of the reasons why a page is hard, if the reader is not to be lenient; NODES
    or BYTES, if it has more than `max_nodes` nodes or `max_bytes` bytes when normalised.
    """
    cdef Reader* r
    build_tables()
    r = new_reader(data, len(data), len(data) // 24 + 64)
    try:
        r.max_nodes = max_nodes
        r.max_size = max_bytes
        r.lenient = lenient
        with nogil:
            read(r)
        if r.hard == NO_MEMORY:
            raise MemoryError
        if r.hard:
            return REASONS[r.hard]
        return Markup(
            <bytes> r.out[: r.size],
            take_text(r),
            take_columns(r),
            tuple([data[r.styles[2 * i] : r.styles[2 * i + 1]] for i in range(r.style_count)]),
            r.deep,
            r.crowded,
            r.unclosed,
            r.hard_count,
            REASONS[r.reason] if r.reason else "",
            is_parseable(r),
            tuple([(r.cuts[2 * i], r.cuts[2 * i + 1]) for i in range(r.cut_count)]),
        )
    finally:
        free_reader(r)


cdef bint is_parseable(Reader* r) noexcept nogil:
    """Say whether the work of a parser on this page stays near what its size is.

    A parser like lexbor looks at all open elements for many a tag, compares all attributes of a
    tag, copies text when it appends to it, and opens lost formatting again and again.
    """
    return (
        not r.deep + r.crowded + r.unclosed
        and r.max_depth < MAX_OPEN
        and <long long> r.tokens * (r.max_depth + r.max_formats + 8) <= MAX_STEPS
        and <long long> r.hard_count * (r.max_formats + 4) + r.nodes <= r.max_nodes
        and r.name_count < MAX_NAMES
        and r.appended <= MAX_APPENDED
        and r.fostered * r.fostered_texts <= MAX_STEPS
        and r.late_tags <= MAX_LATE
        and r.root_attributes <= MAX_ATTRIBUTES
    )


def replace_invalid(bytes data):
    """Return bytes as valid UTF-8, with U+FFFD for what is not."""
    if is_valid_utf8(data, len(data)):
        return data
    return data.decode("utf-8", "replace").encode()


def read_serialised(bytes source, bint pruning=False):
    """Read a serialised tree; return its source, its text and its columns.

    If it is pruned, bodies of scripts and style sheets and outlines of drawings are left out.
    """
    cdef Reader* r
    build_tables()
    r = new_reader(source, len(source), len(source) // 32 + 64)
    try:
        r.literal = True
        r.pruning = pruning
        r.max_size = len(source)
        with nogil:
            read_literal(r)
        if r.hard:
            raise MemoryError
        if pruning:
            source = <bytes> r.out[: r.size]
        return source, take_text(r), take_columns(r)
    finally:
        free_reader(r)


def parse_attributes(bytes source, Py_ssize_t start, Py_ssize_t stop):
    """Return the names, in lower case, and the values of a start tag of a normalised source."""
    cdef const unsigned char* text = source
    cdef Py_ssize_t name, end
    cdef dict attributes = {}
    cdef str value
    while start < stop:
        if not is_space(text[start]):  # the name of the tag
            start += 1
            continue
        name = end = start + 1
        while end < stop and not is_space(text[end]) and text[end] != 62:
            if text[end] == 61 and end > name:
                break
            end += 1
        start = end
        if end + 1 >= stop or end == name or text[end] != 61 or text[end + 1] != 34:
            continue
        start = end + 2
        while start < stop and text[start] != 34:
            start += 1
        if start < stop:
            value = source[end + 2 : start].decode("utf-8", "replace")
            if "&" in value:
                value = unescape(value)
            attributes[source[name:end].decode("utf-8", "replace").lower()] = value
    return attributes


cdef void read(Reader* r) noexcept nogil:
    """Go through the input, token by token."""
    cdef int c
    if memchr(r.src, 0, r.n) != NULL and give_up(r, NUL):
        return
    while r.pos < r.n:
        if r.src[r.pos] != 60 or r.pos + 1 >= r.n:
            read_text_token(r)
            continue
        c = r.src[r.pos + 1]
        if is_letter(c):
            read_start_tag(r)
        elif c == 47:
            if r.pos + 2 < r.n and is_letter(r.src[r.pos + 2]):
                read_end_tag(r)
            else:
                read_declaration(r)
        elif c == 33 or c == 63:
            read_declaration(r)
        else:
            read_text_token(r)
    if not r.hard:
        finish(r)


cdef void finish(Reader* r) noexcept nogil:
    """Close all that is open at the end of the input."""
    r.token = r.pos = r.n
    r.end_key = 0
    if r.phase < INSIDE_BODY:
        if r.depth:
            close_to(r, 1)
        enter_body(r)
    if r.depth:
        close_to(r, 1)
    end_text(r)
    write_end_tag(r, r.stack[0].row)
    close_row(r, r.stack[0].row, r.size)
    write_late_comments(r, False)
    write_end_tag(r, r.html_row)
    close_row(r, r.html_row, r.size)
    write_late_comments(r, True)


cdef bint is_valid_utf8(const unsigned char* text, Py_ssize_t size) noexcept nogil:
    """Say whether bytes are valid UTF-8."""
    cdef Py_ssize_t i = 0
    cdef unsigned long long eight
    cdef int c, low, high, count
    while i < size:
        if i + 8 <= size:
            memcpy(&eight, text + i, 8)
            if not eight & 0x8080808080808080ULL:
                i += 8
                continue
        c = text[i]
        i += 1
        if c < 0x80:
            continue
        low, high = 0x80, 0xBF
        if 0xC2 <= c <= 0xDF:
            count = 1
        elif 0xE0 <= c <= 0xEF:
            count = 2
            if c == 0xE0:
                low = 0xA0
            elif c == 0xED:
                high = 0x9F
        elif 0xF0 <= c <= 0xF4:
            count = 3
            if c == 0xF0:
                low = 0x90
            elif c == 0xF4:
                high = 0x8F
        else:
            return False
        if i + count > size or not low <= text[i] <= high:
            return False
        if count > 1 and text[i + 1] & 0xC0 != 0x80:
            return False
        if count > 2 and text[i + 2] & 0xC0 != 0x80:
            return False
        i += count
    return True


cdef Reader* new_reader(const unsigned char* source, Py_ssize_t size, Py_ssize_t room) except NULL:
    """Return a reader of so many bytes, with room for so many rows."""
    cdef Reader* r = <Reader*> calloc(1, sizeof(Reader))
    if r == NULL:
        raise MemoryError
    r.src = source
    r.n = size
    # The text is not longer than the input, but for a few references.
    r.text = <unsigned char*> malloc(size + size // 4 + 64)
    if r.text == NULL or not make_room(r, <int> room):
        free_reader(r)
        raise MemoryError
    r.stack[0].row = r.html_row = -1
    r.stack[0].kind = SPECIAL | SCOPE
    r.stack[0].mode = IN_BODY
    r.stack[0].format = -1
    r.quirks = True
    return r


cdef void free_reader(Reader* r) noexcept:
    """Free what a reader has."""
    free(r.text)
    free(r.out)
    free(r.cells)
    free(r)


cdef object take_text(Reader* r):
    """Return the text that was written."""
    return (<bytes> r.text[: r.text_size]).decode("utf-8", "replace")


cdef dict take_columns(Reader* r):
    """Return the columns, each by its name."""
    block = np.empty((COLUMNS, r.rows), dtype=np.intc)
    cdef int[:, ::1] view = block
    cdef int column
    if r.rows:
        for column in range(COLUMNS):
            memcpy(&view[column, 0], r.cells + <Py_ssize_t> column * r.room, r.rows * sizeof(int))
    columns = dict(zip(COLUMN_NAMES, block, strict=True))
    for name in ("tag", "flags"):
        columns[name] = columns[name].astype(np.uint8)
    columns["class_key"] = columns["class_key"].view(np.uint32)
    return columns

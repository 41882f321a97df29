# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""What a store does with every byte of a page: its source is cut, its words are looked up.

- Pieces (prepare.py): where the owner of the source's bytes changes, and where it is cut.
- Parts of a text (tokenizer.py): what stands between gaps. The tokens of a part are looked up by
  the part's hash in a table; they are a line of one long text.
- Hashes of tokens (minhash.py).

The loops over pages and texts need no GIL.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy

from tamis._hashing cimport add_to_hash

import numpy as np

cdef enum:
    # Where a source is cut; changing one makes new pieces of pages that are stored already.
    MIN_NOISE_BYTES = 2048  # of a piece of noise, if there are as many between informative blocks
    NOISE_INTERVAL = 8  # of so many noise blocks one may be the last of such a piece
    MAX_BLOCKS = 64  # of a piece
    SHORT_BYTES = 240  # of an informative block that may share a piece with the next one
    SHORT_BLOCKS = 8  # that share a piece on average
    NEAR_BYTES = 256  # of markup between informative blocks that go with the first of them

    SPACE = 32
    LINE_BREAK = 10

cdef extern from *:
    """
    #define CRC_POLYNOMIAL 0xEDB88320U
    #define CRC_START 0xFFFFFFFFU
    """
    const uint32_t CRC_POLYNOMIAL
    const uint32_t CRC_START

cdef uint32_t CRC_TABLE[256]  # what each byte does to a CRC-32


cdef void _fill_crc_table() noexcept:
    cdef uint32_t byte, value
    cdef int _bit
    for byte in range(256):
        value = byte
        for _bit in range(8):
            value = value >> 1 ^ (CRC_POLYNOMIAL if value & 1 else 0)
        CRC_TABLE[byte] = value


_fill_crc_table()


# Pieces ------------------------------------------------------------------------------------------


def find_owners(
    const int32_t[::1] start,
    const int32_t[::1] stop,
    const int32_t[::1] parent,
    const int32_t[::1] owner,
):
    """Return the offsets where the owner of a page's bytes changes, and the block that owns next.

    At its start a row's owner begins to own, at its stop the owner of the row around it does. Bytes
    that no block owns have the owner -1.
    """
    cdef Py_ssize_t size = start.shape[0], count = 0, depth = 0, row
    offsets, owners = np.empty((2, 2 * size), np.int64)
    cdef int64_t[::1] offset = offsets
    cdef int64_t[::1] block = owners
    cdef int32_t[::1] opened = np.empty(size, np.int32)
    with nogil:
        for row in range(size):
            while depth > 0 and opened[depth - 1] != parent[row]:
                depth -= 1
                count = _close_row(opened, depth, stop, owner, count, offset, block)
            if owner[row] != (owner[parent[row]] if depth > 0 else -1):
                count = _note_change(start[row], owner[row], count, offset, block)
            opened[depth] = <int32_t> row
            depth += 1
        while depth > 0:
            depth -= 1
            count = _close_row(opened, depth, stop, owner, count, offset, block)
    return offsets[:count], owners[:count]


cdef Py_ssize_t _close_row(
    const int32_t[::1] opened,
    Py_ssize_t depth,
    const int32_t[::1] stop,
    const int32_t[::1] owner,
    Py_ssize_t count,
    int64_t[::1] offset,
    int64_t[::1] block,
) noexcept nogil:
    """Let the owner of the row around an open row own from its stop on; return the new count."""
    cdef int32_t row = opened[depth]
    cdef int32_t outer = owner[opened[depth - 1]] if depth > 0 else -1
    if outer == owner[row]:
        return count
    return _note_change(stop[row], outer, count, offset, block)


cdef Py_ssize_t _note_change(
    int64_t at, int64_t owner, Py_ssize_t count, int64_t[::1] offset, int64_t[::1] block
) noexcept nogil:
    """Write which block owns the bytes from an offset on; return how many changes there are."""
    if count > 0 and offset[count - 1] == at:
        count -= 1  # of several at one offset the last counts
    if count > 0 and block[count - 1] == owner:
        return count
    offset[count] = at
    block[count] = owner
    return count + 1


def find_spans(
    const uint8_t[::1] source, const int64_t[::1] starts, const int64_t[::1] stops, is_informative
):
    """Return the start, the stop and whether it is informative of each piece of a source.

    They are the rows of an array. `starts`, `stops` and `is_informative` are of the runs of bytes
    that blocks own. `piece_spans` in prepare.py says how the source is cut.
    """
    cdef const uint8_t[::1] informative = is_informative.view(np.uint8)
    cdef Py_ssize_t size = source.shape[0], count = 0, run, start, stop
    cdef Py_ssize_t begin = 0, block_count = 0  # of the piece that is open
    cdef Py_ssize_t end = -1, own_bytes = 0  # of its last informative block, if it has one
    columns = np.empty((3, 2 * starts.shape[0] + 2), np.int32)
    cdef int32_t[:, ::1] spans = columns
    with nogil:
        for run in range(starts.shape[0]):
            start, stop = starts[run], stops[run]
            if end >= 0 and not (informative[run] and start - end <= NEAR_BYTES):
                end = _skip_space(source, end, stop)
                count = _add_span(spans, count, begin, end, True)
                begin, end, block_count = end, -1, 0
            if stop <= begin:  # nothing but white space, which went with the piece before
                continue
            block_count += 1
            if informative[run]:
                start = max(start, begin)
                if (
                    end < 0
                    or own_bytes >= SHORT_BYTES
                    or own_bytes % SHORT_BLOCKS == 0
                    or block_count > MAX_BLOCKS
                ):
                    if start > begin or end >= 0:
                        count = _add_span(spans, count, begin, start, end >= 0)
                    begin, block_count = start, 1
                end, own_bytes = stop, stop - start
            elif block_count >= MAX_BLOCKS or (
                (stop - start) % NOISE_INTERVAL == 0 and stop - begin >= MIN_NOISE_BYTES
            ):
                count = _add_span(spans, count, begin, stop, False)
                begin, block_count = stop, 0
        if end >= 0:
            end = _skip_space(source, end, size)
            count = _add_span(spans, count, begin, end, True)
            begin = end
        if begin < size:
            count = _add_span(spans, count, begin, size, False)
    return columns[:, :count]


cdef Py_ssize_t _skip_space(
    const uint8_t[::1] source, Py_ssize_t offset, Py_ssize_t limit
) noexcept nogil:
    """Return where white space that begins at an offset ends."""
    while offset < limit and (source[offset] == SPACE or 9 <= source[offset] <= 13):
        offset += 1
    return offset


cdef Py_ssize_t _add_span(
    int32_t[:, ::1] spans, Py_ssize_t count, Py_ssize_t start, Py_ssize_t stop, bint informative
) noexcept nogil:
    """Write a piece, and return how many there are."""
    spans[0, count] = <int32_t> start
    spans[1, count] = <int32_t> stop
    spans[2, count] = informative
    return count + 1


# Parts of texts ----------------------------------------------------------------------------------


def find_parts(const uint8_t[::1] data, const uint8_t[::1] folded, uint64_t seed):
    """Return the key, the start and the stop of each part of a text.

    `folded` has for each byte the one that it is read as, 0 for a gap. A key is a hash that starts
    with a seed; it is never 0.
    """
    cdef Py_ssize_t size = data.shape[0], capacity = size // 2 + 1, count = 0, offset
    cdef uint64_t key = 0  # of the part that is open
    cdef uint8_t byte
    keys = np.empty(capacity, np.uint64)
    starts, stops = np.empty((2, capacity), np.int32)
    cdef uint64_t[::1] part_key = keys
    cdef int32_t[::1] start = starts
    cdef int32_t[::1] stop = stops
    with nogil:
        for offset in range(size):
            byte = folded[data[offset]]
            if byte:
                if not key:
                    key = seed
                    start[count] = <int32_t> offset
                key = add_to_hash(key, byte)
                key ^= key >> 32
                if not key:
                    key = 1
            elif key:
                part_key[count] = key
                stop[count] = <int32_t> offset
                count += 1
                key = 0
        if key:
            part_key[count] = key
            stop[count] = <int32_t> size
            count += 1
    return keys[:count], starts[:count], stops[:count]


def join_parts(
    const uint8_t[::1] data,
    const uint8_t[::1] folded,
    const int32_t[::1] starts,
    const int32_t[::1] stops,
    const int32_t[::1] indices,
):
    """Return some parts of a text as they are read, each with a line break behind it."""
    cdef Py_ssize_t size = 0, index, offset
    for index in range(indices.shape[0]):
        size += stops[indices[index]] - starts[indices[index]] + 1
    lines = PyBytes_FromStringAndSize(NULL, size)
    cdef char* out = PyBytes_AS_STRING(lines)
    with nogil:
        for index in range(indices.shape[0]):
            for offset in range(starts[indices[index]], stops[indices[index]]):
                out[0] = <char> folded[data[offset]]
                out += 1
            out[0] = LINE_BREAK
            out += 1
    return lines


def find_slots(const uint64_t[::1] keys, uint64_t[::1] table):
    """Return the slot of each key in a table, and the indices of the keys that were not in it.

    Those are entered. The table has as many slots as a power of two, and 0 in those that are free.
    """
    cdef Py_ssize_t size = keys.shape[0], new_count = 0, index
    cdef uint64_t slot, last_slot = table.shape[0] - 1
    slots, new = np.empty((2, size), np.int32)
    cdef int32_t[::1] slot_of_key = slots
    cdef int32_t[::1] new_index = new
    with nogil:
        for index in range(size):
            slot = keys[index] & last_slot
            while table[slot] and table[slot] != keys[index]:
                slot = (slot + 1) & last_slot
            slot_of_key[index] = <int32_t> slot
            if not table[slot]:
                table[slot] = keys[index]
                new_index[new_count] = <int32_t> index
                new_count += 1
    return slots, new[:new_count]


def note_lines(
    const int32_t[::1] slots,
    const int32_t[::1] indices,
    const uint8_t[::1] lines,
    Py_ssize_t offset,
    int32_t[::1] starts,
    int32_t[::1] stops,
):
    """Write where the tokens of some slots start and stop: each is a line, from an offset on.

    There must be as many lines as slots.
    """
    cdef Py_ssize_t size = lines.shape[0], index
    cdef const uint8_t* line_break
    for index in range(indices.shape[0]):
        line_break = NULL
        if offset < size:
            line_break = <const uint8_t*> memchr(&lines[offset], LINE_BREAK, size - offset)
        if line_break == NULL:
            raise ValueError(f"there are {index} lines for {indices.shape[0]} slots")
        starts[slots[indices[index]]] = <int32_t> offset
        offset = line_break - &lines[0]
        stops[slots[indices[index]]] = <int32_t> offset
        offset += 1


def join_tokens(
    const int32_t[::1] slots,
    const int32_t[::1] starts,
    const int32_t[::1] stops,
    const uint8_t[::1] tokens,
):
    """Return the tokens of slots, with a space between each two; a slot may have none."""
    cdef Py_ssize_t size = 0, index, length
    for index in range(slots.shape[0]):
        length = stops[slots[index]] - starts[slots[index]]
        if length:
            size += length + 1
    if not size:
        return b""
    line = PyBytes_FromStringAndSize(NULL, size - 1)
    cdef char* out = PyBytes_AS_STRING(line)
    cdef char* first = out
    with nogil:
        for index in range(slots.shape[0]):
            length = stops[slots[index]] - starts[slots[index]]
            if not length:
                continue
            if out != first:
                out[0] = SPACE
                out += 1
            memcpy(out, &tokens[starts[slots[index]]], length)
            out += length
    return line


# Hashes of tokens --------------------------------------------------------------------------------


def hash_tokens(const uint8_t[::1] line):
    """Return the CRC-32 of each token of a line."""
    cdef Py_ssize_t size = line.shape[0], count = 0, offset
    cdef uint32_t value = CRC_START
    cdef bint is_in_token = False
    hashes = np.empty(size // 2 + 1, np.uint32)
    cdef uint32_t[::1] hashed = hashes
    with nogil:
        for offset in range(size):
            if line[offset] != SPACE:
                value = CRC_TABLE[(value ^ line[offset]) & 255] ^ (value >> 8)
                is_in_token = True
            elif is_in_token:
                hashed[count] = value ^ CRC_START
                count += 1
                value = CRC_START
                is_in_token = False
        if is_in_token:
            hashed[count] = value ^ CRC_START
            count += 1
    return hashes[:count]

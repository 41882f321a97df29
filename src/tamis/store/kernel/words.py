# cython: boundscheck=False, wraparound=False
"""The words of texts: looked up in a table by their hashes, written out, hashed for sketches.

A *part* of a text is what stands between gaps. A table has room for as many keys as it has slots, a
power of two; each knows where the words that the part stands for are: a line of one long text.
"""

from __future__ import annotations

from typing import Any, Final

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one axis; words.pxd has the types

PRIME: Final = 1099511628211
WRAP: Final = 0xFFFFFFFFFFFFFFFF  # numbers of 64 bits, as C has them
CRC: Final = 0xFFFFFFFF
SPACE: Final = 32
LINE: Final = 10


def find_parts(
    data: Array, folds: Array, seed: int, keys: Array, starts: Array, stops: Array
) -> int:
    """Write the key of each part of a text and where it is, and return how many there are.

    `folds` has for each byte the one that it is read as, 0 for a gap.
    """
    count = 0
    key = 0
    for place in range(data.shape[0]):
        byte = folds[data[place]]
        if byte:
            if key == 0:
                key = seed
                starts[count] = place
            key = ((key ^ byte) * PRIME) & WRAP
            key = key ^ (key >> 32) or 1
        elif key:
            keys[count] = key
            stops[count] = place
            count += 1
            key = 0
    if key:
        keys[count] = key
        stops[count] = data.shape[0]
        count += 1
    return count


def slot_of(key: int, known: Array) -> Any:
    """Return the slot of a key in a table, or the free one where it would be."""
    last = known.shape[0] - 1
    slot = key & last
    while known[slot] and known[slot] != key:
        slot = (slot + 1) & last
    return slot


def find_slots(keys: Array, known: Array, slots: Array, new: Array) -> int:
    """Write the slot of each key, and enter those that are not in the table.

    `new` becomes the places of those that were entered; return how many there are.
    """
    count = 0
    for place in range(keys.shape[0]):
        slot = slot_of(keys[place], known)
        slots[place] = slot
        if not known[slot]:
            known[slot] = keys[place]
            new[count] = place
            count += 1
    return count


def write_parts(
    data: Array, folds: Array, starts: Array, stops: Array, new: Array, out: Array
) -> int:
    """Write some parts of a text as they are read, a line each; return how many bytes they take."""
    size = 0
    for number in range(new.shape[0]):
        for place in range(starts[new[number]], stops[new[number]]):
            out[size] = folds[data[place]]
            size += 1
        out[size] = LINE
        size += 1
    return size


def note_lines(
    slots: Array, new: Array, words: Array, begin: int, first: Array, stop: Array
) -> None:
    """Note that the words of some slots are a line each, from `begin` on."""
    for number in range(new.shape[0]):
        slot = slots[new[number]]
        first[slot] = begin
        while words[begin] != LINE:
            begin += 1
        stop[slot] = begin
        begin += 1


def count_bytes(slots: Array, first: Array, stop: Array) -> int:
    """Return how many bytes the words of slots take, with a space behind each."""
    size = 0
    for place in range(slots.shape[0]):
        size += stop[slots[place]] - first[slots[place]] + 1
    return size


def write_words(slots: Array, first: Array, stop: Array, words: Array, out: Array) -> int:
    """Write the words of slots with a space behind each, and return how many bytes they take."""
    size = 0
    for place in range(slots.shape[0]):
        begin = first[slots[place]]
        end = stop[slots[place]]
        for at in range(begin, end):
            out[size] = words[at]
            size += 1
        if end > begin:  # there may be no words at all
            out[size] = SPACE
            size += 1
    return size


def hash_words(line: Array, table: Array, out: Array) -> int:
    """Write the CRC-32 of each word of a line, and return how many there are."""
    count = 0
    begun = False
    value = CRC
    for place in range(line.shape[0]):
        if line[place] != SPACE:
            value = table[(value ^ line[place]) & 255] ^ (value >> 8)
            begun = True
        elif begun:
            out[count] = value ^ CRC
            count += 1
            value = CRC
            begun = False
    if begun:
        out[count] = value ^ CRC
        count += 1
    return count


if not cython.compiled:
    find_parts = on_numbers(find_parts)
    find_slots = on_numbers(find_slots)
    write_parts = on_numbers(write_parts)
    note_lines = on_numbers(note_lines)
    count_bytes = on_numbers(count_bytes)
    write_words = on_numbers(write_words)
    hash_words = on_numbers(hash_words)

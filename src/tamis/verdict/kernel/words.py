# cython: boundscheck=False, wraparound=False, cdivision=True
"""Words of a title and how many of them blocks have.

A word is a run of letters and digits, in small letters; of scripts that write no spaces (Chinese,
Japanese, Korean) it is each pair of letters that stand together. Words are known by their hash.
"""

from __future__ import annotations

from typing import Any, Final

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one or two axes; words.pxd has the types

SEED: Final = 1469598103934665603
PRIME: Final = 1099511628211
ONE: Final = 1
WRAP: Final = 0xFFFFFFFFFFFFFFFF  # numbers of 64 bits, as C has them


def is_paired(code: int) -> bool:
    """Return whether a letter is of a script that writes no spaces."""
    return 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7AF


def find_keys(text: Array, start: int, stop: int, folds: Array, initials: int, keys: Array) -> int:
    """Write the hashes of the words between two places, and return how many there are.

    A word whose first letter is not among the initials, as bits of its code modulo 64, gets 0.
    """
    size = folds.shape[0]
    count = 0
    key = 0
    length = 0
    paired = 0
    for place in range(start, stop):
        code = text[place]
        small = folds[code] if code < size else 0
        if small:
            if length == 0:
                key = SEED if initials >> (small & 63) & 1 else 0
            if key:
                key = ((key ^ small) * PRIME) & WRAP
            length += 1
        elif length:
            keys[count] = key
            count += 1
            length = 0
        if code >= size and is_paired(code):
            if paired:
                keys[count] = (((SEED ^ paired) * PRIME ^ code) * PRIME) & WRAP
                count += 1
            paired = code
        else:
            paired = 0
    if length:
        keys[count] = key
        count += 1
    return count


def initials_of(text: Array, folds: Array) -> int:
    """Return the letters of a text as bits of their codes modulo 64."""
    found = 0
    for place in range(text.shape[0]):
        small = folds[text[place]] if text[place] < folds.shape[0] else 0
        if small:
            found |= ONE << (small & 63)
    return found


def note_words(title: Array, folds: Array, keys: Array, known: Array) -> int:
    """Write the words of a title into a table of hashes, and return how many different ones.

    `known` has zeros, and a power of two of slots; `keys` is room to work in.
    """
    last = known.shape[0] - 1
    found = 0
    initials = initials_of(title, folds)
    for place in range(find_keys(title, 0, title.shape[0], folds, initials, keys)):
        key = keys[place]
        slot = (key ^ (key >> 32)) & last
        while known[slot] and known[slot] != key:
            slot = (slot + 1) & last
        if not known[slot]:
            known[slot] = key
            found += 1
    return found


def match_words(
    title: Array,
    text: Array,
    folds: Array,
    start: Array,
    stop: Array,
    terms: Array,
    known: Array,
    count: int,
    seen: Array,
    keys: Array,
    out: Array,
) -> None:
    """Write, for each block, how its words are those of a title of `count` words: three measures.

    Words that both have, twice, by the words of both; by the title's words; by the block's words
    that were read. Nothing where nobody sees a term of the block. `seen` (zeros) remembers the
    block that had a word last; as many letters are read as `keys` has room for, and how many words
    there are is told from those.
    """
    last = known.shape[0] - 1
    room = keys.shape[0]
    initials = initials_of(title, folds)
    for block in range(start.shape[0]):
        letters = stop[block] - start[block] if terms[block] > 0 else 0
        read = letters if letters < room else room
        words = find_keys(text, start[block], start[block] + read, folds, initials, keys)
        hits = 0
        for place in range(words):
            key = keys[place]
            if key == 0:
                continue
            slot = (key ^ (key >> 32)) & last
            while known[slot] and known[slot] != key:
                slot = (slot + 1) & last
            if known[slot] and seen[slot] != block + 1:
                seen[slot] = block + 1
                hits += 1
        out[0, block] = out[1, block] = out[2, block] = 0
        if hits:
            out[0, block] = 2.0 * hits / (count + 1.0 * words * letters / read)
            out[1, block] = 1.0 * hits / count
            out[2, block] = 1.0 * hits / words


def find_headline(match: Array, tag: Array, heading: Array) -> int:
    """Return the block that matches the title best; headings that match well come first."""
    best = 0
    most = -1.0
    for block in range(tag.shape[0]):
        value = match[0, block] + 0.25 if match[0, block] > 0.2 and heading[tag[block]] else 0.0
        if match[0, block] > value:
            value = match[0, block]
        if value > most:
            most = value
            best = block
    return best


if not cython.compiled:
    find_headline = on_numbers(find_headline)
    note_words = on_numbers(note_words)
    match_words = on_numbers(match_words)

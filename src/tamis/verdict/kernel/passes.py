# cython: boundscheck=False, wraparound=False, cdivision=True
"""Passes over the rows and letters of a page that numpy would need many steps for.

Each fills an array that it is given. The formulas on blocks are in verdict/evidence.
"""

from __future__ import annotations

from typing import Any, Final

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one or two axes; passes.pxd has the types

SEED: Final = 1469598103934665603
PRIME: Final = 1099511628211
WRAP: Final = 0xFFFFFFFFFFFFFFFF  # numbers of 64 bits, as C has them


def count_around(
    masks: Array, end: Array, anchor: Array, around: Array, now: Array, opened: Array
) -> None:
    """Count, for each block, the rows at or above its anchor that have each bit of a mask.

    `now` (zeros) and `opened` are room for the counts and the rows that are open.
    """
    bits = around.shape[0]
    depth = 0
    row = 0
    for block in range(anchor.shape[0]):
        place = anchor[block]
        while row <= place:
            mask = masks[row]
            if mask:
                while depth > 0 and end[opened[depth - 1]] <= row:
                    depth -= 1
                    count_bits(now, masks[opened[depth]], -1)
                count_bits(now, mask, 1)
                opened[depth] = row
                depth += 1
            row += 1
        while depth > 0 and end[opened[depth - 1]] <= place:
            depth -= 1
            count_bits(now, masks[opened[depth]], -1)
        for bit in range(bits):
            around[bit, block] = now[bit]


def count_bits(now: Array, mask: int, step: int) -> None:
    """Add a step to the count of each bit of a mask."""
    bit = 0
    while mask:
        while not mask & 255:
            mask >>= 8
            bit += 8
        if mask & 1:
            now[bit] += step
        mask >>= 1
        bit += 1


def word_key(word: bytes) -> int:
    """Return the hash of a word in small letters."""
    key = SEED
    for letter in word:
        key = ((key ^ letter) * PRIME) & WRAP
    return key


def find_words(source: Array, start: int, stop: int, known: Array, groups: Array) -> int:
    """Return the groups of the words between two places, as bits.

    Words are runs of letters; a capital after a small letter begins another. `known` is a table of
    hashes, 0 where it is empty, with the groups beside.
    """
    found = 0
    key = SEED
    length = 0
    small = False
    last = known.shape[0] - 1
    place = start
    while place <= stop:
        letter = source[place] if place < stop else 32
        is_small = 97 <= letter <= 122
        is_big = 65 <= letter <= 90
        if length and (not (is_small or is_big) or (is_big and small)):
            slot = key & last
            while known[slot]:
                if known[slot] == key:
                    found |= groups[slot]
                    break
                slot = (slot + 1) & last
            key = SEED
            length = 0
        if is_small or is_big:
            key = ((key ^ (letter | 32)) * PRIME) & WRAP
            length += 1
        small = is_small
        place += 1
    return found


def find_names(
    source: Array, columns: Array, known: Array, groups: Array, cache: Array, masks: Array
) -> None:
    """Find, for each row, the groups of words in its class and id, as bits.

    `columns` are class key, class start and stop, id start and stop. A class that was seen lately
    is not read again: `cache` remembers keys and masks.
    """
    places = cache.shape[1] - 1
    for row in range(masks.shape[0]):
        mask = 0
        if columns[2, row] > columns[1, row]:
            key = columns[0, row]
            slot = key & places
            if cache[0, slot] == key and cache[2, slot]:
                mask = cache[1, slot]
            else:
                mask = find_words(source, columns[1, row], columns[2, row], known, groups)
                cache[0, slot] = key
                cache[1, slot] = mask
                cache[2, slot] = 1
        if columns[4, row] > columns[3, row]:
            mask |= find_words(source, columns[3, row], columns[4, row], known, groups)
        masks[row] = mask


def count_letters(codes: Array, classes: Array, start: Array, stop: Array, counts: Array) -> None:
    """Count, for each block, the letters of each class (a bit of `classes`), then add all codes."""
    bits = counts.shape[0] - 1
    size = classes.shape[0] - 1
    for block in range(start.shape[0]):
        total = 0
        for place in range(start[block], stop[block]):
            code = codes[place]
            if code > size:
                code = size
            total += code
            kind = classes[code]
            if kind:
                for bit in range(bits):
                    if kind >> bit & 1:
                        counts[bit, block] += 1
        counts[bits, block] = total


def find_levels(parent: Array, held: Array, anchor: Array, levels: Array) -> None:
    """Find the elements around each block that hold ever more blocks; `held` says how many."""
    for block in range(anchor.shape[0]):
        row = anchor[block]
        for level in range(levels.shape[0]):
            count = held[row]
            while row > 0 and held[row] == count:
                row = parent[row]
            levels[level, block] = row


def hash_paths(tag: Array, parent: Array, keys: Array) -> None:
    """Hash the tags above each row and its own."""
    for row in range(tag.shape[0]):
        above = keys[parent[row]] if row else SEED
        keys[row] = ((above ^ (tag[row] + 1)) * PRIME) & WRAP


def find_groups(keys: Array, table: Array, groups: Array) -> int:
    """Number the distinct keys in order of appearance; return how many there are.

    `table` has room for the first place of each distinct key, and twice as many slots as keys.
    """
    last = table.shape[0] - 1
    for slot in range(last + 1):
        table[slot] = -1
    count = 0
    for place in range(keys.shape[0]):
        key = keys[place]
        slot = (key ^ (key >> 29) ^ (key >> 47)) & last
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = (slot + 1) & last
        if table[slot] < 0:
            table[slot] = place
            groups[place] = count
            count += 1
        else:
            groups[place] = groups[table[slot]]
    return count


def find_around(
    rows: Array, end: Array, anchor: Array, inner: Array, outer: Array, room: Array
) -> None:
    """Find, for each block, the innermost and the outermost of rows around it, as places."""
    depth = 0
    place = 0
    for block in range(anchor.shape[0]):
        at = anchor[block]
        while place < rows.shape[0] and rows[place] <= at:
            while depth > 0 and end[rows[room[depth - 1]]] <= rows[place]:
                depth -= 1
            room[depth] = place
            depth += 1
            place += 1
        while depth > 0 and end[rows[room[depth - 1]]] <= at:
            depth -= 1
        inner[block] = room[depth - 1] if depth else -1
        outer[block] = room[0] if depth else -1


if not cython.compiled:
    count_around = on_numbers(count_around)
    find_names = on_numbers(find_names)
    count_letters = on_numbers(count_letters)
    find_levels = on_numbers(find_levels)
    hash_paths = on_numbers(hash_paths)
    find_groups = on_numbers(find_groups)
    find_around = on_numbers(find_around)

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
SPREAD: Final = 0x9E3779B97F4A7C15
WRAP: Final = 0xFFFFFFFFFFFFFFFF  # numbers of 64 bits, as C has them


def count_around(
    masks: Array, end: Array, anchor: Array, most: int, around: Array, now: Array, opened: Array
) -> None:
    """Count, for each block, the rows at or above its anchor that have each bit of a mask.

    At most so many. `now` (zeros) has room for the count of each bit, and for the first block that
    it is not written for yet; `opened` for the rows that are open.
    """
    depth = 0
    row = 0
    for block in range(anchor.shape[0]):
        place = anchor[block]
        while row <= place:
            mask = masks[row]
            if mask:
                while depth > 0 and end[opened[depth - 1]] <= row:
                    depth -= 1
                    count_bits(masks[opened[depth]], -1, most, block, now, around)
                count_bits(mask, 1, most, block, now, around)
                opened[depth] = row
                depth += 1
            row += 1
        while depth > 0 and end[opened[depth - 1]] <= place:
            depth -= 1
            count_bits(masks[opened[depth]], -1, most, block, now, around)
    for bit in range(around.shape[0]):
        write_count(bit, most, anchor.shape[0], now, around)


def count_bits(mask: int, step: int, most: int, block: int, now: Array, around: Array) -> None:
    """Add a step to the count of each bit of a mask, from a block on."""
    bit = 0
    while mask:
        while not mask & 255:
            mask >>= 8
            bit += 8
        while not mask & 1:
            mask >>= 1
            bit += 1
        write_count(bit, most, block, now, around)
        now[0, bit] += step
        mask >>= 1
        bit += 1


def write_count(bit: int, most: int, stop: int, now: Array, around: Array) -> None:
    """Write the count of a bit for the blocks up to one."""
    count = now[0, bit] if now[0, bit] < most else most
    for block in range(now[1, bit], stop):
        around[bit, block] = count
    now[1, bit] = stop


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


def join_names(masks: Array, tag: Array, wanted: Array) -> int:
    """Return all bits of the masks of rows with tags of a table."""
    found = 0
    for row in range(tag.shape[0]):
        if wanted[tag[row]]:
            found |= masks[row]
    return found


def add_elements(masks: Array, tag: Array, groups: Array) -> None:
    """Add to the masks of rows the bits that a table has for their tags."""
    for row in range(tag.shape[0]):
        masks[row] |= groups[tag[row]]


def measure_names(masks: Array, anchor: Array, node: Array, wanted: Array, out: Array) -> None:
    """Write which of some bits the masks of each block's anchor and element have."""
    for block in range(anchor.shape[0]):
        mask = masks[anchor[block]] | masks[node[block]]
        for place in range(wanted.shape[0]):
            out[place, block] = mask >> wanted[place] & 1


def find_names(
    source: Array,
    keys: Array,
    classes: Array,
    class_stops: Array,
    ids: Array,
    id_stops: Array,
    known: Array,
    groups: Array,
    cache: Array,
    masks: Array,
) -> None:
    """Find, for each row, the groups of words in its class and id, as bits.

    The columns are where class and id begin and stop, `keys` those of the classes. A class that was
    seen lately is not read again: `cache` (zeros) remembers keys and masks.
    """
    places = cache.shape[1] - 1
    for row in range(masks.shape[0]):
        mask = 0
        if class_stops[row] > classes[row]:
            key = keys[row]
            slot = key & places
            if cache[0, slot] == key and cache[2, slot]:
                mask = cache[1, slot]
            else:
                mask = find_words(source, classes[row], class_stops[row], known, groups)
                cache[0, slot] = key
                cache[1, slot] = mask
                cache[2, slot] = 1
        if id_stops[row] > ids[row]:
            mask |= find_words(source, ids[row], id_stops[row], known, groups)
        masks[row] = mask


def find_text(
    text: Array, starts: Array, stops: Array, firsts: Array, ends: Array, start: Array, stop: Array
) -> None:
    """Find where the text of each block begins, past white space, and where it stops.

    `starts` and `stops` are of rows; a block goes from its first row up to its end.
    """
    for block in range(start.shape[0]):
        begin = starts[firsts[block]]
        end = stops[ends[block] - 1]
        while begin < end and text[begin] <= 32:
            begin += 1
        start[block] = begin
        stop[block] = end if end > begin else begin


def measure_letters(
    text: Array, classes: Array, read: int, start: Array, stop: Array, keys: Array, out: Array
) -> None:
    """Write what the letters of each block are, then how it ends: seven measures.

    `classes` are bits of code points: five that are counted, as shares of up to `read` letters, and
    two that matter at the end. `keys` are the same for blocks with the same text.
    """
    size = classes.shape[0] - 1
    for block in range(start.shape[0]):
        total = 0
        first = start[block]
        last = stop[block]
        end = last if last < first + read else first + read
        for bit in range(7):
            out[bit, block] = 0
        for place in range(first, end):
            code = text[place]
            total += code
            kind = classes[code if code < size else size] & 31
            if kind:
                for bit in range(5):
                    if kind >> bit & 1:
                        out[bit, block] += 1
        code = 0
        if last > first:
            for bit in range(5):
                out[bit, block] = out[bit, block] / (end - first)
            code = text[last - 1]
            kind = classes[code if code < size else size]
            out[5, block] = kind >> 5 & 1
            out[6, block] = kind >> 6 & 1
        keys[block] = ((total * 65537 + last - first) * 257 + code) & WRAP


def measure_repeats(group: Array, sizes: Array, out: Array) -> None:
    """Write how often each block's group occurs, up to 50, and whether for the first time.

    Groups are numbered as they begin. `sizes` (zeros) has room for a number a group.
    """
    begun = 0
    for block in range(group.shape[0]):
        out[1, block] = group[block] == begun
        begun += group[block] == begun
        sizes[group[block]] += 1
    for block in range(group.shape[0]):
        count = sizes[group[block]]
        out[0, block] = count if count < 50 else 50


def find_makes(
    totals: Array,
    before: Array,
    end: Array,
    tag: Array,
    parent: Array,
    classes: Array,
    lowest: int,
    rows: Array,
    keys: Array,
) -> int:
    """Find the elements that hold text, with a key that is the same for siblings of one make.

    Return how many there are. Elements are rows whose tag is over `lowest`.
    """
    count = 0
    for row in range(tag.shape[0]):
        if tag[row] > lowest and totals[0, before[end[row]]] > totals[0, before[row]]:
            rows[count] = row
            key = (parent[row] * SPREAD) & WRAP
            keys[count] = (key + classes[row] * 257 + tag[row]) & WRAP
            count += 1
    return count


def find_levels(parent: Array, end: Array, before: Array, anchor: Array, levels: Array) -> None:
    """Find the elements around each block that hold ever more blocks.

    `before` is the number of blocks before each row.
    """
    for block in range(anchor.shape[0]):
        row = anchor[block]
        for level in range(levels.shape[0]):
            count = before[end[row]] - before[row]
            while row > 0 and before[end[row]] - before[row] == count:
                row = parent[row]
            levels[level, block] = row


def hash_paths(tag: Array, parent: Array, keys: Array) -> None:
    """Hash the tags above each row and its own."""
    for row in range(tag.shape[0]):
        above = keys[parent[row]] if row else SEED
        keys[row] = ((above ^ (tag[row] + 1)) * PRIME) & WRAP


def hash_blocks(
    keys: Array, anchor: Array, node: Array, classes: Array, paths: Array, named: Array
) -> None:
    """Write the key of each block's path, and one of its path and its classes."""
    for block in range(anchor.shape[0]):
        name = classes[node[block]]
        paths[block] = keys[anchor[block]]
        named[block] = (paths[block] + name * 1_000_003) & WRAP


def keep_makes(rows: Array, group: Array, sizes: Array, least: int) -> int:
    """Keep the rows of groups of at least some size; return how many.

    `sizes` (zeros) has room for a number a group.
    """
    for place in range(rows.shape[0]):
        sizes[group[place]] += 1
    count = 0
    for place in range(rows.shape[0]):
        if sizes[group[place]] >= least:
            rows[count] = rows[place]
            group[count] = group[place]
            count += 1
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
    join_names = on_numbers(join_names)
    add_elements = on_numbers(add_elements)
    measure_names = on_numbers(measure_names)
    hash_blocks = on_numbers(hash_blocks)
    keep_makes = on_numbers(keep_makes)
    count_around = on_numbers(count_around)
    find_names = on_numbers(find_names)
    find_text = on_numbers(find_text)
    measure_letters = on_numbers(measure_letters)
    measure_repeats = on_numbers(measure_repeats)
    find_makes = on_numbers(find_makes)
    find_levels = on_numbers(find_levels)
    hash_paths = on_numbers(hash_paths)
    find_around = on_numbers(find_around)

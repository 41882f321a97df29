# cython: boundscheck=False, wraparound=False, cdivision=True
"""Formulas on runs of blocks, for all blocks at once: they would be some hundred steps in numpy.

`totals` are sums over the blocks before each block: terms, characters in links, characters, marks,
terms of running text, headings, objects. What stands in a run of blocks is a difference of two.
"""

from __future__ import annotations

from typing import Any

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one or two axes; measures.pxd has the types


def measure_own(
    sums: Array,
    elements: Array,
    tag: Array,
    kinds: Array,
    levels: Array,
    depth: Array,
    first: Array,
    node: Array,
    out: Array,
) -> None:
    """Write what each block holds itself: eleven measures, and the elements that are counted.

    `kinds` and `levels` are tables of tags, `depth` is of rows.
    """
    size = tag.shape[0]
    all_terms = 0.0
    most = 1.0
    for block in range(size):
        all_terms += sums[0, block]
        if sums[0, block] > most:
            most = sums[0, block]
    if all_terms < 1:
        all_terms = 1.0
    for block in range(size):
        terms = sums[0, block]
        chars = sums[2, block] if sums[2, block] > 1 else 1
        marks = sums[3, block]
        out[0, block] = terms if terms < 2000 else 2000
        out[1, block] = marks if marks < 500 else 500
        out[2, block] = sums[1, block] / chars
        out[3, block] = marks / (terms if terms > 1 else 1)
        out[4, block] = terms / all_terms
        out[5, block] = terms / most
        out[6, block] = kinds[tag[block]]
        out[7, block] = levels[tag[block]]
        out[8, block] = first[block] == node[block]
        out[9, block] = depth[first[block]]
        out[10, block] = sums[4, block] / chars
    for group in range(elements.shape[0]):
        for block in range(size):
            count = elements[group, block]
            out[11 + group, block] = count if count < 50 else 50


def measure_steps(sums: Array, tag: Array, kinds: Array, steps: Array, out: Array) -> None:
    """Write what the block some steps further on is like: three measures a step, -1 for none."""
    size = tag.shape[0]
    for number in range(steps.shape[0]):
        at = 3 * number
        for block in range(size):
            other = block + steps[number]
            if other < 0 or other >= size:
                out[at, block] = out[at + 1, block] = out[at + 2, block] = -1
            else:
                terms = sums[0, other]
                chars = sums[2, other] if sums[2, other] > 1 else 1
                out[at, block] = terms if terms < 500 else 500
                out[at + 1, block] = sums[1, other] / chars
                out[at + 2, block] = kinds[tag[other]]


def measure_windows(totals: Array, windows: Array, all_long: float, out: Array) -> None:
    """Write what stands within some blocks of each block: five measures a window."""
    size = totals.shape[1] - 1
    for number in range(windows.shape[0]):
        window = windows[number]
        at = 5 * number
        for block in range(size):
            start = block - window if block > window else 0
            stop = block + window + 1 if block + window + 1 < size else size
            terms = totals[0, stop] - totals[0, start]
            chars = totals[2, stop] - totals[2, start]
            count = stop - start
            out[at, block] = terms / count
            out[at + 1, block] = (totals[1, stop] - totals[1, start]) / (chars if chars > 1 else 1)
            out[at + 2, block] = (totals[3, stop] - totals[3, start]) / (terms if terms > 1 else 1)
            out[at + 3, block] = (totals[4, stop] - totals[4, start]) / all_long
            out[at + 4, block] = (totals[5, stop] - totals[5, start]) / count


def measure_levels(
    totals: Array,
    levels: Array,
    before: Array,
    end: Array,
    tag: Array,
    kinds: Array,
    out: Array,
) -> None:
    """Write what the elements around each block hold: nine measures, each for all levels.

    `before` is the number of blocks before each row, `kinds` a table of tags.
    """
    depth = levels.shape[0]
    size = levels.shape[1]
    all_terms = totals[0, size] if totals[0, size] > 1 else 1
    all_long = totals[4, size] if totals[4, size] > 1 else 1
    for level in range(depth):
        for block in range(size):
            row = levels[level, block]
            start = before[row]
            stop = before[end[row]]
            terms = totals[0, stop] - totals[0, start]
            chars = totals[2, stop] - totals[2, start]
            count = stop - start if stop > start else 1
            some = terms if terms > 1 else 1
            own = totals[0, block + 1] - totals[0, block]
            out[level, block] = (totals[4, stop] - totals[4, start]) / all_long
            out[depth + level, block] = terms / all_terms
            out[2 * depth + level, block] = stop - start if stop - start < 300 else 300
            out[3 * depth + level, block] = terms / count
            out[4 * depth + level, block] = (totals[1, stop] - totals[1, start]) / (
                chars if chars > 1 else 1
            )
            out[5 * depth + level, block] = (totals[3, stop] - totals[3, start]) / some
            out[6 * depth + level, block] = kinds[tag[row]]
            out[7 * depth + level, block] = (totals[5, stop] - totals[5, start]) / count
            out[8 * depth + level, block] = own / some


def measure_groups(totals: Array, group: Array, sums: Array, out: Array) -> None:
    """Write what the blocks of each block's group are like together: five measures.

    `sums` (zeros) has room for six sums of each group.
    """
    size = group.shape[0]
    all_terms = totals[0, size] if totals[0, size] > 1 else 1
    all_long = totals[4, size] if totals[4, size] > 1 else 1
    for block in range(size):
        of = group[block]
        sums[0, of] += 1
        for column in range(5):
            sums[1 + column, of] += totals[column, block + 1] - totals[column, block]
    for block in range(size):
        of = group[block]
        count = sums[0, of]
        terms = sums[1, of]
        out[0, block] = count if count < 300 else 300
        out[1, block] = terms / count
        out[2, block] = terms / all_terms
        out[3, block] = sums[2, of] / (sums[3, of] if sums[3, of] > 1 else 1)
        out[4, block] = sums[5, of] / all_long


def measure_records(
    totals: Array,
    before: Array,
    end: Array,
    rows: Array,
    group: Array,
    of_block: Array,
    sums: Array,
    out: Array,
) -> None:
    """Write what the record around each block and those of its make are like: ten measures.

    `rows` are the elements of the records, `before` the number of blocks before each row,
    `of_block` is the record around each block, or -1. `sums` (zeros) has room for ten sums of each
    group.
    """
    size = of_block.shape[0]
    all_terms = totals[0, size] if totals[0, size] > 1 else 1
    all_long = totals[4, size] if totals[4, size] > 1 else 1
    for record in range(group.shape[0]):
        of = group[record]
        if sums[0, of] == 0:
            sums[8, of] = record
        sums[0, of] += 1
        start = before[rows[record]]
        stop = before[end[rows[record]]]
        for column in range(7):
            sums[1 + column, of] += totals[column, stop] - totals[column, start]
        sums[9, of] += stop - start
    for block in range(size):
        record = of_block[block]
        if record < 0:
            for column in range(10):
                out[column, block] = 0
            continue
        of = group[record]
        count = sums[0, of]
        terms = totals[0, before[end[rows[record]]]] - totals[0, before[rows[record]]]
        number = record - sums[8, of]
        out[0, block] = count if count < 300 else 300
        out[1, block] = sums[1, of] / all_terms
        out[2, block] = sums[5, of] / all_long
        out[3, block] = sums[1, of] / count
        out[4, block] = sums[9, of] / count
        out[5, block] = sums[2, of] / (sums[3, of] if sums[3, of] > 1 else 1)
        out[6, block] = sums[6, of] / count
        out[7, block] = sums[7, of] / count
        out[8, block] = number if number < 300 else 300
        out[9, block] = (totals[0, block + 1] - totals[0, block]) / (terms if terms > 1 else 1)


def measure_distances(
    around: Array, totals: Array, marked: Array, far: int, after: Array, before: Array
) -> None:
    """Write how far each block is from the last marked one up to it, and from the next.

    At most `far`. Marked are blocks in an element of each kind that `around` counts, then headings,
    then running text. `marked` has room for a mark a block.
    """
    size = marked.shape[0]
    for kind in range(after.shape[0]):
        for block in range(size):
            if kind < after.shape[0] - 2:
                marked[block] = around[kind, block] > 0
            elif kind == after.shape[0] - 2:
                marked[block] = totals[5, block + 1] > totals[5, block]
            else:
                marked[block] = totals[4, block + 1] > totals[4, block]
        distance = far
        for block in range(size):
            distance = 0 if marked[block] else distance + 1
            after[kind, block] = distance if distance < far else far
        distance = far
        for back in range(size):
            block = size - 1 - back
            distance = 0 if marked[block] else distance + 1
            before[kind, block] = distance if distance < far else far


def longest_text(totals: Array) -> int:
    """Return the block that holds the most running text."""
    longest = 0
    most = -1.0
    for block in range(totals.shape[1] - 1):
        if totals[4, block + 1] - totals[4, block] > most:
            most = totals[4, block + 1] - totals[4, block]
            longest = block
    return longest


def measure_kinship(parent: Array, end: Array, anchor: Array, block: int, out: Array) -> None:
    """Write how many elements around a certain block are not around each, and the share that is."""
    depth = 0
    row = anchor[block]
    while row > 0:
        depth += 1
        row = parent[row]
    for other in range(anchor.shape[0]):
        place = anchor[other]
        shared = depth
        row = anchor[block]
        while row > 0 and not row <= place < end[row]:
            shared -= 1
            row = parent[row]
        out[0, other] = depth - shared
        out[1, other] = 1.0 * shared / (depth if depth > 0 else 1)


def measure_since(totals: Array, block: int, out: Array) -> None:
    """Write how far each block is past a certain one, and the headings and text in between."""
    size = totals.shape[1] - 1
    all_long = totals[4, size] if totals[4, size] > 1 else 1
    for other in range(size):
        distance = other - block
        if distance < -100:
            distance = -100
        elif distance > 200:
            distance = 200
        if other > block:
            headings = totals[5, other + 1] - totals[5, block + 1]
            since = (totals[4, other] - totals[4, block + 1]) / all_long
        else:
            headings = totals[5, other] - totals[5, block] - 1
            since = -1
        out[0, other] = distance
        out[1, other] = headings if -20 < headings < 20 else (20 if headings > 0 else -20)
        out[2, other] = since


def measure_best(
    totals: Array, parent: Array, end: Array, before: Array, anchor: Array, score: Array, out: Array
) -> None:
    """Write where blocks stand to the element that gathers the most running text: four measures.

    Each block gives its weight to the element around it and half of that to the next, as
    Readability does. `score` (zeros) has room for a number a row.
    """
    size = anchor.shape[0]
    for block in range(size):
        chars = totals[2, block + 1] - totals[2, block]
        if chars < 25:
            continue
        linked = (totals[1, block + 1] - totals[1, block]) / chars
        weight = 1.0 + totals[3, block + 1] - totals[3, block]
        weight = (weight + (chars / 100.0 if chars < 300 else 3.0)) * (1 - linked)
        row = parent[anchor[block]] if anchor[block] else 0
        score[row] += weight
        score[parent[row] if row else 0] += weight / 2
    best = 0
    most = -1.0
    for turn in range(2):
        for block in range(size):
            row = parent[anchor[block]] if anchor[block] else 0
            if turn:
                row = parent[row] if row else 0
            start = before[row]
            stop = before[end[row]]
            chars = totals[2, stop] - totals[2, start]
            linked = (totals[1, stop] - totals[1, start]) / (chars if chars > 1 else 1)
            if score[row] * (1 - linked) > most:
                most = score[row] * (1 - linked)
                best = row
    outer = parent[best] if best else 0
    all_terms = totals[0, size] if totals[0, size] > 1 else 1
    share = (totals[0, before[end[best]]] - totals[0, before[best]]) / all_terms
    for block in range(size):
        row = anchor[block]
        inside = best <= row < end[best]
        out[0, block] = inside
        out[1, block] = outer <= row < end[outer]
        out[2, block] = share
        out[3, block] = 0 if inside else (-1 if row < best else 1)


def measure_order(
    totals: Array, tag: Array, levels: Array, after: Array, out: Array, last: Array
) -> int:
    """Write the place of each block and the text before and after it, then levels of headings.

    `levels` is a table of tags, 9 for what is no heading; `after` is the distance to the last
    heading, at most 300. Return the first block of level 1, or -1.
    """
    size = tag.shape[0]
    all_terms = totals[0, size] if totals[0, size] > 1 else 1
    all_long = totals[4, size] if totals[4, size] > 1 else 1
    h1 = -1
    for block in range(size):
        if levels[tag[block]] == 1:
            h1 = block
            break
    for block in range(size):
        out[0, block] = block if block < 500 else 500
        out[1, block] = size - block if size - block < 500 else 500
        out[2, block] = (totals[0, block] + totals[0, block + 1]) / 2 / all_terms
        out[3, block] = totals[4, block] / all_long
        out[4, block] = 1.0 - totals[4, block + 1] / all_long
        distance = block - h1
        if h1 < 0:
            distance = -101
        elif distance < -100:
            distance = -100
        elif distance > 200:
            distance = 200
        last[0, block] = distance
        heading = block - int(after[block])
        last[1, block] = levels[tag[heading]] if heading >= 0 and after[block] < 300 else 9
        last[2, block] = levels[tag[block + 1]] if block + 1 < size else 9
    return h1


def measure_likeness(paths: Array, out: Array) -> None:
    """Write whether each block is on the path of the last one, and on that of the next."""
    size = paths.shape[0]
    for block in range(size):
        out[0, block] = block > 0 and paths[block] == paths[block - 1]
        out[1, block] = block + 1 < size and paths[block] == paths[block + 1]


if not cython.compiled:
    longest_text = on_numbers(longest_text)
    measure_likeness = on_numbers(measure_likeness)
    measure_own = on_numbers(measure_own)
    measure_steps = on_numbers(measure_steps)
    measure_windows = on_numbers(measure_windows)
    measure_levels = on_numbers(measure_levels)
    measure_groups = on_numbers(measure_groups)
    measure_records = on_numbers(measure_records)
    measure_distances = on_numbers(measure_distances)
    measure_kinship = on_numbers(measure_kinship)
    measure_since = on_numbers(measure_since)
    measure_best = on_numbers(measure_best)
    measure_order = on_numbers(measure_order)

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


def count_elements(owner: Array, tag: Array, groups: Array, elements: Array) -> None:
    """Count the elements of each group that each block owns."""
    last = elements.shape[0]
    for row in range(owner.shape[0]):
        block = owner[row]
        if block >= 0:
            group = groups[tag[row]]
            if group < last:
                elements[group, block] += 1


def sum_blocks(
    owner: Array, terms: Array, chars: Array, marks: Array, kinds: Array, sums: Array
) -> None:
    """Sum columns of rows over the rows that each block owns.

    `kinds` has bit 0 for rows in links, bit 1 for hidden ones. The sums are of terms, characters in
    links, characters, marks, hidden characters.
    """
    for row in range(owner.shape[0]):
        count = chars[row]
        block = owner[row]
        if count and block >= 0:
            sums[0, block] += terms[row]
            sums[2, block] += count
            sums[3, block] += marks[row]
            if kinds[row] & 1:
                sums[1, block] += count
            if kinds[row] & 2:
                sums[4, block] += count


def sum_before(
    sums: Array,
    elements: Array,
    tag: Array,
    heading: Array,
    objects: Array,
    least: int,
    totals: Array,
) -> None:
    """Write `totals` of the sums of blocks, of what they own, and of headings.

    Running text are blocks of at least so many terms that are not mostly links. `heading` is a
    table of tags, `objects` tells which of the counted elements are.
    """
    size = tag.shape[0]
    for column in range(7):
        totals[column, 0] = 0
    for block in range(size):
        linked = sums[1, block] / (sums[2, block] if sums[2, block] > 1 else 1)
        for column in range(4):
            totals[column, block + 1] = totals[column, block] + sums[column, block]
        long = sums[0, block] if sums[0, block] >= least and linked < 0.5 else 0
        count = 0
        for group in range(objects.shape[0]):
            if objects[group]:
                count += elements[group, block]
        totals[4, block + 1] = totals[4, block] + long
        totals[5, block + 1] = totals[5, block] + heading[tag[block]]
        totals[6, block + 1] = totals[6, block] + count


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
    totals: Array, levels: Array, before: Array, end: Array, kind: Array, out: Array
) -> None:
    """Write what the elements around each block hold: nine measures, each for all levels.

    `before` is the number of blocks before each row, `kind` the kind of its element.
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
            out[6 * depth + level, block] = kind[row]
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
    totals: Array, spans: Array, group: Array, of_block: Array, sums: Array, out: Array
) -> None:
    """Write what the record around each block and those of its make are like: ten measures.

    `spans` are the first block of each record and the one after its last, `of_block` is the record
    around each block, or -1. `sums` (zeros) has room for nine sums of each group.
    """
    size = of_block.shape[0]
    all_terms = totals[0, size] if totals[0, size] > 1 else 1
    all_long = totals[4, size] if totals[4, size] > 1 else 1
    for record in range(group.shape[0]):
        of = group[record]
        if sums[0, of] == 0:
            sums[8, of] = record
        sums[0, of] += 1
        for column in range(7):
            sums[1 + column, of] += (
                totals[column, spans[1, record]] - totals[column, spans[0, record]]
            )
        sums[9, of] += spans[1, record] - spans[0, record]
    for block in range(size):
        record = of_block[block]
        if record < 0:
            for column in range(10):
                out[column, block] = 0
            continue
        of = group[record]
        count = sums[0, of]
        terms = totals[0, spans[1, record]] - totals[0, spans[0, record]]
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


def measure_distances(marked: Array, far: int, after: Array, before: Array) -> None:
    """Write how far each block is from the last marked one up to it, and from the next.

    At most `far`. `marked` has a row a kind of mark.
    """
    size = marked.shape[1]
    for kind in range(marked.shape[0]):
        distance = far
        for block in range(size):
            distance = 0 if marked[kind, block] else distance + 1
            after[kind, block] = distance if distance < far else far
        distance = far
        for back in range(size):
            block = size - 1 - back
            distance = 0 if marked[kind, block] else distance + 1
            before[kind, block] = distance if distance < far else far


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


def measure_beliefs(
    sums: Array, windows: Array, levels: Array, before: Array, end: Array, out: Array
) -> None:
    """Write the mean belief within windows of blocks, then in the elements around each block.

    `sums` are of weighted beliefs, and of the weights, over the blocks before each block.
    """
    size = sums.shape[1] - 1
    for number in range(windows.shape[0]):
        window = windows[number]
        for block in range(size):
            start = block - window if block > window else 0
            stop = block + window + 1 if block + window + 1 < size else size
            out[number, block] = (sums[0, stop] - sums[0, start]) / (sums[1, stop] - sums[1, start])
    at = windows.shape[0]
    for level in range(levels.shape[0]):
        for block in range(size):
            row = levels[level, block]
            start = before[row]
            stop = before[end[row]]
            out[at + level, block] = (sums[0, stop] - sums[0, start]) / (
                sums[1, stop] - sums[1, start]
            )


def mean_beliefs(sums: Array, group: Array, room: Array, out: Array) -> None:
    """Write the mean belief over each block's group; `room` (zeros) is for two sums a group."""
    size = group.shape[0]
    for block in range(size):
        of = group[block]
        room[0, of] += sums[0, block + 1] - sums[0, block]
        room[1, of] += sums[1, block + 1] - sums[1, block]
    for block in range(size):
        of = group[block]
        out[block] = room[0, of] / room[1, of]


def step_beliefs(belief: Array, steps: Array, out: Array) -> None:
    """Write the belief in the block some steps further on, -1 where there is none."""
    size = belief.shape[0]
    for number in range(steps.shape[0]):
        for block in range(size):
            other = block + steps[number]
            out[number, block] = belief[other] if 0 <= other < size else -1


def record_beliefs(
    sums: Array,
    before: Array,
    end: Array,
    rows: Array,
    group: Array,
    inner: Array,
    outer: Array,
    belief: Array,
    room: Array,
    out: Array,
) -> None:
    """Write the mean belief over each block's record, over those of its make and the outer ones.

    Where there is no record it is the belief itself. `room` (zeros) is for two sums a make.
    """
    for record in range(rows.shape[0]):
        start = before[rows[record]]
        stop = before[end[rows[record]]]
        room[0, group[record]] += sums[0, stop] - sums[0, start]
        room[1, group[record]] += sums[1, stop] - sums[1, start]
    for block in range(belief.shape[0]):
        out[0, block] = out[1, block] = out[2, block] = belief[block]
        record = inner[block]
        if record >= 0:
            start = before[rows[record]]
            stop = before[end[rows[record]]]
            out[0, block] = (sums[0, stop] - sums[0, start]) / (sums[1, stop] - sums[1, start])
            out[1, block] = room[0, group[record]] / room[1, group[record]]
            record = outer[block]
            out[2, block] = room[0, group[record]] / room[1, group[record]]


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


def measure_order(totals: Array, level: Array, after: Array, out: Array, last: Array) -> None:
    """Write the place of each block and the text before and after it, then levels of headings.

    `level` is 9 for what is no heading, `after` the distance to the last heading, at most 300.
    """
    size = level.shape[0]
    all_terms = totals[0, size] if totals[0, size] > 1 else 1
    all_long = totals[4, size] if totals[4, size] > 1 else 1
    h1 = -1
    for block in range(size):
        if level[block] == 1:
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
        last[1, block] = level[heading] if heading >= 0 and after[block] < 300 else 9
        last[2, block] = level[block + 1] if block + 1 < size else 9


if not cython.compiled:
    count_elements = on_numbers(count_elements)
    sum_blocks = on_numbers(sum_blocks)
    sum_before = on_numbers(sum_before)
    measure_own = on_numbers(measure_own)
    measure_steps = on_numbers(measure_steps)
    measure_windows = on_numbers(measure_windows)
    measure_levels = on_numbers(measure_levels)
    measure_groups = on_numbers(measure_groups)
    measure_records = on_numbers(measure_records)
    measure_distances = on_numbers(measure_distances)
    measure_kinship = on_numbers(measure_kinship)
    measure_since = on_numbers(measure_since)
    measure_beliefs = on_numbers(measure_beliefs)
    mean_beliefs = on_numbers(mean_beliefs)
    step_beliefs = on_numbers(step_beliefs)
    record_beliefs = on_numbers(record_beliefs)
    measure_best = on_numbers(measure_best)
    measure_order = on_numbers(measure_order)

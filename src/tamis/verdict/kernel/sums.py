# cython: boundscheck=False, wraparound=False, cdivision=True
"""Sums over blocks, and over whole pages, that evidence is computed from."""

from __future__ import annotations

from typing import Any

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one or two axes; sums.pxd has the types


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
    owner: Array, terms: Array, chars: Array, marks: Array, flags: Array, kinds: Array, sums: Array
) -> None:
    """Sum columns of rows over the rows that each block owns.

    `kinds` is a table of flags: bit 0 is for rows in links, bit 1 for hidden ones. The sums are of
    terms, characters in links, characters, marks, hidden characters.
    """
    for row in range(owner.shape[0]):
        count = chars[row]
        block = owner[row]
        if count and block >= 0:
            sums[0, block] += terms[row]
            sums[2, block] += count
            sums[3, block] += marks[row]
            kind = kinds[flags[row]]
            if kind & 1:
                sums[1, block] += count
            if kind & 2:
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


def count_before(anchor: Array, before: Array) -> None:
    """Count the blocks before each row, and all of them."""
    block = 0
    for row in range(before.shape[0]):
        before[row] = block
        if block < anchor.shape[0] and anchor[block] == row:
            block += 1


def count_tags(tag: Array, counts: Array) -> None:
    """Count rows, or blocks, by their tag; `counts` has zeros."""
    for row in range(tag.shape[0]):
        counts[tag[row]] += 1


def sum_tags(tag: Array, terms: Array, sums: Array) -> None:
    """Sum the terms of blocks by their tag; `sums` has zeros."""
    for block in range(tag.shape[0]):
        sums[tag[block]] += terms[block]


def find_longest(terms: Array, longest: Array) -> None:
    """Find how many terms the longest blocks have, rising; `longest` (zeros) has room for them."""
    for block in range(terms.shape[0]):
        if terms[block] > longest[0]:
            place = 1
            while place < longest.shape[0] and terms[block] > longest[place]:
                longest[place - 1] = longest[place]
                place += 1
            longest[place - 1] = terms[block]


def sum_rows(rows: Array, sums: Array) -> None:
    """Sum rows of evidence over all blocks; `sums` has zeros."""
    for row in range(sums.shape[0]):
        for block in range(rows.shape[1]):
            sums[row] += rows[row, block]


def sum_told(told: Array, terms: Array, sums: Array) -> None:
    """Sum rows of evidence, weighted by the terms of the blocks; `sums` has zeros."""
    for row in range(sums.shape[0]):
        for block in range(terms.shape[0]):
            sums[row] += told[row, block] * terms[block]


def sum_records(group: Array, outer: Array, blocks: Array, held: Array, sums: Array) -> None:
    """Sum over the records of the make that holds the most terms, of those that are outermost.

    `blocks` are the sums of blocks, `group` is the make of each record, `outer` the record that a
    block is in. The sums are the number of records, and the terms, the characters in links and the
    characters of their blocks. `held` (zeros) has room for a number a make.
    """
    for block in range(outer.shape[0]):
        if outer[block] >= 0:
            held[group[outer[block]]] += blocks[0, block]
    best = 0
    for make in range(held.shape[0]):
        if held[make] > held[best]:
            best = make
    for record in range(group.shape[0]):
        sums[0] += group[record] == best
    for block in range(outer.shape[0]):
        if outer[block] >= 0 and group[outer[block]] == best:
            for column in range(3):
                sums[1 + column] += blocks[column, block]


if not cython.compiled:
    count_before = on_numbers(count_before)
    count_tags = on_numbers(count_tags)
    sum_tags = on_numbers(sum_tags)
    find_longest = on_numbers(find_longest)
    sum_rows = on_numbers(sum_rows)
    sum_told = on_numbers(sum_told)
    sum_records = on_numbers(sum_records)
    count_elements = on_numbers(count_elements)
    sum_blocks = on_numbers(sum_blocks)
    sum_before = on_numbers(sum_before)

# cython: boundscheck=False, wraparound=False, cdivision=True
"""The best cut through scores, and sums over the blocks that answers keep."""

from __future__ import annotations

from typing import Any, Final

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one or two axes; answers.pxd has the types

GAP: Final = 4  # blocks between two that are kept, at most, for them to be of one run


def last_kept(
    order: Array,
    score: Array,
    terms: Array,
    weighed: Array,
    whole: Array,
    chances: Array,
    hits: Array,
) -> int:
    """Return the place of the last block to keep, for the greatest expected F1.

    `order` are blocks by falling score; equal ones go together. `weighed` has a row a view with
    what each block of the order is worth by it, `whole` what all are, `chances` the chance of each
    view. `hits` (zeros) has room for a sum a view.
    """
    last = 0
    most = -1.0
    size = 0.0
    for place in range(order.shape[0]):
        block = order[place]
        size += terms[block]
        value = 0.0
        for view in range(chances.shape[0]):
            hits[view] += weighed[view, place]
            value += chances[view] * 2 * hits[view] / (size + whole[view])
        if place + 1 < order.shape[0] and score[order[place + 1]] == score[block]:
            continue
        if value > most:
            most = value
            last = place
    return last


def sum_answers(
    totals: Array, told: Array, article: Array, other: Array, bounds: Array, sums: Array
) -> None:
    """Sum over the blocks of two answers: their number, the seven totals, then what is told.

    Rows of `sums` (zeros) are the article's answer, the other one, what both keep, the run of the
    article's answer, and the rest of the other one. `told` has a row a measure that is weighted by
    terms.
    """
    for block in range(article.shape[0]):
        in_run = article[block] and bounds[3] <= block <= bounds[4]
        for part in range(5):
            if part == 0:
                kept = article[block]
            elif part == 1:
                kept = other[block]
            elif part == 2:
                kept = article[block] and other[block]
            elif part == 3:
                kept = in_run
            else:
                kept = other[block] and not in_run
            if kept:
                terms = totals[0, block + 1] - totals[0, block]
                sums[part, 0] += 1
                for column in range(7):
                    sums[part, 1 + column] += totals[column, block + 1] - totals[column, block]
                for row in range(told.shape[0]):
                    sums[part, 8 + row] += told[row, block] * terms


def find_run(totals: Array, kept: Array, bounds: Array) -> int:
    """Find the run of kept blocks with the most terms; return how many runs there are.

    `bounds` are the first block that is kept and has text, the first of running text, the last one
    of any, and the first and the last of the run; -1 where there is none.
    """
    runs = 0
    most = -1.0
    held = 0.0
    first = -1
    last = -1
    for place in range(5):
        bounds[place] = -1
    for block in range(kept.shape[0]):
        terms = totals[0, block + 1] - totals[0, block]
        if not kept[block] or terms == 0:
            continue
        if bounds[0] < 0:
            bounds[0] = block
        if bounds[1] < 0 and totals[4, block + 1] > totals[4, block]:
            bounds[1] = block
        if last < 0 or block - last > GAP:
            runs += 1
            first = block
            held = 0.0
        held += terms
        last = block
        bounds[2] = block
        if held > most:
            most = held
            bounds[3] = first
            bounds[4] = block
    return runs


if not cython.compiled:
    last_kept = on_numbers(last_kept)
    sum_answers = on_numbers(sum_answers)
    find_run = on_numbers(find_run)

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

ALL_WEIGHED: Final = 0  # rows of sums: over all blocks of the order, as powers
ALL_EXPECTED: Final = 1  # over all blocks
WEIGHED: Final = 2  # the same over the blocks that are kept
EXPECTED: Final = 3
TINY: Final = 1e-9
GAP: Final = 4  # blocks between two that are kept, at most, for them to be of one run


def find_some(score: Array, terms: Array, lowest: float, some: Array, told: Array) -> int:
    """Find the blocks with text whose score is not too low, or else the best of all with text.

    Return how many there are. Told are the terms of all blocks, of the longest one, those that are
    expected to be content, and the greatest score.
    """
    count = 0
    best = -1.0
    for place in range(4):
        told[place] = 0.0
    for block in range(score.shape[0]):
        told[0] += terms[block]
        told[1] = max(told[1], terms[block])
        told[2] += score[block] * terms[block]
        told[3] = max(told[3], score[block])
        if terms[block] > 0:
            best = max(best, score[block])
            if score[block] >= lowest:
                some[count] = block
                count += 1
    if count == 0:
        for block in range(score.shape[0]):
            if terms[block] > 0 and score[block] == best:
                some[count] = block
                count += 1
    return count


def find_cut(
    order: Array,
    score: Array,
    terms: Array,
    beliefs: Array,
    chances: Array,
    power: float,
    weighed: Array,
    sums: Array,
    told: Array,
) -> None:
    """Find the cut of the greatest expected F1 through blocks in the order of falling scores.

    `beliefs` has a row a view, `chances` the chance of each view; for the cut, but not for what is
    told, a belief counts as a power of itself. Told are the score from which on blocks are kept,
    and the F1, precision and recall that are to be expected then. `weighed` has room for the
    powers, `sums` (zeros) for a row a kind of sum and a column a view.
    """
    for view in range(chances.shape[0]):
        for place in range(order.shape[0]):
            block = order[place]
            weighed[view, place] = beliefs[view, block] ** power * terms[block]
            sums[ALL_WEIGHED, view] += weighed[view, place]
        for block in range(terms.shape[0]):
            sums[ALL_EXPECTED, view] += beliefs[view, block] * terms[block]
    size = 0.0
    most = -1.0
    for place in range(order.shape[0]):
        block = order[place]
        size += terms[block]
        value = 0.0
        for view in range(chances.shape[0]):
            sums[WEIGHED, view] += weighed[view, place]
            sums[EXPECTED, view] += beliefs[view, block] * terms[block]
            value += chances[view] * 2 * sums[WEIGHED, view] / (size + sums[ALL_WEIGHED, view])
        if place + 1 < order.shape[0] and score[order[place + 1]] == score[block]:
            continue  # equal blocks go together
        if value > most:
            most = value
            told[0] = score[block]
            expect(size, chances, sums, told)


def expect(size: float, chances: Array, sums: Array, told: Array) -> None:
    """Tell the F1, precision and recall that are to be expected of blocks of some size."""
    told[1] = told[2] = told[3] = 0.0
    for view in range(chances.shape[0]):
        hits = sums[EXPECTED, view]
        wanted = sums[ALL_EXPECTED, view]
        told[1] += chances[view] * 2 * hits / max(size + wanted, TINY)
        told[2] += chances[view] * hits / max(size, TINY)
        told[3] += chances[view] * hits / max(wanted, TINY)


def sum_answers(
    totals: Array,
    columns: Array,
    told: Array,
    beliefs: Array,
    article: Array,
    other: Array,
    bounds: Array,
    sums: Array,
) -> None:
    """Sum over the blocks of two answers: their number, the seven totals, then what is told.

    Rows of `sums` (zeros) are the article's answer, the other one, what both keep, the run of the
    article's answer, and the rest of the other one. Told are some of the columns of evidence and
    the beliefs of both views, weighted by terms.
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
                at = 8 + told.shape[0]
                for place in range(told.shape[0]):
                    sums[part, 8 + place] += columns[told[place], block] * terms
                sums[part, at] += beliefs[0, block] * terms
                sums[part, at + 1] += beliefs[1, block] * terms


def run_cover(kept: Array, bounds: Array, match: Array, cover: Array) -> float:
    """Return the best cover of the title in the run's blocks that are not like the title itself."""
    best = 0.0
    for block in range(bounds[3] if bounds[3] > 0 else 0, bounds[4] + 1):
        if kept[block] and match[block] < 0.5 and cover[block] > best:
            best = cover[block]
    return best


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
    find_some = on_numbers(find_some)
    find_cut = on_numbers(find_cut)
    sum_answers = on_numbers(sum_answers)
    find_run = on_numbers(find_run)
    run_cover = on_numbers(run_cover)

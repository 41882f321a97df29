# cython: boundscheck=False, wraparound=False, cdivision=True
"""Where the owner of a page's bytes changes, and where its source is cut into pieces."""

from __future__ import annotations

from typing import Any, Final

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one or two axes; cuts.pxd has the types

LEAST: Final = 2048  # bytes of a piece of noise, if there is as much between informative blocks
GROUP: Final = 8  # every which noise block may be the last of a piece that has as much
LARGEST_GROUP: Final = 64  # blocks of a piece, at most
SHORT: Final = 240  # bytes of an informative block that may share a piece with the next one
SHORT_GROUP: Final = 8  # such blocks that share a piece on average
NEAR: Final = 256  # bytes of markup between informative blocks that go with the first of them


def noted(count: int, place: int, block: int, places: Array, blocks: Array) -> int:
    """Write which block owns the bytes from a place on; return how many changes there are."""
    if count > 0 and places[count - 1] == place:
        count -= 1  # of several at one place the last counts
    if count > 0 and blocks[count - 1] == block:
        return count
    places[count] = place
    blocks[count] = block
    return count + 1


def find_owners(
    start: Array,
    stop: Array,
    parent: Array,
    owner: Array,
    opened: Array,
    places: Array,
    blocks: Array,
) -> int:
    """Write where the owner of the page's bytes changes and to which block; return how often.

    At its start a row's owner begins to own, at its stop the owner of the row around it does.
    `opened` is room for the rows that are open.
    """
    count = 0
    depth = 0
    for row in range(start.shape[0]):
        while depth > 0 and opened[depth - 1] != parent[row]:
            depth -= 1
            around = owner[opened[depth - 1]] if depth > 0 else -1
            if around != owner[opened[depth]]:
                count = noted(count, stop[opened[depth]], around, places, blocks)
        around = owner[parent[row]] if depth > 0 else -1
        if owner[row] != around:
            count = noted(count, start[row], owner[row], places, blocks)
        opened[depth] = row
        depth += 1
    while depth > 0:
        depth -= 1
        around = owner[opened[depth - 1]] if depth > 0 else -1
        if around != owner[opened[depth]]:
            count = noted(count, stop[opened[depth]], around, places, blocks)
    return count


def spaced(source: Array, start: int, limit: int) -> int:
    """Return where white space that begins at a place ends."""
    while start < limit and (source[start] == 32 or 9 <= source[start] <= 13):
        start += 1
    return start


def add_span(count: int, start: int, stop: int, informative: bool, spans: Array) -> int:
    """Write a piece, and return how many there are."""
    spans[0, count] = start
    spans[1, count] = stop
    spans[2, count] = informative
    return count + 1


def find_spans(source: Array, starts: Array, stops: Array, informative: Array, spans: Array) -> int:
    """Write where pieces start, stop and whether they are informative; return how many there are.

    `starts`, `stops` and `informative` are of the runs of bytes that blocks own.
    """
    size = source.shape[0]
    count = 0
    begin = seen = 0  # of the piece that is open: where it begins, and how many blocks it has
    end = -1  # of the last informative block in the piece that is open, if it has one
    own = 0  # bytes of that block
    for run in range(starts.shape[0]):
        start = starts[run]
        stop = stops[run]
        if end >= 0 and not (informative[run] and start - end <= NEAR):
            end = spaced(source, end, stop)
            count = add_span(count, begin, end, True, spans)
            begin, end, seen = end, -1, 0
        if stop <= begin:  # nothing but white space, which went with the piece before
            continue
        seen += 1
        if informative[run]:
            start = max(start, begin)
            if end < 0 or own >= SHORT or own % SHORT_GROUP == 0 or seen > LARGEST_GROUP:
                if start > begin or end >= 0:
                    count = add_span(count, begin, start, end >= 0, spans)
                begin, seen = start, 1
            end, own = stop, stop - start
        elif seen >= LARGEST_GROUP or ((stop - start) % GROUP == 0 and stop - begin >= LEAST):
            count = add_span(count, begin, stop, False, spans)
            begin, seen = stop, 0
    if end >= 0:
        end = spaced(source, end, size)
        count = add_span(count, begin, end, True, spans)
        begin = end
    if begin < size:
        count = add_span(count, begin, size, False, spans)
    return count


if not cython.compiled:
    find_owners = on_numbers(find_owners)
    find_spans = on_numbers(find_spans)

"""Document → pieces: the page's source, cut so that joining the pieces gives it back."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from tamis.content import Document
from tamis.page.page import Ints

GROUP: Final = 8  # noise blocks, or short informative ones, that share a piece on average
LARGEST_GROUP: Final = 32  # and at most
NEAR: Final = 256  # bytes of markup between informative blocks that go with the first of them
SHORT: Final = 160  # bytes of an informative block that may share a piece with the next one
_SPACE: Final = re.compile(rb"\s+")


class Cut(NamedTuple):
    """A piece of a page: an informative block, or several short or noise ones side by side."""

    data: bytes
    informative: bool


def pieces(document: Document) -> list[Cut]:
    """Return the pieces of a page in order; together they are `page.source`."""
    source = document.page.source
    return [Cut(source[start:stop], flag) for start, stop, flag in spans(document)]


def spans(document: Document) -> list[tuple[int, int, bool]]:
    """Return where the pieces of a page start and stop, and whether they are informative.

    A run of bytes of an informative block is a piece, with the white space behind it, or all markup
    up to the next informative block if that is near; short ones that are near each other share a
    piece, or finding them again would take more room than they do. All else, noise and the markup
    between blocks, is cut behind noise blocks. Behind which ones of several, their own lengths
    decide, so that the same blocks are cut in the same places on every page.
    """
    source = document.page.source
    found: list[tuple[int, int, bool]] = []
    begin = seen = 0  # of the piece that is open: where it begins, and how many blocks it has
    end = -1  # of the last informative block in the piece that is open, if it has one
    own = 0  # bytes of that block
    for start, stop, informative in owned_runs(document):
        if end >= 0 and not (informative and start - end <= NEAR):
            end = spaced(source, end, stop)
            found.append((begin, end, True))
            begin, end, seen = end, -1, 0
        if stop <= begin:  # nothing but white space, which went with the piece before
            continue
        seen += 1
        if informative:
            start = max(start, begin)
            if end < 0 or own >= SHORT or own % GROUP == 0 or seen > LARGEST_GROUP:
                if start > begin or end >= 0:
                    found.append((begin, start, end >= 0))
                begin, seen = start, 1
            end, own = stop, stop - start
        elif seen >= LARGEST_GROUP or (stop - start) % GROUP == 0:
            found.append((begin, stop, False))
            begin, seen = stop, 0
    if end >= 0:
        end = spaced(source, end, len(source))
        found.append((begin, end, True))
        begin = end
    if begin < len(source):
        found.append((begin, len(source), False))
    return found


def spaced(source: bytes, start: int, limit: int) -> int:
    """Return where white space that begins at a place ends."""
    found = _SPACE.match(source, start, limit)
    return found.end() if found else start


def owned_runs(document: Document) -> Iterable[tuple[int, int, bool]]:
    """Return the runs of bytes that a block owns: start, stop, whether it is informative."""
    starts, owner = owners(document)
    stops = np.append(starts[1:], len(document.page.source))
    owned = owner >= 0
    informative = document.verdict.informative[owner[owned]]
    return zip(starts[owned].tolist(), stops[owned].tolist(), informative.tolist(), strict=True)


def owners(document: Document) -> tuple[Ints, Ints]:
    """Return where the owner of the page's bytes changes, and to which block.

    At its start a row's owner begins to own, at its stop the owner of the row around it does. Of
    several at one place the last counts: stops before starts, inner stops before outer ones, outer
    starts before inner ones.
    """
    page, owner = document.page, document.segments.owner
    around = np.where(page.parent >= 0, owner[page.parent], -1)
    rows = np.flatnonzero(owner != around)  # nothing begins or ends where all has one owner
    if not len(rows):
        return rows, rows
    # In document order starts rise, and so do stops when rows are taken from the end backwards
    # within a place; so a stable sort by place of (inner stops, then starts) does it.
    place = np.concatenate((page.stop[rows[::-1]], page.start[rows]))
    value = np.concatenate((around[rows[::-1]], owner[rows]))
    order = np.argsort(place, kind="stable")
    place, value = place[order], value[order]
    last = np.append(place[1:] != place[:-1], True)
    place, value = place[last], value[last]
    changes = np.append(True, value[1:] != value[:-1])
    return place[changes], value[changes]

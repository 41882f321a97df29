"""Document → pieces: the page's source, cut so that joining the pieces gives it back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.content import Document
from tamis.page.page import Ints

GROUP: Final = 8  # noise blocks that share a piece, on average
LARGEST_GROUP: Final = 32  # and at most


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece of a page: an informative block, or noise blocks that stand side by side."""

    data: bytes
    informative: bool


def pieces(document: Document) -> Iterator[Cut]:
    """Yield the pieces of a page in order; together they are `page.source`.

    A run of bytes of an informative block is a piece, with the white space after it. All else,
    noise and the markup between blocks, is cut behind noise blocks; behind which ones, their own
    lengths decide, so that the same noise is cut in the same places on every page.
    """
    source = document.page.source
    informative = document.verdict.informative
    begin = seen = 0  # of the piece of noise that is open: where it begins, its blocks so far
    for place, stop, owner in owned_runs(document):
        start = max(place, begin)  # white space at its beginning may have gone to the piece before
        if owner < 0 or start >= stop:
            continue
        if informative[owner]:
            if start > begin:
                yield Cut(source[begin:start], informative=False)
            begin, seen = stop + spaces(source, stop), 0
            yield Cut(source[start:begin], informative=True)
        else:
            seen += 1
            if seen >= LARGEST_GROUP or (stop - start) % GROUP == 0:
                yield Cut(source[begin:stop], informative=False)
                begin, seen = stop, 0
    if begin < len(source):
        yield Cut(source[begin:], informative=False)


def owned_runs(document: Document) -> Iterator[tuple[int, int, int]]:
    """Yield the runs of a page's bytes that have one owner: start, stop, block or -1."""
    starts, owner = owners(document)
    if not len(starts):
        return
    stops = np.append(starts[1:], len(document.page.source))
    yield from zip(starts.tolist(), stops.tolist(), owner.tolist(), strict=True)


def owners(document: Document) -> tuple[Ints, Ints]:
    """Return where the owner of the page's bytes changes, and to which block.

    At its start a row's owner begins to own, at its stop the owner of the row around it does. Of
    several at one place the last counts: stops before starts, inner stops before outer ones, outer
    starts before inner ones.
    """
    page, owner = document.page, document.segments.owner
    around = np.where(page.parent >= 0, owner[page.parent], -1)
    # In document order starts rise, and so do stops when rows are taken from the end backwards
    # within a place; so a stable sort by place of (inner stops, then starts) does it.
    rows = np.arange(len(page))
    place = np.concatenate((page.stop[::-1], page.start))
    value = np.concatenate((around[::-1], owner[rows]))
    order = np.argsort(place, kind="stable")
    place, value = place[order], value[order]
    last = np.append(place[1:] != place[:-1], True)
    place, value = place[last], value[last]
    changes = np.append(True, value[1:] != value[:-1])
    return place[changes], value[changes]


def spaces(source: bytes, start: int) -> int:
    """Return how many bytes of white space stand at a place of the source."""
    stop = start
    while stop < len(source) and source[stop] in b" \t\n\r\f":
        stop += 1
    return stop - start

"""Document → pieces: the page's source, cut so that joining the pieces gives it back."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from operator import eq
from typing import NamedTuple

import numpy as np

from tamis.content import Document
from tamis.page import Page, tags
from tamis.page.page import Bools, Ints
from tamis.store.kernel.cuts import find_owners, find_spans


class Cut(NamedTuple):
    """A piece of a page: an informative block, or several short or noise ones side by side.

    Where noise is not kept, the tags that were in it are a piece that is not informative.
    """

    data: bytes
    informative: bool


def pieces(document: Document) -> list[Cut]:
    """Return the pieces of a page in order; together they are `page.source`."""
    source = document.page.source
    return [Cut(source[start:stop], flag) for start, stop, flag in spans(document)]


def content_pieces(document: Document) -> list[Cut]:
    """Return the informative pieces of a page, and between them the tags from one to the next.

    These close and open the elements around the pieces, without attributes: a cell stays in its
    table, and an item in its list.
    """
    page = document.page
    found: list[Cut] = []
    last: list[int] = []
    for start, stop, informative in spans(document):
        if informative:
            around = open_elements(page, start)
            if tags_between := from_to(page, last, around):
                found.append(Cut(tags_between, informative=False))
            found.append(Cut(page.source[start:stop], informative=True))
            last = open_elements(page, stop)
    return found


def open_elements(page: Page, place: int) -> list[int]:
    """Return the elements that are open at a place of a page's source, the outermost first."""
    row = int(np.searchsorted(page.start, place)) - 1
    found: list[int] = []
    while row >= 0:
        if page.stop[row] > place and page.tag[row] != tags.TEXT:
            found.append(row)
        row = int(page.parent[row])
    return found[::-1]


def from_to(page: Page, before: list[int], after: list[int]) -> bytes:
    """Return the tags that close some open elements and open others."""
    shared = sum(takewhile(bool, map(eq, before, after)))
    closed = (f"</{page.name(row)}>" for row in reversed(before[shared:]))
    opened = (f"<{page.name(row)}>" for row in after[shared:])
    return "".join((*closed, *opened)).encode()


def spans(document: Document) -> list[tuple[int, int, bool]]:
    """Return where the pieces of a page start and stop, and whether they are informative.

    A run of bytes of an informative block is a piece, with the white space behind it, or all markup
    up to the next informative block if that is near; short ones that are near each other share a
    piece, or finding them again would take more room than they do. All else, noise and the markup
    between blocks, is cut behind noise blocks. Behind which ones of several, their own lengths
    decide, so that the same blocks are cut in the same places on every page.
    """
    starts, stops, informative = owned(document)
    found = np.empty((3, 2 * len(starts) + 2), np.int32)
    source = np.frombuffer(document.page.source, np.uint8)
    count = find_spans(source, starts, stops, informative.view(np.uint8), found)
    start, stop, flag = found[:, :count]
    return list(zip(start.tolist(), stop.tolist(), flag.astype(np.bool_).tolist(), strict=True))


def owned_runs(document: Document) -> Iterable[tuple[int, int, bool]]:
    """Return the runs of bytes that a block owns: start, stop, whether it is informative."""
    return zip(*(column.tolist() for column in owned(document)), strict=True)


def owned(document: Document) -> tuple[Ints, Ints, Bools]:
    """Return the runs of bytes that a block owns, as columns."""
    page = document.page
    places, blocks = np.empty((2, 2 * len(page)), np.int64)
    opened = np.empty(len(page), np.int32)
    owner = document.segments.owner
    count = find_owners(page.start, page.stop, page.parent, owner, opened, places, blocks)
    starts, blocks = places[:count], blocks[:count]
    stops = np.append(starts[1:], len(page.source))
    is_owned = blocks >= 0
    informative = document.verdict.informative[blocks[is_owned]]
    return starts[is_owned], stops[is_owned], informative

"""Terms of blocks: runs of letters and digits; in scripts without spaces, single characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.blocks import Blocks
from tamis.page import Page, tags
from tamis.page.characters import IDEOGRAPHS_END, SINGLE_RANGES, TABLE_SIZE
from tamis.page.page import Ints


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a page's visible text in document order, case-folded, with their blocks."""

    words: list[str]
    owner: NDArray[np.int64]  # the block of each term
    row: NDArray[np.int64]  # the row in which it begins

    def by_block(self, count: int) -> list[list[str]]:
        """Return the terms that each of `count` blocks owns, in document order."""
        order = np.argsort(self.owner, kind="stable")
        words = [self.words[place] for place in order.tolist()]
        edges = np.searchsorted(self.owner[order], np.arange(count + 1)).tolist()
        return [words[start:stop] for start, stop in pairwise(edges)]


def block_terms(blocks: Blocks) -> Terms:
    """Return the terms of blocks; none goes on from one block into the next."""
    page = blocks.page
    rows = np.flatnonzero(page.visible)
    if not len(rows):
        return Terms([], *np.zeros((2, 0), dtype=np.int64))
    owners = blocks.owner[rows]
    changes = np.flatnonzero(owners[1:] != owners[:-1]) + 1
    found = terms_between(folded(shown_text(page)), page.text_start[rows[changes]])
    starts = np.array([start for start, _ in found], dtype=np.int64)
    place = np.maximum(np.searchsorted(page.text_start[rows], starts, side="right") - 1, 0)
    owner = owners[place].astype(np.int64)
    kept = np.flatnonzero(owner >= 0)
    return Terms([found[number][1] for number in kept.tolist()], owner[kept], rows[place[kept]])


def terms_between(text: str, borders: Ints) -> list[tuple[int, str]]:
    """Return the terms of a text, each with its place; none goes on past a border."""
    pattern = term_pattern()
    found = [(match.start(), match[0]) for match in pattern.finditer(text)]
    starts = np.array([start for start, _ in found], dtype=np.int64)
    crossed: dict[int, list[int]] = {}  # by the place of a term: where it is cut
    before = (np.searchsorted(starts, borders) - 1).tolist()
    for place, border in zip(before, borders.tolist(), strict=True):
        if place >= 0 and border < starts[place] + len(found[place][1]):
            crossed.setdefault(place, []).append(border - int(starts[place]))
    for place in sorted(crossed, reverse=True):
        start, word = found[place]
        parts = pairwise((0, *crossed[place], len(word)))
        found[place : place + 1] = [(start + low, word[low:high]) for low, high in parts]
    return found


def shown_text(page: Page) -> str:
    """Return the page's text with spaces for what nobody sees, all else in its place."""
    unseen = (page.tag == tags.TEXT) & ~page.visible & (page.text_stop > page.text_start)
    rows = np.flatnonzero(unseen)
    if not len(rows):
        return page.text
    pieces: list[str] = []
    place = 0
    spans = zip(page.text_start[rows].tolist(), page.text_stop[rows].tolist(), strict=True)
    for start, stop in spans:
        pieces += [page.text[place:start], " " * (stop - start)]
        place = stop
    return "".join([*pieces, page.text[place:]])


def folded(text: str) -> str:
    """Return a text with all letters in one case, each in its place."""
    low = text.casefold()
    if len(low) == len(text):
        return low
    # A few letters become two (ß, İ): they stay as they are.
    return "".join(one if len(one := char.casefold()) == 1 else char for char in text)


@cache
def term_pattern() -> re.Pattern[str]:
    """Return the pattern of one term, made at first use."""
    ranges = (*SINGLE_RANGES, (TABLE_SIZE, IDEOGRAPHS_END))
    single = "".join(f"{chr(first)}-{chr(stop - 1)}" for first, stop in ranges)
    return re.compile(rf"(?=\w)[{single}]|[^\W{single}]+")

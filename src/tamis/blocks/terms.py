"""Terms of blocks: runs of letters and digits; in scripts without spaces, single characters.

Fingerprints of blocks: what tells whether two blocks of different pages are the same.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from operator import mul
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.blocks import Blocks
from tamis.blocks.measures import count_features
from tamis.page import IDEOGRAPHS_END, SINGLE_RANGES, TABLE_SIZE, Ints, Page, tags


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


Maxima = tuple[float, ...]  # of each feature, the greatest count of a block


class BlockCounts(NamedTuple):
    """What a block holds, whatever else its page holds: its terms and the counts of features."""

    terms: frozenset[str]
    counts: tuple[float, ...]


class BlockVector(NamedTuple):
    """The extended feature vector of 004 §3.2: v_F of each feature, and a 1 for each term."""

    terms: frozenset[str]
    features: tuple[float, ...]
    size: float  # the square of its length

    def cosine(self, other: BlockVector) -> float:
        """Return the cosine of two vectors; that of equal ones is 1, also where both are zero."""
        if self == other:
            return 1.0
        common = len(self.terms & other.terms) + sum(map(mul, self.features, other.features))
        length = math.sqrt(self.size * other.size)
        return common / length if length else 0.0


def block_counts(blocks: Blocks) -> list[BlockCounts]:
    """Return what each block of a page holds."""
    counts = np.array(list(count_features(blocks, ()).values()))
    terms = block_terms(blocks).by_block(len(blocks))
    return [
        BlockCounts(frozenset(words), tuple(values))
        for words, values in zip(terms, counts.T.tolist(), strict=True)
    ]


def greatest_counts(blocks: Iterable[BlockCounts]) -> Maxima:
    """Return the greatest count of each feature among blocks of the pages that are compared."""
    return tuple(map(max, zip(*(block.counts for block in blocks), strict=True)))


def block_vector(block: BlockCounts, maxima: Maxima) -> BlockVector:
    """Return the vector of a block, its features scaled by the maxima of all compared pages.

    By maxima of its own page, the same block would have another vector on every page. A block of
    a further page may hold more than the maximum: that counts as the maximum.
    """
    features = tuple(
        min(count / greatest, 1.0) if greatest else min(count, 1.0)
        for count, greatest in zip(block.counts, maxima or [0.0] * len(block.counts), strict=True)
    )
    return BlockVector(block.terms, features, len(block.terms) + sum(map(mul, features, features)))


def fingerprint(terms: Collection[str]) -> str:
    """Return 16 letters that stand for a set of terms, the same on every machine."""
    said = "\x1f".join(sorted(set(terms)))
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()

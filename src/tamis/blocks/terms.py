"""Terms of blocks, and what is computed from them to compare blocks of different pages.

A term is a run of letters and digits; in scripts without spaces, a single character. A
`BlockVector` compares blocks by their cosine (Debnath et al. 2005 §3.2), a fingerprint by
equality.
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

Maxima = tuple[float, ...]  # the greatest count of each feature in a block


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a page's visible text in document order, case-folded, with their blocks."""

    words: list[str]
    owner: NDArray[np.int64]  # the block of each term
    row: NDArray[np.int64]  # the row in which it begins

    def by_block(self, count: int) -> list[list[str]]:
        """Return the terms that each of `count` blocks owns, in document order."""
        order = np.argsort(self.owner, kind="stable")
        words = [self.words[index] for index in order.tolist()]
        edges = np.searchsorted(self.owner[order], np.arange(count + 1)).tolist()
        return [words[start:stop] for start, stop in pairwise(edges)]


class BlockCounts(NamedTuple):
    """The terms and feature counts of a block, which do not depend on other blocks."""

    terms: frozenset[str]
    counts: tuple[float, ...]


class BlockVector(NamedTuple):
    """The extended feature vector of Debnath et al. 2005 §3.2: v_F of each feature, 1 per term."""

    terms: frozenset[str]
    features: tuple[float, ...]
    size: float  # the square of its length

    def cosine(self, other: BlockVector) -> float:
        """Return the cosine of two vectors; for equal ones it is 1, even if both are zero."""
        if self == other:
            return 1.0
        common = len(self.terms & other.terms) + sum(map(mul, self.features, other.features))
        length = math.sqrt(self.size * other.size)
        return common / length if length else 0.0


def block_terms(blocks: Blocks) -> Terms:
    """Return the terms of blocks; a term ends where its block ends."""
    page = blocks.page
    rows = np.flatnonzero(page.visible)
    if not len(rows):
        return Terms([], *np.zeros((2, 0), dtype=np.int64))
    owners = blocks.owner[rows]
    changes = np.flatnonzero(owners[1:] != owners[:-1]) + 1
    terms = _split_terms(_fold_case(_visible_text(page)), page.text_start[rows[changes]])
    starts = np.array([start for start, _ in terms], dtype=np.int64)
    row_index = np.maximum(np.searchsorted(page.text_start[rows], starts, side="right") - 1, 0)
    owner = owners[row_index].astype(np.int64)
    owned = np.flatnonzero(owner >= 0)
    words = [terms[index][1] for index in owned.tolist()]
    return Terms(words, owner[owned], rows[row_index[owned]])


@cache
def term_pattern() -> re.Pattern[str]:
    """Return the pattern of a term, compiled on first use."""
    ranges = (*SINGLE_RANGES, (TABLE_SIZE, IDEOGRAPHS_END))
    single = "".join(f"{chr(first)}-{chr(stop - 1)}" for first, stop in ranges)
    return re.compile(rf"(?=\w)[{single}]|[^\W{single}]+")


def block_counts(blocks: Blocks) -> list[BlockCounts]:
    """Return the terms and feature counts of each block of a page."""
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

    Scaled by the maxima of its own page, the same block would have another vector on every page. A
    block of a further page may have more than the maximum: that counts as the maximum.
    """
    features = tuple(
        min(count / greatest, 1.0) if greatest else min(count, 1.0)
        for count, greatest in zip(block.counts, maxima or [0.0] * len(block.counts), strict=True)
    )
    return BlockVector(block.terms, features, len(block.terms) + sum(map(mul, features, features)))


def fingerprint(terms: Collection[str]) -> str:
    """Return a hash of a set of terms with 16 hexadecimal digits, the same on every machine."""
    text = "\x1f".join(sorted(set(terms)))
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _split_terms(text: str, borders: Ints) -> list[tuple[int, str]]:
    """Return the terms of a text, each with its offset; a term that crosses a border is split."""
    terms = [(match.start(), match[0]) for match in term_pattern().finditer(text)]
    starts = np.array([start for start, _ in terms], dtype=np.int64)
    cuts: dict[int, list[int]] = {}  # by the index of a term: the offsets in it
    before = (np.searchsorted(starts, borders) - 1).tolist()
    for index, border in zip(before, borders.tolist(), strict=True):
        if index >= 0 and border < starts[index] + len(terms[index][1]):
            cuts.setdefault(index, []).append(border - int(starts[index]))
    for index in sorted(cuts, reverse=True):
        start, word = terms[index]
        parts = pairwise((0, *cuts[index], len(word)))
        terms[index : index + 1] = [(start + low, word[low:high]) for low, high in parts]
    return terms


def _visible_text(page: Page) -> str:
    """Return the page's text with hidden text replaced by spaces, so that offsets stay the same."""
    hidden = (page.tag == tags.TEXT) & ~page.visible & (page.text_stop > page.text_start)
    rows = np.flatnonzero(hidden)
    if not len(rows):
        return page.text
    parts: list[str] = []
    offset = 0
    spans = zip(page.text_start[rows].tolist(), page.text_stop[rows].tolist(), strict=True)
    for start, stop in spans:
        parts += [page.text[offset:start], " " * (stop - start)]
        offset = stop
    return "".join([*parts, page.text[offset:]])


def _fold_case(text: str) -> str:
    """Return a text in one case, so that offsets stay the same."""
    folded = text.casefold()
    if len(folded) == len(text):
        return folded
    # A few letters become two (ß, İ): they stay as they are.
    return "".join(low if len(low := char.casefold()) == 1 else char for char in text)

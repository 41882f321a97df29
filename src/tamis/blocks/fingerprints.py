"""Fingerprints of blocks: what tells whether two blocks of different pages are the same."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable
from operator import mul
from typing import NamedTuple

import numpy as np

from tamis.blocks.blocks import Blocks
from tamis.blocks.measures import feature_counts
from tamis.blocks.terms import block_terms

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
    counts = np.array(list(feature_counts(blocks, ()).values()))
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

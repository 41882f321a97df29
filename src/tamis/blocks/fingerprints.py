"""Fingerprints of blocks: what tells whether two blocks of different pages are the same."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection
from operator import mul
from typing import Final, NamedTuple

import numpy as np

from tamis.blocks.blocks import Blocks
from tamis.blocks.measures import feature_counts, relative
from tamis.blocks.terms import block_terms

LEVELS: Final = 16  # steps of a feature between 0 and 1


class BlockVector(NamedTuple):
    """The extended feature vector of 004 §3.2: v_F of each feature, and a 1 for each term.

    Features are rounded to sixteenths. They are relative to the greatest count of the page, so
    the same block would otherwise have another vector on every page.
    """

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


def block_vectors(blocks: Blocks) -> list[BlockVector]:
    """Return the vectors of the blocks of a page."""
    counts = np.array(list(feature_counts(blocks, ()).values()))
    levels = np.round(relative(counts) * LEVELS) / LEVELS
    terms = map(frozenset, block_terms(blocks).by_block(len(blocks)))
    squares = (levels**2).sum(axis=0).tolist()
    return [
        BlockVector(said, tuple(values), len(said) + square)
        for said, values, square in zip(terms, levels.T.tolist(), squares, strict=True)
    ]


def fingerprint(terms: Collection[str]) -> str:
    """Return 16 letters that stand for a set of terms, the same on every machine."""
    said = "\x1f".join(sorted(set(terms)))
    return hashlib.blake2b(said.encode("utf-8", "replace"), digest_size=8).hexdigest()

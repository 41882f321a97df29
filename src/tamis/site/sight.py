"""Sight: what learning and applying a template see of a page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks, block_terms, fingerprint
from tamis.page import Bools
from tamis.pipeline import DEFAULT_METHOD, METHODS
from tamis.site.containers import Main, main_container
from tamis.site.places import block_places
from tamis.verdict import Verdict

METHOD: Final = METHODS[DEFAULT_METHOD]  # what judges a page by itself
SUREST: Final = 1e-4  # no chance is nearer to 0 or 1

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sight:
    """A page as its blocks, each with its fingerprint, place, terms and what it is by itself."""

    blocks: Blocks
    verdict: Verdict  # of the method for single pages
    fingerprints: tuple[str | None, ...]  # None of a block without terms
    places: tuple[str, ...]
    terms: Floats

    @cached_property
    def odds(self) -> Floats:
        """The logarithm of the odds that a block is content, judged by this page alone."""
        return log_odds(self.verdict.score)

    @property
    def kept(self) -> Bools:
        """The blocks that the page keeps by itself."""
        return self.verdict.informative

    @cached_property
    def container(self) -> Main | None:
        """The element that holds most of what the page keeps by itself."""
        return main_container(self.blocks, self.terms, self.kept)

    @cached_property
    def structure(self) -> Mapping[str, float]:
        """The places where the page has text, with what each weighs: log(1 + terms)."""
        sums: dict[str, float] = {}
        for place, terms in zip(self.places, self.terms.tolist(), strict=True):
            if terms:
                sums[place] = sums.get(place, 0.0) + terms
        return {place: math.log1p(terms) for place, terms in sums.items()}


def sight(blocks: Blocks) -> Sight:
    """Return what there is to see of a page."""
    words = block_terms(blocks).by_block(len(blocks))
    return Sight(
        blocks,
        METHOD.identifier.identify(blocks),
        tuple(fingerprint(said) if said else None for said in words),
        tuple(block_places(blocks)),
        blocks.owned(blocks.page.terms),
    )


def log_odds(chance: Floats) -> Floats:
    """Return log(p / (1 − p)) of chances, none of them certain."""
    bounded = np.clip(chance, SUREST, 1 - SUREST)
    return np.log(bounded / (1 - bounded))

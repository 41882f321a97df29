"""Evidence: what a template says about the blocks of a page, beside what the page says itself."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.page import Bools
from tamis.site.sight import Floats, Sight
from tamis.site.template import Template

SURE: Final = 500.0  # log odds beyond which nothing changes but that exp() overflows


@dataclass(frozen=True)
class Weights:
    """How much each kind of evidence counts, in units of the logarithm of odds.

    Chosen on sites-dev; `tamis evaluate sites` measures each site with those chosen on the others.
    """

    block: float = 3.0  # against a block that all other pages have
    place: float = 6.0  # against a place where all blocks repeat
    others: float = 0.6  # share of the judgement that the same place of other pages has ...
    doubt: float = 3.0  # ... when it was seen in many more than this number of blocks


@dataclass(frozen=True, eq=False)
class Evidence:
    """For each block of a page: what the template knows, and the odds that follow."""

    alone: Floats  # log odds of content by the page itself
    pages: Floats  # of the template that hold the block
    seen: Floats  # blocks of the template in the same place
    others: Floats  # mean log odds of these
    repetition: Floats  # how much of the place repeats
    odds: Floats  # all together
    declared: Bools  # whether a person declared the block to be noise

    @property
    def chance(self) -> Floats:
        """The chance that a block is content; what is declared to be noise has none."""
        odds = np.clip(self.odds, -SURE, SURE)
        return np.where(self.declared, 0.0, 1 / (1 + np.exp(-odds)))


def evidence(
    page: Sight, template: Template, weights: Weights, declared: Container[str | None] = ()
) -> Evidence:
    """Weigh the evidence on the blocks of a page.

    The log odds of the page alone are drawn towards the mean of the same place in other pages, the
    more of them were seen, and lowered by the share of pages that hold the block and by how much
    of its place repeats. What is `declared` is noise whatever the rest says.
    """
    spots = [template.by_place.get(place) for place in page.places]
    held = [template.by_id.get(said) if said else None for said in page.fingerprints]
    pages = np.array([block.pages if block else 0 for block in held], dtype=np.float64)
    seen = np.array([spot.blocks if spot else 0 for spot in spots], dtype=np.float64)
    others = np.array([spot.odds if spot else 0.0 for spot in spots], dtype=np.float64)
    repetition = np.array([template.repetition.get(place, 0.0) for place in page.places])
    share = weights.others * seen / (seen + weights.doubt) if len(seen) else seen
    odds = page.odds + share * (others - page.odds)
    odds = odds - weights.block * pages / max(template.pages, 1) - weights.place * repetition
    is_declared = np.array([said in declared for said in page.fingerprints], dtype=np.bool_)
    return Evidence(page.odds, pages, seen, others, repetition, odds, is_declared)


def is_repeated(found: Evidence, template: Template) -> Bools:
    """Say which blocks stand in at least half of the pages."""
    return found.pages >= max(template.pages / 2, 1)

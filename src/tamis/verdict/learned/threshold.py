"""Threshold: which blocks are informative, given the probability of each to be content."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools
from tamis.verdict.learned._forest import POWERS, choose
from tamis.verdict.learned.units import Units
from tamis.verdict.verdict import Floats

_MIN_PROSE_TERMS: Final = 50  # of a block outside of links
_NEARLY_BEST: Final = 0.5  # of the probability of the best block of prose
_NEARLY_ALL: Final = 0.95  # share of the expected content that only a script can show


@dataclass(frozen=True, eq=False)
class ExpertProbabilities:
    """The probability of each block to be content, by each expert.

    `by_expert` has one row per expert and one column per block, `weights` the probability that the
    page is one for the expert. Blocks stand or fall together with the expert: a page is an article
    or a list, not half of each.
    """

    by_expert: Floats
    weights: Floats

    @cached_property
    def score(self) -> Floats:
        """The probability of each block, over all experts."""
        return np.asarray(self.weights @ self.by_expert)

    def without(self, excluded: Bools) -> ExpertProbabilities:
        """Return probabilities that are 0 for the excluded blocks."""
        if not excluded.any():
            return self
        return replace(self, by_expert=np.where(excluded, 0.0, self.by_expert))


@dataclass(frozen=True, eq=False)
class Choice:
    """The informative blocks, the threshold of their probability, and what can be expected."""

    informative: Bools
    best_probability: float  # of all blocks
    expected_terms: float  # of content, in informative blocks or not
    threshold: float
    expected_f1: float
    expected_precision: float
    expected_recall: float


def choose_blocks(
    experts: ExpertProbabilities,
    terms: Floats,
    favor: str | None = None,
    units: Units | None = None,
) -> Choice:
    """Return the choice by the threshold with the greatest expected F1 of the page's terms.

    By one expert, the expected F1 of the blocks K is 2 Σ_K p n / (Σ_K n + Σ p n), with n terms per
    block, over blocks that are not very improbable. An answer that is probably wrong altogether is
    not given: then no block is informative. The choice is one of units, if any are given.
    """
    power = POWERS[favor]
    if units is None:
        numbers: tuple[float, ...]
        informative, numbers = choose(
            experts.by_expert, experts.weights, experts.score, terms, power
        )
        return Choice(informative, *numbers)
    by_expert = units.average(experts.by_expert, terms)
    score = experts.weights @ by_expert
    informative, numbers = choose(by_expert, experts.weights, score, units.terms, power)
    return Choice(informative[units.number], *numbers)


def keep_prose(choice: Choice, blocks: Blocks, score: Floats) -> Choice:
    """Return a choice that is not empty where a page has a block of prose.

    The blocks are taken that are about as probable as the most probable block of prose.
    """
    if choice.informative.any():
        return choice
    page = blocks.page
    prose = blocks.owned(page.terms * ~page.in_link) >= _MIN_PROSE_TERMS
    prose &= score > 0
    if not prose.any():
        return choice
    return replace(choice, informative=prose & (score >= _NEARLY_BEST * score[prose].max()))


def find_not_rendered(blocks: Blocks, experts: ExpertProbabilities, terms: Floats) -> Bools | None:
    """Return the blocks of which nothing is shown: closed menus, tabs, what waits for a click.

    None on a page without layout. No block if they hold nearly all of the content: such a page
    shows it only after its scripts have run.
    """
    layout = blocks.page.layout
    if layout is None:
        return None
    chars = blocks.page.chars
    not_rendered: Bools = (blocks.owned(chars * layout.shown) == 0) & (blocks.owned(chars) > 0)
    expected = experts.score * terms
    hides_content = float(expected[not_rendered].sum()) > _NEARLY_ALL * float(expected.sum())
    return not_rendered & (not hides_content)

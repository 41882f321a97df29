"""Threshold: which blocks are informative, given the probability of each to be content."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools
from tamis.verdict.kernel.answers import find_cut, find_some
from tamis.verdict.verdict import Floats

# A probability counts as this power of itself. False positives cost a little more than the expected
# F1 says, because the errors of one page go together.
POWERS: Final = {None: 1.2, "precision": 2.5, "recall": 0.7}
MIN_PROBABILITY: Final = 0.05  # of an informative block
# A page is a shell without content if it has at least MIN_SHELL_TERMS terms, but the probability of
# no block reaches MIN_BEST_PROBABILITY, or fewer than MIN_EXPECTED_TERMS terms of content are
# expected. On a page of fewer terms the most probable blocks are taken.
MIN_SHELL_TERMS: Final = 150.0
MIN_BEST_PROBABILITY: Final = 0.3
MIN_EXPECTED_TERMS: Final = 8.0
ONE_TEXT_SHARE: Final = 0.9  # with such a share of its terms in one block a page is no shell
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


def choose_blocks(experts: ExpertProbabilities, terms: Floats, favor: str | None = None) -> Choice:
    """Return the choice by the threshold with the greatest expected F1 of the page's terms.

    By one expert, the expected F1 of the blocks K is 2 Σ_K p n / (Σ_K n + Σ p n), with n terms per
    block, over blocks that are not very improbable. An answer that is probably wrong altogether is
    not given: then no block is informative.
    """
    score = experts.score
    candidates, summary = np.empty(len(score), dtype=np.int64), np.empty(4)
    candidates = candidates[: find_some(score, terms, MIN_PROBABILITY, candidates, summary)]
    all_terms, longest, expected, best = summary.tolist()
    is_improbable = best < MIN_BEST_PROBABILITY or expected < MIN_EXPECTED_TERMS
    is_one_text = longest >= ONE_TEXT_SHARE * all_terms
    is_shell = is_improbable and all_terms >= MIN_SHELL_TERMS and not is_one_text
    if not all_terms or is_shell:
        nothing = np.zeros(len(score), dtype=np.bool_)
        return Choice(nothing, best, expected, 1.0, 0.0, 0.0, 0.0)
    order = candidates[np.argsort(-score[candidates], kind="stable")]
    weights = experts.weights
    weighed, sums = np.empty((len(weights), len(order))), np.zeros((4, len(weights)))
    find_cut(
        *(order, score, terms, experts.by_expert, weights, POWERS[favor]), weighed, sums, summary
    )
    threshold, f1, precision, recall = summary.tolist()
    return Choice(score >= threshold, best, expected, threshold, f1, precision, recall)


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

"""Cut: which blocks to keep, given each one's chance to be content.

Unseen: blocks that a browser does not show, on a page with layout.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import Bools
from tamis.verdict.kernel.answers import find_cut, find_some

Floats = NDArray[np.float64]

# A chance counts as this power of itself: what is kept in vain costs a little more than the
# expected F1 says, because the errors of one page go together.
POWERS: Final = {None: 1.2, "precision": 2.5, "recall": 0.7}
LOWEST: Final = 0.05  # chance of a block that is kept
# A page is a shell without content if it has some text, but no block is likelier than UNLIKELY or
# fewer terms than EXPECTED are to be expected in all. Of a few words the likeliest are given.
SOME_TERMS: Final = 150.0
UNLIKELY: Final = 0.3
EXPECTED: Final = 8.0
ONE_TEXT: Final = 0.9  # share of its terms in one block from which on a page is no shell


@dataclass(frozen=True, eq=False)
class ExpertProbabilities:
    """What the blocks' chances to be content are, by each view of the page that is possible.

    `beliefs` has a row a view and a column a block, `chances` the chance of each view. Blocks stand
    or fall together with the view: a page is an article or a list, not half of each.
    """

    beliefs: Floats
    chances: Floats

    @cached_property
    def score(self) -> Floats:
        """The chance of each block, all views together."""
        return np.asarray(self.chances @ self.beliefs)

    def without(self, some: Bools) -> ExpertProbabilities:
        """Return views in which some blocks have no chance."""
        return replace(self, beliefs=np.where(some, 0.0, self.beliefs)) if some.any() else self


@dataclass(frozen=True, eq=False)
class Choice:
    """The blocks to keep, the chance from which on they are kept, and what is to be expected."""

    kept: Bools
    best_chance: float  # of all blocks
    expected_terms: float  # of content, kept or not
    threshold: float
    expected_f1: float
    expected_precision: float
    expected_recall: float


def choose_blocks(views: ExpertProbabilities, terms: Floats, favor: str | None = None) -> Choice:
    """Return the cut through the scores that has the greatest expected F1 of the page's terms.

    By one view, the expected F1 of keeping the blocks K is 2 Σ_K p n / (Σ_K n + Σ p n), with n
    terms a block, over blocks that are not very unlikely. An answer that is likely to be wrong
    altogether is not given: then nothing is kept.
    """
    score = views.score
    some, told = np.empty(len(score), dtype=np.int64), np.empty(4)
    some = some[: find_some(score, terms, LOWEST, some, told)]
    all_terms, longest, expected, best = told.tolist()
    unlikely = best < UNLIKELY or expected < EXPECTED
    is_one_text = longest >= ONE_TEXT * all_terms
    if not all_terms or (unlikely and all_terms >= SOME_TERMS and not is_one_text):
        return Choice(np.zeros(len(score), dtype=np.bool_), best, expected, 1.0, 0.0, 0.0, 0.0)
    order = some[np.argsort(-score[some], kind="stable")]
    beliefs, chances = views.beliefs, views.chances
    weighed, sums = np.empty((len(chances), len(order))), np.zeros((4, len(chances)))
    find_cut(order, score, terms, beliefs, chances, POWERS[favor], weighed, sums, told)
    threshold, f1, precision, recall = told.tolist()
    return Choice(score >= threshold, best, expected, threshold, f1, precision, recall)


NEARLY_ALL: Final = 0.95  # share of the expected content that only a script can show


def find_not_rendered(blocks: Blocks, views: ExpertProbabilities, terms: Floats) -> Bools | None:
    """Return the blocks of which nothing is shown: menus that open, tabs, what waits for a click.

    None on a page without layout, and no block where they hold nearly all of the content: such a
    page shows it only after its scripts have run.
    """
    layout = blocks.page.layout
    if layout is None:
        return None
    chars = blocks.page.chars
    unseen: Bools = (blocks.owned(chars * layout.shown) == 0) & (blocks.owned(chars) > 0)
    expected = views.score * terms
    hides_content = float(expected[unseen].sum()) > NEARLY_ALL * float(expected.sum())
    return unseen & (not hides_content)

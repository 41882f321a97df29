"""Cut: which blocks to keep, given each one's chance to be content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page.page import Bools

# A chance counts as this power of itself: what is kept in vain costs a little more than the
# expected F1 says, because the errors of one page go together.
POWERS: Final = {None: 1.2, "precision": 2.5, "recall": 0.7}
LOWEST, HIGHEST = 0.08, 0.9  # bounds of the cut
# A page is a shell without content if it has some text, but no block is likelier than UNLIKELY or
# fewer terms than EXPECTED are to be expected in all. Of a few words the likeliest are given.
SOME_TERMS: Final = 50.0
UNLIKELY: Final = 0.3
EXPECTED: Final = 8.0


@dataclass(frozen=True, eq=False)
class Cut:
    """The blocks to keep, the chance from which on they are kept, and what is to be expected."""

    kept: Bools
    threshold: float
    expected_f1: float
    expected_precision: float
    expected_recall: float


def best_cut(
    score: NDArray[np.float64], terms: NDArray[np.float64], favor: str | None = None
) -> Cut:
    """Return the cut through the scores that has the greatest expected F1 of the page's terms.

    The expected F1 of keeping the blocks K is 2 Σ_K p n / (Σ_K n + Σ p n), with n terms a block. An
    answer that is likely to be wrong altogether is not given: then nothing is kept.
    """
    expected = float(score @ terms)
    unlikely = float(score.max(initial=0.0)) < UNLIKELY or expected < EXPECTED
    if not terms.any() or (unlikely and float(terms.sum()) >= SOME_TERMS):
        return Cut(np.zeros(len(score), dtype=np.bool_), 1.0, 0.0, 0.0, 0.0)
    weighed = score ** POWERS[favor]
    order = np.argsort(-score, kind="stable")
    hits = np.cumsum((weighed * terms)[order])
    kept_terms = np.cumsum(terms[order])
    value = 2 * hits / np.maximum(kept_terms + hits[-1], 1e-9)
    inside = (score[order] >= LOWEST) & (score[order] <= HIGHEST)
    likely = int(np.count_nonzero(score > HIGHEST))
    value[~inside] = -1.0
    if likely:
        value[likely - 1] = 2 * hits[likely - 1] / max(kept_terms[likely - 1] + hits[-1], 1e-9)
    last = int(np.argmax(value))
    threshold = float(score[order[last]])
    kept = score >= threshold
    size, hit = float(terms[kept].sum()), float((score * terms)[kept].sum())
    return Cut(
        kept,
        threshold,
        2 * hit / max(size + expected, 1e-9),
        hit / max(size, 1e-9),
        hit / max(expected, 1e-9),
    )

"""What the first forest thinks of a block's surroundings: the evidence of the second."""

from __future__ import annotations

from typing import Final

import numpy as np

from tamis.verdict.evidence.columns import Evidence
from tamis.verdict.evidence.containers import LEVELS
from tamis.verdict.evidence.frame import Columns, Matrix
from tamis.verdict.evidence.neighbours import STEPS, WINDOWS
from tamis.verdict.kernel.beliefs import (
    mean_beliefs,
    measure_beliefs,
    rank_beliefs,
    record_beliefs,
    step_beliefs,
    sum_beliefs,
)

NAMES: Final = (
    *"belief rank".split(),
    *(f"belief_at_{step}" for step in STEPS),
    *(f"belief_within_{window}" for window in WINDOWS),
    *(f"belief_level_{level}" for level in range(1, LEVELS + 1)),
    *"belief_path belief_named_path belief_record belief_records belief_outer_records".split(),
    *"belief_before belief_after belief_share belief_best".split(),
)

MOST_TERMS: Final = 500.0  # of a block that count as weight


def context(found: Evidence, belief: Columns, columns: Matrix) -> None:
    """Write means of the belief in the blocks, weighted by terms, over their surroundings."""
    frame, records = found.frame, found.records
    sums = np.empty((2, len(frame) + 1))
    sum_beliefs(belief, frame.terms, MOST_TERMS, sums)
    order = np.argsort(-belief, kind="stable")
    rank_beliefs(belief, order, sums, columns[:2], columns[-4:])
    step_beliefs(belief, _STEPS, columns[2 : 2 + len(STEPS)])
    at = 2 + len(STEPS)
    stop = at + len(WINDOWS) + LEVELS
    before, end = frame.before, frame.page.end
    measure_beliefs(sums, _WINDOWS, found.levels, before, end, columns[at:stop])
    for place, group in enumerate((found.paths, found.named_paths), start=stop):
        mean_beliefs(sums, group, np.zeros((2, len(frame))), columns[place])
    record_beliefs(
        *(sums, before, end, records.rows, records.group, records.inner, records.outer, belief),
        np.zeros((2, max(records.makes, 1))),
        columns[stop + 2 : stop + 5],
    )


_STEPS, _WINDOWS = np.array(STEPS), np.array(WINDOWS)

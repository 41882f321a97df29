"""What the first forest thinks of a block's surroundings: the evidence of the second."""

from __future__ import annotations

from typing import Final

import numpy as np

from tamis.verdict.evidence.columns import Evidence
from tamis.verdict.evidence.containers import LEVELS
from tamis.verdict.evidence.frame import Columns, Matrix
from tamis.verdict.evidence.neighbours import STEPS, WINDOWS
from tamis.verdict.kernel.measures import (
    mean_beliefs,
    measure_beliefs,
    record_beliefs,
    step_beliefs,
)

NAMES: Final = (
    *"belief rank".split(),
    *(f"belief_at_{step}" for step in STEPS),
    *(f"belief_within_{window}" for window in WINDOWS),
    *(f"belief_level_{level}" for level in range(1, LEVELS + 1)),
    *"belief_path belief_named_path belief_record belief_records belief_outer_records".split(),
    *"belief_before belief_after belief_share belief_best".split(),
)


def context(found: Evidence, belief: Columns, columns: Matrix) -> None:
    """Write means of the belief in the blocks, weighted by terms, over their surroundings."""
    frame, records = found.frame, found.records
    sums = np.zeros((2, len(frame) + 1))
    np.minimum(frame.terms, 500.0, out=sums[1, 1:])
    sums[1, 1:] += 0.5
    np.multiply(belief, sums[1, 1:], out=sums[0, 1:])
    np.cumsum(sums, axis=1, out=sums)
    columns[0] = belief
    columns[1, np.argsort(-belief, kind="stable")] = frame.number / len(frame)
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
    total = max(float(sums[0, -1]), 1e-9)
    columns[stop + 5] = sums[0, :-1] / total
    columns[stop + 6] = 1.0 - sums[0, 1:] / total
    columns[stop + 7] = total / float(sums[1, -1])
    columns[stop + 8] = float(belief.max())


_STEPS, _WINDOWS = np.array(STEPS), np.array(WINDOWS)

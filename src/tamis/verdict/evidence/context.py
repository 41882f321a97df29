"""What the first forest thinks of a block's surroundings: the evidence of the second."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.verdict.evidence.columns import Evidence
from tamis.verdict.evidence.containers import LEVELS
from tamis.verdict.evidence.frame import Columns, Matrix, Numbers
from tamis.verdict.evidence.neighbours import STEPS, WINDOWS, shifted
from tamis.verdict.evidence.repetition import Records
from tamis.verdict.kernel.measures import mean_beliefs, measure_beliefs

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
    for place, step in enumerate(STEPS, start=2):
        shifted(belief[None], step, columns[place : place + 1])
    at = 2 + len(STEPS)
    stop = at + len(WINDOWS) + LEVELS
    before, end = frame.before, frame.page.end
    measure_beliefs(sums, _WINDOWS, found.levels, before, end, columns[at:stop])
    for place, group in enumerate((found.paths, found.named_paths), start=stop):
        mean_beliefs(sums, group, np.zeros((2, len(frame))), columns[place])
    rows = records.rows
    held = sums[:, before[end[rows]]] - sums[:, before[rows]]
    columns[stop + 2 : stop + 5] = record_means(records, held, belief)
    total = max(float(sums[0, -1]), 1e-9)
    columns[stop + 5] = sums[0, :-1] / total
    columns[stop + 6] = 1.0 - sums[0, 1:] / total
    columns[stop + 7] = total / float(sums[1, -1])
    columns[stop + 8] = float(belief.max())


def ratio(sums: Columns) -> Columns:
    """Return weighted means of weighted sums and weights."""
    means: Columns = sums[0] / np.maximum(sums[1], 1e-9)
    return means


def group_mean(group: Numbers, held: Columns) -> Columns:
    """Return the weighted mean over each block's group."""
    return ratio(np.stack([np.bincount(group, weights=row) for row in held]))[group]


def record_means(records: Records, held: Columns, belief: Columns) -> NDArray[np.float64]:
    """Return the means over each block's record, over the records of its make and the outer ones.

    Where there is no record it is the belief itself.
    """
    means = np.stack((belief, belief, belief))
    inner, outer = np.flatnonzero(records.inner >= 0), np.flatnonzero(records.outer >= 0)
    if len(records.rows):
        each = ratio(held)
        group = group_mean(records.group, held)
        means[0, inner] = each[records.inner[inner]]
        means[1, inner] = group[records.inner[inner]]
        means[2, outer] = group[records.outer[outer]]
    return means


_WINDOWS = np.array(WINDOWS)

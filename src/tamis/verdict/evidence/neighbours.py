"""The blocks before and after a block."""

from __future__ import annotations

from typing import Final

import numpy as np

from tamis.verdict.evidence.frame import Frame, Matrix
from tamis.verdict.evidence.own import kind_table
from tamis.verdict.kernel.measures import measure_steps, measure_windows

STEPS: Final = (-2, -1, 1, 2)
WINDOWS: Final = (3, 8, 20)  # blocks to each side
NAMES: Final = (
    *(f"{measure}_at_{step}" for step in STEPS for measure in ("terms", "link_density", "kind")),
    *(
        f"{measure}_within_{window}"
        for window in WINDOWS
        for measure in ("terms", "link_density", "marks_per_term", "long", "headings")
    ),
)


def neighbours(frame: Frame, columns: Matrix) -> None:
    """Write what stands before and after the blocks."""
    steps = columns[: 3 * len(STEPS)]
    measure_steps(frame.sums, frame.tag, kind_table(), _STEPS, steps)
    measure_windows(frame.totals, _WINDOWS, frame.all_long, columns[3 * len(STEPS) :])


_STEPS, _WINDOWS = np.array(STEPS), np.array(WINDOWS)

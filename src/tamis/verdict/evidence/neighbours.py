"""The blocks before and after a block."""

from __future__ import annotations

from typing import Final

import numpy as np

from tamis.verdict.evidence.frame import Columns, Frame, Matrix
from tamis.verdict.evidence.own import kinds
from tamis.verdict.kernel.measures import measure_windows

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
    near = np.stack((np.minimum(frame.terms, 500), frame.link_density, kinds(frame.tag)))
    for place, step in enumerate(STEPS):
        shifted(near, step, columns[3 * place : 3 * place + 3])
    measure_windows(frame.totals, _WINDOWS, frame.all_long, columns[3 * len(STEPS) :])


def shifted(values: Columns, step: int, out: Matrix) -> None:
    """Write the values of the block `step` further on, -1 where there is none."""
    out.fill(-1.0)
    if step < 0:
        out[:, -step:] = values[:, :step]
    else:
        out[:, :-step] = values[:, step:]


_WINDOWS = np.array(WINDOWS)

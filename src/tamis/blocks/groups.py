"""Keys → groups of equal ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.kernel.aligned import number_keys


def groups_of(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], int]:
    """Return the number of the group of equal keys that each key is in, and of how many groups.

    Groups are numbered in the order in which they begin.
    """
    table = np.full(1 << (2 * len(keys)).bit_length(), -1, dtype=np.int64)
    groups = np.empty(len(keys), dtype=np.int64)
    return groups, number_keys(keys, table, groups)

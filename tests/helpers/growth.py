"""How much longer work takes on eight times the input."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

# Linear work takes 8 times as long; caches and a busy machine make that up to twice as much.
# Quadratic work takes 64 times as long.
LINEAR = 8 * 2.5


def growth(small: Callable[[], object], large: Callable[[], object]) -> float:
    """Return the smallest ratio of two run times, each ratio of runs next to each other.

    A busy spell slows neighbours alike, so that a ratio of runs minutes apart, the small one
    quiet and the large one not, would tell more of the machine than of the work. It is taken
    again while it is not linear: a quadratic ratio is far from the limit each time.
    """
    ratio = float("inf")
    for attempt in range(12):
        quickest = min(_seconds(small) for _ in range(3))
        ratio = min(ratio, _seconds(large) / quickest)
        if ratio <= (LINEAR / 2 if attempt < 6 else LINEAR):
            break
    return ratio


def _seconds(work: Callable[[], object]) -> float:
    gc.disable()
    start = time.thread_time()
    try:
        work()
        return time.thread_time() - start
    finally:
        gc.enable()

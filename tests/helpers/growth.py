"""How much longer work takes on eight times the input."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

# Linear work takes 8 times as long; caches and a busy machine make that up to twice as much.
# Quadratic work takes 64 times as long.
LINEAR = 8 * 2.5


def growth(small: Callable[[], object], large: Callable[[], object]) -> float:
    """Return the ratio of two run times, the best of several runs of each, taken in turns.

    It is taken again, a few times, while it is not linear: noise only ever adds to a time.
    """
    best_small = best_large = float("inf")
    for _ in range(6):
        for _ in range(3):
            best_small = min(best_small, _seconds(small))
        best_large = min(best_large, _seconds(large))
        if best_large / best_small <= LINEAR / 2:
            break
    return best_large / best_small


def _seconds(work: Callable[[], object]) -> float:
    gc.disable()
    start = time.thread_time()
    try:
        work()
        return time.thread_time() - start
    finally:
        gc.enable()

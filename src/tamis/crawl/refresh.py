"""Which pages are worth another look: those that have probably changed.

A page that changes at random moments, λ times a second on average, has changed after t seconds with
probability 1 - exp(-λt). λ is estimated from the looks so far with the estimator of Cho and
Garcia-Molina 2003, which allows for changes between two looks that are seen as one.
"""

from __future__ import annotations

import math
from typing import Final

_MIN_LOOKS: Final = 3  # after which a page may be left out
_MIN_PROBABILITY: Final = 0.05  # below which it is
_FIRST_INTERVAL: Final = 7 * 86_400.0  # seconds in which a page changes of which nothing is known


def change_probability(looks: int, changes: int, seconds: float, since: float) -> float:
    """Return the probability that a page has changed, 0 if it is not worth a look.

    `changes` of `looks` found it changed, over `seconds` between the first and the last look;
    `since` is the time since the last one.
    """
    intervals = looks - 1
    if intervals < 1 or seconds <= 0:
        rate = 1 / _FIRST_INTERVAL
    else:
        unchanged = max(intervals - min(changes, intervals), 0)
        rate = -math.log((unchanged + 0.5) / (intervals + 0.5)) * intervals / seconds
        if changes == 0:  # it may change yet
            rate = 0.5 / (seconds + _FIRST_INTERVAL)
    probability = 1 - math.exp(-rate * max(since, 0.0))
    if looks >= _MIN_LOOKS and probability < _MIN_PROBABILITY:
        return 0.0
    return max(probability, 1e-9)

"""Pages in processes of their own, with a deadline and a memory limit for each page.

    with Pool(factory, workers=4, deadline=60, memory=2 << 30) as pool:
        for outcome in pool.map(pages):
            ...

A page that hangs, crashes or needs too much memory costs itself alone: its outcome is an error.
"""

from tamis.workers.outcome import Outcome
from tamis.workers.pool import DEADLINE, MAX_GROWTH, MEMORY, Pool

__all__ = ["DEADLINE", "MAX_GROWTH", "MEMORY", "Outcome", "Pool"]

"""Work within bounds: what hangs or eats memory fails its test, and not the machine."""

from __future__ import annotations

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAGE = resource.getpagesize()


class Hangs(Exception):
    """Work did not come to an end."""


@contextmanager
def bounded(seconds: float = 60.0, megabytes: int = 1500) -> Iterator[None]:
    """Let work take so much more memory at most, and so much time; past them it fails.

    The time is only there so that a test of something without an end comes to one.
    """
    before = resource.getrlimit(resource.RLIMIT_AS)
    held = int(Path("/proc/self/statm").read_text().split()[0]) * PAGE
    previous = signal.signal(signal.SIGALRM, _stop)
    resource.setrlimit(resource.RLIMIT_AS, (held + megabytes * 2**20, before[1]))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGALRM, previous)


def _stop(*_: object) -> None:
    raise Hangs

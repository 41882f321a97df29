"""Patience with what may hang: a limit on time, and silence."""

from __future__ import annotations

import logging
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from tamis.errors import DeadlineExceeded

AGAIN: Final = 1.0  # seconds after which an alarm that was not heard rings again


class _Alarm(BaseException):
    """Not an Exception, so that no library takes it for one of its own and goes on."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise DeadlineExceeded if what is inside takes longer.

    This needs signals: in other threads than the main one, and on Windows, there is no limit.
    """
    here = threading.current_thread() is threading.main_thread()
    if not here or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _Alarm:
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise DeadlineExceeded(f"took more than {seconds:g} seconds") from None
    finally:
        signal.signal(signal.SIGALRM, before)


def _ring(_signal: int, _frame: FrameType | None) -> None:
    raise _Alarm


@contextmanager
def silence() -> Iterator[None]:
    """Keep what libraries log and warn about away from the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)

"""Ctrl-C: held back while something must not be cut in two."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Raises KeyboardInterrupt at Ctrl-C, but not in the middle of what is `whole`.

    A second Ctrl-C is not held back: whoever insists may have a cut line.
    """

    def __init__(self) -> None:
        self.count = 0
        self.held = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch for Ctrl-C, unless this process was told to ignore it or has no say."""
        previous = signal.getsignal(signal.SIGINT)
        here = threading.current_thread() is threading.main_thread()
        if not here or previous is signal.SIG_IGN:
            yield
            return
        signal.signal(signal.SIGINT, self._noted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, previous)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Do something as a whole; an interrupt comes after it."""
        self.held = True
        try:
            yield
        finally:
            self.held = False
        if self.count:
            raise KeyboardInterrupt

    def _noted(self, _signal: int, _frame: FrameType | None) -> None:
        self.count += 1
        if not self.held or self.count > 1:
            raise KeyboardInterrupt

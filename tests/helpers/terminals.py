"""A terminal for tests, which keeps what is written to it."""

from __future__ import annotations

import os
import pty
import threading

TIMEOUT = 60.0  # seconds until a test gives up


class Terminal:
    """A pseudo-terminal: give `writer` to a process, and read what it wrote when it has ended."""

    def __init__(self) -> None:
        self.reader, self.writer = pty.openpty()
        self.shown = b""
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        while True:
            try:
                written = os.read(self.reader, 65_536)
            except OSError:
                return
            if not written:
                return
            self.shown += written

    def close(self) -> str:
        """Close the terminal and return all that was written."""
        os.close(self.writer)
        self.thread.join(TIMEOUT)
        os.close(self.reader)
        return self.shown.decode()

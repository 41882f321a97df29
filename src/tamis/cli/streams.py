"""Standard streams that were closed before the start, for which Python has None."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import NoReturn


class Closed(io.TextIOBase):
    """A stream that says so when something is written to it."""

    def write(self, text: str, /) -> NoReturn:
        """Raise the error of a file that is closed."""
        raise OSError(errno.EBADF, "it is closed")


def mend() -> None:
    """Make output that goes nowhere an error; messages that nobody wants are no error."""
    if sys.stdout is None:
        sys.stdout = Closed()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open to the end, as the other would be

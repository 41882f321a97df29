"""Signals of processes that tests start."""

from __future__ import annotations

from typing import Final

# What a shell starts in the background ignores Ctrl-C, and so do all processes that it starts, as
# POSIX has it. Code that a test interrupts begins with this, so that the test holds there too.
INTERRUPTIBLE: Final = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
UNINTERRUPTIBLE: Final = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"

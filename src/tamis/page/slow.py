"""The warning that the kernel is not compiled."""

from __future__ import annotations

import sys
import warnings
from typing import Final

from tamis.errors import Uncompiled
from tamis.page import kernel

SLOW: Final = "runs uncompiled and slow: install a C compiler and reinstall it"


def warn_if_slow() -> None:
    """Warn of an uncompiled kernel, at the line of the user's own code that called tamis."""
    if kernel.COMPILED:
        return
    package = __name__.partition(".")[0]
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(f"tamis {SLOW}", Uncompiled, stacklevel=level)

"""What the command line says of a kernel that is not compiled: once, in the user's own process."""

from __future__ import annotations

import warnings

from tamis.cli.messages import say
from tamis.errors import Uncompiled
from tamis.page import UNCOMPILED_MESSAGE, kernel


def tell_if_slow() -> None:
    """Say once that the kernel is not compiled, in the place of warnings in Python's own words."""
    if not kernel.COMPILED:
        hush()
        say(UNCOMPILED_MESSAGE)


def hush() -> None:
    """Do not warn in this process: the user was told."""
    warnings.simplefilter("ignore", Uncompiled)

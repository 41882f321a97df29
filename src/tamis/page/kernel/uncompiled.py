"""Stand-in for the `cython` module, for where the kernel runs as plain Python without Cython."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Final

compiled: Final = False
nogil: Final = nullcontext()

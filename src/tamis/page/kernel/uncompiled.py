"""Stand-in for the `cython` module, for where the kernel runs as plain Python without Cython."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any, Final

import numpy as np

compiled: Final = False
nogil: Final = nullcontext()


def on_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a kernel function, run as plain Python, see arrays as memory of Python's numbers.

    They have no bounds and are faster than numpy's when taken one by one.
    """

    @wraps(function)
    def called(*arguments: Any) -> Any:
        seen = (a.data if isinstance(a, np.ndarray) else a for a in arguments)
        return function(*seen)

    return called

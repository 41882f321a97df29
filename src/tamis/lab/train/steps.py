"""How a training lets others see how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Watch = Callable[[Sequence[Any]], Iterable[Any]]  # is given pages and passes them on
Step = Callable[[str, str], object]  # is told what begins: its kind, and which one of that kind


def say_nothing(_kind: str, _which: str) -> None:
    """Be told of a step, and keep it to itself."""

"""Stand-in for the `cython` module, so that kernel.py runs where neither a compiler nor Cython is."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

T = TypeVar("T")

compiled = False
int = longlong = None


def declare(_kind: object, value: T) -> T:
    """Leave the value as it is."""
    return value


def cclass(thing: T) -> T:
    """Leave the class as it is."""
    return thing


cfunc = inline = cclass


def exceptval(*_: Any, **__: Any) -> Callable[[T], T]:
    """Leave the function as it is."""
    return cclass


class _NoGil:
    """Both the decorator and the context manager that `cython.nogil` is."""

    def __call__(self, thing: T) -> T:
        return thing

    def __enter__(self) -> AbstractContextManager[None]:
        return nullcontext()

    def __exit__(self, *_: object) -> None:
        return None


nogil = _NoGil()

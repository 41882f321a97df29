"""Types of columns that check what is read: a file that others wrote or damaged may hold anything.

A column of SQLite holds values of any type, whatever its declaration says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import BigInteger, Integer, LargeBinary, Text, TypeDecorator

from tamis.store.database import damaged

LAST_NUMBER: Final = 2**62  # so that a sum of two is a number of a database as well

Check = Callable[[Any], Any]


class Checked(TypeDecorator[Any]):
    """A type whose values are checked when they are read; nothing at all (NULL) passes."""

    impl: Any = Text
    cache_ok = True

    def check(self, value: Any) -> Any:
        """Return a value; raises StoreError if the store cannot have written it."""
        raise NotImplementedError

    def result_processor(self, dialect: Any, coltype: object) -> Check:
        """Return what is done with each value: what SQLAlchemy would do trusts its type."""
        return self.check


class CheckedText(Checked):
    """Text."""

    impl = Text
    cache_ok = True

    def check(self, value: Any) -> Any:
        """Return a text."""
        if value is None or isinstance(value, str):
            return value
        raise damaged(f"{shown(value)}, which should be a text,")


class CheckedBytes(Checked):
    """Bytes, of one size if there is one, or of a multiple of `step`."""

    impl = LargeBinary
    cache_ok = True

    def __init__(self, size: int | None = None, step: int = 1) -> None:
        super().__init__()
        self.size = size
        self.step = step

    def check(self, value: Any) -> Any:
        """Return bytes."""
        if value is None or (
            isinstance(value, bytes)
            and len(value) % self.step == 0
            and self.size in (None, len(value))
        ):
            return value
        wanted = f"{self.size} bytes" if self.size is not None else "bytes"
        raise damaged(f"{shown(value)}, which should be {wanted},")


class CheckedNumber(Checked):
    """A whole number of a range."""

    impl = BigInteger().with_variant(Integer, "sqlite")
    cache_ok = True

    def __init__(self, low: int = 0, high: int = LAST_NUMBER) -> None:
        super().__init__()
        self.low = low
        self.high = high

    def check(self, value: Any) -> Any:
        """Return a number."""
        if value is None or (isinstance(value, int) and self.low <= value <= self.high):
            return value
        raise damaged(f"{shown(value)}, which should be a number up to {self.high},")


def shown(value: object) -> str:
    """Return a value as a message names it."""
    return repr(value) if isinstance(value, int | float) else f"a value of {type(value).__name__}"

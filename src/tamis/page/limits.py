"""The limits of one page's work: bytes, nodes and time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from types import NoneType
from typing import Final

from tamis.errors import DeadlineExceeded, TooLarge, check_argument

MAX_BYTES: Final = 24 * 1024 * 1024
MAX_NODES: Final = 400_000  # elements, texts, comments, attributes: up to 100 MB in the parser
MAX_DEPTH: Final = 1024  # the guard keeps all pages that it understands at half of this
DEADLINE: Final = 30.0  # seconds

# References (`&` → `&amp;`) make some pages grow when they are normalised, by at most this much.
GROWTH: Final = 1.5
# Places in a page are 32-bit integers.
LARGEST: Final = 2**31 - 2**20


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment after which work is given up; `seconds=None` means never.

    Compiled steps cannot be interrupted, so the deadline is looked at between steps, each of
    which is linear in the page and bounded by the other two limits.
    """

    seconds: float | None = DEADLINE
    start: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        kinds = (int, float, NoneType)
        check_argument("deadline", self.seconds, kinds, "seconds, or None to wait without end")

    def check(self, step: str) -> None:
        """Raise DeadlineExceeded if the deadline has passed; `step` says what was to come."""
        if self.seconds is not None and time.monotonic() - self.start > self.seconds:
            raise DeadlineExceeded(
                f"the deadline of {self.seconds:g} s passed before {step}; "
                "raise it with deadline= (--deadline); deadline=None is without end"
            )


def check_size(kind: str, count: int, limit: int | None, argument: str) -> None:
    """Raise TooLarge if a page has more bytes or nodes than allowed; None allows any number."""
    if limit is not None and count > limit:
        option = f"--{argument.replace('_', '-')}"  # its name on the command line
        raise TooLarge(
            f"the page has {count:,} {kind}, the limit is {limit:,}; "
            f"raise it with {argument}= ({option})"
        )


def check_depth(depth: int) -> None:
    """Raise TooLarge if a page is nested deeper than any page should be after the guard."""
    if depth > MAX_DEPTH:
        raise TooLarge(f"the page is nested {depth:,} levels deep, the limit is {MAX_DEPTH:,}")

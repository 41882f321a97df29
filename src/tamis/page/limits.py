"""The limits of one page's work: bytes, nodes and time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, Final, TypeVar

from tamis.errors import DeadlineExceeded, TooLarge, check_argument

MAX_BYTES: Final = 24 * 1024 * 1024
MAX_NODES: Final = 400_000  # elements, texts, comments, attributes: up to 100 MB in the parser
MAX_DEPTH: Final = 1024  # the guard keeps all pages that it understands at half of this
DEADLINE: Final = 30.0  # seconds

# References (`&` → `&amp;`) make some pages grow when they are normalised, by at most this much.
GROWTH: Final = 1.5
# Places in a page are 32-bit integers.
MAX_SOURCE_BYTES: Final = 2**31 - 2**20

STRIDE: Final = 64  # steps of a loop between two looks at the time

T = TypeVar("T")


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
            raise exceeded(self.seconds, f"before {step}")

    @property
    def budget(self) -> Budget:
        """The time that is left now, as a budget for work that is done later."""
        return Budget(self.seconds, time.monotonic() - self.start)


_NOTHING: Final = nullcontext()


class Budget:
    """The computing time that is left of a deadline, for work that is done when asked for.

    What counts is the time that threads compute inside `spending`: neither the time until somebody
    asks, nor that in which another thread runs. It is looked at in the loops of the work, and work
    of any thread shortens what is left for all. A copy that was pickled goes on with what was left;
    `seconds=None` is without end.
    """

    __slots__ = ("_lock", "_thread", "_used", "seconds")

    def __init__(self, seconds: float | None = None, used: float = 0.0) -> None:
        self.seconds = seconds
        self._used = used
        self._lock = threading.Lock()
        self._thread = threading.local()  # what it is doing, and until when that was counted

    def __repr__(self) -> str:
        return "<Budget without end>" if self.left is None else f"<Budget of {self.left:.3f} s>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Budget, (self.seconds, self._used)

    @property
    def left(self) -> float | None:
        """The seconds that are left; None where they have no end."""
        return None if self.seconds is None else max(0.0, self.seconds - self._used)

    def spending(self, step: str) -> AbstractContextManager[None]:
        """Count the time inside; raise DeadlineExceeded if none is left, before or after.

        Inside another such part, which counts already, it does nothing. `step` says what is done.
        """
        counts = self.seconds is not None and getattr(self._thread, "step", None) is None
        return self._spending(step) if counts else _NOTHING

    @contextmanager
    def _spending(self, step: str) -> Iterator[None]:
        self._thread.step, self._thread.counted = step, time.thread_time()
        try:
            self.check()
            yield
            self.check()
        finally:
            self._count()
            self._thread.step = None

    def check(self) -> None:
        """Raise DeadlineExceeded if no time is left for what this thread is spending it on."""
        if self.seconds is None or (step := getattr(self._thread, "step", None)) is None:
            return
        if self._count() > self.seconds:
            raise exceeded(self.seconds, f"while {step}")

    def watch(self, items: Iterable[T]) -> Iterator[T]:
        """Return an iterator over the steps of a loop that looks at the time every few of them."""
        return iter(items) if self.seconds is None else self._watched(items)

    def _watched(self, items: Iterable[T]) -> Iterator[T]:
        for number, item in enumerate(items):
            if number % STRIDE == 0:
                self.check()
            yield item

    def _count(self) -> float:
        """Count the time since this thread last did, and return what all have used."""
        now = time.thread_time()
        with self._lock:
            self._used += now - self._thread.counted
            used = self._used
        self._thread.counted = now
        return used


UNLIMITED: Final = Budget()  # without end, so that nothing of it ever changes


def exceeded(seconds: float, when: str) -> DeadlineExceeded:
    """Return the error for work that a deadline ends."""
    return DeadlineExceeded(
        f"the deadline of {seconds:g} s passed {when}; "
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

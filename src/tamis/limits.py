"""Limits on the work for one page: bytes, nodes and time."""

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
MAX_DEPTH: Final = 1024  # of a kept source; pages that are read have little more than half of it
DEADLINE: Final = 30.0  # seconds

# Character references (`&` → `&amp;`) make some pages grow when they are normalised: this is how
# many times as large as `max_bytes` they may become.
MAX_GROWTH: Final = 1.5
# No page can be larger, whatever `max_bytes` says: offsets are 32-bit integers.
MAX_SOURCE_BYTES: Final = 2**31 - 2**20

STRIDE: Final = 64  # steps of a loop between two checks of the time

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time after which work is given up; `seconds=None` means never.

    Compiled steps cannot be interrupted, so the deadline is checked between steps. Each step is
    linear in the size of the page, which the other two limits bound.
    """

    seconds: float | None = DEADLINE
    start: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        types = (int, float, NoneType)
        check_argument("deadline", self.seconds, types, "seconds, or None to wait without end")

    def check(self, step: str) -> None:
        """Raise DeadlineExceeded if the deadline has passed; `step` comes next."""
        if self.seconds is not None and time.monotonic() - self.start > self.seconds:
            raise _deadline_error(self.seconds, f"before {step}")

    @property
    def budget(self) -> Budget:
        """The time that is left now, as a budget for later work."""
        return Budget(self.seconds, time.monotonic() - self.start)


_NO_COUNTING: Final = nullcontext()


class Budget:
    """The computing time that is left of a deadline, for work that is done on demand.

    Only the time that threads compute inside `spending` counts, not the time until then, nor the
    time in which another thread runs. All threads share the budget, and the loops of the work check
    it. A pickled copy goes on with what was left. `seconds=None` means no limit.

    To ask for the computing time of a thread may take as long as a small page. It is never more
    than the time on the clock, so it is asked for only where that exceeds the budget, and at the
    beginning and the end.
    """

    __slots__ = ("_lock", "_thread", "_used", "seconds")

    def __init__(self, seconds: float | None = None, used: float = 0.0) -> None:
        self.seconds = seconds
        self._used = used
        self._lock = threading.Lock()
        # Its current step, until when its time was counted, and its beginning by the clock.
        self._thread = threading.local()

    def __repr__(self) -> str:
        return "<Budget without end>" if self.left is None else f"<Budget of {self.left:.3f} s>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Budget, (self.seconds, self._used)

    @property
    def left(self) -> float | None:
        """The seconds that are left; None where there is no limit."""
        return None if self.seconds is None else max(0.0, self.seconds - self._used)

    def spending(self, step: str) -> AbstractContextManager[None]:
        """Count the time inside; raise DeadlineExceeded if none is left, before or after.

        Inside another `spending`, which counts already, it does nothing. `step` names the work.
        """
        counts = self.seconds is not None and getattr(self._thread, "step", None) is None
        return self._spend(step) if counts else _NO_COUNTING

    @contextmanager
    def _spend(self, step: str) -> Iterator[None]:
        self._refuse(self._used, step)
        self._thread.step, self._thread.counted = step, time.thread_time()
        self._thread.clock = time.monotonic()
        try:
            yield
        finally:
            used = self._count()
            self._thread.step = None
        self._refuse(used, step)

    def check(self) -> None:
        """Raise DeadlineExceeded if no time is left for the step of this thread."""
        if self.seconds is None or (step := getattr(self._thread, "step", None)) is None:
            return
        if self._used + time.monotonic() - self._thread.clock > self.seconds:
            self._refuse(self._count(), step)

    def _refuse(self, used: float, step: str) -> None:
        """Raise DeadlineExceeded if more time was used than there is."""
        if self.seconds is not None and used > self.seconds:
            raise _deadline_error(self.seconds, f"while {step}")

    def watch(self, steps: Iterable[T]) -> Iterator[T]:
        """Return an iterator over the steps of a loop that checks the time every few steps."""
        return iter(steps) if self.seconds is None else self._check_often(steps)

    def _check_often(self, steps: Iterable[T]) -> Iterator[T]:
        for index, step in enumerate(steps):
            if index % STRIDE == 0:
                self.check()
            yield step

    def _count(self) -> float:
        """Add the time since this thread last did so, and return what all threads have used."""
        now = time.thread_time()
        with self._lock:
            self._used += now - self._thread.counted
            used = self._used
        self._thread.counted = now
        return used


UNLIMITED: Final = Budget()  # it never changes, so all can share it


def _deadline_error(seconds: float, when: str) -> DeadlineExceeded:
    """Return the error for work that took too long."""
    return DeadlineExceeded(
        f"the deadline of {seconds:g} s passed {when}; "
        "raise it with deadline= (--deadline); deadline=None is without end"
    )


def check_size(
    kind: str, count: int, limit: int | None, argument: str, *, at_least: bool = False
) -> None:
    """Raise TooLarge if a page has more bytes or nodes than `limit`; None means no limit."""
    if limit is not None and count > limit:
        option = f"--{argument.replace('_', '-')}"  # its name on the command line
        raise TooLarge(
            f"the page has {'at least ' * at_least}{count:,} {kind}, the limit is {limit:,}; "
            f"raise it with {argument}= ({option})"
        )


def check_depth(depth: int) -> None:
    """Raise TooLarge if a page is nested deeper than any that was read within its limits."""
    if depth > MAX_DEPTH:
        raise TooLarge(f"the page is nested {depth:,} levels deep, the limit is {MAX_DEPTH:,}")

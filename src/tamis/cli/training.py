"""Progress of a training, on standard error: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import TYPE_CHECKING, Final, TypeVar

from tamis.lab.terminal import started_bar
from tamis.printing import printable

if TYPE_CHECKING:
    import rich.progress

T = TypeVar("T")
QUIET: Final = 10.0  # seconds between two lines on one step


class Progress:
    """Shows the steps of a plan, how far each is, and the time that is left.

    A plan has the kinds of steps and how often each is taken. What a step will take is what those
    of its kind took so far; of a kind of which none is done yet, what fits took that are.
    """

    def __init__(self, plan: Mapping[str, int]) -> None:
        self.plan = plan
        self.took: dict[str, list[float]] = {kind: [] for kind in plan}
        self.kind: str | None = None
        self.what = ""
        self.started = self.since = self.last = time.monotonic()
        self.bar: rich.progress.Progress | None = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.progress import TimeElapsedColumn

            columns = ("{task.fields[count]}", TimeElapsedColumn(), "{task.fields[left]}")
            self.bar = started_bar("", None, *columns, count="", left="")
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.stop()

    def step(self, kind: str, which: str) -> None:
        """Show what begins, and when all of it may be done."""
        now = time.monotonic()
        if self.kind is not None:
            self.took[self.kind].append(now - self.since)
        self.kind, self.since = kind, now
        number = sum(map(len, self.took.values())) + 1
        steps = sum(self.plan.values())
        self.what = f"step {number} of {steps}: {kind}, {which}"
        self.show(number - 1, steps, "", about(self.left()))

    def pages(self, items: Sequence[T]) -> Iterator[T]:
        """Pass pages on and show how many are done, and when all of them may be."""
        for done, item in enumerate(items):
            if done:
                passed = time.monotonic() - self.since
                left = about(passed / done * (len(items) - done), "of this step")
                self.show(done, len(items), f"{done:,} of {len(items):,} pages", left)
            yield item
        self.show(len(items), len(items), f"{len(items):,} pages", "")

    def left(self) -> float | None:
        """Return the seconds that all further steps may take, if any was taken that tells."""
        fits = [
            seconds for kind, took in self.took.items() if self.plan[kind] > 1 for seconds in took
        ]
        if not fits:
            return None
        return sum(
            (self.plan[kind] - len(took)) * mean(took or fits) for kind, took in self.took.items()
        )

    def show(self, done: int, total: int, count: str, left: str) -> None:
        """Bring the bar up to date, or print a line if it is time for one."""
        if self.bar:
            task = self.bar.task_ids[0]
            fields = {"count": count, "left": left}
            self.bar.update(task, description=self.what, completed=done, total=total, **fields)  # type: ignore[arg-type]
        elif not count or time.monotonic() - self.last >= QUIET:
            self.say(", ".join(part for part in (self.what, count, left) if part))

    def say(self, what: str) -> None:
        """Print a line with the time that has passed."""
        self.last = time.monotonic()
        line = f"tamis: {self.last - self.started:5.0f} s  {printable(what)}"
        if self.bar:
            self.bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)


def about(seconds: float | None, of_what: str = "") -> str:
    """Return a time that is left, in words; nothing for one that nobody knows."""
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    if seconds < 60:
        time_left = f"{seconds:.0f} s"
    elif minutes < 60:
        time_left = f"{minutes} min"
    else:
        time_left = f"{minutes // 60} h {minutes % 60} min"
    return f"about {time_left} {of_what} left".replace("  ", " ")

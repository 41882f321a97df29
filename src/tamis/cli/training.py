"""Progress of a training on standard error: a bar on a terminal, lines elsewhere."""

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
LINE_SECONDS: Final = 10.0  # between two lines on one step


class TrainingProgress:
    """Shows the steps of a training, how far each is, and the time that is left.

    `steps` has the kinds of steps and how often each is taken. A step is estimated to take as long
    as those of its kind took so far; if none of its kind is done yet, as long as other fits took.
    """

    def __init__(self, steps: Mapping[str, int]) -> None:
        self.steps = steps
        self.durations: dict[str, list[float]] = {kind: [] for kind in steps}
        self.kind: str | None = None
        self.description = ""
        self.started = self.step_started = self.last_line = time.monotonic()
        self.bar: rich.progress.Progress | None = None

    def __enter__(self) -> TrainingProgress:
        if sys.stderr.isatty():
            from rich.progress import TimeElapsedColumn

            columns = ("{task.fields[count]}", TimeElapsedColumn(), "{task.fields[left]}")
            self.bar = started_bar("", None, *columns, count="", left="")
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.stop()

    def begin_step(self, kind: str, details: str) -> None:
        """Show the step that begins, and the time that all steps may still take."""
        now = time.monotonic()
        if self.kind is not None:
            self.durations[self.kind].append(now - self.step_started)
        self.kind, self.step_started = kind, now
        number = sum(map(len, self.durations.values())) + 1
        total = sum(self.steps.values())
        self.description = f"step {number} of {total}: {kind}, {details}"
        self._show(number - 1, total, "", describe_time_left(self._estimate_seconds()))

    def track(self, pages: Sequence[T]) -> Iterator[T]:
        """Pass pages on, and show how many are done and the time that the rest may take."""
        for done, page in enumerate(pages):
            if done:
                seconds = (time.monotonic() - self.step_started) / done * (len(pages) - done)
                left = describe_time_left(seconds, "of this step")
                self._show(done, len(pages), f"{done:,} of {len(pages):,} pages", left)
            yield page
        self._show(len(pages), len(pages), f"{len(pages):,} pages", "")

    def print_line(self, text: str) -> None:
        """Print a line with the time that has passed."""
        self.last_line = time.monotonic()
        line = f"tamis: {self.last_line - self.started:5.0f} s  {printable(text)}"
        if self.bar:
            self.bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)

    def _estimate_seconds(self) -> float | None:
        """Return the seconds that the steps ahead may take, or None before the first fit."""
        fits = [
            seconds
            for kind, durations in self.durations.items()
            if self.steps[kind] > 1
            for seconds in durations
        ]
        if not fits:
            return None
        return sum(
            (self.steps[kind] - len(durations)) * mean(durations or fits)
            for kind, durations in self.durations.items()
        )

    def _show(self, done: int, total: int, count: str, left: str) -> None:
        """Update the bar, or print a line if it is time for one."""
        if self.bar:
            task = self.bar.task_ids[0]
            fields = {"count": count, "left": left}
            self.bar.update(
                task,
                description=self.description,
                completed=done,
                total=total,
                **fields,  # type: ignore[arg-type]
            )
        elif not count or time.monotonic() - self.last_line >= LINE_SECONDS:
            self.print_line(", ".join(part for part in (self.description, count, left) if part))


def describe_time_left(seconds: float | None, scope: str = "") -> str:
    """Return a time that is left, in words; nothing if it is unknown."""
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    if seconds < 60:
        duration = f"{seconds:.0f} s"
    elif minutes < 60:
        duration = f"{minutes} min"
    else:
        duration = f"{minutes // 60} h {minutes % 60} min"
    return f"about {duration} {scope} left".replace("  ", " ")

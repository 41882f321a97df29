"""Progress of a training, on standard error: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from tamis.cli.names import counted
from tamis.evaluate.bars import started_bar

if TYPE_CHECKING:
    import rich.progress

T = TypeVar("T")


class Progress:
    """Shows pages that are read, then what is fitted, and the time that has passed."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.started = time.monotonic()
        self.bar: rich.progress.Progress | None = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty():
            from rich.progress import TimeElapsedColumn

            columns = ("{task.completed:,.0f} pages", TimeElapsedColumn())
            self.bar = started_bar("reading pages", self.total, *columns)
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar:
            self.bar.stop()

    def pages(self, items: Sequence[T]) -> Iterator[T]:
        """Pass pages on and count them."""
        for item in items:
            yield item
            if self.bar:
                self.bar.advance(self.bar.task_ids[0])
        self.say(f"read {counted(len(items), 'page')}")
        self.step("fitting")

    def step(self, what: str) -> None:
        """Show what is done now; how long it takes nobody knows."""
        if self.bar:
            self.bar.update(self.bar.task_ids[0], description=what, total=None)
        else:
            self.say(what)

    def say(self, what: str) -> None:
        """Print a line with the time that has passed."""
        line = f"tamis: {time.monotonic() - self.started:5.0f} s  {what}"
        if self.bar:
            self.bar.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)

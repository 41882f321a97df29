"""Progress of a run, on standard error."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from tamis.cli.job import Outcome

if TYPE_CHECKING:
    import rich.progress

PATIENCE = 2.0  # seconds without a bar


class Progress:
    """Counts outcomes, tells failures, and shows a bar on a terminal after two seconds."""

    def __init__(self, total: int, *, skipped: int = 0) -> None:
        self.total = total
        self.skipped = skipped
        self.done = 0
        self.failed = 0
        self.started = time.monotonic()
        self.bar: rich.progress.Progress | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar:
            self.bar.stop()

    def count(self, outcome: Outcome) -> None:
        """Take note of an outcome; a failure is told at once."""
        self.done += 1
        if outcome.error is not None:
            self.failed += 1
            self.say(f"tamis: {outcome.name}: {outcome.error}")
        if self.bar is None and self.wanted():
            self.bar = started_bar(self.total)
        if self.bar:
            rate = self.done / (time.monotonic() - self.started)
            fields = {"rate": f"{rate:.1f} pages/s", "failures": f"{self.failed} failed"}
            self.bar.update(self.bar.task_ids[0], completed=self.done, **fields)  # type: ignore[arg-type]

    def wanted(self) -> bool:
        """Say whether it is time for a bar, and there is a terminal to show it."""
        return time.monotonic() - self.started > PATIENCE and sys.stderr.isatty()

    def say(self, message: str) -> None:
        """Print a line without spoiling the bar."""
        if self.bar:
            self.bar.console.print(message, markup=False, highlight=False)
        else:
            print(message, file=sys.stderr)

    def summary(self, seconds: float, *, interrupted: bool) -> None:
        """Say how the run ended."""
        rate = f"{self.done / seconds:.1f} pages/s" if seconds > 0 else ""
        parts = [f"{self.done:,} page{'s' * (self.done != 1)}", f"{self.failed:,} failed", rate]
        if self.skipped:
            parts.append(f"{self.skipped:,} were done before")
        if interrupted:
            parts.append(f"interrupted, {self.total - self.done:,} left: go on with --resume")
        self.say("tamis: " + ", ".join(part for part in parts if part))


def started_bar(total: int) -> rich.progress.Progress:
    """Return a running progress bar on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("extracting"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[failures]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    bar.add_task("extracting", total=total, rate="", failures="")
    bar.start()
    return bar

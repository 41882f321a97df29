"""Progress of a run, on standard error."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Self

from tamis.cli.job import Outcome
from tamis.cli.names import counted, told
from tamis.lab.terminal import started_bar
from tamis.printing import escape_for_terminal

if TYPE_CHECKING:
    import rich.progress

PATIENCE = 2.0  # seconds without a bar


class Progress:
    """Counts outcomes, tells failures, and shows a bar on a terminal after two seconds."""

    def __init__(
        self,
        total: int | None,
        skipped: int = 0,
        *,
        to_terminal: bool = False,
        what: str = "extracting",
    ) -> None:
        self.total = total
        self.what = what
        self.skipped = skipped
        self.done = 0
        self.failed = 0
        self.faulty = 0  # archives
        self.started = time.monotonic()
        self.bar: rich.progress.Progress | None = None
        # Pages that run over the same terminal show by themselves how far the work is.
        wanted = sys.stderr.isatty() and not (to_terminal and sys.stdout.isatty())
        self.timer = threading.Timer(PATIENCE, self.show) if wanted else None
        self.lock = threading.RLock()

    def __enter__(self) -> Self:
        if self.timer:
            self.timer.daemon = True
            self.timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self.lock:
            if self.timer:
                self.timer.cancel()
            if self.bar:
                self.bar.stop()
            self.timer = self.bar = None

    def show(self) -> None:
        """Show the bar."""
        with self.lock:
            if self.timer:
                self.bar = self.started_bar()
                self.update()

    def started_bar(self) -> rich.progress.Progress:
        """Return the bar, running."""
        from rich.progress import MofNCompleteColumn, TimeRemainingColumn

        fields = ("{task.fields[rate]}", "{task.fields[failures]}")
        columns = (MofNCompleteColumn(), *fields, TimeRemainingColumn())
        return started_bar(self.what, self.total, *columns, rate="", failures="")

    def update(self) -> None:
        """Bring the bar up to date."""
        if self.bar:
            fields = {"rate": self.rate, "failures": f"{self.failed:,} failed"}
            self.bar.update(self.bar.task_ids[0], completed=self.done, **fields)  # type: ignore[arg-type]

    def count(self, outcome: Outcome) -> None:
        """Take note of an outcome; a failure is told at once."""
        with self.lock:
            if outcome.counts_as == "before":
                self.skip()
                return
            is_page = outcome.counts_as == "page"
            self.done += is_page
            if outcome.error is not None:
                self.failed += is_page
                self.faulty += not is_page
                self.say(f"tamis: {told(outcome.name, outcome.error)}")
            elif outcome.note is not None:
                self.say(f"tamis: {told(outcome.name, outcome.note)}")
            self.update()

    def skip(self) -> None:
        """Take note of a page that was done before."""
        self.skipped += 1
        if self.total is not None:
            self.total -= 1
        if self.bar:
            self.bar.update(self.bar.task_ids[0], total=self.total)

    @property
    def is_whole(self) -> bool:
        """Whether all went well."""
        return not (self.failed or self.faulty)

    @property
    def rate(self) -> str:
        """How fast the run is."""
        seconds = time.monotonic() - self.started
        return f"{self.done / seconds:,.1f} pages/s" if seconds > 0 else ""

    def say(self, message: str) -> None:
        """Print a line without spoiling the bar."""
        message = escape_for_terminal(message)
        if self.bar:
            self.bar.console.print(message, markup=False, highlight=False, soft_wrap=True)
        else:
            print(message, file=sys.stderr)

    def summary(self, *, interrupted: bool, resumable: bool) -> None:
        """Say how the run ended."""
        parts = [counted(self.done, "page"), f"{self.failed:,} failed", self.rate]
        if self.faulty:
            parts.append(f"problems in {counted(self.faulty, 'archive')}")
        if self.skipped:
            was = "was" if self.skipped == 1 else "were"
            parts.append(f"{self.skipped:,} {was} done before")
        if interrupted:
            known = "" if self.total is None else f", {self.total - self.done:,} left"
            left = f"interrupted{known}"
            parts.append(f"{left}: go on with --resume" if resumable else left)
        self.say("tamis: " + ", ".join(part for part in parts if part))

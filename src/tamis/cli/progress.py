"""Progress of a run over pages: counts, messages, and a summary at the end."""

from __future__ import annotations

import time

from tamis.cli.messages import count_things, describe_problem
from tamis.cli.tasks import Outcome
from tamis.terminal import Progress


class RunProgress(Progress):
    """Counts outcomes, reports failures at once, and shows a bar on a terminal."""

    def __init__(
        self, description: str, total: int | None, finished: int = 0, *, quiet: bool = False
    ) -> None:
        super().__init__(description, total, quiet=quiet)
        self.failed = 0
        self._finished_before = finished
        self._faulty_archives = 0
        self._started = time.monotonic()

    @property
    def is_success(self) -> bool:
        """Whether nothing failed."""
        return not (self.failed or self._faulty_archives)

    def count(self, outcome: Outcome) -> None:
        """Count an outcome, and print its error or note."""
        if outcome.counts_as == "before":
            self._finished_before += 1
            if self.total is not None:
                self.update(total=self.total - 1)
            return
        is_page = outcome.counts_as == "page"
        if outcome.error is not None:
            self.failed += is_page
            self._faulty_archives += not is_page
        message = outcome.note if outcome.error is None else outcome.error
        if message is not None:
            self.print(f"tamis: {describe_problem(outcome.name, message)}")
        self.update(
            completed=self.completed + is_page, status=f"{self._rate} {self.failed:,} failed"
        )

    def print_summary(self, *, interrupted: bool, resumable: bool) -> None:
        """Print how the run ended."""
        parts = [count_things(self.completed, "page"), f"{self.failed:,} failed", self._rate]
        if self._faulty_archives:
            parts.append(f"problems in {count_things(self._faulty_archives, 'archive')}")
        if self._finished_before:
            was = "was" if self._finished_before == 1 else "were"
            parts.append(f"{self._finished_before:,} {was} done before")
        if interrupted:
            left = "" if self.total is None else f", {self.total - self.completed:,} left"
            advice = ": go on with --resume" if resumable else ""
            parts.append(f"interrupted{left}{advice}")
        self.print("tamis: " + ", ".join(part for part in parts if part))

    @property
    def _rate(self) -> str:
        seconds = time.monotonic() - self._started
        return f"{self.completed / seconds:,.1f} pages/s" if seconds > 0 else ""

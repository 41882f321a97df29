"""The contract of a study: it has a name, it runs, and it gives a report."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from tamis.lab.report import Report
from tamis.terminal import Progress


def _ignore(message: str) -> None:
    pass


@dataclass(frozen=True)
class Log:
    """Where a study tells how far it is; by default nobody listens."""

    say: Callable[[str], None] = _ignore
    quiet: bool = True  # whether no bar is shown

    def progress(self, total: int) -> Progress:
        """Return a bar for so many parts of the work."""
        return Progress("measuring", total, quiet=self.quiet)


class Study(ABC):
    """An experiment that `tamis evaluate` runs.

    A study is a frozen dataclass. Its fields are what can be varied: `limit` and `site` can be set
    on the command line, if a study has them. The registry is `STUDIES` in lab/studies.
    """

    name: ClassVar[str]

    @abstractmethod
    def run(self, log: Log) -> Report:
        """Measure, and return what was measured."""

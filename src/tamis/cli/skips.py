"""What folders have beside pages, counted, so that nothing is left out in silence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from tamis.cli.names import counted
from tamis.printing import printable
from tamis.source import Skipped, SkipReason, printable_name

NAMED: Final = 3  # of each kind; the others are counted
# What is skipped, what is to know of it, and what to do to read it.
WORDS: Final[dict[SkipReason, tuple[str, str, str]]] = {
    "no page": ("file", " not named as a page", "; name them to read them, or use a pattern"),
    "hidden": ("hidden name", "", ""),
    "linked": ("linked folder", ", which may lead in a circle", ""),
}


@dataclass
class Skips:
    """Counts what was skipped in each folder by reason, and keeps the first few names."""

    counts: dict[tuple[str, SkipReason], int] = field(default_factory=dict)
    names: dict[tuple[str, SkipReason], list[str]] = field(default_factory=dict)

    def add(self, skipped: Skipped) -> None:
        """Take note of something that was skipped."""
        key = skipped.folder, skipped.reason
        self.counts[key] = self.counts.get(key, 0) + 1
        names = self.names.setdefault(key, [])
        if len(names) < NAMED:
            names.append(printable(printable_name(os.path.relpath(skipped.path, skipped.folder))))

    def lines(self) -> Iterator[str]:
        """Yield a line for each folder and reason: how many, and the first of them."""
        for (folder, reason), count in self.counts.items():
            what, why, advice = WORDS[reason]
            names = ", ".join(self.names[folder, reason]) + ", …" * (count > NAMED)
            place = printable(printable_name(folder))
            yield f"{place}: skipped {counted(count, what)}{why} ({names}){advice}"

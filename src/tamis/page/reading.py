"""Rows → text as a reader sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from tamis.page.page import Ints, Page

_SPACES: Final = re.compile(r"\s+")


def text_of(page: Page, rows: Ints) -> str:
    """Return the text of text rows in document order, separated as they are in the page.

    Rows that follow each other are one slice of the page's text. Between others stands the
    strongest separator of what was left out: a paragraph break, a line break or a space.
    """
    parts: list[str] = []
    last = 0
    for start, stop in runs(page, rows):
        if parts:
            parts.append(separator(page.text[last:start]))
        parts.append(page.text[start:stop])
        last = stop
    return "".join(parts)


def runs(page: Page, rows: Ints) -> Iterator[tuple[int, int]]:
    """Yield the slices of the page's text that cover text rows and nothing else."""
    if not len(rows):
        return
    numbers = page.text_number[rows]
    breaks = np.flatnonzero(np.diff(numbers) != 1)
    firsts = rows[np.concatenate(([0], breaks + 1))]
    lasts = rows[np.concatenate((breaks, [len(rows) - 1]))]
    yield from zip(page.text_start[firsts].tolist(), page.text_stop[lasts].tolist(), strict=True)


def separator(gap: str) -> str:
    """Return the strongest white space in a gap between two texts."""
    if "\n\n" in gap:
        return "\n\n"
    if "\n" in gap:
        return "\n"
    if "\t" in gap:
        return "\t"
    return " " if gap != gap.strip() else ""


def one_line(text: str) -> str:
    """Return text with all white space folded to single spaces."""
    return _SPACES.sub(" ", text).strip()

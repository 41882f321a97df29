"""A page and its title → the text around the headline, where bylines stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.content.metadata.markup import Markup
from tamis.page import Page

_BEFORE: Final = 300  # characters of text
_AFTER: Final = 700
_SOURCE_BEFORE: Final = 8_000  # bytes; a menu in between can be very long
_SOURCE_AFTER: Final = 16_000


@dataclass(frozen=True)
class Window:
    """A stretch of a page's text; the headline stands at `start` to `stop`."""

    first: int
    start: int
    stop: int
    last: int

    def holds(self, place: int) -> bool:
        """Whether a place in the text lies in the window."""
        return self.first <= place < self.last

    def source(self, page: Page) -> tuple[int, int]:
        """Return the stretch of the page's source that the window's text stands in, bounded."""
        places = (self.first, self.start, self.last)
        rows = np.searchsorted(page.text_start, places).clip(max=len(page) - 1)
        first, middle, last = page.start[rows].tolist()
        return max(first, middle - _SOURCE_BEFORE), min(last, middle + _SOURCE_AFTER)


def headline_window(markup: Markup, title: str | None) -> Window:
    """Return the stretch of text around the headline, or the start of the page without one."""
    page = markup.page
    start = stop = 0
    rows = [row for row, text in markup.headings if text == title]
    rows = rows or [row for row, _ in markup.headings[:1]]
    if rows:
        start, stop = int(page.text_start[rows[0]]), int(page.text_stop[rows[0]])
    elif title:
        place = page.text.find(title)
        if place >= 0:
            start, stop = place, place + len(title)
    last = min(len(page.text), stop + _AFTER)
    return Window(max(0, start - _BEFORE), start, stop, last)

"""The part of a page that a document keeps, as a stream of events for its renderers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple
from urllib.parse import urljoin, urlsplit

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Page, tags
from tamis.page.attributes import attributes
from tamis.page.page import Bools, Ints, frozen
from tamis.page.reading import separator
from tamis.verdict import Verdict


class Event(NamedTuple):
    """One step through the kept part of a page."""

    kind: Literal["open", "space", "text", "close"]
    row: int
    text: str = ""

_SAFE_SCHEMES: Final = ("http", "https", "mailto", "tel", "ftp", "")
_IMG: Final = tags.CODE["img"]
_ANCHOR_SIGNS: Final = frozenset("#¶§🔗")


@dataclass(frozen=True, eq=False)
class Kept:
    """Text and pictures of the informative blocks of a page."""

    page: Page
    blocks: Blocks
    verdict: Verdict

    @cached_property
    def text_rows(self) -> Ints:
        """The text rows of informative blocks, but for the signs that link a heading to itself."""
        page = self.page
        rows = np.flatnonzero(page.visible).astype(np.int32)
        rows = rows[self.verdict.informative[self.blocks.owner[rows]]]
        signs = [
            page.text[page.text_start[row]] in _ANCHOR_SIGNS
            for row in rows[(page.chars[rows] == 1) & page.in_link[rows]]
        ]
        if any(signs):
            drop = np.zeros(len(rows), dtype=np.bool_)
            drop[(page.chars[rows] == 1) & page.in_link[rows]] = signs
            rows = rows[~drop]
        return frozen(rows)

    @cached_property
    def leaves(self) -> Bools:
        """Kept text rows, and pictures of informative blocks or of a figure whose caption is kept."""
        page = self.page
        kept = np.zeros(len(page), dtype=np.bool_)
        kept[self.text_rows] = True
        captioned = np.zeros(len(page), dtype=np.bool_)
        for figure in np.flatnonzero((page.tag == tags.CODE["figure"]) & (page.below(kept) > 0)):
            captioned[figure : page.end[figure]] = True
        pictures = np.flatnonzero((page.tag == _IMG) & ((page.flags & tags.INVISIBLE) == 0))
        owner = self.blocks.owner[pictures]
        informative = (owner >= 0) & self.verdict.informative[np.maximum(owner, 0)]
        kept[pictures] = informative | captioned[pictures]
        return frozen(kept)

    def events(self) -> Iterator[Event]:
        """Yield the kept leaves and the elements around them, in document order.

        White space between two texts comes as one event of its own, before the elements that open
        between them: emphasis never begins with a space.
        """
        page = self.page
        wanted = np.flatnonzero(page.below(self.leaves) > 0)
        is_text = (page.tag == tags.TEXT).tolist()
        ends = page.end.tolist()
        gaps = self._gaps()
        is_open: list[int] = []
        for row in wanted.tolist():
            while is_open and ends[is_open[-1]] <= row:
                yield Event("close", is_open.pop())
            gap = gaps.pop(row, "")
            if gap:
                yield Event("space", row, gap)
            if is_text[row]:
                yield Event("text", row, page.text[page.text_start[row] : page.text_stop[row]])
            else:
                is_open.append(row)
                yield Event("open", row)
        while is_open:
            yield Event("close", is_open.pop())

    def _gaps(self) -> dict[int, str]:
        """Return the white space between kept texts, by the row before which it stands.

        That is the outermost element that opens between the two texts, or the text itself; inside
        preformatted text it is the text, and the white space is as it was.
        """
        page, rows = self.page, self.text_rows.tolist()
        gaps: dict[int, str] = {}
        starts, stops = page.text_start, page.text_stop
        previous = -1
        for row in rows:
            low = int(stops[previous]) if previous >= 0 else 0
            if page.flags[row] & tags.PREFORMATTED:
                low = max(low, int(starts[self._preformatted_root(row)]))
                gaps[row] = page.text[low : starts[row]]
            elif previous >= 0:
                gaps[self._first_between(previous, row)] = separator(page.text[low : starts[row]])
            previous = row
        return gaps

    def _preformatted_root(self, row: int) -> int:
        """Return the outermost element that makes a row preformatted."""
        while self.page.flags[self.page.parent[row]] & tags.PREFORMATTED:
            row = int(self.page.parent[row])
        return row

    def _first_between(self, previous: int, row: int) -> int:
        """Return the outermost element around a text row that opens after another row."""
        above = int(self.page.parent[row])
        while above > previous:
            row, above = above, int(self.page.parent[above])
        return row

    def attributes(self, row: int) -> dict[str, str]:
        """Return the attributes of an element."""
        return attributes(self.page, row)

    def url(self, value: str) -> str | None:
        """Return a link made absolute, or None if it is not safe to follow."""
        cleaned = "".join(char for char in value if char.isprintable()).strip()
        try:
            absolute = urljoin(self.page.url, cleaned) if self.page.url else cleaned
            scheme = urlsplit(absolute).scheme.lower()
        except ValueError:
            return None
        if scheme not in _SAFE_SCHEMES or (not scheme and ":" in absolute.split("/", 1)[0]):
            return None
        return absolute or None

    def picture(self, row: int) -> tuple[str, str] | None:
        """Return address and alternative text of a picture, lazily loaded ones included."""
        found = self.attributes(row)
        for name in ("src", "data-src", "data-original", "data-lazy-src"):
            address = self.url(found[name]) if found.get(name) else None
            if address:
                return address, found.get("alt", "")
        return None

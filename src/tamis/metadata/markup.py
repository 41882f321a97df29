"""A page → the rows and attributes that may tell something about it.

A page and its title → the text around the headline, where bylines stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Final

import numpy as np

from tamis.metadata.jsonld import JsonLd, read_jsonld
from tamis.page import UNLIMITED, Budget, Page, row_attributes, rows_with_bytes, tags

# Work is bounded, whatever a page holds: a real page has some fifty of the first and five of the
# others.
_MOST_META: Final = 400
_MOST_MARKS: Final = 200
_MOST_VALUES: Final = 30
_EMPTY_SCRIPT: Final = len("</script>")
_LONGEST: Final = 2_000

_META: Final = tags.CODE["meta"]
_SCRIPT: Final = tags.CODE["script"]
_TITLE: Final = tags.CODE["title"]
_H1: Final = tags.CODE["h1"]
_TIME: Final = tags.CODE["time"]
_HTML: Final = tags.CODE["html"]

_ANCHOR_MARKS: Final = " #¶§🔗"  # what links to a heading itself show
_PAIR: Final = re.compile(
    rb' (?:(?:name|property|itemprop|http-equiv)="([^"]*)"|content="([^"]*)")'
)
_PART: Final = re.compile(rb"(?i)/(?:review|comment|answer|userreview|listitem)\"")


@dataclass(frozen=True, eq=False)
class Markup:
    """What a page's markup says about the page, found when asked for."""

    page: Page
    budget: Budget = UNLIMITED

    @cached_property
    def _meta(self) -> dict[str, list[bytes]]:
        """The contents of `<meta>` elements by their name, property or itemprop in lower case."""
        found: dict[str, list[bytes]] = {}
        page = self.page
        rows = self._rows(_META, _MOST_META)
        places = zip(page.start[rows].tolist(), page.head[rows].tolist(), strict=True)
        for start, stop in self.budget.watch(places):
            pairs = _PAIR.findall(page.source, start, stop)
            content = next((value for _, value in pairs if value), None)
            if content:
                for names, _ in pairs:
                    for name in names.decode("utf-8", "replace").lower().split():
                        found.setdefault(name, []).append(content)
        return found

    @cached_property
    def linked(self) -> JsonLd:
        """The page's JSON-LD."""
        page = self.page
        rows = np.flatnonzero(page.tag == _SCRIPT)
        places = zip(page.head[rows].tolist(), page.stop[rows].tolist(), strict=True)
        bodies = (page.source[head:stop] for head, stop in places if stop - head > _EMPTY_SCRIPT)
        return read_jsonld(self.budget.watch(bodies))

    @cached_property
    def root(self) -> dict[str, str]:
        """The attributes of the `<html>` element."""
        return row_attributes(self.page, 0) if len(self.page) and self.page.tag[0] == _HTML else {}

    @cached_property
    def language(self) -> str:
        """The language that the page states, without its region: de; empty where it does not."""
        found = self.root.get("lang") or self.root.get("xml:lang")
        found = found or self.first("og:locale", "content-language", "dc.language") or ""
        return found.strip().replace("_", "-").partition("-")[0].lower()

    @cached_property
    def title(self) -> str | None:
        """The text of `<title>`."""
        page = self.page
        for row in self._rows(_TITLE, _MOST_MARKS):
            if not page.flags[row] & tags.SVG:
                inside = page.source[page.head[row] : page.stop[row]]
                return plain(inside.removesuffix(b"</title>")) or None
        return None

    @cached_property
    def headings(self) -> list[tuple[int, str]]:
        """The rows and texts of the `<h1>` elements that a reader sees."""
        rows = self._rows(_H1, _MOST_MARKS)
        found = [(row, self.text(row).rstrip(_ANCHOR_MARKS)) for row in rows]
        return [(row, text) for row, text in found if text]

    @cached_property
    def times(self) -> list[int]:
        """The rows of `<time>` elements."""
        return self._rows(_TIME, _MOST_MARKS)

    @cached_property
    def _has_items(self) -> bool:
        return b'itemtype="http' in self.page.source

    def items(self, name: str, start: int = 0, stop: int | None = None) -> list[int]:
        """Return the elements of a microdata property in a stretch of the source."""
        if not self._has_items:
            return []
        rows = self.rows_with(f' itemprop="{name}"'.encode(), start, stop)
        return [row for row in rows if self.page.tag[row] != _META]

    def describes_page(self, row: int) -> bool:
        """Whether a row is not inside microdata of a review, a comment or a card."""
        self.budget.check()
        if not self._has_items:
            return True
        page = self.page
        above = int(page.parent[row])
        scopes = 0
        while above >= 0:
            start = int(page.start[above])
            head = page.source[start : min(int(page.head[above]), start + _LONGEST)]
            if b" itemscope" in head:
                scopes += 1
                if scopes > 2 or _PART.search(head):
                    return False
            above = int(page.parent[above])
        return True

    def values(self, name: str) -> list[str]:
        """Return the contents of the `<meta>` elements of a name."""
        return [plain(value) for value in self._meta.get(name, ())[:_MOST_VALUES]]

    def stated(self, names: Iterable[str]) -> Iterator[list[str]]:
        """Yield the contents of each of some `<meta>` names that the page has, in their order."""
        meta = self._meta
        return (self.values(name) for name in names if name in meta)

    def names(self) -> Iterable[str]:
        """Return the names of all `<meta>` elements."""
        return self._meta.keys()

    def first(self, *names: str) -> str | None:
        """Return the first content of the first of these `<meta>` names that the page has."""
        for name in names:
            found = self._meta.get(name)
            if found:
                return plain(found[0])
        return None

    def link(self, relation: str) -> str | None:
        """Return the address of a relation that a `<link>` in the head states."""
        stop = int(self.page.stop[1]) if len(self.page) > 1 else 0
        for row in self.rows_with(f'rel="{relation}"'.encode(), 0, stop):
            return row_attributes(self.page, row).get("href", "").strip()
        return None

    def text(self, row: int) -> str:
        """Return the text of a row on one line."""
        self.budget.check()
        page = self.page
        start = int(page.text_start[row])
        return " ".join(page.text[start : min(int(page.text_stop[row]), start + _LONGEST)].split())

    def rows_with(self, needle: bytes, start: int = 0, stop: int | None = None) -> list[int]:
        """Return the elements whose start tag holds some bytes, in a stretch of the source."""
        self.budget.check()
        return rows_with_bytes(self.page, needle, start, stop, _MOST_MARKS)

    def _rows(self, code: int, most: int) -> list[int]:
        rows: list[int] = np.flatnonzero(self.page.tag == code)[:most].tolist()
        return rows


def plain(value: bytes) -> str:
    """Return bytes of the source as text on one line, entities decoded, of bounded length."""
    text = value[: 4 * _LONGEST].decode("utf-8", "replace")
    if "&" in text:
        text = unescape(unescape(text))  # many pages escape twice
    return " ".join(text.split())[:_LONGEST].rstrip()


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

"""A page → the rows and attributes that may tell something about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Final

import numpy as np

from tamis.content.metadata.linked import Linked, linked_data
from tamis.page import Page, tags
from tamis.page.attributes import attributes
from tamis.page.reading import one_line

# Work is bounded, whatever a page holds: a real page has some fifty of the first and five of the
# others.
_MOST_META: Final = 400
_MOST_MARKS: Final = 60
_LONGEST: Final = 2_000

_META: Final = tags.CODE["meta"]
_LINK: Final = tags.CODE["link"]
_TITLE: Final = tags.CODE["title"]
_H1: Final = tags.CODE["h1"]
_TIME: Final = tags.CODE["time"]
_HTML: Final = tags.CODE["html"]

_ANCHOR_MARKS: Final = " #¶§🔗"  # what links to a heading itself show
_PAIR: Final = re.compile(rb' ([^\s=>"]+)="([^"]*)"')
_PART: Final = re.compile(rb"(?i)/(?:review|comment|answer|userreview|listitem)\"")
_WANTED: Final = frozenset({b"name", b"property", b"itemprop", b"http-equiv"})


@dataclass(frozen=True, eq=False)
class Markup:
    """What a page's markup says about the page, found when asked for."""

    page: Page

    @cached_property
    def meta(self) -> dict[str, list[str]]:
        """The contents of `<meta>` elements by their name, property or itemprop in lower case."""
        found: dict[str, list[str]] = {}
        for head in self._heads(_META, _MOST_META):
            pairs = dict(_PAIR.findall(head))
            value = pairs.get(b"content")
            if not value:
                continue
            for key in _WANTED & pairs.keys():
                for name in pairs[key].lower().split():
                    found.setdefault(name.decode("utf-8", "replace"), []).append(plain(value))
        return found

    @cached_property
    def links(self) -> dict[str, str]:
        """The first address of each relation that a `<link>` states."""
        found: dict[str, str] = {}
        for head in self._heads(_LINK, _MOST_META):
            if b"canonical" in head or b"shortlink" in head or b"image_src" in head:
                pairs = dict(_PAIR.findall(head))
                for name in pairs.get(b"rel", b"").lower().split():
                    found.setdefault(name.decode("ascii", "replace"), plain(pairs.get(b"href", b"")))
        return found

    @cached_property
    def linked(self) -> Linked:
        """The page's JSON-LD."""
        page = self.page
        return linked_data(
            page.source[page.head[row] : page.stop[row]] for row in self.rows_with(b"ld+json")
        )

    @cached_property
    def root(self) -> dict[str, str]:
        """The attributes of the `<html>` element."""
        return attributes(self.page, 0) if len(self.page) and self.page.tag[0] == _HTML else {}

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
    def items(self) -> list[tuple[str, int]]:
        """Names and rows of microdata properties outside `<meta>`, in document order."""
        found: list[tuple[str, int]] = []
        for row in self.rows_with(b" itemprop="):
            if self.page.tag[row] != _META:
                names = attributes(self.page, row).get("itemprop", "").lower().split()
                found += [(name, row) for name in names]
        return found

    def describes_page(self, row: int) -> bool:
        """Whether a microdata property is the page's own: not of a review, a comment or a card."""
        page = self.page
        above = int(page.parent[row])
        scopes = 0
        while above >= 0:
            head = page.source[page.start[above] : page.head[above]]
            if b" itemscope" in head:
                scopes += 1
                if scopes > 2 or _PART.search(head):
                    return False
            above = int(page.parent[above])
        return True

    def first(self, *names: str) -> str | None:
        """Return the first content of the first of these `<meta>` names that the page has."""
        for name in names:
            if name in self.meta:
                return self.meta[name][0]
        return None

    def text(self, row: int) -> str:
        """Return the text of a row on one line."""
        page = self.page
        start = int(page.text_start[row])
        return one_line(page.text[start : min(int(page.text_stop[row]), start + _LONGEST)])

    def rows_with(self, needle: bytes) -> list[int]:
        """Return the elements whose start tag holds some bytes, in document order."""
        page = self.page
        rows: list[int] = []
        for place in places(page.source, needle):
            row = int(np.searchsorted(page.start, place, side="right")) - 1
            if place < page.head[row] and page.tag[row] != tags.TEXT:
                rows.append(row)
        return list(dict.fromkeys(rows))

    def _rows(self, code: int, most: int) -> list[int]:
        rows: list[int] = np.flatnonzero(self.page.tag == code)[:most].tolist()
        return rows

    def _heads(self, code: int, most: int) -> Iterator[bytes]:
        rows = self._rows(code, most)
        page = self.page
        for start, stop in zip(page.start[rows].tolist(), page.head[rows].tolist(), strict=True):
            yield page.source[start:stop]


def places(source: bytes, needle: bytes) -> Iterator[int]:
    """Yield where some bytes stand in the source, up to a limit."""
    place = -1
    for _ in range(4 * _MOST_MARKS):
        place = source.find(needle, place + 1)
        if place < 0:
            return
        yield place


def plain(value: bytes) -> str:
    """Return bytes of the source as text on one line, entities decoded, of bounded length."""
    text = value[: 4 * _LONGEST].decode("utf-8", "replace")
    if "&" in text:
        text = unescape(unescape(text))  # many pages escape twice
    return one_line(text)[:_LONGEST]

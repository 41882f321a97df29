"""What a page's markup states about the page: `<meta>`, `<title>`, `<time>`, microdata, JSON-LD.

`Markup` finds each of these when it is first used. `headline_window` gives the part of the text
around the headline, where bylines and dates stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from itertools import islice
from typing import Final

import numpy as np

from tamis.metadata.jsonld import JsonLd, read_jsonld
from tamis.page import (
    UNLIMITED,
    Budget,
    Page,
    find_bytes,
    find_offsets,
    row_attributes,
    rows_with_bytes,
    tags,
)
from tamis.values import Locale, page_locale

# Work is bounded, whatever a page holds. A real page has about fifty `<meta>` elements and five of
# the others.
_MAX_META: Final = 400
_MAX_ROWS: Final = 200
_MAX_VALUES: Final = 30
_MAX_CHARS: Final = 2_000
_EMPTY_SCRIPT: Final = len("</script>")
_CHARS_BEFORE: Final = 300  # of text before the headline
_CHARS_AFTER: Final = 700
_BYTES_BEFORE: Final = 8_000  # of source before the headline; a menu in between can be very long
_BYTES_AFTER: Final = 16_000

_META: Final = tags.CODE["meta"]
_SCRIPT: Final = tags.CODE["script"]
_TITLE: Final = tags.CODE["title"]
_H1: Final = tags.CODE["h1"]
_TIME: Final = tags.CODE["time"]
_HTML: Final = tags.CODE["html"]

_ANCHOR_MARKS: Final = " #¶§🔗"  # the text of links from a heading to itself
_META_ATTRIBUTES: Final = re.compile(
    rb' (?:(?:name|property|itemprop|http-equiv)="([^"]*)"|content="([^"]*)")'
)
_PART_TYPES: Final = re.compile(rb"(?i)/(?:review|comment|answer|userreview|listitem)\"")


@dataclass(frozen=True, eq=False)
class Markup:
    """What a page's markup states about the page, computed on first use."""

    page: Page
    budget: Budget = UNLIMITED

    @cached_property
    def _meta(self) -> dict[str, list[bytes]]:
        """The contents of `<meta>` elements by their name, property or itemprop in lower case."""
        contents: dict[str, list[bytes]] = {}
        page = self.page
        rows = self._rows(_META, _MAX_META)
        spans = zip(page.start[rows].tolist(), page.head[rows].tolist(), strict=True)
        for start, stop in self.budget.watch(spans):
            attributes = _META_ATTRIBUTES.findall(page.source, start, stop)
            content = b""
            for _, value in attributes:
                content = content or value
            for names, _ in attributes if content else ():
                if names:
                    for name in names.decode("utf-8", "replace").lower().split():
                        contents.setdefault(name, []).append(content)
        return contents

    @cached_property
    def jsonld(self) -> JsonLd:
        """The page's JSON-LD."""
        page = self.page
        rows = self._rows(_SCRIPT, len(page))
        spans = zip(page.head[rows].tolist(), page.stop[rows].tolist(), strict=True)
        scripts = (page.source[start:stop] for start, stop in spans if stop - start > _EMPTY_SCRIPT)
        return read_jsonld(self.budget.watch(scripts))

    @cached_property
    def root(self) -> dict[str, str]:
        """The attributes of the `<html>` element."""
        return row_attributes(self.page, 0) if len(self.page) and self.page.tag[0] == _HTML else {}

    @cached_property
    def language(self) -> str:
        """The declared language of the page without its region, such as de; empty if unknown."""
        tag = self.root.get("lang") or self.root.get("xml:lang")
        tag = tag or self.first_meta("og:locale", "content-language", "dc.language") or ""
        return tag.strip().replace("_", "-").partition("-")[0].lower()

    @cached_property
    def locale(self) -> Locale:
        """The language and country of the page, which decide how it writes dates."""
        return page_locale(self.page)

    @cached_property
    def title(self) -> str | None:
        """The text of `<title>`."""
        page = self.page
        for row in self._rows(_TITLE, _MAX_ROWS):
            if not page.flags[row] & tags.SVG:
                content = page.source[page.head[row] : page.stop[row]]
                return _decode_text(content.removesuffix(b"</title>")) or None
        return None

    @cached_property
    def headings(self) -> list[tuple[int, str]]:
        """The rows and texts of the visible `<h1>` elements."""
        rows = self._rows(_H1, _MAX_ROWS)
        headings = [(row, self.text(row).rstrip(_ANCHOR_MARKS)) for row in rows]
        return [(row, text) for row, text in headings if text]

    @cached_property
    def times(self) -> list[int]:
        """The rows of `<time>` elements."""
        return self._rows(_TIME, _MAX_ROWS)

    @cached_property
    def _has_microdata(self) -> bool:
        """Whether the page has microdata of a type."""
        return find_bytes(self.page.source, b'itemtype="http') >= 0

    def microdata_rows(self, name: str, start: int = 0, stop: int | None = None) -> list[int]:
        """Return the elements of a microdata property in a span of the source."""
        if not self._has_microdata:
            return []
        rows = self.rows_with(f' itemprop="{name}"'.encode(), start, stop)
        return [row for row in rows if self.page.tag[row] != _META]

    def describes_page(self, row: int) -> bool:
        """Say whether a row is outside the microdata of reviews, comments and list items."""
        self.budget.check()
        if not self._has_microdata:
            return True
        page = self.page
        ancestor = int(page.parent[row])
        scopes = 0
        while ancestor >= 0:
            start = int(page.start[ancestor])
            start_tag = page.source[start : min(int(page.head[ancestor]), start + _MAX_CHARS)]
            if b" itemscope" in start_tag:
                scopes += 1
                if scopes > 2 or _PART_TYPES.search(start_tag):
                    return False
            ancestor = int(page.parent[ancestor])
        return True

    def meta(self, name: str) -> list[str]:
        """Return the contents of the `<meta>` elements with this name."""
        return [_decode_text(content) for content in self._meta.get(name, ())[:_MAX_VALUES]]

    def each_meta(self, names: Iterable[str]) -> Iterator[list[str]]:
        """Yield the contents for each of these `<meta>` names that the page has, in their order."""
        contents = self._meta
        return (self.meta(name) for name in names if name in contents)

    def meta_names(self) -> Iterable[str]:
        """Return the names of all `<meta>` elements."""
        return self._meta.keys()

    def first_meta(self, *names: str) -> str | None:
        """Return the first content of the first of these `<meta>` names that the page has."""
        for name in names:
            contents = self._meta.get(name)
            if contents:
                return _decode_text(contents[0])
        return None

    def link(self, relation: str) -> str | None:
        """Return the URL of the `<link>` with this relation in the head."""
        stop = int(self.page.stop[1]) if len(self.page) > 1 else 0
        for row in self.rows_with(f'rel="{relation}"'.encode(), 0, stop):
            return row_attributes(self.page, row).get("href", "").strip()
        return None

    def text(self, row: int) -> str:
        """Return the text of a row on one line."""
        self.budget.check()
        page = self.page
        start = int(page.text_start[row])
        stop = min(int(page.text_stop[row]), start + _MAX_CHARS)
        return " ".join(page.text[start:stop].split())

    def start_tag(self, row: int, max_bytes: int) -> str:
        """Return the start tag of a row, up to a limit."""
        page = self.page
        start_tag = page.source[page.start[row] : page.head[row]][:max_bytes]
        return start_tag.decode("utf-8", "replace")

    def rows_with(self, needle: bytes, start: int = 0, stop: int | None = None) -> list[int]:
        """Return the elements in a span of the source whose start tag contains these bytes."""
        self.budget.check()
        return rows_with_bytes(self.page, needle, start, stop, _MAX_ROWS)

    def _rows(self, code: int, limit: int) -> list[int]:
        """Return the first rows with a tag code."""
        return list(islice(find_offsets(self._codes, bytes((code,))), limit))

    @cached_property
    def _codes(self) -> bytes:
        """The tag codes of all rows: bytes are searched faster than arrays."""
        return self.page.tag.tobytes()


@dataclass(frozen=True)
class Window:
    """The part `first` to `last` of a page's text; the headline is at `start` to `stop`."""

    first: int
    start: int
    stop: int
    last: int

    def __contains__(self, offset: int) -> bool:
        """Say whether an offset in the text lies in the window."""
        return self.first <= offset < self.last

    def source_span(self, page: Page) -> tuple[int, int]:
        """Return the span of the source that holds the window's text, up to a limit."""
        offsets = (self.first, self.start, self.last)
        rows = np.searchsorted(page.text_start, offsets).clip(max=len(page) - 1)
        first, middle, last = page.start[rows].tolist()
        return max(first, middle - _BYTES_BEFORE), min(last, middle + _BYTES_AFTER)


def headline_window(markup: Markup, title: str | None) -> Window:
    """Return the window around the headline, or at the start of a page without one."""
    page = markup.page
    start = stop = 0
    rows = [row for row, text in markup.headings if text == title]
    rows = rows or [row for row, _ in markup.headings[:1]]
    if rows:
        start, stop = int(page.text_start[rows[0]]), int(page.text_stop[rows[0]])
    elif title:
        offset = page.text.find(title)
        if offset >= 0:
            start, stop = offset, offset + len(title)
    last = min(len(page.text), stop + _CHARS_AFTER)
    return Window(max(0, start - _CHARS_BEFORE), start, stop, last)


def _decode_text(content: bytes) -> str:
    """Return bytes of the source as text on one line, entities decoded, up to a limit."""
    text = content[: 4 * _MAX_CHARS].decode("utf-8", "replace")
    if "&" in text:
        text = unescape(unescape(text))  # many pages escape twice
    return " ".join(text.split())[:_MAX_CHARS].rstrip()

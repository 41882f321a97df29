"""Page: the parsed document as columns.

A row → its attributes, and attributes → the rows that have them.

Rows → text as a reader sees it.

A page → the address that its links are relative to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from itertools import islice
from typing import Any, Final, TypeVar
from urllib.parse import urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page.css import hiding_selectors
from tamis.page.layout import Layout
from tamis.page.trail import Trail

Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]
Array = TypeVar("Array", bound=NDArray[Any])


@dataclass(frozen=True, eq=False)
class Page:
    """A parsed page: one row per element and shown text node, in document order.

    Row `i` and all below it are the rows `i` to `end[i]`. `source` is the page as the HTML
    standard's algorithm understood it, serialised to UTF-8, without the bodies of scripts and
    style sheets and the outlines of drawings; `start:stop` is a row's place in it, `head` the end
    of its start tag. `text` is all text in document order, white space folded, blocks on lines of
    their own; `text_start:text_stop` is a row's place in that. Counts are of text nodes and of
    visible text: `chars` without white space, `terms` (runs of letters and digits; each character
    of a script without spaces), `marks` of punctuation.
    """

    source: bytes
    text: str
    url: str | None
    encoding: str
    truncated: tuple[str, ...]  # what the guard left out, in words
    styles: tuple[bytes, ...]  # the page's own style sheets
    tag: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    depth: Ints
    parent: Ints
    end: Ints
    start: Ints
    head: Ints
    stop: Ints
    text_start: Ints
    text_stop: Ints
    class_start: Ints
    class_stop: Ints
    class_key: NDArray[np.uint32]
    id_start: Ints
    id_stop: Ints
    chars: Ints
    terms: Ints
    marks: Ints
    layout: Layout | None = None  # where a browser has laid the page out: see tamis.render

    def __len__(self) -> int:
        return len(self.tag)

    def __repr__(self) -> str:
        return f"<Page of {len(self)} rows, {len(self.text)} characters of text, url={self.url!r}>"

    @cached_property
    def visible(self) -> Bools:
        """Text rows that a reader without scripts sees (or would, once revealed: see `hidden`)."""
        return freeze(self.chars > 0)

    @cached_property
    def text_number(self) -> NDArray[np.int64]:
        """Running number of each text row among all text rows, shown or not."""
        return freeze(np.cumsum(self.tag == tags.TEXT))

    @cached_property
    def in_link(self) -> Bools:
        """Rows at or below an `a` element."""
        return freeze((self.flags & tags.LINK) != 0)

    @cached_property
    def hiding(self) -> frozenset[bytes]:
        """Simple selectors (`.class`, `#id`) of the rules that hide what they select."""
        return frozenset(hiding_selectors(self.styles))

    @cached_property
    def hidden(self) -> Bools:
        """Rows that are hidden by an attribute or by a rule of the page's own style sheets."""
        hidden = (self.flags & tags.HIDDEN) != 0
        if self.hiding:
            hidden |= self.within(np.flatnonzero(self._names_hidden()))
        return freeze(hidden)

    def _names_hidden(self) -> Bools:
        """Rows whose class or id is named by a hiding rule."""
        classes = {name[1:] for name in self.hiding if name.startswith(b".")}
        ids = {name[1:] for name in self.hiding if name.startswith(b"#")}
        found = np.zeros(len(self), dtype=np.bool_)
        named = np.flatnonzero(self.class_stop > self.class_start)
        keys, first = np.unique(self.class_key[named], return_index=True)
        rows = named[first]
        places = zip(self.class_start[rows].tolist(), self.class_stop[rows].tolist(), strict=True)
        values = [self.source[start:stop] for start, stop in places]
        classes.intersection_update(b" ".join(values).split())
        if classes:
            hits = [not classes.isdisjoint(value.split()) for value in values]
            found[named] = np.isin(self.class_key[named], keys[hits])
        lengths = self.id_stop - self.id_start
        for length in {len(name) for name in ids}:
            for row in np.flatnonzero(lengths == length).tolist():
                found[row] |= self.source[self.id_start[row] : self.id_stop[row]] in ids
        return found

    @cached_property
    def sibling_numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Each row's number among the siblings of its name, and how many these are."""
        names: dict[str, int] = {}
        name = self.tag.astype(np.int64)
        for row in np.flatnonzero(self.tag == tags.OTHER).tolist():
            name[row] = 256 + names.setdefault(self.name(row), len(names))
        key = (self.parent.astype(np.int64) + 1) * (256 + len(names)) + name
        _, group, sizes = np.unique(key, return_inverse=True, return_counts=True)
        order = np.argsort(group, kind="stable")
        firsts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        number = np.empty(len(self), dtype=np.int64)
        number[order] = np.arange(len(self)) - np.repeat(firsts, sizes) + 1
        return freeze(number), freeze(sizes[group])

    @cached_property
    def element_numbers(self) -> NDArray[np.int64]:
        """Each element's number among the elements of its parent, from 1; of no use for texts."""
        number = np.empty(len(self), dtype=np.int64)
        is_element = self.tag != tags.TEXT
        order = np.argsort(self.parent, kind="stable")
        counts = np.cumsum(is_element[order])
        begins = np.flatnonzero(np.diff(self.parent[order], prepend=-2))
        before = np.append(0, counts)[begins]
        number[order] = counts - np.repeat(before, np.diff(begins, append=len(self)))
        return freeze(number)

    @cached_property
    def trail(self) -> Trail:
        """What XPaths share with the one that was written last."""
        return Trail()

    def below(self, values: NDArray[np.generic]) -> NDArray[np.int64]:
        """Return, for each row, the sum of `values` over the row and all rows below it."""
        sums = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(values, out=sums[1:])
        return sums[self.end] - sums[:-1]

    def within(self, rows: Ints) -> Bools:
        """Say of all rows which are some rows or below one of them."""
        if len(rows) == 0:
            return np.zeros(len(self), dtype=np.bool_)
        size = len(self) + 1
        edges = np.bincount(rows, minlength=size) - np.bincount(self.end[rows], minlength=size)
        inside: Bools = np.cumsum(edges)[:-1] > 0
        return inside

    def outermost(self, rows: Ints) -> Ints:
        """Return those of some rows, which are in order, that are below no other of them."""
        ends = np.maximum.accumulate(self.end[rows])
        return rows[rows >= np.append(0, ends)[:-1]]

    def name(self, row: int) -> str:
        """Return the tag name of a row, `#text` for a text node."""
        code = int(self.tag[row])
        if code not in (tags.OTHER, tags.FOREIGN_OBJECT):  # the latter has capitals only in SVG
            return tags.TAGS[code]
        head = self.source[self.start[row] + 1 : self.head[row] - 1]
        return head.split(b" ", 1)[0].decode("utf-8", "replace")

    def html(self, row: int) -> str:
        """Return a row's part of the normalised source."""
        return self.source[self.start[row] : self.stop[row]].decode("utf-8", "replace")


def freeze(array: Array) -> Array:
    """Return the array, no longer writeable."""
    array.setflags(write=False)
    return array


Text = TypeVar("Text", str, bytes)

_HTML: Final = tags.CODE["html"]
_ATTRIBUTE: Final = re.compile(rb'\s([^\s>][^\s=>]*)="([^"]*)"')


def row_attributes(page: Page, row: int) -> dict[str, str]:
    """Return the attributes of an element, names in lower case, values unescaped."""
    head = page.source[page.start[row] : page.head[row]]
    return {
        name.decode("utf-8", "replace").lower(): unescape(value.decode("utf-8", "replace"))
        for name, value in _ATTRIBUTE.findall(head)
    }


def declared_language(page: Page) -> str:
    """Return what a page declares as its language, as it is written; empty where it does not."""
    if not len(page) or page.tag[0] != _HTML:
        return ""
    found = row_attributes(page, 0)
    return (found.get("lang") or found.get("xml:lang") or "").strip()


def rows_with_bytes(
    page: Page, needle: bytes, start: int = 0, stop: int | None = None, most: int | None = None
) -> list[int]:
    """Return the elements whose start tag holds some bytes, in a stretch of the source."""
    places = list(islice(find_offsets(page.source, needle, start, stop), most))
    if not places:
        return []
    rows = np.searchsorted(page.start, places, side="right") - 1
    inside = (page.head[rows] > places) & (page.tag[rows] != tags.TEXT)
    return list(dict.fromkeys(rows[inside].tolist()))


def find_offsets(
    text: Text, wanted: Text, start: int = 0, stop: int | None = None
) -> Iterator[int]:
    """Yield where something stands in a text: many times faster than to match a pattern."""
    place = text.find(wanted, start, stop)
    while place >= 0:
        yield place
        place = text.find(wanted, place + len(wanted), stop)


_SPACES: Final = re.compile(r"\s+")


def join_text(page: Page, rows: Ints) -> str:
    """Return the text of text rows in document order, separated as they are in the page.

    Rows that follow each other are one slice of the page's text. Between others stands the
    strongest separator of what was left out: a paragraph break, a line break or a space.
    """
    parts: list[str] = []
    last = 0
    for start, stop in text_spans(page, rows):
        if parts:
            parts.append(separator(page.text[last:start]))
        parts.append(page.text[start:stop])
        last = stop
    return "".join(parts)


def text_spans(page: Page, rows: Ints) -> Iterator[tuple[int, int]]:
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


def collapse_spaces(text: str) -> str:
    """Return text with all white space folded to single spaces."""
    return _SPACES.sub(" ", text).strip()


_BASE: Final = tags.CODE["base"]


def base_url(page: Page) -> str | None:
    """Return the address of the page, or the one that it declares by `<base href>`."""
    for row in np.flatnonzero(page.tag == _BASE).tolist():
        if href := row_attributes(page, row).get("href"):
            try:
                declared = urljoin(page.url or "", href.strip())
                safe = urlsplit(declared).scheme in ("http", "https")
            except ValueError:
                safe = False
            return declared if safe else page.url
    return page.url

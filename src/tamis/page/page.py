"""Page: the parsed document as columns; and what is read from it row by row.

Below the class stand functions for the attributes and the text of rows, and for what the page
declares about itself: its language and its base URL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any, Final, TypeVar
from urllib.parse import urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags
from tamis.page._reader import find_bytes, mark_below, match_names, parse_attributes
from tamis.page.css import find_hiding_selectors
from tamis.page.layout import Layout
from tamis.page.xpath import XPathCache

Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]
_Array = TypeVar("_Array", bound=NDArray[Any])
_Text = TypeVar("_Text", str, bytes)

_HTML: Final = tags.CODE["html"]
_BASE: Final = tags.CODE["base"]


@dataclass(frozen=True, eq=False)
class Page:
    """A parsed page: one row per element and shown text node, in document order.

    Row `i` and all rows below it are the rows `i` to `end[i]`. `source` is the tree that the HTML
    standard's algorithm builds from the page, serialised to UTF-8, without the bodies of scripts
    and style sheets and the outlines of drawings. `start:stop` is a row's span in it, `head` the
    end of its start tag. `text` is all text in document order, with white space collapsed and
    blocks on lines of their own; `text_start:text_stop` is a row's span in it. Text rows have
    counts of their visible text: `chars` without white space, `terms` (runs of letters and digits;
    in scripts without spaces each character), `marks` of punctuation.
    """

    source: bytes
    text: str
    url: str | None
    encoding: str
    truncated: tuple[str, ...]  # sentences that say what was left out because of a limit
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
    layout: Layout | None = None  # from a browser: see tamis.render

    def __len__(self) -> int:
        return len(self.tag)

    def __repr__(self) -> str:
        return f"<Page of {len(self)} rows, {len(self.text)} characters of text, url={self.url!r}>"

    @cached_property
    def visible(self) -> Bools:
        """Text rows that a reader sees without scripts, or after a click (see `hidden`)."""
        return freeze(self.chars > 0)

    @cached_property
    def text_number(self) -> NDArray[np.int64]:
        """For each row, the number of text rows up to it, shown or not."""
        return freeze(np.cumsum(self.tag == tags.TEXT))

    @cached_property
    def in_link(self) -> Bools:
        """Rows at or below an `a` element."""
        return freeze((self.flags & tags.LINK) != 0)

    @cached_property
    def hiding_selectors(self) -> frozenset[bytes]:
        """Simple selectors (`.class`, `#id`) of style sheet rules that hide what they select."""
        return frozenset(find_hiding_selectors(self.styles))

    @cached_property
    def hidden(self) -> Bools:
        """Rows that are hidden by an attribute or by a rule of the page's own style sheets."""
        hidden = (self.flags & tags.HIDDEN) != 0
        if self.hiding_selectors:
            hidden |= self.within(np.flatnonzero(self._match_hiding_selectors()))
        return freeze(hidden)

    def _match_hiding_selectors(self) -> Bools:
        """Say for each row whether its class or id is that of a hiding selector."""
        selectors = self.hiding_selectors
        classes = frozenset(name[1:] for name in selectors if name.startswith(b"."))
        ids = frozenset(name[1:] for name in selectors if name.startswith(b"#"))
        return match_names(self, classes, ids)

    @cached_property
    def sibling_numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Each row's number among the siblings of the same name, from 1, and how many these are."""
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
        """Each element's number among the elements of its parent, from 1; meaningless for texts."""
        number = np.empty(len(self), dtype=np.int64)
        is_element = self.tag != tags.TEXT
        order = np.argsort(self.parent, kind="stable")
        counts = np.cumsum(is_element[order])
        begins = np.flatnonzero(np.diff(self.parent[order], prepend=-2))
        before = np.append(0, counts)[begins]
        number[order] = counts - np.repeat(before, np.diff(begins, append=len(self)))
        return freeze(number)

    @cached_property
    def xpath_cache(self) -> XPathCache:
        """The steps of the XPath that was built last, which the next one may share."""
        return XPathCache()

    def below(self, values: NDArray[np.generic]) -> NDArray[np.int64]:
        """Return, for each row, the sum of `values` over the row and all rows below it."""
        sums = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(values, out=sums[1:])
        return sums[self.end] - sums[:-1]

    def within(self, rows: Ints) -> Bools:
        """Say for each row of the page whether it is one of `rows` or below one of them."""
        inside = np.zeros(len(self), dtype=np.bool_)
        if len(rows):
            inside[rows] = True
            mark_below(inside, self.end)
        return inside

    def outermost(self, rows: Ints) -> Ints:
        """Return those of `rows`, which are in document order, that are below no other of them."""
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
        """Return a row's part of the source."""
        return self.source[self.start[row] : self.stop[row]].decode("utf-8", "replace")


def freeze(array: _Array) -> _Array:
    """Make an array read-only and return it."""
    array.setflags(write=False)
    return array


def row_attributes(page: Page, row: int) -> dict[str, str]:
    """Return the attributes of an element, names in lower case, values unescaped."""
    return parse_attributes(page.source, page.start[row], page.head[row])


def declared_language(page: Page) -> str:
    """Return the language that a page declares, as it is written; empty if it declares none."""
    if not len(page) or page.tag[0] != _HTML:
        return ""
    attributes = row_attributes(page, 0)
    return (attributes.get("lang") or attributes.get("xml:lang") or "").strip()


def rows_with_bytes(
    page: Page,
    needle: bytes,
    start: int = 0,
    stop: int | None = None,
    max_matches: int | None = None,
) -> list[int]:
    """Return the elements whose start tag contains some bytes, between two offsets of the source.

    With `max_matches` only so many occurrences of the bytes are looked at, in tags or not.
    """
    offsets = list(islice(find_offsets(page.source, needle, start, stop), max_matches))
    if not offsets:
        return []
    rows = np.searchsorted(page.start, offsets, side="right") - 1
    inside = (page.head[rows] > offsets) & (page.tag[rows] != tags.TEXT)
    return list(dict.fromkeys(rows[inside].tolist()))


def find_offsets(
    text: _Text, needle: _Text, start: int = 0, stop: int | None = None
) -> Iterator[int]:
    """Yield the offsets of a fixed string: many times faster than a regular expression."""
    find: Any = partial(find_bytes, text) if isinstance(text, bytes) else text.find
    offset = find(needle, start, stop)
    while offset >= 0:
        yield offset
        offset = find(needle, offset + len(needle), stop)


def join_text(page: Page, rows: Ints) -> str:
    """Return the text of text rows in document order, separated as they are in the page.

    Text rows that follow each other are one slice of the page's text. Between other rows stands the
    strongest separator of the text between them: a paragraph break, a line break or a space.
    """
    parts: list[str] = []
    last = 0
    for start, stop in _text_spans(page, rows):
        if parts:
            parts.append(separator(page.text[last:start]))
        parts.append(page.text[start:stop])
        last = stop
    return "".join(parts)


def _text_spans(page: Page, rows: Ints) -> Iterator[tuple[int, int]]:
    """Yield the slices of the page's text that cover text rows and nothing else."""
    if not len(rows):
        return
    numbers = page.text_number[rows]
    breaks = np.flatnonzero(np.diff(numbers) != 1)
    firsts = rows[np.concatenate(([0], breaks + 1))]
    lasts = rows[np.concatenate((breaks, [len(rows) - 1]))]
    yield from zip(page.text_start[firsts].tolist(), page.text_stop[lasts].tolist(), strict=True)


def separator(gap: str) -> str:
    """Return the strongest separator in the gap between two texts."""
    if "\n\n" in gap:
        return "\n\n"
    if "\n" in gap:
        return "\n"
    if "\t" in gap:
        return "\t"
    return " " if gap != gap.strip() else ""


def collapse_spaces(text: str) -> str:
    """Return text with each run of white space collapsed to one space."""
    return " ".join(text.split())


def base_url(page: Page) -> str | None:
    """Return the URL that the links of a page are relative to: `<base href>`, or its own URL."""
    for row in np.flatnonzero(page.tag == _BASE).tolist():
        if href := row_attributes(page, row).get("href"):
            try:
                declared = urljoin(page.url or "", href.strip())
                is_http = urlsplit(declared).scheme in ("http", "https")
            except ValueError:
                is_http = False
            return declared if is_http else page.url
    return page.url

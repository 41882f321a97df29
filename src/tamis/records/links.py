"""Rows of a page → the addresses of their links and pictures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Final
from urllib.parse import urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, base_url, tags
from tamis.printing import encode_url
from tamis.records.column import Column
from tamis.records.regions import Region

LEAST: Final = 3  # pictures with one address from which on it keeps the room of others; and
# pictures without another address after which no more are looked at

_A: Final = tags.CODE["a"]
_TO: Final = b' href="'
_SOURCES: Final = (b"data-src", b"data-original", b"data-lazy-src", b"src", b"srcset")
_SHOWN: Final = re.compile(rb'\s(data-src|data-original|data-lazy-src|src|srcset)="([^"]*\S)"')
_HELD: Final = re.compile(
    rb'\s(src|srcset|data-[\w-]*(?:src|lazy|original|image|img)[\w-]*)="([^"]*\S)"'
)
_PICTURE: Final = tags.CODE["picture"]
_SOURCE: Final = tags.CODE["source"]
_PLACE: Final = re.compile(rb"[./]")  # in all addresses, and hardly in words
_ALT: Final = re.compile(rb'\s(alt)="([^"]*\S)"')
_SOLID: Final = re.compile(r"\S*")
_PATH: Final = re.compile(r"[^:]*$")  # what can have no scheme
_SCHEMES: Final = ("http", "https", "")


def addresses(
    region: Region, column: Column | None
) -> tuple[tuple[str | None, ...], tuple[int, ...]]:
    """Return, for each record, where its link leads and the row of the link.

    That is the link around the cell of a column; else, or without a column, the record's first.
    """
    page = region.page
    links = np.flatnonzero(page.tag == _A)
    place = np.searchsorted(links, region.start)
    first = np.append(links, len(page))[place]
    rows = np.where(first < region.stop, first, around(page, region.start))
    if column is not None:
        own = [region.row_of[some[0]] if some else -1 for some in column.cells]
        inner = around(page, np.array(own))
        rows = np.where(inner >= 0, inner, rows)
    base, found = base_url(page), rows.tolist()
    leads = [
        link(page, row, base) if row >= 0 else None for row in region.cells.budget.watch(found)
    ]
    return tuple(leads), tuple(found)


def around(page: Page, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the link that each row is or lies in, or -1; a row of -1 is in none."""
    rows = np.where((rows >= 0) & page.in_link[rows], rows, -1)
    while len(inner := np.flatnonzero((rows >= 0) & (page.tag[rows] != _A))):
        rows[inner] = page.parent[rows[inner]]
    return rows


def link(page: Page, row: int, base: str | None) -> str | None:
    """Return the address that a link leads to."""
    head = page.head.item(row)
    start = page.source.find(_TO, page.start.item(row), head) + len(_TO)  # a search takes longer
    stop = page.source.find(b'"', start, head)
    return absolute(page.source[start:stop], base) if start >= len(_TO) and stop >= 0 else None


def pictures(page: Page, rows: Sequence[int]) -> tuple[str | None, ...]:
    """Return the addresses of pictures; a row of -1 is none.

    An address that most rows have only keeps room for another, if there is one.
    """
    base = base_url(page)
    found: list[str | None] = []
    for said in heads(page, rows, _SHOWN):
        value = said.get(b"src")
        if len(said) > 1 or value is None:  # a script shows another one later
            value = next((said[name] for name in _SOURCES if name in said), None)
        found.append(absolute(value.split()[0].rstrip(b","), base) if value else None)
    address, times = Counter(found).most_common(1)[0]
    empty = address if times >= LEAST and 2 * times > len(found) else None
    places = [n for n, one in enumerate(found) if one in (None, empty) and rows[n] >= 0]
    for tried, place in enumerate(places):
        others = (one for one in all_sources(page, rows[place], base) if one != empty)
        found[place] = next(others, found[place])
        if tried + 1 == LEAST and all(found[n] in (None, empty) for n in places[:LEAST]):
            break
    return tuple(found)


def all_sources(page: Page, row: int, base: str | None) -> Iterator[str]:
    """Yield all addresses that a picture has, then those of the other sources beside it."""
    rows, above = [row], int(page.parent[row])
    if page.tag[above] == _PICTURE:
        rows += [one for one in range(above + 1, row) if page.tag[one] == _SOURCE]
    for one in rows:
        said = dict(_HELD.findall(page.source, page.start.item(one), page.head.item(one)))
        for name in (*_SOURCES, *said):
            value = said.get(name, b"")
            if name.startswith(b"data") and not _PLACE.search(value):
                continue
            if value and (address := absolute(value.split()[0].rstrip(b","), base)):
                yield address


def alternatives(page: Page, rows: Sequence[int]) -> tuple[str, ...]:
    """Return the alternative texts of pictures."""
    return tuple(
        " ".join(plain(said[b"alt"]).split()) if said else "" for said in heads(page, rows, _ALT)
    )


def heads(
    page: Page, rows: Sequence[int], wanted: re.Pattern[bytes]
) -> Iterator[dict[bytes, bytes]]:
    """Yield the attributes that are wanted of each row; a row of -1 has none."""
    starts, stops = page.start[list(rows)].tolist(), page.head[list(rows)].tolist()
    for row, start, stop in zip(rows, starts, stops, strict=True):
        yield dict(wanted.findall(page.source, start, stop)) if row >= 0 else {}


def absolute(value: bytes, base: str | None) -> str | None:
    """Return an address made absolute; None for one that leads nowhere (a script, data)."""
    text = plain(value)
    if not _SOLID.fullmatch(text):
        text = "".join(text.split())
    text = encode_url(text)
    if text.startswith(("http://", "https://")):
        return text
    if base is None and _PATH.match(text):
        return text or None
    try:
        found = urljoin(base, text) if base else text
        scheme = urlsplit(found).scheme.lower()
    except ValueError:
        return None
    return encode_url(found) or None if scheme in _SCHEMES else None


def plain(value: bytes) -> str:
    """Return the value of an attribute as text."""
    text = value.decode("utf-8", "replace")
    return unescape(text) if "&" in text else text

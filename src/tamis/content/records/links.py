"""Rows of a page → the addresses of their links and pictures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from itertools import chain
from typing import Final
from urllib.parse import urljoin, urlsplit

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.regions import Region
from tamis.content.records.column import Column
from tamis.page import Page, tags

LEAST: Final = 3  # pictures with one address from which on it keeps the room of others

_A: Final = tags.CODE["a"]
_BASE: Final = tags.CODE["base"]
_HREF: Final = re.compile(rb'\shref="([^"]*)"')
_LATER: Final = (b"data-src", b"data-original", b"data-lazy-src")  # what a script shows
_SHOWN: Final = re.compile(
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
    base, found = base_of(page), rows.tolist()
    return tuple([link(page, row, base) if row >= 0 else None for row in found]), tuple(found)


def around(page: Page, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the link that each row is or lies in, or -1; a row of -1 is in none."""
    rows = np.where((rows >= 0) & page.in_link[rows], rows, -1)
    while len(inner := np.flatnonzero((rows >= 0) & (page.tag[rows] != _A))):
        rows[inner] = page.parent[rows[inner]]
    return rows


def link(page: Page, row: int, base: str | None) -> str | None:
    """Return the address that a link leads to."""
    found = _HREF.search(page.source, page.start.item(row), page.head.item(row))
    return absolute(found[1], base) if found else None


def pictures(page: Page, rows: Sequence[int]) -> tuple[str | None, ...]:
    """Return the addresses of pictures; a row of -1 is none.

    An address that most rows have only keeps room for another, if there is one.
    """
    base = base_of(page)
    said = list(heads(page, rows, _SHOWN))
    found = [
        absolute(one[b"src"], base)
        if len(one) == 1 and b"src" in one
        else next(sources(one, base), None)
        for one in said
    ]
    address, times = Counter(found).most_common(1)[0]
    empty = address if times >= LEAST and 2 * times > len(found) else None
    for place, address in enumerate(found):
        if address in (None, empty) and rows[place] >= 0:
            own = sources(said[place], base) if address else ()
            others = chain(own, around_sources(page, rows[place], base))
            found[place] = next((one for one in others if one != empty), address)
    return tuple(found)


def sources(said: Mapping[bytes, bytes], base: str | None) -> Iterator[str]:
    """Yield the addresses that a picture has in its attributes, the one that is shown first."""
    order = said if len(said) == 1 else (*_LATER, b"src", b"srcset", *said)
    for name in order:
        value = said.get(name)
        if value is None or (name.startswith(b"data") and not _PLACE.search(value)):
            continue
        if address := absolute(value.split()[0].rstrip(b","), base):
            yield address


def around_sources(page: Page, row: int, base: str | None) -> Iterator[str]:
    """Yield the addresses of the other sources of a picture."""
    above = int(page.parent[row])
    if page.tag[above] == _PICTURE:
        others = [one for one in range(above + 1, row) if page.tag[one] == _SOURCE]
        for said in heads(page, others, _SHOWN):
            yield from sources(said, base)


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
    if text.startswith(("http://", "https://")):
        return text
    if base is None and _PATH.match(text):
        return text or None
    try:
        found = urljoin(base, text) if base else text
        scheme = urlsplit(found).scheme.lower()
    except ValueError:
        return None
    return found or None if scheme in _SCHEMES else None


def plain(value: bytes) -> str:
    """Return the value of an attribute as text."""
    text = value.decode("utf-8", "replace")
    return unescape(text) if "&" in text else text


def base_of(page: Page) -> str | None:
    """Return the address that links are relative to: the page's, or the one that it declares."""
    for row in np.flatnonzero(page.tag == _BASE)[:1].tolist():
        if found := _HREF.search(page.source, page.start[row], page.head[row]):
            return absolute(found[1], page.url) or page.url
    return page.url

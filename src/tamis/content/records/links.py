"""Rows of a page → the addresses of their links and pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import Final
from urllib.parse import urljoin, urlsplit

import numpy as np

from tamis.blocks.regions import Region
from tamis.content.records.columns import Column
from tamis.page import Page, tags

_A: Final = tags.CODE["a"]
_BASE: Final = tags.CODE["base"]
_HREF: Final = re.compile(rb'\shref="([^"]*)"')
_SOURCES: Final = (b"data-src", b"data-original", b"data-lazy-src", b"src", b"srcset")
_SHOWN: Final = re.compile(rb'\s(data-src|data-original|data-lazy-src|src|srcset|alt)="([^"]*\S)"')
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
    rows: list[int] = []
    for record, (start, stop) in enumerate(
        zip(region.start.tolist(), region.stop.tolist(), strict=True)
    ):
        some = column.cells[record] if column else ()
        row = around(page, int(region.cells.first[some[0]])) if some else -1
        if row < 0:
            place = int(np.searchsorted(links, start))
            row = (
                int(links[place])
                if place < len(links) and links[place] < stop
                else around(page, start)
            )
        rows.append(row)
    base = base_of(page)
    return tuple(link(page, row, base) if row >= 0 else None for row in rows), tuple(rows)


def around(page: Page, row: int) -> int:
    """Return the link that a row is or lies in, or -1."""
    if not page.in_link[row]:
        return -1
    while row >= 0 and page.tag[row] != _A:
        row = int(page.parent[row])
    return row


def link(page: Page, row: int, base: str | None) -> str | None:
    """Return the address that a link leads to."""
    found = _HREF.search(page.source, page.start[row], page.head[row])
    return absolute(found[1], base) if found else None


def pictures(page: Page, rows: Sequence[int]) -> tuple[tuple[str | None, ...], tuple[str, ...]]:
    """Return the addresses and the alternative texts of pictures."""
    base = base_of(page)
    found: list[str | None] = []
    texts: list[str] = []
    for row in rows:
        said = dict(
            _SHOWN.findall(page.source, page.start[row], page.head[row]) if row >= 0 else ()
        )
        value = next((said[name] for name in _SOURCES if name in said), None)
        found.append(absolute(value.split()[0].rstrip(b","), base) if value else None)
        texts.append(" ".join(plain(said.get(b"alt", b"")).split()))
    return tuple(found), tuple(texts)


def absolute(value: bytes, base: str | None) -> str | None:
    """Return an address made absolute; None for one that leads nowhere (a script, data)."""
    text = "".join(plain(value).split())
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

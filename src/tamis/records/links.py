"""URLs of links and images in the rows of a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Final
from urllib.parse import urljoin, urlsplit

import numpy as np

from tamis.page import Page, base_url, tags
from tamis.printing import encode_url
from tamis.records.column import Column
from tamis.records.regions import Region
from tamis.records.signatures import Int64s

_MIN_PLACEHOLDERS: Final = 3  # images with one URL from which on it is a placeholder
_MAX_TRIES: Final = 3  # images without another URL after which no more are searched

_A: Final = tags.CODE["a"]
_PICTURE: Final = tags.CODE["picture"]
_SOURCE: Final = tags.CODE["source"]
_HREF: Final = b' href="'
_IMAGE_ATTRIBUTES: Final = (b"data-src", b"data-original", b"data-lazy-src", b"src", b"srcset")
_COMMON_IMAGE_ATTRIBUTE: Final = re.compile(
    rb'\s(data-src|data-original|data-lazy-src|src|srcset)="([^"]*\S)"'
)
_ANY_IMAGE_ATTRIBUTE: Final = re.compile(
    rb'\s(src|srcset|data-[\w-]*(?:src|lazy|original|image|img)[\w-]*)="([^"]*\S)"'
)
_ALT: Final = re.compile(rb'\s(alt)="([^"]*\S)"')
_URL_SIGN: Final = re.compile(rb"[./]")  # in all URLs, and hardly in words
_NO_SPACE: Final = re.compile(r"\S*")
_NO_SCHEME: Final = re.compile(r"[^:]*$")
_SCHEMES: Final = ("http", "https", "")


# Links ------------------------------------------------------------------------------------------


def find_record_urls(
    region: Region, column: Column | None
) -> tuple[tuple[str | None, ...], tuple[int, ...]]:
    """Return, for each record, the URL of its link and the row of the link.

    That is the link around the cell of a column. If there is none, or no column is given, it is the
    first link of the record.
    """
    page = region.page
    links = np.flatnonzero(page.tag == _A)
    index = np.searchsorted(links, region.start)
    first_link = np.append(links, len(page))[index]
    is_inside = first_link < region.stop
    links_of_records = np.where(is_inside, first_link, find_enclosing_links(page, region.start))
    if column is not None:
        column_rows = [region.cell_rows[cells[0]] if cells else -1 for cells in column.cells]
        column_links = find_enclosing_links(page, np.array(column_rows))
        links_of_records = np.where(column_links >= 0, column_links, links_of_records)
    base, rows = base_url(page), links_of_records.tolist()
    urls = [
        link_url(page, row, base) if row >= 0 else None for row in region.cells.budget.watch(rows)
    ]
    return tuple(urls), tuple(rows)


def find_enclosing_links(page: Page, rows: Int64s) -> Int64s:
    """Return the link that each row is or lies in, or -1; a row of -1 is in none."""
    rows = np.where((rows >= 0) & page.in_link[rows], rows, -1)
    while len(below_link := np.flatnonzero((rows >= 0) & (page.tag[rows] != _A))):
        rows[below_link] = page.parent[rows[below_link]]
    return rows


def link_url(page: Page, row: int, base: str | None) -> str | None:
    """Return the URL of a link."""
    head = page.head.item(row)
    # bytes.find is faster than a regular expression.
    start = page.source.find(_HREF, page.start.item(row), head) + len(_HREF)
    stop = page.source.find(b'"', start, head)
    if start < len(_HREF) or stop < 0:
        return None
    return _absolute_url(page.source[start:stop], base)


# Images -----------------------------------------------------------------------------------------


def find_image_urls(page: Page, rows: Sequence[int]) -> tuple[str | None, ...]:
    """Return the URLs of images; a row of -1 has none.

    A URL that most images have is a placeholder. It is replaced by another URL of the image, if
    there is one.
    """
    base = base_url(page)
    urls: list[str | None] = []
    for attributes in _read_attributes(page, rows, _COMMON_IMAGE_ATTRIBUTE):
        value = attributes.get(b"src")
        if len(attributes) > 1 or value is None:  # a script will show another one
            names = (name for name in _IMAGE_ATTRIBUTES if name in attributes)
            value = next((attributes[name] for name in names), None)
        urls.append(_first_source_url(value, base) if value else None)
    most_common, count = Counter(urls).most_common(1)[0]
    is_frequent = count >= _MIN_PLACEHOLDERS and 2 * count > len(urls)
    placeholder = most_common if is_frequent else None
    missing = [n for n, url in enumerate(urls) if url in (None, placeholder) and rows[n] >= 0]
    for tries, index in enumerate(missing, 1):
        others = (url for url in _all_image_urls(page, rows[index], base) if url != placeholder)
        urls[index] = next(others, urls[index])
        tried = missing[:_MAX_TRIES]
        if tries == _MAX_TRIES and all(urls[n] in (None, placeholder) for n in tried):
            break
    return tuple(urls)


def _all_image_urls(page: Page, row: int, base: str | None) -> Iterator[str]:
    """Yield all URLs of an image, then those of the other sources of its `<picture>`."""
    rows, parent = [row], int(page.parent[row])
    if page.tag[parent] == _PICTURE:
        rows += [sibling for sibling in range(parent + 1, row) if page.tag[sibling] == _SOURCE]
    for attributes in _read_attributes(page, rows, _ANY_IMAGE_ATTRIBUTE):
        for name in (*_IMAGE_ATTRIBUTES, *attributes):
            value = attributes.get(name, b"")
            if name.startswith(b"data") and not _URL_SIGN.search(value):
                continue
            if value and (url := _first_source_url(value, base)):
                yield url


def find_alt_texts(page: Page, rows: Sequence[int]) -> tuple[str, ...]:
    """Return the alternative texts of images."""
    return tuple(
        " ".join(decode_attribute(attributes[b"alt"]).split()) if attributes else ""
        for attributes in _read_attributes(page, rows, _ALT)
    )


def _read_attributes(
    page: Page, rows: Sequence[int], pattern: re.Pattern[bytes]
) -> Iterator[dict[bytes, bytes]]:
    """Yield the attributes of each row that match a pattern; a row of -1 has none."""
    starts, stops = page.start[list(rows)].tolist(), page.head[list(rows)].tolist()
    for row, start, stop in zip(rows, starts, stops, strict=True):
        yield dict(pattern.findall(page.source, start, stop)) if row >= 0 else {}


def _first_source_url(value: bytes, base: str | None) -> str | None:
    """Return the first URL of a `src` or `srcset` attribute."""
    return _absolute_url(value.split()[0].rstrip(b","), base)


# Values of attributes ---------------------------------------------------------------------------


def _absolute_url(value: bytes, base: str | None) -> str | None:
    """Return an attribute's URL made absolute; None for scripts, data and the like."""
    text = decode_attribute(value)
    if not _NO_SPACE.fullmatch(text):
        text = "".join(text.split())
    text = encode_url(text)
    if text.startswith(("http://", "https://")):
        return text
    if base is None and _NO_SCHEME.match(text):
        return text or None
    try:
        url = urljoin(base, text) if base else text
        scheme = urlsplit(url).scheme.lower()
    except ValueError:
        return None
    return encode_url(url) or None if scheme in _SCHEMES else None


def decode_attribute(value: bytes) -> str:
    """Return the value of an attribute as text."""
    text = value.decode("utf-8", "replace")
    return unescape(text) if "&" in text else text

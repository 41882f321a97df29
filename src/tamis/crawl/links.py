"""Links of a page by where they stand, and what a page says about following and keeping it.

Links in the content of a page, in its list of records and to the next page of that list lead to
more of what the page is about. Links in the frame around it lead to everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple
from urllib.parse import urljoin

import numpy as np

from tamis.content import Document
from tamis.crawl.addresses import canonical_url, clean_url, is_loop
from tamis.crawl.robots import Directives, parse_directives, product_token
from tamis.page import Bools, Page, base_url, row_attributes, tags

MAX_LINKS: Final = 5_000  # of one page
_MAX_HEAD_ROWS: Final = 400  # `<meta>` and `<link>` elements that are read
_AROUND: Final = 120  # characters before and after a link that say what it is about
_MAX_ROWS_INSIDE: Final = 8  # rows of a link that are searched for images
_MAX_WORDS: Final = 300  # characters of a link's own text
_LIST_TYPES: Final = frozenset({"listing", "collection", "forum", "product"})
_FEED_TYPES: Final = frozenset({"application/rss+xml", "application/atom+xml"})
_REFRESH: Final = re.compile(r"\s*([\d.]+)\s*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.I)
_MAX_REFRESH: Final = 30.0  # seconds; a page that refreshes later is one to be read
# Files that hold no page, and would be fetched to be thrown away.
_NO_PAGES: Final = re.compile(
    r"\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|ogg|og[av]|webm|avi|mov|wmv|flv|"
    r"wav|flac|zip|gz|bz2|xz|7z|rar|tar|tgz|exe|msi|dmg|deb|rpm|apk|iso|bin|css|js|mjs|json|woff2?|"
    r"ttf|otf|eot|pdf|docx?|xlsx?|pptx?|odt|ods|epub|mobi|csv|torrent)$",
    re.I,
)

_A: Final = tags.CODE["a"]
_AREA: Final = tags.CODE["area"]
_META: Final = tags.CODE["meta"]
_LINK: Final = tags.CODE["link"]
_IMG: Final = tags.CODE["img"]


class Where(StrEnum):
    """Where a link stands in its page."""

    PAGER = "pager"
    LIST = "list"
    CONTENT = "content"
    FRAME = "frame"


_ORDER: Final = {where: number for number, where in enumerate(Where)}


class Link(NamedTuple):
    """A link to another page, in the form that is fetched."""

    url: str
    where: Where
    words: str  # its own text, and that of an image in it
    around: str  # text before and after it


class Head(NamedTuple):
    """What the head of a page says to a crawler."""

    directives: Directives
    canonical: str | None
    refresh: str | None  # the address that the page sends its readers to
    feeds: tuple[str, ...]


def read_head(page: Page, user_agent: str) -> Head:
    """Return what the `<meta>` and `<link>` elements of a page say to a crawler."""
    base = base_url(page) or ""
    names = {"robots", product_token(user_agent).lower()}
    directives, canonical, refresh = Directives(), None, None
    feeds: list[str] = []
    rows = np.flatnonzero((page.tag == _META) | (page.tag == _LINK))[:_MAX_HEAD_ROWS]
    for row in rows.tolist():
        attributes = row_attributes(page, row)
        content = attributes.get("content", "")
        relations = attributes.get("rel", "").lower().split()
        if attributes.get("name", "").strip().lower() in names:
            directives &= parse_directives(content)
        elif attributes.get("http-equiv", "").lower() == "refresh":
            match = _REFRESH.match(content)
            if match and match[1].count(".") < 2 and float(match[1]) <= _MAX_REFRESH:
                refresh = refresh or _absolute(base, match[2])
        elif "canonical" in relations:
            canonical = canonical or _absolute(base, attributes.get("href", ""))
        elif "alternate" in relations and attributes.get("type", "").lower() in _FEED_TYPES:
            feeds.append(_absolute(base, attributes.get("href", "")) or "")
    return Head(directives, canonical, refresh, tuple(dict.fromkeys(filter(None, feeds))))


def find_links(document: Document) -> list[Link]:
    """Return the links of a page that may be followed, each address once, where it stands best.

    Links with `rel="nofollow"`, `sponsored` or `ugc` are not among them, nor those to files that
    are no pages.
    """
    page = document.page
    best: dict[str, Link] = {}
    next_page = clean_url(document.next_page or "")
    if next_page:
        best[canonical_url(next_page)] = Link(next_page, Where.PAGER, "", "")
    is_content, is_list = _content_rows(document), _list_rows(document)
    own = canonical_url(clean_url(page.url or "") or "")
    keys: dict[str, str] = {}
    for row, url in _followed_links(page):
        if url not in keys:
            keys[url] = canonical_url(url)
        key = keys[url]
        where = Where.FRAME
        if is_list[row]:
            where = Where.LIST
        elif is_content[row]:
            where = Where.CONTENT
        former = best.get(key)
        if key == own or (former and _ORDER[former.where] < _ORDER[where] and former.words):
            continue
        if former and _ORDER[former.where] < _ORDER[where]:
            where = former.where
        elif former and former.where is where and former.words:
            continue
        words, around = _read_words(page, row)
        best[key] = Link(url, where, words, around)
        if len(best) >= MAX_LINKS:
            break
    best.pop(own, None)
    return sorted(best.values(), key=lambda link: _ORDER[link.where])


def _followed_links(page: Page) -> Iterator[tuple[int, str]]:
    """Yield the rows and addresses of the links that may be followed."""
    base = base_url(page) or ""
    urls: dict[str, str | None] = {}  # by what is written: navigation repeats itself
    for row in np.flatnonzero((page.tag == _A) | (page.tag == _AREA)).tolist():
        attributes = row_attributes(page, row)
        href = attributes.get("href", "").strip()
        relations = attributes.get("rel", "").lower().split()
        if not href or href[0] == "#" or not {"nofollow", "sponsored", "ugc"}.isdisjoint(relations):
            continue
        if href not in urls:
            urls[href] = _page_url(base, href)
        if url := urls[href]:
            yield row, url


def _page_url(base: str, href: str) -> str | None:
    """Return the address that a link leads to; None if there is no page, or no end of pages."""
    url = _absolute(base, href)
    if not url or is_loop(url) or _NO_PAGES.search(url.partition("?")[0]):
        return None
    return url


def _absolute(base: str, href: str) -> str | None:
    """Return the address that a link leads to, in the form that is fetched."""
    try:
        return clean_url(urljoin(base, "".join(href.split("\n")).strip())) if href else None
    except ValueError:
        return None


def _content_rows(document: Document) -> Bools:
    """Say for each row whether it belongs to an informative block."""
    informative = np.append(document.verdict.informative, False)  # rows without owner have -1
    rows: Bools = informative[document.segments.owner]
    return rows


def _list_rows(document: Document) -> Bools:
    """Say for each row whether it is in a record of the page's main list."""
    rows = np.zeros(len(document.page) + 1, dtype=np.int64)
    region = document.records.region if document.page_type in _LIST_TYPES else None
    if region is not None:
        np.add.at(rows, region.start, 1)
        np.add.at(rows, region.stop, -1)
    return np.cumsum(rows)[:-1] > 0


def _read_words(page: Page, row: int) -> tuple[str, str]:
    """Return the text of a link, and the text around it on the same line."""
    start, stop = page.text_start.item(row), page.text_stop.item(row)
    words = page.text[start : min(stop, start + _MAX_WORDS)]
    attributes = row_attributes(page, row)
    labels = [attributes.get(name, "") for name in ("title", "aria-label")]
    inside = range(row + 1, min(page.end.item(row), row + _MAX_ROWS_INSIDE))
    images = (inner for inner in inside if page.tag.item(inner) == _IMG)
    labels.extend(row_attributes(page, image).get("alt", "") for image in images)
    before = page.text[max(0, start - _AROUND) : start].rpartition("\n\n")[2]
    after = page.text[stop : stop + _AROUND].partition("\n\n")[0]
    own = " ".join((words, *labels)).split()
    return " ".join(own)[:_MAX_WORDS], " ".join((*before.split(), *after.split()))

"""Sitemaps and feeds: the addresses that they list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Final
from urllib.parse import urljoin

from tamis.crawl.addresses import Scope, clean_url, url_host
from tamis.crawl.answer import Answer
from tamis.crawl.states import Kind, NewAddress

MAX_SITEMAP_BYTES: Final = 50 * 10**6  # as the protocol allows
_MAX_DEPTH: Final = 10  # of indexes of sitemaps
_MAX_URLS: Final = 50_000  # of one file
_URL_PRIORITY: Final = -2.0  # as that of a link two steps from the start
_SITEMAP_PRIORITY: Final = 500.0
_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True)
class SitemapTask:
    """A sitemap or feed to read."""

    answer: Answer
    depth: int
    scope: Scope


def guess_sitemap(host: str) -> str:
    """Return where the sitemap of a host is if its robots.txt names none."""
    return f"{host}/sitemap.xml"


def read_sitemap(task: SitemapTask) -> list[NewAddress]:
    """Return the addresses in scope that a sitemap, an index of sitemaps or a feed names."""
    data = task.answer.unpack(MAX_SITEMAP_BYTES)
    if data.startswith(_GZIP):  # sitemap.xml.gz, which is packed without a header that says so
        data = Answer(task.answer.url, data, ("gzip",)).unpack(MAX_SITEMAP_BYTES)
    addresses: dict[str, NewAddress] = {}
    for url, is_sitemap in _listed_urls(data):
        try:
            cleaned = clean_url(urljoin(task.answer.url, url.strip())) if url else None
        except ValueError:  # such as http://[
            continue
        if cleaned is None:
            continue
        # A sitemap of the same host is read wherever it is: a folder has none of its own.
        is_near = is_sitemap and url_host(cleaned) == url_host(task.answer.url)
        if not is_near and not task.scope.includes(cleaned):
            continue
        if not is_sitemap:
            addresses[cleaned] = NewAddress(cleaned, _URL_PRIORITY, 1)
        elif task.depth < _MAX_DEPTH:
            priority = _SITEMAP_PRIORITY - task.depth
            addresses[cleaned] = NewAddress(cleaned, priority, task.depth + 1, kind=Kind.SITEMAP)
        if len(addresses) >= _MAX_URLS:
            break
    return list(addresses.values())


def _listed_urls(data: bytes) -> Iterator[tuple[str, bool]]:
    """Yield the addresses that an XML file lists, and whether each is of a sitemap."""
    from lxml.etree import XMLSyntaxError, iterparse
    from scrapy.utils.sitemap import Sitemap

    try:
        sitemap = Sitemap(data)
    except (XMLSyntaxError, StopIteration):  # it has no element at all
        return
    if sitemap.type in ("urlset", "sitemapindex"):
        for entry in sitemap:
            yield entry["loc"], sitemap.type == "sitemapindex"
        return
    events = iterparse(
        BytesIO(data), recover=True, resolve_entities=False, no_network=True, huge_tree=False
    )
    try:
        for _, element in events:
            name = element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""
            parent = element.getparent()
            inside = parent.tag.rpartition("}")[2] if parent is not None else ""
            if name == "link" and inside in ("item", "entry"):
                if element.get("rel", "alternate") == "alternate":
                    yield (element.get("href") or element.text or "").strip(), False
            elif name in ("item", "entry"):
                element.clear()
    except XMLSyntaxError:
        return

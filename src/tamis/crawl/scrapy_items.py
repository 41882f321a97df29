"""For Scrapy projects of others: what tamis reads from a page, in their items.

`TamisPipeline` adds it to items that bring the HTML of their page. `TamisMixin` gives a spider
methods that read a response, wherever its downloader got it from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, ClassVar, Final, Self

from itemadapter.adapter import ItemAdapter
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings

from tamis.content import Document
from tamis.crawl.links import Where, find_links
from tamis.errors import TamisError
from tamis.pipeline import extract

FIELDS: Final = (
    "title",
    "text",
    "markdown",
    "metadata",
    "page_type",
    "confidence",
    "status",
    "records",
    "next_page",
)


def read_fields(document: Document) -> dict[str, Any]:
    """Return what tamis reads from a page, as plain values by the names in `FIELDS`."""
    metadata = document.metadata
    return {
        "title": metadata.title,
        "text": document.text,
        "markdown": document.markdown,
        "metadata": {**asdict(metadata), "tags": list(metadata.tags)},
        "page_type": document.page_type,
        "confidence": document.confidence,
        "status": document.status,
        "records": [dict(row) for row in document.records],
        "next_page": document.next_page,
    }


class TamisPipeline:
    """Adds the fields of `FIELDS` to items with the HTML of their page.

    Settings: TAMIS_HTML_FIELD ("html") and TAMIS_URL_FIELD ("url") name the fields of an item that
    are read, TAMIS_FIELDS those that are added (all), TAMIS_KEEP_HTML says whether the HTML stays
    in the item (False), TAMIS_OPTIONS are arguments of `tamis.extract`. An item class with declared
    fields gets those that it declares. A page that cannot be read leaves its reason in
    "tamis_error", if the item can have that.
    """

    def __init__(self, settings: BaseSettings) -> None:
        self._html = settings.get("TAMIS_HTML_FIELD", "html")
        self._url = settings.get("TAMIS_URL_FIELD", "url")
        self._fields = tuple(settings.getlist("TAMIS_FIELDS", list(FIELDS)))
        self._keeps_html = settings.getbool("TAMIS_KEEP_HTML", False)
        self._options = settings.getdict("TAMIS_OPTIONS", {})

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the pipeline for a crawler's settings."""
        return cls(crawler.settings)

    def process_item(self, item: Any) -> Any:
        """Add what tamis reads to an item; one without HTML stays as it is."""
        adapter = ItemAdapter(item)
        html = adapter.get(self._html)
        if not isinstance(html, str | bytes):
            return item
        try:
            document = extract(html, adapter.get(self._url), **self._options)
            values = read_fields(document)
        except TamisError as error:
            values = {"tamis_error": str(error)}
        # An item of a class with fields takes no others; a dict says that it has those it has.
        is_open = adapter.is_item(item) and isinstance(item, dict)
        for name, value in values.items():
            is_wanted = name in self._fields or name == "tamis_error"
            if is_wanted and (is_open or name in adapter.field_names()):
                adapter[name] = value
        if not self._keeps_html:
            if is_open:
                del adapter[self._html]
            else:
                adapter[self._html] = None
        return item


class TamisMixin:
    """Methods for a spider: `read_page`, `build_item`, `follow_pages`."""

    tamis_options: ClassVar[dict[str, Any]] = {}  # arguments of `tamis.extract`

    def read_page(self, response: Response) -> Document:
        """Return the document of a response."""
        encoding = getattr(response, "_declared_encoding", lambda: None)()
        options = {"charset": encoding, **self.tamis_options}
        return extract(response.body, response.url, **options)

    def build_item(self, response: Response, document: Document | None = None) -> dict[str, Any]:
        """Return an item with the URL of a page and what tamis reads from it."""
        return {"url": response.url, **read_fields(document or self.read_page(response))}

    def follow_pages(
        self, response: Response, document: Document | None = None, *, frame: bool = False
    ) -> Iterator[Request]:
        """Yield requests for the pages that a page links to: the next page, its list, its content.

        With `frame`, those that it links to around these as well.
        """
        for link in find_links(document or self.read_page(response)):
            if frame or link.where is not Where.FRAME:
                yield response.follow(link.url, meta={"tamis_where": str(link.where)})

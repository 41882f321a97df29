"""Records against the items that pages list in their structured data: a check without labels.

Records are found twice: as always, when JSON-LD confirms region and title (never a value), and on
the page without its JSON-LD. Items that the page does not show count neither for nor against.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple
from urllib.parse import urlsplit

import numpy as np

import tamis
from tamis.lab.datasets import Item, load
from tamis.lab.metrics.records import letters
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.study import Log, Study
from tamis.lab.systems.methods import find_method
from tamis.metadata import Markup, as_list, entity_types
from tamis.page import Page, parse, row_attributes, tags
from tamis.values import parse_number

_DATASET: Final = "wcxb-dev"
_MIN_ITEMS: Final = 3  # that are shown, for a page to count
_MIN_LETTERS: Final = 6  # of a name that stands at the end of a title
_CENT: Final = 0.01
_A: Final = tags.CODE["a"]
_NAVIGATION: Final = frozenset(("sitenavigationelement", "webpageelement"))
_HINT: Final = re.compile(r"(?i)itemlist|\"product\"")
_JSONLD: Final = re.compile(r"(?is)<script[^>]*ld\+json[^>]*>.*?</script>")


class ListedItem(NamedTuple):
    """An item of a list: its name as letters, its path, and its price."""

    name: str
    path: str
    price: float | None


class _Agreement(NamedTuple):
    """How many shown items a page lists, how many are records, and how many prices agree."""

    site: str
    shown: int
    agreed: int
    agreed_without: int  # on the page without its JSON-LD
    priced: int
    prices_agreed: int


def read_items(html: str, url: str | None) -> list[ListedItem]:
    """Return the items that the JSON-LD of a page lists: those of its lists, else its products."""
    nodes = Markup(parse(html, url)).jsonld.entities
    items: list[Any] = []
    for node in nodes:
        if "itemlist" in entity_types(node):
            items += as_list(node.get("itemListElement"))
    items = items or [node for node in nodes if "product" in entity_types(node)]
    read = (_read_item(item) for item in items if isinstance(item, dict))
    return [item for item in read if item is not None]


def _read_item(item: dict[str, Any]) -> ListedItem | None:
    """Return one item of a list, None if it is a part of the navigation or has no name."""
    inner = item.get("item")
    inner = inner if isinstance(inner, dict) else {}
    name = item.get("name") or inner.get("name")
    if not isinstance(name, str) or not letters(name):
        return None
    if _NAVIGATION & {*entity_types(item), *entity_types(inner)}:
        return None
    url = item.get("url") or inner.get("url") or item.get("item")
    path = _url_path(url) if isinstance(url, str) else ""
    return ListedItem(letters(name), path, _read_price(inner or item))


def _read_price(item: Mapping[str, Any]) -> float | None:
    """Return the price of a product, its lowest one if it has several."""
    offers = as_list(item.get("offers"))
    offer = offers[0] if offers and isinstance(offers[0], dict) else {}
    details = as_list(offer.get("priceSpecification"))
    detail = details[0] if details and isinstance(details[0], dict) else {}
    price = offer.get("price") or offer.get("lowPrice") or detail.get("price")
    try:
        return parse_number(str(price)) if price else None
    except ValueError:
        return None


def _url_path(url: str) -> str:
    """Return the path of a URL, by which two URLs of a page are the same."""
    try:
        return urlsplit(url).path.rstrip("/")
    except ValueError:
        return ""


def compare_records(item: Item, listed: Sequence[ListedItem]) -> _Agreement:
    """Compare the records of a page, read with and without its JSON-LD, with the items it lists.

    A record agrees with an item if one of its cells is the item's name (a table calls that column
    as it likes), if its title ends with the name (after the brand), or if it leads to the item and
    its title begins or ends the name (which often has brand, kind and size of a thing as well).
    """
    method = find_method("learned", load(_DATASET).digest, item.group)
    documents = [
        tamis.extract(html, item.url, method=method)
        for html in (item.html, _JSONLD.sub("", item.html))
    ]
    shown = shown_items(listed, documents[0].page)
    with_data, without_data = (
        [row for one in shown if (row := _find_row(one, document)) is not None]
        for document in documents
    )
    pairs = [(one, _find_row(one, documents[0])) for one in shown]
    prices = [
        (one.price, [row[name] for name in row if name.startswith("price")])
        for one, row in pairs
        if row is not None and one.price is not None
    ]
    priced = [(price, [v for v in values if v is not None]) for price, values in prices]
    priced = [(price, values) for price, values in priced if values]
    equal = sum(any(abs(float(str(v)) - p) < _CENT for v in values) for p, values in priced)
    counts = (len(shown), len(with_data), len(without_data), len(priced), equal)
    return _Agreement(item.group, *counts)


def shown_items(listed: Sequence[ListedItem], page: Page) -> list[ListedItem]:
    """Return the items that a page shows: their name is in its text, and it links to them.

    The name alone would not do: a film called "Up" is in many texts.
    """
    text = letters(page.text)
    rows = np.flatnonzero(page.tag == _A).tolist()
    links = (row_attributes(page, row).get("href", "") for row in rows)
    paths = {_url_path(link) for link in links}
    return [one for one in listed if one.name in text and (not one.path or one.path in paths)]


def _find_row(listed: ListedItem, document: tamis.Document) -> Mapping[str, Any] | None:
    """Return the record that is a listed item, None if there is none."""
    return next((row for row in document.records if is_same_item(listed, row)), None)


def is_same_item(listed: ListedItem, row: Mapping[str, Any]) -> bool:
    """Say whether a record is a listed item."""
    cells = {letters(value) for value in row.values() if isinstance(value, str)}
    if listed.name in cells:
        return True
    title = letters(str(row.get("title") or ""))
    if len(listed.name) >= _MIN_LETTERS and title.endswith(listed.name):
        return True
    is_linked = bool(listed.path) and _url_path(str(row.get("url") or "")) == listed.path
    is_part = listed.name.startswith(title) or listed.name.endswith(title)
    return is_linked and bool(title) and (is_part or title.startswith(listed.name))


@dataclass(frozen=True)
class RecordsListedStudy(Study):
    """Compares records with the items that pages list in JSON-LD; models have not seen the sites.

    Only pages count that show three items or more of their lists.
    """

    name: ClassVar[str] = "records-listed"

    limit: int | None = None  # of pages with such lists

    def run(self, log: Log) -> Report:
        """Read the pages that list items."""
        items = [item for item in load(_DATASET).items if _HINT.search(item.html)]
        lists = [(item, read_items(item.html, item.url)) for item in items]
        lists = [(item, listed) for item, listed in lists if len(listed) >= _MIN_ITEMS]
        by_kind: defaultdict[str, list[_Agreement]] = defaultdict(list)
        with log.progress(len(lists[: self.limit])) as progress:
            for item, listed in lists[: self.limit]:
                agreement = compare_records(item, listed)
                log.say(f"{item.id} {item.kind}: {agreement}")
                if agreement.shown >= _MIN_ITEMS:
                    by_kind[item.kind].append(agreement)
                progress.advance()
        rows = [_describe(kind, pages) for kind, pages in sorted(by_kind.items())]
        lists_of_pages = ("collection", "forum", "listing")
        on_lists = [page for kind in lists_of_pages for page in by_kind.get(kind, ())]
        rows.append(_describe("collections, forums and listings", on_lists))
        rows.append(_describe("all", [page for pages in by_kind.values() for page in pages]))
        heads = ["page type", "pages", "sites", "items shown", "in records"]
        heads += ["in records, without JSON-LD", "prices", "agree"]
        caption = (
            f"{len(lists)} pages of {_DATASET} list {_MIN_ITEMS} named items or more; those that "
            "show as many count. Shares are means over the pages of a site, then over sites."
        )
        title = "Records against the items of structured data"
        return Report("tamis: records-listed", [ReportTable(title, heads, rows, caption)])


def _describe(kind: str, pages: Sequence[_Agreement]) -> tuple[str, ...]:
    """Return a row of the table."""
    sites: defaultdict[str, list[list[float]]] = defaultdict(list)
    for page in pages:
        sites[page.site].append([page.agreed / page.shown, page.agreed_without / page.shown])
    means = np.mean([np.mean(shares, axis=0) for shares in sites.values()], axis=0) if pages else ()
    shares = [f"{mean:.3f}" for mean in means]
    priced = sum(page.priced for page in pages)
    correct = f"{sum(page.prices_agreed for page in pages) / priced:.3f}" if priced else ""
    shown = str(sum(page.shown for page in pages))
    return (kind, str(len(pages)), str(len(sites)), shown, *shares, str(priced), correct)

"""Items that pages list in their structured data, to compare records with: silver labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from tamis.lab.metrics.records import letters
from tamis.metadata import Markup, as_list, entity_types
from tamis.page import Page, parse, row_attributes, tags
from tamis.values import parse_number

_MIN_LETTERS: Final = 6  # of a name that stands at the end of a title
_A: Final = tags.CODE["a"]
_NAVIGATION: Final = frozenset(("sitenavigationelement", "webpageelement"))


class ListedItem(NamedTuple):
    """An item of a list: its name as letters, its path, and its price."""

    name: str
    path: str
    price: float | None


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


def shown_items(listed: Sequence[ListedItem], page: Page) -> list[ListedItem]:
    """Return the items that a page shows: their name is in its text, and it links to them.

    The name alone would not do: a film called "Up" is in many texts.
    """
    text = letters(page.text)
    rows = np.flatnonzero(page.tag == _A).tolist()
    links = (row_attributes(page, row).get("href", "") for row in rows)
    paths = {_url_path(link) for link in links}
    return [one for one in listed if one.name in text and (not one.path or one.path in paths)]


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

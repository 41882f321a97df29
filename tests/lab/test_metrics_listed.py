"""Which items of a page's structured data are shown, and which record is one of them."""

from __future__ import annotations

from typing import Any

import pytest

import tamis
from tamis.lab.metrics import ListedItem, is_same_item, read_items, shown_items

SHOP = """
<head><script type="application/ld+json">{"@type": "ItemList", "itemListElement": [
  {"@type": "ListItem", "item": {"@type": "Product", "name": "Oak Shelf",
    "url": "https://a.example/oak/", "offers": {"price": "79.00"}}},
  {"@type": "ListItem", "name": "Up", "url": "https://a.example/up"},
  {"@type": "ListItem", "name": "Lamp"},
  {"@type": "SiteNavigationElement", "name": "Home"}]}</script></head>
<body><p>Sign up. <a href="/oak?from=list">Oak shelf</a> and a lamp.</p></body>
"""


def test_items_are_read_with_names_paths_and_prices() -> None:
    assert read_items(SHOP, "https://a.example/") == [
        ListedItem("oakshelf", "/oak", 79.0),
        ListedItem("up", "/up", None),
        ListedItem("lamp", "", None),
    ]


def test_an_item_is_shown_where_the_page_links_to_it() -> None:
    shown = shown_items(read_items(SHOP, None), tamis.parse(SHOP))
    assert [item.name for item in shown] == ["oakshelf", "lamp"]


@pytest.mark.parametrize(
    ("row", "same"),
    [
        ({"title": "Oak shelf"}, True),
        ({"platform": "Oak Shelf", "title": None}, True),  # the column of a table
        ({"title": "IKEA Oak shelf"}, True),
        ({"title": "Oak", "url": "/oak/"}, True),
        ({"title": "shelf", "url": "/oak"}, True),
        ({"title": "Oak shelf, 80 cm", "url": "/oak"}, True),
        ({"title": "Oak shelf, 80 cm", "url": "/other"}, False),
        ({"title": "Oak"}, False),
        ({"title": None, "url": "/oak"}, False),
        ({"title": "Pine", "url": "/oak"}, False),
    ],
)
def test_which_record_is_an_item(row: dict[str, Any], same: bool) -> None:
    assert is_same_item(ListedItem("oakshelf", "/oak", None), row) is same


def test_short_names_are_not_looked_for_at_the_end_of_titles() -> None:
    assert not is_same_item(ListedItem("up", "", None), {"title": "Sign up"})

"""Structured data: the items that a page's JSON-LD lists.

It confirms which region is the main list and which column is the title. It is never a source of
values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tamis.metadata import Markup, as_list, entity_types
from tamis.page import UNLIMITED, Budget, Ints, Page, collapse_spaces, tags
from tamis.records.regions import Region

_MIN_CONFIRMED_SHARE: Final = 0.5  # share of the items that must be among a region's texts
_MIN_ITEMS: Final = 2  # that make a list
_MAX_ITEMS: Final = 2_000

_SCRIPT: Final = tags.CODE["script"]
_END_TAG_LENGTH: Final = len("</script>")


@dataclass(frozen=True)
class ListedItems:
    """The names of the items that structured data lists."""

    titles: frozenset[str]

    def confirms(self, region: Region) -> bool:
        """Say whether at least half of the items are texts of a region's cells."""
        texts = set(region.cell_texts.values())
        return len(self.titles & texts) >= _MIN_CONFIRMED_SHARE * len(self.titles)

    def describe_agreement(self, rows: Sequence[Mapping[str, Any]]) -> str:
        """Return how many of the items are titles of records, as a text."""
        confirmed = self.titles & {row.get("title") for row in rows}
        return f"{len(confirmed)} of {len(self.titles)} items of the page's structured data"


def read_listed_items(page: Page, budget: Budget = UNLIMITED) -> ListedItems | None:
    """Return the items that the page's JSON-LD lists, if it lists any."""
    scripts = np.flatnonzero(page.tag == _SCRIPT)
    if (page.stop[scripts] - page.head[scripts]).sum() <= _END_TAG_LENGTH * len(scripts):
        return None  # all scripts are empty
    if not _may_list_items(page, scripts):
        return None
    nodes = Markup(page, budget).jsonld.entities
    items: list[Any] = []
    for node in nodes:
        if "itemlist" in entity_types(node):
            items += as_list(node.get("itemListElement"))[:_MAX_ITEMS]
    if not items:
        items = [node for node in nodes if "product" in entity_types(node)]
    names = {name for name in map(_item_name, items[:_MAX_ITEMS]) if name}
    return ListedItems(frozenset(names)) if len(names) >= _MIN_ITEMS else None


def _may_list_items(page: Page, scripts: Ints) -> bool:
    """Say whether scripts may list items, by the names of types: reading JSON takes far longer."""
    spans = zip(page.head[scripts].tolist(), page.stop[scripts].tolist(), strict=True)
    text = b"".join([page.source[start:stop] for start, stop in spans]).lower()
    has_types = b'"itemlist"' in text or text.count(b'"product"') >= _MIN_ITEMS
    return has_types or b"\\u" in text  # an escape may hide a letter of a word


def _item_name(item: object) -> str | None:
    """Return the name of an item of a list."""
    if not isinstance(item, dict):
        return None
    inner = item.get("item")
    name = item.get("name") or (inner.get("name") if isinstance(inner, dict) else None)
    return collapse_spaces(name) if isinstance(name, str) else None

"""Linked data as a witness: what the page's JSON-LD says that it lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tamis.metadata import Markup, as_list, entity_types
from tamis.page import UNLIMITED, Budget, Page, collapse_spaces, tags
from tamis.records.regions import Region

CONFIRMED: Final = 0.5  # share of the items that a region's texts must have
LEAST: Final = 2  # items that make a list
MOST: Final = 2_000

_SCRIPT: Final = tags.CODE["script"]
_EMPTY: Final = len("</script>")


@dataclass(frozen=True)
class ListedItems:
    """The names of the items that linked data lists."""

    titles: frozenset[str]

    def confirms(self, region: Region) -> bool:
        """Say whether most of the items are in a region's cells."""
        texts = set(region.text_of.values())
        return len(self.titles & texts) >= CONFIRMED * len(self.titles)

    def agreement(self, rows: Sequence[Mapping[str, Any]]) -> str:
        """Say how many of the items are titles of records."""
        known = {row.get("title") for row in rows}
        return f"{len(self.titles & known)} of {len(self.titles)} items of the page's linked data"


def read_listed_items(page: Page, budget: Budget = UNLIMITED) -> ListedItems | None:
    """Return what the page's JSON-LD lists, if it lists anything."""
    scripts = np.flatnonzero(page.tag == _SCRIPT)
    if (page.stop[scripts] - page.head[scripts]).sum() <= _EMPTY * len(scripts):
        return None
    nodes = Markup(page, budget).jsonld.entities
    items: list[Any] = []
    for node in nodes:
        if "itemlist" in entity_types(node):
            items += as_list(node.get("itemListElement"))[:MOST]
    if not items:
        items = [node for node in nodes if "product" in entity_types(node)]
    names = {name for name in map(item_name, items[:MOST]) if name}
    return ListedItems(frozenset(names)) if len(names) >= LEAST else None


def item_name(value: object) -> str | None:
    """Return the name of an item of a list."""
    if not isinstance(value, dict):
        return None
    inner = value.get("item")
    name = value.get("name") or (inner.get("name") if isinstance(inner, dict) else None)
    return collapse_spaces(name) if isinstance(name, str) else None

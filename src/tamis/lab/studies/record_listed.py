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

import numpy as np

import tamis
from tamis.lab.datasets import Item, load
from tamis.lab.metrics.listed import ListedItem, is_same_item, read_items, shown_items
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.study import Log, Study
from tamis.lab.systems.methods import find_method

_DATASET: Final = "wcxb-dev"
_MIN_ITEMS: Final = 3  # that are shown, for a page to count
_CENT: Final = 0.01
_HINT: Final = re.compile(r"(?i)itemlist|\"product\"")
_JSONLD: Final = re.compile(r"(?is)<script[^>]*ld\+json[^>]*>.*?</script>")


class _Agreement(NamedTuple):
    """How many shown items a page lists, how many are records, and how many prices agree."""

    site: str
    shown: int
    agreed: int
    agreed_without: int  # on the page without its JSON-LD
    priced: int
    prices_agreed: int


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


def _find_row(listed: ListedItem, document: tamis.Document) -> Mapping[str, Any] | None:
    """Return the record that is a listed item, None if there is none."""
    return next((row for row in document.records if is_same_item(listed, row)), None)


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

"""Tables of records: by site as the tag-window paper has them (Table 2), by category, by price."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tamis.lab.datasets import Item
from tamis.lab.metrics.statistics import mean_of
from tamis.lab.metrics.text import Counts
from tamis.lab.report import ReportTable
from tamis.lab.results import PageResult, Results

_HEADS: Final = ("pages", "TP", "FP", "FN", "precision", "recall", "field F1", "region chosen")


def record_tables(results: Results) -> list[ReportTable]:
    """Return the tables of the best system of tamis: by site, by category, and sites with prices.

    Precision, recall and what follows are means over sites, in percent.
    """
    own = [result for result in results.systems if not result.system.is_peer]
    if not own:
        return []
    best = max(own, key=lambda result: sum(page.f1 for page in result.pages))
    items = {item.id: item for item in results.dataset.items}
    with_prices = [page for page in best.pages if items[page.id].gold.get("has_price")]
    label = best.system.label
    tables = [
        _table(f"{label} by site (the tag-window paper, Table 2)", best.pages, items, _site),
        _table(f"{label} by category", best.pages, items, _category),
    ]
    if with_prices:
        tables.append(_table(f"{label} on sites with prices", with_prices, items, _site))
    return tables


def _site(item: Item) -> str:
    return item.group


def _category(item: Item) -> str:
    return str(item.gold.get("category") or "none")


def _table(
    title: str,
    pages: Sequence[PageResult],
    items: Mapping[str, Item],
    key: Callable[[Item], str],
) -> ReportTable:
    """Return one row per group of pages, in order of names, and one for the average."""
    groups: defaultdict[str, list[PageResult]] = defaultdict(list)
    for page in pages:
        groups[key(items[page.id])].append(page)
    rows = [_row(name, groups[name], items) for name in sorted(groups)]
    return ReportTable(title, ["", *_HEADS], [*rows, _row("Average", pages, items)])


def _row(name: str, pages: Sequence[PageResult], items: Mapping[str, Item]) -> list[str]:
    """Return the counts of pages, and the means over sites of what follows from them."""
    counts = sum(
        (
            Counts(*(page.measures[part] for part in ("common", "found", "wanted")))
            for page in pages
        ),
        Counts(0, 0, 0),
    )
    names = ("precision", "recall", "field_f1", "chosen")
    return [
        name,
        str(len(pages)),
        f"{counts.common:.0f}",
        f"{counts.found - counts.common:.0f}",
        f"{counts.wanted - counts.common:.0f}",
        *(f"{100 * _mean_by_site(pages, items, measure):.1f}" for measure in names),
    ]


def _mean_by_site(pages: Sequence[PageResult], items: Mapping[str, Item], name: str) -> float:
    """Return the mean of a measure over the pages of a site, then over sites."""
    sites: defaultdict[str, list[float]] = defaultdict(list)
    for page in pages:
        sites[items[page.id].group].append(page.measures.get(name, 0.0))
    return mean_of([mean_of(values).value for values in sites.values()]).value

"""Tables of records: by site in the form of 002's Table 2, by category, and sites with prices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tamis.lab.datasets import Item
from tamis.lab.metrics.statistics import mean_of
from tamis.lab.metrics.text import Counts
from tamis.lab.results import PageResult, Results

HEADS = ("pages", "TP", "FP", "FN", "precision", "recall", "field F1", "region chosen")


@dataclass(frozen=True)
class Line:
    """What was found on the pages of a site, a category, or all; P and R are means of sites."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table with a name."""

    title: str
    lines: tuple[Line, ...]


def record_tables(results: Results) -> list[Table]:
    """Return the tables of the best system of tamis: by site, by category, and prices."""
    ours = [result for result in results.systems if not result.system.is_peer]
    if not ours:
        return []
    best = max(ours, key=lambda result: sum(page.f1 for page in result.pages))
    items = {item.id: item for item in results.dataset.items}
    priced = [page for page in best.pages if items[page.id].gold.get("has_price")]
    name = best.system.label
    tables = [
        Table(f"{name} by site (002, Table 2)", lines(best.pages, items, lambda item: item.group)),
        Table(f"{name} by category", lines(best.pages, items, category)),
    ]
    if priced:
        tables.append(
            Table(f"{name} on sites with prices", lines(priced, items, lambda item: item.group))
        )
    return tables


def category(item: Item) -> str:
    """Return the category of a page."""
    return str(item.gold.get("category") or "none")


def lines(
    pages: Sequence[PageResult], items: dict[str, Item], key: Callable[[Item], str]
) -> tuple[Line, ...]:
    """Return a line for each group of pages, in order of names, and one for the average."""
    groups: defaultdict[str, list[PageResult]] = defaultdict(list)
    for page in pages:
        groups[key(items[page.id])].append(page)
    found = [line(name, groups[name], items) for name in sorted(groups)]
    return (*found, line("Average", pages, items))


def line(name: str, pages: Sequence[PageResult], items: dict[str, Item]) -> Line:
    """Return the counts of pages, and the means over sites of what follows from them."""
    counts = sum(
        (
            Counts(*(page.measures[part] for part in ("common", "found", "wanted")))
            for page in pages
        ),
        Counts(0, 0, 0),
    )
    means = (by_site(pages, items, part) for part in ("precision", "recall", "field_f1", "chosen"))
    return Line(
        name,
        (
            str(len(pages)),
            f"{counts.common:.0f}",
            f"{counts.found - counts.common:.0f}",
            f"{counts.wanted - counts.common:.0f}",
            *(f"{100 * mean:.1f}" for mean in means),
        ),
    )


def by_site(pages: Sequence[PageResult], items: dict[str, Item], name: str) -> float:
    """Return the mean of a measure over the pages of a site, then over sites."""
    sites: defaultdict[str, list[float]] = defaultdict(list)
    for page in pages:
        sites[items[page.id].group].append(page.measures.get(name, 0.0))
    return mean_of([mean_of(values).value for values in sites.values()]).value


def text_tables(results: Results) -> str:
    """Return the tables as text."""
    said: list[str] = []
    for table in record_tables(results):
        width = max(len(line.name) for line in table.lines)
        heads = " ".join(f"{head:>13}" for head in HEADS)
        said += ["", table.title, f"{'':{width}} {heads}"]
        for line in table.lines:
            cells = " ".join(f"{cell:>13}" for cell in line.cells)
            said.append(f"{line.name:{width}} {cells}")
    return "\n".join(said) + "\n" if said else ""


def html_tables(results: Results) -> str:
    """Return the tables as HTML."""
    from html import escape

    said: list[str] = []
    head = "".join(f"<th>{head}</th>" for head in ("", *HEADS))
    for table in record_tables(results):
        body = "".join(
            f"<tr><td>{escape(line.name)}</td>"
            + "".join(f"<td>{cell}</td>" for cell in line.cells)
            + "</tr>"
            for line in table.lines
        )
        said.append(
            f'<h3>{escape(table.title)}</h3><div class="scroll"><table><thead><tr>{head}</tr>'
            f"</thead><tbody>{body}</tbody></table></div>"
        )
    return "".join(said)

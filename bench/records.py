"""Records: their time, which pages have some, and how the parameters were chosen.

    TAMIS_BENCH=… python bench/records.py time|pages|choice|halves|layout [PAGES]

`time`: ratios to `extract` on the same pages, in one run; of several rounds each page's best time
counts, as the processor's time of this thread. `pages`: the share of pages with records, by type,
judged by models that have not seen the page's site. `choice`: record F1 of other parameters, and of
those that are best on all other sites. `halves`: the measures on two halves of the sites, parted by
a digest of their names; a rule is kept only if it does no harm on either. `layout`: records-dev
with and without what a browser shows (needs Chromium; pages that it cannot lay out are left out of
both), or its first PAGES pages.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import tamis
from tamis.errors import TamisError
from tamis.lab.datasets import Dataset, Item, load
from tamis.lab.layouts import laid_out, user_layouts
from tamis.lab.metrics.records import field_measures, record_counts
from tamis.lab.metrics.statistics import paired_difference
from tamis.lab.systems import methods as folds
from tamis.lab.systems.records import cells as record_cells
from tamis.page import Page
from tamis.records import (
    candidates,
    cells,
    drop_separators,
    find_best_region,
    find_search_queries,
    regions,
    row_interest,
)

PAGES = 95
ROUNDS = 5


def time_study() -> None:
    """Print what records take."""
    pages = [item.html for item in load("records-dev").spread(PAGES).items]
    totals = dict.fromkeys(("extract", "extract, .records", "extract, .records, all rows"), 0.0)
    for html in pages:
        best = [float("inf")] * 3
        for _ in range(ROUNDS):
            started = time.thread_time()
            document = tamis.extract(html)
            best[0] = min(best[0], time.thread_time() - started)
            found = document.records
            best[1] = min(best[1], time.thread_time() - started)
            list(found)
            best[2] = min(best[2], time.thread_time() - started)
        for name, seconds in zip(totals, best, strict=True):
            totals[name] += seconds
    print(f"{len(pages)} pages of records-dev, best of {ROUNDS} rounds a page, one thread\n")
    print("| task | time, extract = 1 |\n|---|---:|")
    for name, seconds in totals.items():
        print(f"| {name} | {seconds / totals['extract']:.2f} |")
    small, large = (seconds_of(long_list(count)) for count in (500, 5_000))
    print(f"\nA list of 5 000 rows takes {large / small:.1f} times as long as one of 500: ", end="")
    print(f"{1000 * large:.0f} ms from the page to all rows.")


def long_list(count: int) -> Page:
    """Return a page with a list of so many records."""
    items = "".join(
        f"<li class='item {('even', 'odd')[i % 2]}'><img src=/i{i}.jpg><h3><a href=/p/{i}>Product "
        f"number {i} of many</a></h3><p class=d>It is the number {i}, good to have.</p>"
        + f"<span class=price>${i}.50</span>" * (i % 7 != 0)
        + "</li>"
        for i in range(count)
    )
    return tamis.parse(f"<body><main><ul>{items}</ul></main>", max_nodes=10**7)


def seconds_of(page: Page) -> float:
    """Return the best time of reading the records of a page that is parsed and judged."""
    best = float("inf")
    for _ in range(ROUNDS):
        document = tamis.extract(page)
        started = time.thread_time()
        list(document.records)
        best = min(best, time.thread_time() - started)
    return best


def pages_study() -> None:
    """Print the share of pages that have records, by type."""
    for name in ("wcxb-dev", "records-dev"):
        dataset = load(name)
        found: defaultdict[str, list[bool]] = defaultdict(list)
        for item in dataset.items:
            method = folds.method_for("learned", dataset.digest, item.group)
            document = tamis.extract(item.html, method=method)
            kind = item.kind if name == "wcxb-dev" else name
            found[kind].append(len(document.records) > 0)
        for kind, some in found.items():
            print(f"{kind}: {sum(some)} of {len(some)}, {np.mean(some):.3f}")


def power(exponent: float) -> Callable[[Any], Any]:
    """Return another factor for the number of cells per record."""
    return lambda held: (1 - 1 / np.maximum(held, 1.0)) ** exponent


# What is changed, in which modules, to what.
OTHERS: list[tuple[str, str, list[Any], Any]] = [
    ("common factor 2", "_COMMON_FACTOR", [regions], 2),
    ("common factor 5", "_COMMON_FACTOR", [regions], 5),
    ("record share 0.6", "_MAX_RECORD_SHARE", [candidates], 0.6),
    ("record share 0.9", "_MAX_RECORD_SHARE", [candidates], 0.9),
    ("query weight 3", "QUERY_WEIGHT", [candidates, regions], 3.0),
    ("query weight 30", "QUERY_WEIGHT", [candidates, regions], 30.0),
    ("text per link 2", "MIN_TEXT_PER_LINK", [cells], 2),
    ("text per link 5", "MIN_TEXT_PER_LINK", [cells], 5),
    ("cells per record to the power 1", "scale_by_cells", [candidates, regions], power(1.0)),
    ("cells per record to the power 2", "scale_by_cells", [candidates, regions], power(2.0)),
]


def choice_study() -> None:
    """Print the record F1 of other parameters, and of those chosen without the site measured."""
    dataset = load("records-dev")
    judged = [tamis.extract(item.html) for item in dataset.items]
    scores = [site_scores(dataset, judged)]
    print(f"as they are: {np.mean(list(scores[0].values())):.4f}")
    for said, name, modules, value in OTHERS:
        before = getattr(modules[0], name)
        for module in modules:
            setattr(module, name, value)
        scores.append(site_scores(dataset, judged))
        for module in modules:
            setattr(module, name, before)
        print(f"{said}: {np.mean(list(scores[-1].values())):.4f}")
    held = []
    for site in scores[0]:
        others = [sum(some.values()) - some[site] for some in scores]
        held.append(scores[int(np.argmax(others))][site])
    print(f"chosen on all other sites: {np.mean(held):.4f}")


def site_scores(dataset: Dataset, judged: list[tamis.Document]) -> dict[str, float]:
    """Return the mean record F1 of the best region by site, however small it is."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for item, document in zip(dataset.items, judged, strict=True):
        interest = row_interest(document.page, document._row_probabilities)
        best = find_best_region(document.page, interest, find_search_queries(document.page))
        rows: list[list[str]] = []
        if best is not None:
            best = drop_separators(best)
            rows = [[] for _ in range(len(best))]
            for record, text in zip(best.record, best.cells.texts(best.cell), strict=True):
                rows[record].append(text)
        found[item.group].append(record_counts(rows, item.gold["records"]).f1)
    return {site: float(np.mean(some)) for site, some in found.items()}


def halves_study() -> None:
    """Print the measures of records on each half of the sites, and on all."""
    scores: defaultdict[str, list[dict[str, float]]] = defaultdict(list)
    for item in load("records-dev").items:
        scores[item.group].append(page_scores(item, tamis.parse(item.html)))
    halves = {site: hashlib.md5(site.encode()).digest()[0] % 2 for site in scores}
    names = list(next(iter(scores.values()))[0])
    print(f"| sites | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    for said, wanted in (("first half", (0,)), ("second half", (1,)), ("all", (0, 1))):
        sites = [some for site, some in scores.items() if halves[site] in wanted]
        means = [
            np.mean([np.mean([one[name] for one in some]) for some in sites]) for name in names
        ]
        print(f"| {said} ({len(sites)}) | {' | '.join(f'{mean:.3f}' for mean in means)} |")


def layout_study(most: int | None = None) -> None:
    """Print what records gain from layout, page by page, as means over sites.

    Once as they are, and once by structure alone: then no verdict tells what the page is about.
    """
    methods = {"records": "learned", "by structure alone": "optimum"}
    scores: defaultdict[str, defaultdict[str, list[tuple[float, float]]]]
    scores = defaultdict(lambda: defaultdict(list))
    dataset = load("records-dev")
    pages = 0
    for item, page in laid_out(dataset.items[:most], user_layouts()):
        if isinstance(page, TamisError):
            print(f"{item.id}: {page}", file=sys.stderr)
            continue
        pages += 1
        for said, method in methods.items():
            both = (replace(page, layout=None), page)
            blind, seeing = (page_scores(item, one, method) for one in both)
            for name, value in blind.items():
                scores[f"{said}: {name}"][item.group].append((value, seeing[name]))
    print(f"{pages} of {len(dataset.items)} pages of records-dev, means over sites\n")
    print("| measure | without layout | with layout | difference (95 %) |\n|---|---:|---:|---:|")
    for name, sites in scores.items():
        means = np.array([np.mean(some, axis=0) for some in sites.values()])
        gain = paired_difference(means[:, 1].tolist(), means[:, 0].tolist())
        both_means = f"{means[:, 0].mean():.3f} | {means[:, 1].mean():.3f}"
        print(
            f"| {name} | {both_means} | {gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f}) |"
        )


def page_scores(item: Item, page: Page, method: str = "learned") -> dict[str, float]:
    """Return the measures of the records of a page."""
    rows = record_cells(tamis.extract(page, method=method).records)
    wanted = item.gold["records"]
    counts = record_counts(rows, wanted)
    known = field_measures(rows, wanted, priced=False)
    fields = ("chosen", "field_precision", "field_recall", "field_f1")
    return {
        "precision": counts.precision,
        "recall": counts.recall,
        **{name.replace("_", " "): known[name] for name in fields},
    }


STUDIES: dict[str, Callable[..., None]] = {
    "time": time_study,
    "pages": pages_study,
    "choice": choice_study,
    "halves": halves_study,
    "layout": layout_study,
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in STUDIES:
        sys.exit(__doc__)
    STUDIES[sys.argv[1]](*map(int, sys.argv[2:]))

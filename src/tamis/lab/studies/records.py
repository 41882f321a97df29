"""Studies of records: their time, which pages have some, how parameters and rules were chosen."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np

import tamis
from tamis.errors import TamisError
from tamis.lab.datasets import Dataset, Item, load
from tamis.lab.layouts import lay_out_pages, user_layouts
from tamis.lab.metrics.records import field_measures, record_counts
from tamis.lab.metrics.statistics import Difference, paired_difference
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.studies.samples import changed_attribute
from tamis.lab.study import Log, Study
from tamis.lab.systems.methods import find_method
from tamis.lab.systems.records import record_cells as record_cells
from tamis.page import Page
from tamis.records import drop_separators, find_best_region, find_search_queries, row_interest

_DATASET: Final = "records-dev"
_ROUNDS: Final = 5
_LIST_SIZES: Final = (500, 5_000)  # records of the made-up lists


@dataclass(frozen=True)
class RecordsTimeStudy(Study):
    """Measures the time of records as ratios to `extract` on the same pages, in one run.

    Of several rounds each page's best time counts, as processor time of this thread.
    """

    name: ClassVar[str] = "records-time"

    limit: int = 95  # pages

    def run(self, log: Log) -> Report:
        """Time extraction, records and all their rows."""
        pages = [item.html for item in load(_DATASET).spread(self.limit).items]
        totals = dict.fromkeys(("extract", "extract, .records", "extract, .records, all rows"), 0.0)
        with log.progress(len(pages)) as progress:
            for html in pages:
                for name, seconds in zip(totals, _time_records(html), strict=True):
                    totals[name] += seconds
                progress.advance()
        small, large = (_time_rows(_long_list(count)) for count in _LIST_SIZES)
        rows = [[name, f"{seconds / totals['extract']:.2f}"] for name, seconds in totals.items()]
        caption = f"{len(pages)} pages, best of {_ROUNDS} rounds per page, one thread."
        title = f"Time of records on {_DATASET}"
        return Report(
            "tamis: records-time",
            [ReportTable(title, ["task", "time, extract = 1"], rows, caption)],
            remarks=[
                f"A list of {_LIST_SIZES[1]:,} rows takes {large / small:.1f} times as long as one "
                f"of {_LIST_SIZES[0]:,}: {1000 * large:.0f} ms from the page to all rows."
            ],
        )


def _time_records(html: str) -> list[float]:
    """Return the best time of each task on a page; each includes those before it."""
    best = [float("inf")] * 3
    for _ in range(_ROUNDS):
        started = time.thread_time()
        document = tamis.extract(html)
        best[0] = min(best[0], time.thread_time() - started)
        records = document.records
        best[1] = min(best[1], time.thread_time() - started)
        list(records)
        best[2] = min(best[2], time.thread_time() - started)
    return best


def _long_list(count: int) -> Page:
    """Return a page with a list of so many records."""
    items = "".join(
        f"<li class='item {('even', 'odd')[i % 2]}'><img src=/i{i}.jpg><h3><a href=/p/{i}>Product "
        f"number {i} of many</a></h3><p class=d>It is the number {i}, good to have.</p>"
        + f"<span class=price>${i}.50</span>" * (i % 7 != 0)
        + "</li>"
        for i in range(count)
    )
    return tamis.parse(f"<body><main><ul>{items}</ul></main>", max_nodes=10**7)


def _time_rows(page: Page) -> float:
    """Return the best time of reading the records of a page that is parsed and judged."""
    best = float("inf")
    for _ in range(_ROUNDS):
        document = tamis.extract(page)
        started = time.thread_time()
        list(document.records)
        best = min(best, time.thread_time() - started)
    return best


@dataclass(frozen=True)
class RecordsPagesStudy(Study):
    """Counts the pages that have records, by type, with models that have not seen the site."""

    name: ClassVar[str] = "records-pages"

    limit: int | None = None  # of pages of each set

    def run(self, log: Log) -> Report:
        """Extract wcxb-dev and records-dev."""
        by_kind: defaultdict[str, list[bool]] = defaultdict(list)
        for name in ("wcxb-dev", _DATASET):
            dataset = load(name).spread(self.limit)
            with log.progress(len(dataset.items)) as progress:
                for item in dataset.items:
                    method = find_method("learned", dataset.digest, item.group)
                    document = tamis.extract(item.html, method=method)
                    kind = item.kind if name == "wcxb-dev" else name
                    by_kind[kind].append(len(document.records) > 0)
                    progress.advance()
        rows = [
            [kind, f"{sum(flags)} of {len(flags)}", f"{np.mean(flags):.3f}"]
            for kind, flags in by_kind.items()
        ]
        heads = ["page type", "with records", "share"]
        return Report("tamis: records-pages", [ReportTable("Pages with records", heads, rows)])


_CANDIDATES, _REGIONS, _CELLS = (
    f"tamis.records.{module}" for module in ("candidates", "regions", "cells")
)
# What is changed: a label, the modules, the attribute, the other value.
_CHANGES: Final[Sequence[tuple[str, Sequence[str], str, Any]]] = (
    ("common factor 2", [_CANDIDATES], "_COMMON_FACTOR", 2),
    ("common factor 5", [_CANDIDATES], "_COMMON_FACTOR", 5),
    ("record share 0.6", [_CANDIDATES], "_MAX_RECORD_SHARE", 0.6),
    ("record share 0.9", [_CANDIDATES], "_MAX_RECORD_SHARE", 0.9),
    ("query weight 3", [_CANDIDATES, _REGIONS], "QUERY_WEIGHT", 3.0),
    ("query weight 30", [_CANDIDATES, _REGIONS], "QUERY_WEIGHT", 30.0),
    ("text per link 2", [_CELLS], "MIN_TEXT_PER_LINK", 2),
    ("text per link 5", [_CELLS], "MIN_TEXT_PER_LINK", 5),
    ("cells per record to the power 1", [_CANDIDATES], "_CELLS_EXPONENT", 1.0),
    ("cells per record to the power 2", [_CANDIDATES], "_CELLS_EXPONENT", 2.0),
)


@dataclass(frozen=True)
class RecordsChoiceStudy(Study):
    """Measures other parameters of records, and those that are best on all other sites."""

    name: ClassVar[str] = "records-choice"

    limit: int | None = None  # of pages

    def run(self, log: Log) -> Report:
        """Change one parameter at a time."""
        dataset = load(_DATASET).spread(self.limit)
        log.say(f"extracting {len(dataset.items)} pages")
        documents = [tamis.extract(item.html) for item in dataset.items]
        scores = [_score_regions(dataset, documents)]
        labels = ["as they are"]
        for label, modules, name, value in _CHANGES:
            log.say(label)
            with changed_attribute(modules, name, value):
                scores.append(_score_regions(dataset, documents))
            labels.append(label)
        rows = [
            [label, f"{np.mean(list(by_site.values())):.4f}"]
            for label, by_site in zip(labels, scores, strict=True)
        ]
        held_out = []
        for site in scores[0]:
            on_others = [sum(by_site.values()) - by_site[site] for by_site in scores]
            held_out.append(scores[int(np.argmax(on_others))][site])
        rows.append(["chosen on all other sites", f"{np.mean(held_out):.4f}"])
        caption = "Of the best region of each page, however small; mean over sites."
        title = f"Record F1 on {_DATASET} with other parameters"
        return Report(
            "tamis: records-choice", [ReportTable(title, ["parameters", "F1"], rows, caption)]
        )


def _score_regions(dataset: Dataset, documents: Sequence[tamis.Document]) -> dict[str, float]:
    """Return the mean record F1 of the best region by site, however small it is."""
    by_site: defaultdict[str, list[float]] = defaultdict(list)
    for item, document in zip(dataset.items, documents, strict=True):
        interest = row_interest(document.page, document._row_probabilities)
        best = find_best_region(document.page, interest, find_search_queries(document.page))
        rows: list[list[str]] = []
        if best is not None:
            best = drop_separators(best)
            rows = [[] for _ in range(len(best))]
            for record, text in zip(best.record, best.cells.texts(best.cell), strict=True):
                rows[record].append(text)
        by_site[item.group].append(record_counts(rows, item.gold["records"]).f1)
    return {site: float(np.mean(values)) for site, values in by_site.items()}


def _score_page(item: Item, page: Page, method: str = "learned") -> dict[str, float]:
    """Return the measures of the records of a page."""
    rows = record_cells(tamis.extract(page, method=method).records)
    gold = item.gold["records"]
    counts = record_counts(rows, gold)
    fields = field_measures(rows, gold, priced=False)
    names = ("chosen", "field_precision", "field_recall", "field_f1")
    return {
        "precision": counts.precision,
        "recall": counts.recall,
        **{name.replace("_", " "): fields[name] for name in names},
    }


@dataclass(frozen=True)
class RecordsLayoutStudy(Study):
    """Measures what records gain from layout: as they are, and by structure alone.

    Without a verdict nothing tells what the page is about. Needs Chromium; pages that it cannot
    lay out are left out of both sides.
    """

    name: ClassVar[str] = "records-layout"

    limit: int | None = None  # the first pages

    def run(self, log: Log) -> Report:
        """Score each page with and without its layout."""
        methods = {"records": "learned", "by structure alone": "optimum"}
        scores: defaultdict[str, defaultdict[str, list[tuple[float, float]]]]
        scores = defaultdict(lambda: defaultdict(list))
        items = load(_DATASET).items[: self.limit]
        rendered = 0
        with log.progress(len(items)) as progress:
            for item, page in lay_out_pages(items, user_layouts()):
                progress.advance()
                if isinstance(page, TamisError):
                    log.say(f"{item.id}: {page}")
                    continue
                rendered += 1
                for label, method in methods.items():
                    without = _score_page(item, replace(page, layout=None), method)
                    with_layout = _score_page(item, page, method)
                    for name, value in without.items():
                        scores[f"{label}: {name}"][item.group].append((value, with_layout[name]))
        rows = [[name, *_compare_sites(by_site)] for name, by_site in scores.items()]
        heads = ["measure", "without layout", "with layout", "difference (95 %)"]
        title = f"{rendered} of {len(items)} pages of {_DATASET}, means over sites"
        return Report("tamis: records-layout", [ReportTable(title, heads, rows)])


def _compare_sites(by_site: Mapping[str, Sequence[tuple[float, float]]]) -> list[str]:
    """Return the means of both sides over sites, and their difference."""
    means = np.array([np.mean(pairs, axis=0) for pairs in by_site.values()])
    gain = paired_difference(means[:, 1].tolist(), means[:, 0].tolist())
    return [f"{means[:, 0].mean():.3f}", f"{means[:, 1].mean():.3f}", format_gain(gain)]


def format_gain(gain: Difference) -> str:
    """Return a difference with its interval."""
    return f"{gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})"

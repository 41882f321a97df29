"""Studies of what records could be used for: patterns of a site, and decisions on records."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

import tamis
from tamis.content import Document
from tamis.lab.datasets import Dataset, load
from tamis.lab.metrics.statistics import paired_difference
from tamis.lab.metrics.text import word_counts
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.studies.records import format_gain
from tamis.lab.studies.samples import changed_attribute
from tamis.lab.study import Log, Study
from tamis.lab.systems.methods import find_method
from tamis.records import Pattern, Records, Region, find_best_region, row_interest
from tamis.verdict.learned import ExpertProbabilities, Features

_MEASURES: Final = ("same records", "all rows the same", "column precision", "column recall")
_PAGE_TYPES: Final = ("collection", "listing", "forum")
_MIN_REGION_SHARE: Final = 0.25  # of the page, or it is not about its best region
_LEARNED: Final = "tamis.verdict.learned.learned"  # the module whose function is changed

_Indices = NDArray[np.int64]
_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PatternsStudy(Study):
    """Measures what patterns of records read on the page they were learned from, and on others.

    A pattern is learned on each page of records-dev and applied to each page of its site. What it
    reads is compared with what the page gives by itself: the records (where they begin), and
    columns by their values, whatever their names. With a `site` the columns that differ are listed.
    """

    name: ClassVar[str] = "patterns"

    site: str | None = None
    limit: int | None = None  # of pages

    def run(self, log: Log) -> Report:
        """Apply each pattern to all pages of its site."""
        sites: defaultdict[str, list[Document]] = defaultdict(list)
        for item in load("records-dev").spread(self.limit).items:
            if self.site in (None, item.group):
                sites[item.group].append(tamis.extract(item.html))
        scores: dict[bool, list[list[float]]] = {True: [], False: []}
        remarks = []
        for documents in sites.values():
            lists = [document for document in documents if document.records]
            for (i, source), (j, target) in product(enumerate(lists), enumerate(lists)):
                applied = Pattern.learn(source.records).apply(target.page)
                measures = _compare_records(applied, target.records)
                scores[i == j].append(measures)
                if self.site and measures[1] < 1:
                    remarks.append(f"{i} on {j}: {_describe_differences(applied, target.records)}")
        rows = [
            [label, str(len(scores[same])), *(f"{m:.3f}" for m in np.mean(scores[same], axis=0))]
            for label, same in (("the same page", True), ("others of its site", False))
            if scores[same]
        ]
        table = ReportTable("Patterns of records-dev", ["applied to", "pages", *_MEASURES], rows)
        return Report("tamis: patterns", [table], remarks=remarks)


def _count_columns(records: Records) -> Counter[tuple[object, ...]]:
    """Return the columns that hold anything, by their values."""
    return Counter(field.values for field in records.fields if any(field.values))


def _compare_records(applied: Records, own: Records) -> list[float]:
    """Return the measures of what a pattern reads against what a page gives by itself."""
    if applied.region is None or own.region is None:
        return [0.0] * len(_MEASURES)
    if not np.array_equal(applied.region.start, own.region.start):
        return [0.0] * len(_MEASURES)
    here, there = _count_columns(applied), _count_columns(own)
    common = (here & there).total()
    exact = float(here == there)
    return [1.0, exact, common / max(1, here.total()), common / max(1, there.total())]


def _describe_differences(applied: Records, own: Records) -> str:
    """Return which columns differ, one line each."""
    here, there = _count_columns(applied), _count_columns(own)
    lines = [f"{len(applied)} {applied.reason}, by itself {len(own)}"]
    for sign, records, columns in (("+", applied, here - there), ("-", own, there - here)):
        lines += [
            f"  {sign} {field.name} {field.type} {field.values[:3]}"
            for field in records.fields
            if field.values in columns
        ]
    return "\n".join(lines)


@dataclass(frozen=True)
class WholeRecordsStudy(Study):
    """Measures whether decisions on regions of records raise the default's F1 on pages of lists.

    On the list pages of wcxb-dev, with models that have not seen the site. The probabilities of
    blocks in the best region are drawn towards their mean, half way or all of it: over the blocks
    of one column (what all records have in common is kept or dropped together), of one record, or
    of the region. The threshold is then chosen as always.
    """

    name: ClassVar[str] = "whole-records"

    limit: int | None = None  # of pages

    def run(self, log: Log) -> Report:
        """Score the pages once as they are, and once for each way to decide."""
        dataset = load("wcxb-dev").spread(self.limit)
        refine = import_module(_LEARNED).refine_probabilities
        log.say("scoring decisions on blocks")
        base = _score_pages(dataset)
        kinds = [kind for kind in _PAGE_TYPES if base[kind]]
        rows = [["blocks", *(f"{np.mean(base[kind]):.3f}" for kind in kinds)]]
        for (label, find_groups), share in product(_GROUPS.items(), (0.5, 1.0)):
            title = f"{label}, {share:.0%} of the way"
            log.say(f"scoring decisions on {title}")
            smoothed = _smooth_probabilities(refine, find_groups, share)
            with changed_attribute([_LEARNED], "refine_probabilities", smoothed):
                scores = _score_pages(dataset)
            gains = (paired_difference(scores[kind], base[kind]) for kind in kinds)
            rows.append([title, *map(format_gain, gains)])
        table = ReportTable("Word F1 on pages of lists", ["decided on", *kinds], rows)
        return Report("tamis: whole-records", [table])


def _score_pages(dataset: Dataset) -> Mapping[str, Sequence[float]]:
    """Return the word F1 of list pages by type, judged by models that have not seen their sites."""
    scores: dict[str, list[float]] = {kind: [] for kind in _PAGE_TYPES}
    for item in dataset.items:
        if item.kind in scores:
            method = find_method("learned", dataset.digest, item.group)
            text = tamis.extract(item.html, method=method, deadline=None).text
            scores[item.kind].append(word_counts(text, item.gold["main_content"]).f1)
    return scores


def _smooth_probabilities(
    refine: Callable[..., ExpertProbabilities], find_groups: Any, share: float
) -> Callable[..., ExpertProbabilities]:
    """Return a changed `refine_probabilities`: in the best region values move towards a mean."""

    def smooth(
        model: Any, features: Features, probabilities: _Floats, article: float
    ) -> ExpertProbabilities:
        experts = refine(model, features, probabilities, article)
        region = _find_region(features, experts.by_expert[1])
        if region is None or region.share < _MIN_REGION_SHARE:
            return experts
        row = features.context.blocks.first
        record = np.searchsorted(region.start, row, side="right") - 1
        inside = (record >= 0) & (row < region.stop[record]) & (features.context.terms > 0)
        group = find_groups(features, region, record)
        grouped = np.flatnonzero(inside & (group >= 0))
        probability, terms = experts.by_expert[1].copy(), features.context.terms[grouped]
        sums = np.bincount(group[grouped], terms * probability[grouped])
        mean = sums / np.maximum(np.bincount(group[grouped], terms), 1e-9)
        probability[grouped] += share * (mean[group[grouped]] - probability[grouped])
        return ExpertProbabilities(np.stack((experts.by_expert[0], probability)), experts.weights)

    return smooth


def _find_region(features: Features, probability: _Floats) -> Region | None:
    """Return the best region of a page by the probabilities of its blocks, as `records` does."""
    blocks = features.context.blocks
    return find_best_region(
        blocks.page, row_interest(blocks.page, np.append(probability, 0.0)[blocks.owner])
    )


def _group_by_column(features: Features, region: Region, record: _Indices) -> _Indices:
    """Return the column of each block's first cell, -1 where there is none."""
    blocks = features.context.blocks
    owner = blocks.owner[region.cells.first_row[region.cell]][::-1]
    column = np.full(len(blocks) + 1, -1)  # rows that no block owns have the owner -1
    column[owner] = region.column[::-1]  # the last write counts
    return column[:-1]


def _group_by_record(features: Features, region: Region, record: _Indices) -> _Indices:
    """Return the record of each block."""
    return record


def _group_by_region(features: Features, region: Region, record: _Indices) -> _Indices:
    """Return the same number for all blocks."""
    return np.zeros(len(record), dtype=np.int64)


_GROUPS: Final = {
    "columns": _group_by_column,
    "records": _group_by_record,
    "the region": _group_by_region,
}

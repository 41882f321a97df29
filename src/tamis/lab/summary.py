"""The summary of results: means, differences and times, for people and for machines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from tamis.lab.datasets import Dataset
from tamis.lab.metrics.posts import POST_MEASURES
from tamis.lab.metrics.statistics import (
    Difference,
    Mean,
    bootstrap_means,
    mean_over_groups,
    mean_with_error,
    paired_difference,
)
from tamis.lab.results import PageResult, Results, SystemResult

REFERENCE: Final = "resiliparse"  # whose time is 1
_MIN_SIDE_BY_SIDE: Final = (
    0.5  # least share of pages timed in one run for a ratio, which is of these
)
_TEXT_MEASURES: Final = (
    "f1",
    "precision",
    "recall",
    "with",
    "without",
    "b_f1",
    "b_precision",
    "b_recall",
    *POST_MEASURES,
)
_RECORD_MEASURES: Final = tuple(
    "f1 precision recall all_right chosen field_f1 field_precision field_recall aligned "
    "price_precision price_recall".split()
)
_SNIPPET_MEASURES: Final = ("f1", "precision", "recall", "comments", "in_comments")
_LABEL_MEASURES: Final = ("f1", "precision", "recall", "wide_f1", "wide_precision", "wide_recall")
_MEASURES_BY_TRUTH: Final = {
    "labelled": _LABEL_MEASURES,
    "records": _RECORD_MEASURES,
    "snippets": _SNIPPET_MEASURES,
}
# Truths whose words or snippets are counted over all pages together.
_POOLED: Final = frozenset({"labelled", "snippets"})


@dataclass(frozen=True)
class SystemSummary:
    """The figures of a system."""

    name: str
    label: str
    is_peer: bool
    version: str
    pages: int
    means: Mapping[str, Mean]  # of the measures that the system has
    by_kind: Mapping[str, Mean]  # F1
    failures: Mapping[str, str]  # by page
    milliseconds: float  # for a page, on average
    ratio: float | None  # to the reference, if both were timed in one run

    @property
    def f1(self) -> Mean:
        """What systems are ranked by."""
        return self.means["f1"]


@dataclass(frozen=True)
class Summary:
    """The figures of a run. Rows are in order of quality, the best first."""

    dataset: str
    truth: str
    digest: str
    pages: int
    kinds: tuple[str, ...]
    rows: tuple[SystemSummary, ...]
    best: str | None  # the method of tamis that the others are compared with
    differences: Mapping[str, Difference]  # how much better than the others that is
    timed_apart: tuple[str, ...]  # systems without a ratio, because they were timed in other runs

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return asdict(self)


def summarize(results: Results) -> Summary:
    """Sum up results."""
    dataset = results.dataset
    reference = next((s for s in results.systems if s.system.name == REFERENCE), None)
    rows = sorted(
        (_summarize_system(system, dataset, reference) for system in results.systems),
        key=lambda row: (-row.f1.value, row.name),
    )
    best = next((row.name for row in rows if not row.is_peer), None)
    return Summary(
        dataset.name,
        dataset.truth,
        dataset.digest,
        len(dataset.items),
        dataset.kinds,
        tuple(rows),
        best,
        _compare_best(results, best) if best else {},
        tuple(row.label for row in rows if reference and row.ratio is None),
    )


def _summarize_system(
    result: SystemResult, dataset: Dataset, reference: SystemResult | None
) -> SystemSummary:
    """Sum up the results of a system."""
    names = _MEASURES_BY_TRUTH.get(dataset.truth, _TEXT_MEASURES)
    has = set().union(*(page.measures for page in result.pages if page.error is None))
    seconds = [page.seconds for page in result.pages]
    return SystemSummary(
        result.system.name,
        result.system.label,
        result.system.is_peer,
        result.system.version,
        len(result.pages),
        {
            name: _mean_measure(result.pages, name, dataset)
            for name in names
            if name in has | {"f1"}
        },
        {kind: _mean_of_kind(result, kind, dataset) for kind in dataset.kinds},
        {page.id: page.error for page in result.failures if page.error is not None},
        1000 * sum(seconds) / max(len(seconds), 1),
        _time_ratio(result, reference) if reference else None,
    )


def _mean_measure(pages: Sequence[PageResult], name: str, dataset: Dataset) -> Mean:
    """Return the mean of a measure, as the data set counts it."""
    is_pooled = dataset.truth in _POOLED and not name.endswith("comments")
    is_pooled |= name in POST_MEASURES and name.endswith("_recall")
    return (_pooled_mean if is_pooled else _mean_by_page)(pages, name, dataset)


def _mean_by_page(pages: Sequence[PageResult], name: str, dataset: Dataset) -> Mean:
    """Return the mean of a measure over pages, or over sites; a page that failed counts as 0."""
    groups = {item.id: item.group for item in dataset.items}
    values: dict[str, list[float]] = defaultdict(list)
    for page in pages:
        if page.error is not None and not name.startswith(("with", "comments", "in_")):
            values[groups[page.id]].append(0.0)
        elif name in page.measures:
            values[groups[page.id]].append(page.measures[name])
    if dataset.by_group:
        return mean_over_groups(values)
    return mean_with_error([value for group in values.values() for value in group])


def _pooled_mean(pages: Sequence[PageResult], name: str, dataset: Dataset) -> Mean:
    """Return a measure over the words of all pages together; its error by drawing pages anew."""
    prefix, _, measure = name.rpartition("_")
    prefix += "_" * bool(prefix)
    common, predicted, wanted = (
        np.array([page.measures.get(f"{prefix}{part}", 0.0) for page in pages])
        for part in ("common", "predicted", "wanted")
    )
    total = {"precision": predicted, "recall": wanted, "f1": (predicted + wanted) / 2}[measure]
    if not total.sum():
        return Mean(0.0, None, len(pages))
    error = float(bootstrap_means(common, total).std()) if len(pages) > 1 else None
    return Mean(float(common.sum() / total.sum()), error, len(pages))


def _mean_of_kind(result: SystemResult, kind: str, dataset: Dataset) -> Mean:
    """Return the F1 of a system on the pages of a kind."""
    ids = {item.id for item in dataset.items if item.kind == kind}
    pages = [page for page in result.pages if page.id in ids]
    if dataset.truth in _POOLED:
        return _pooled_mean(pages, "f1", dataset)
    return mean_with_error([page.f1 for page in pages])


def _time_ratio(result: SystemResult, reference: SystemResult) -> float | None:
    """Return how many times as long as the reference a system took, where timed side by side."""
    theirs = {(page.id, page.run): page.seconds for page in reference.pages}
    both = [
        (page.seconds, theirs[page.id, page.run])
        for page in result.pages
        if (page.id, page.run) in theirs
    ]
    if not both or len(both) < _MIN_SIDE_BY_SIDE * len(result.pages):
        return None
    return sum(ours for ours, _ in both) / sum(their for _, their in both)


def _compare_best(results: Results, best: str) -> dict[str, Difference]:
    """Return how much better a system is than each of the others, page by page."""
    ours = next(s for s in results.systems if s.system.name == best)
    weights = _page_weights(results.dataset)
    return {
        other.system.name: paired_difference(
            [page.f1 for page in ours.pages], [page.f1 for page in other.pages], weights
        )
        for other in results.systems
        if other is not ours
    }


def _page_weights(dataset: Dataset) -> list[float] | None:
    """Return what each page weighs, where each site counts the same."""
    if not dataset.by_group:
        return None
    sizes: dict[str, int] = defaultdict(int)
    for item in dataset.items:
        sizes[item.group] += 1
    return [1 / sizes[item.group] for item in dataset.items]

"""Methods and peers on a data set: `tamis evaluate DATASET`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from tamis.errors import InputError, Unavailable
from tamis.lab.cache import user_cache
from tamis.lab.datasets import Dataset
from tamis.lab.metrics.statistics import Mean
from tamis.lab.report.report import Chart, Report, ReportTable
from tamis.lab.results import PageResult, Results
from tamis.lab.run import check_measurable, evaluate
from tamis.lab.studies.comparison.charts import comparison_charts
from tamis.lab.studies.comparison.records import record_tables
from tamis.lab.studies.comparison.worst_pages import render_worst_pages
from tamis.lab.study import Log, Study
from tamis.lab.summary import REFERENCE, Summary, summarize
from tamis.lab.systems.choice import choose_systems
from tamis.lab.systems.methods import System

_MAX_NAMED_FAILURES: Final = 5  # of one system
_MAX_ERROR_CHARACTERS: Final = 60
# Measures besides F1, by the name of their column.
_HEADS: Final = {
    "precision": "P",
    "recall": "R",
    "with": "with",
    "without": "without",
    "comments": "comments",
    "in_comments": "in comments",
    "posts_f1": "posts F1",
    "whole_recall": "whole",
    "partial_recall": "partial",
    "lost_recall": "lost",
    "author_recall": "author",
    "date_recall": "date",
    "all_whole": "all whole",
    "b_precision": "b-P",
    "b_recall": "b-R",
    "b_f1": "b-F",
    "wide_f1": "wide F1",
    "wide_precision": "wide P",
    "wide_recall": "wide R",
    "all_right": "all right",
    "chosen": "chosen",
    "field_f1": "field F1",
    "field_precision": "field P",
    "field_recall": "field R",
    "aligned": "aligned",
    "price_precision": "price P",
    "price_recall": "price R",
}
# Measures that a narrow terminal does not show, in this order.
_OPTIONAL: Final = (
    "aligned",
    "field_precision",
    "field_recall",
    "price_precision",
    "price_recall",
    "all_right",
    "b_precision",
    "b_recall",
    "lost_recall",
    "partial_recall",
    "wide_precision",
    "wide_recall",
    "without",
    "with",
    "b_f1",
    "wide_f1",
    "recall",
    "precision",
)


@dataclass(frozen=True)
class ComparisonStudy(Study):
    """Measures systems on the pages of a data set.

    `methods` and `peers` are lists of names like `a,b`, or `all` or `none`; None stands for the
    usual ones. `fresh` measures again what the cache has.
    """

    name: ClassVar[str] = "comparison"

    dataset: Dataset
    methods: str | None = None
    peers: str | None = None
    fresh: bool = False

    def run(self, log: Log) -> Report:
        """Measure all systems, or take their results from the cache."""
        check_measurable(self.dataset)
        systems, missing = choose_systems(self.methods, self.peers, self.dataset)
        for reason in missing:
            log.say(f"left out: {reason}")
        if not systems:
            raise InputError("nothing to measure: name --methods or --peers that are there")
        failed = 0
        with log.progress(len(self.dataset.items) * len(systems)) as progress:

            def count(result: PageResult, system: System) -> None:
                nonlocal failed
                failed += result.error is not None
                progress.status = f"{failed:,} failed"
                progress.advance()

            results = evaluate(
                self.dataset, systems, cache=user_cache(), fresh=self.fresh, on_result=count
            )
        return build_report(results, summarize(results), _learning_curve(self.dataset, log))


def build_report(
    results: Results, totals: Summary, more_charts: Callable[[], Sequence[Chart]] = tuple
) -> Report:
    """Return the report on results; `more_charts` are shown in a group of their own."""
    tables = [_quality_table(totals)]
    if len(totals.kinds) > 1:
        tables.append(_kind_table(totals))
    if totals.differences:
        tables.append(_difference_table(totals))
    if totals.truth == "records":
        tables += record_tables(results)
    return Report(
        f"tamis on {totals.dataset}",
        tables,
        lambda: [*comparison_charts(results, totals), *more_charts()],
        totals.as_dict(),
        f"{totals.pages:,} pages, {len(totals.rows)} systems, truth: {totals.truth}, "
        f"gold {totals.digest[:12]}",
        _remarks(totals),
        lambda: "" if totals.truth == "records" else render_worst_pages(results, totals.best),
    )


def _learning_curve(dataset: Dataset, log: Log) -> Callable[[], Sequence[Chart]]:
    """Return what draws the svm's learning curve, for a set with labelled blocks."""

    def draw() -> Sequence[Chart]:
        if dataset.truth != "labelled":
            return ()
        try:
            from tamis.lab.train.learning_curve import learning_curve_chart

            chart = learning_curve_chart(dataset)
        except Unavailable as error:
            log.say(f"left out: {error}")
            return ()
        return [chart] if chart else []

    return draw


def _quality_table(totals: Summary) -> ReportTable:
    """Return quality and time of each system."""
    measures = [name for name in _HEADS if any(name in row.means for row in totals.rows)]
    rows = [
        [
            row.label,
            _format_with_error(row.f1),
            *(_format_mean(row.means.get(name)) for name in measures),
            str(len(row.failures)),
            f"{row.milliseconds:.2f}",
            "" if row.ratio is None else f"{row.ratio:.2f}",
        ]
        for row in totals.rows
    ]
    heads = ["system", "F1 ± se", *map(_HEADS.__getitem__, measures), "failed", "ms/page"]
    return ReportTable(
        f"{totals.dataset}, {totals.pages:,} page{'s' * (totals.pages != 1)}",
        [*heads, f"× {REFERENCE}"],
        rows,
        bold_rows=_own_rows(totals),
        optional=[_HEADS[name] for name in _OPTIONAL],
    )


def _kind_table(totals: Summary) -> ReportTable:
    """Return the F1 of each system by kind of page, with the best of each kind."""
    rows = [
        [row.label, *(_format_mean(row.by_kind[kind]) for kind in totals.kinds)]
        for row in totals.rows
    ]
    heads = [f"{kind} ({totals.rows[0].by_kind[kind].count})" for kind in totals.kinds]
    best_cells = set()
    for column, kind in enumerate(totals.kinds, 1):
        values = [row.by_kind[kind].value for row in totals.rows]
        best_cells.add((values.index(max(values)), column))
    return ReportTable(
        "F1 by kind of page",
        ["system", *heads],
        rows,
        bold_rows=_own_rows(totals),
        best_cells=best_cells,
    )


def _difference_table(totals: Summary) -> ReportTable:
    """Return how the best method of tamis compares with each other system."""
    compared = [row for row in totals.rows if row.name in totals.differences]
    rows = []
    for row in compared:
        difference = totals.differences[row.name]
        clear = "yes" if difference.is_clear else "no"
        rows.append([row.label, f"{difference.value:+.3f}", difference.interval, clear])
    return ReportTable(
        f"{totals.best} against the others: F1, paired by page",
        ["system", "difference", "95 % interval", "clear"],
        rows,
        "The interval holds the true difference 19 times in 20 (bootstrap over pages).",
        bold_rows={number for number, row in enumerate(compared) if not row.is_peer},
    )


def _own_rows(totals: Summary) -> set[int]:
    """Return the rows of the methods of tamis, which stand out."""
    return {number for number, row in enumerate(totals.rows) if not row.is_peer}


def _format_with_error(mean: Mean) -> str:
    text = _format_mean(mean)
    return text if mean.error is None else f"{text} ± {mean.error:.3f}"


def _format_mean(mean: Mean | None) -> str:
    return "" if mean is None or math.isnan(mean.value) else f"{mean.value:.3f}"


def _remarks(totals: Summary) -> list[str]:
    """Return what else there is to say: failures, and times that do not compare."""
    remarks = []
    for row in totals.rows:
        failures = [
            f"{page} ({error[:_MAX_ERROR_CHARACTERS]})" for page, error in row.failures.items()
        ]
        if failures:
            more = len(failures) - _MAX_NAMED_FAILURES
            named = ", ".join(failures[:_MAX_NAMED_FAILURES])
            rest = f" and {more} more" if more > 0 else ""
            remarks.append(f"{row.label} failed on {named}{rest}: each counts as 0")
    if totals.timed_apart:
        remarks.append(
            f"Timed in other runs than {REFERENCE}, so without a ratio: "
            f"{', '.join(totals.timed_apart)}. Run with --no-cache to time all side by side."
        )
    return remarks

"""Learning curve of the svm: its accuracy against the number of pages that it learned from.

This is Figure 10 of Debnath et al. 2005, as a chart for the lab's report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Final

import numpy as np

from tamis.lab.datasets import Dataset
from tamis.lab.report import Chart, svg
from tamis.lab.report.charts import quality_range
from tamis.lab.report.svg import Scale
from tamis.lab.systems.methods import FOLDS, fold_of
from tamis.lab.train.svm import SvmExample, fit_svm_examples, read_svm_examples, score_svm

_SIZES: Final = (5, 10, 20, 50, 100, 200, 300)
_WIDTH: Final = 760.0


@dataclass(frozen=True)
class CurvePoint:
    """Accuracy after learning from a number of pages: mean and standard deviation of the folds."""

    pages: int
    accuracy: float
    deviation: float


def learning_curve_chart(dataset: Dataset) -> Chart | None:
    """Return the learning curve on a data set, by cross-validation.

    None for a set that is too small to have a curve.
    """
    points = measure_learning_curve(list(read_svm_examples(dataset)))
    return draw_learning_curve(points, dataset.name) if len(points) > 1 else None


def measure_learning_curve(
    examples: Sequence[SvmExample], sizes: Sequence[int] = _SIZES, *, seed: int = 0
) -> tuple[CurvePoint, ...]:
    """Return the accuracy after learning from each number of pages.

    In each fold, as many pages of the other folds are drawn to learn from, where a larger sample
    includes the smaller ones; the accuracy is that on the whole fold. Numbers that are too large
    for a fold are left out.
    """
    order = np.random.default_rng(seed).permutation(len(examples))
    shuffled = [examples[index] for index in order]
    splits = [
        (
            [example for example in shuffled if fold_of(example.group) != fold],
            [example for example in shuffled if fold_of(example.group) == fold],
        )
        for fold in range(FOLDS)
    ]
    max_size = min(len(training) for training, _ in splits)
    points: list[CurvePoint] = []
    for size in (size for size in sizes if size <= max_size):
        accuracies = [
            score_svm(fit_svm_examples(training[:size], seed=seed), test).accuracy
            for training, test in splits
        ]
        points.append(CurvePoint(size, mean(accuracies), stdev(accuracies)))
    return tuple(points)


def draw_learning_curve(points: Sequence[CurvePoint], name: str) -> Chart:
    """Return the chart of a learning curve, with one standard deviation of the folds each way."""
    left, right, top, bottom = 70.0, _WIDTH - 20, 16.0, 320.0
    bars = [
        (point.accuracy - point.deviation, point.accuracy + point.deviation) for point in points
    ]
    x = Scale(points[0].pages, points[-1].pages, left, right, is_log=True)
    y = Scale(*quality_range([end for bar in bars for end in bar]), bottom, top)
    coordinates = [(x(point.pages), y(point.accuracy)) for point in points]
    error_bars = [
        svg.line(x(point.pages), y(low), x(point.pages), y(high), "curve")
        for point, (low, high) in zip(points, bars, strict=True)
    ]
    marks = [
        svg.mark(
            *position,
            0,
            hollow=False,
            tooltip=f"{point.pages} pages: {point.accuracy:.3f} ± {point.deviation:.3f}",
        )
        for position, point in zip(coordinates, points, strict=True)
    ]
    parts = [
        svg.x_axis(x, top, bottom, "pages learned from (logarithmic)"),
        svg.y_axis(y, left, right, "accuracy"),
        svg.path(coordinates),
        *error_bars,
        *marks,
    ]
    return Chart(
        "svm: accuracy against pages learned from (Debnath et al. 2005, Figure 10)",
        f"Share of the blocks of {name} that are classified correctly, by five folds of sites. "
        "Vertical lines are one standard deviation of the folds.",
        svg.canvas(_WIDTH, bottom + 46, parts, "accuracy of the svm against pages learned from"),
    )

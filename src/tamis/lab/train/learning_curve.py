"""The curve of 004's Figure 10, as a plot for the lab's report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tamis.lab.datasets import Dataset
from tamis.lab.report import Chart, svg
from tamis.lab.report.charts import quality_range
from tamis.lab.report.svg import Scale
from tamis.lab.train.svm import CurvePoint, accuracy_curve, labelled_examples

WIDTH: Final = 760.0


def curve_figure(dataset: Dataset) -> Chart | None:
    """Return the svm's accuracy against the pages it learned from, by cross-validation.

    None for a set that is too small to have a curve.
    """
    points = accuracy_curve(list(labelled_examples(dataset)))
    return drawn(points, dataset.name) if len(points) > 1 else None


def drawn(points: Sequence[CurvePoint], name: str) -> Chart:
    """Return the plot of a curve, with a standard deviation of the folds to each side."""
    left, right, top, bottom = 70.0, WIDTH - 20, 16.0, 320.0
    ends = [
        value
        for point in points
        for value in (point.accuracy - point.spread, point.accuracy + point.spread)
    ]
    x = Scale(points[0].pages, points[-1].pages, left, right, is_log=True)
    y = Scale(*quality_range(ends), bottom, top)
    places = [(x(point.pages), y(point.accuracy)) for point in points]
    spreads = [
        svg.line(
            x(p.pages), y(p.accuracy - p.spread), x(p.pages), y(p.accuracy + p.spread), "curve"
        )
        for p in points
    ]
    marks = [
        svg.mark(
            *place, 0, hollow=False, tooltip=f"{p.pages} pages: {p.accuracy:.3f} ± {p.spread:.3f}"
        )
        for place, p in zip(places, points, strict=True)
    ]
    parts = [
        svg.x_axis(x, top, bottom, "pages learned from (logarithmic)"),
        svg.y_axis(y, left, right, "accuracy"),
        svg.path(places),
        *spreads,
        *marks,
    ]
    return Chart(
        "svm: accuracy against pages learned from (004, Figure 10)",
        f"Share of the blocks of {name} told rightly, by five folds of sites; upright lines "
        "are a standard deviation of the folds.",
        svg.canvas(WIDTH, bottom + 46, parts, "accuracy of the svm against pages learned from"),
    )

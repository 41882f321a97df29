"""Means with their error, differences of two systems with an interval, and calibration.

Calibration is whether a confidence of 0.8 means a quality of 0.8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_SEED: Final = 20260115
_ROUNDS: Final = 2000  # of resampling
_MAX_DRAWN: Final = 200_000  # pages that are drawn at once
_LEVEL: Final = 0.95
_MIN_SHOWN: Final = 0.0005  # tables show less as 0.000

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Mean:
    """A mean, and its standard error where more than one value went into it."""

    value: float
    error: float | None
    count: int


@dataclass(frozen=True)
class Difference:
    """How much better one system is than another, and where the truth lies 19 times in 20."""

    value: float
    low: float
    high: float
    count: int  # of pages; one alone has no interval

    @property
    def is_clear(self) -> bool:
        """Whether the interval leaves out zero, and is more than zero as it is shown."""
        seen = max(abs(self.low), abs(self.high)) >= _MIN_SHOWN
        return self.count > 1 and seen and (self.low > 0 or self.high < 0)

    @property
    def interval(self) -> str:
        """The interval in words, as tables show it."""
        return f"{self.low:+.3f} … {self.high:+.3f}" if self.count > 1 else "–"


def mean_with_error(values: Sequence[float]) -> Mean:
    """Return the mean of values with its standard error."""
    if not values:
        return Mean(float("nan"), None, 0)
    column = np.asarray(values, dtype=np.float64)
    error = float(column.std(ddof=1) / len(column) ** 0.5) if len(column) > 1 else None
    return Mean(float(column.mean()), error, len(column))


def mean_over_groups(values: Mapping[str, Sequence[float]]) -> Mean:
    """Return the mean of the means of groups, each group of equal weight."""
    return mean_with_error([mean_with_error(group).value for group in values.values()])


def paired_difference(
    ours: Sequence[float], theirs: Sequence[float], weights: Sequence[float] | None = None
) -> Difference:
    """Return the mean difference of two systems on the same pages, with a bootstrap interval.

    Pages are drawn with replacement, always the same draws. Pages may have weights, as where
    each site counts the same however many pages it has.
    """
    differences = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    weight = np.ones(len(differences)) if weights is None else np.asarray(weights, dtype=np.float64)
    means = bootstrap_means(differences * weight, weight)
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    mean = float((differences * weight).sum() / weight.sum())
    return Difference(mean, float(low), float(high), len(differences))


def bootstrap_means(values: _Floats, weights: _Floats) -> _Floats:
    """Return the ratios of the sums of two columns over pages that are drawn again and again."""
    random = np.random.default_rng(_SEED)
    pages = len(values)
    columns = np.stack([values, weights], axis=1)
    means = np.empty(_ROUNDS)
    step = max(_MAX_DRAWN // max(pages, 1), 1)  # all at once would take hundreds of megabytes
    for start in range(0, _ROUNDS, step):
        rounds = min(step, _ROUNDS - start)
        drawn = random.integers(0, pages, (rounds, pages))
        drawn += pages * np.arange(rounds)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rounds * pages).reshape(rounds, pages)
        total, weight = (counts @ columns).T
        # No weight: only pages without any were drawn.
        means[start : start + rounds] = total / np.where(weight == 0, np.inf, weight)
    return means


_BINS: Final = 10


@dataclass(frozen=True)
class CalibrationBin:
    """Pages of about the same confidence."""

    confidence: float  # their mean
    quality: float  # their mean
    count: int


@dataclass(frozen=True)
class Calibration:
    """How well confidence tells quality, both between 0 and 1."""

    bins: tuple[CalibrationBin, ...]
    expected_error: float  # mean distance of confidence and quality of a bin, weighted by pages
    brier: float  # mean squared distance of the confidence of a page and its quality
    constant_brier: float  # the same for who always says the mean quality


def calibrate(confidence: Sequence[float], quality: Sequence[float]) -> Calibration:
    """Compare the confidence of pages with their quality, in bins of equal width."""
    predicted = np.asarray(confidence, dtype=np.float64)
    true = np.asarray(quality, dtype=np.float64)
    bin_numbers = np.minimum((predicted * _BINS).astype(np.int64), _BINS - 1)
    bins = tuple(
        CalibrationBin(float(predicted[here].mean()), float(true[here].mean()), int(here.sum()))
        for number in range(_BINS)
        if (here := bin_numbers == number).any()
    )
    pages = max(len(predicted), 1)
    return Calibration(
        bins,
        sum(abs(b.confidence - b.quality) * b.count for b in bins) / pages,
        float(np.square(predicted - true).mean()) if len(predicted) else 0.0,
        float(true.var()) if len(predicted) else 0.0,
    )

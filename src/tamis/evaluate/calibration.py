"""Calibration: whether a confidence of 0.8 means a quality of 0.8."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

BINS: Final = 10


@dataclass(frozen=True)
class Bin:
    """Pages of about the same confidence."""

    confidence: float  # their mean
    quality: float  # their mean
    count: int


@dataclass(frozen=True)
class Calibration:
    """How well confidence tells quality, both between 0 and 1."""

    bins: tuple[Bin, ...]
    expected_error: float  # mean distance of confidence and quality of a bin, weighted by pages
    brier: float  # mean squared distance of the confidence of a page and its quality
    constant_brier: float  # the same for who always says the mean quality


def calibration(confidence: Sequence[float], quality: Sequence[float]) -> Calibration:
    """Compare the confidence of pages with their quality, in bins of equal width."""
    said = np.asarray(confidence, dtype=np.float64)
    true = np.asarray(quality, dtype=np.float64)
    places = np.minimum((said * BINS).astype(np.int64), BINS - 1)
    bins = tuple(
        Bin(float(said[here].mean()), float(true[here].mean()), int(here.sum()))
        for number in range(BINS)
        if (here := places == number).any()
    )
    pages = max(len(said), 1)
    return Calibration(
        bins,
        sum(abs(b.confidence - b.quality) * b.count for b in bins) / pages,
        float(np.square(said - true).mean()) if len(said) else 0.0,
        float(true.var()) if len(said) else 0.0,
    )

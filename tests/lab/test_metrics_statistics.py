"""Means, errors, and differences with their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tamis.lab.metrics.statistics import Difference, mean_of, mean_of_groups, paired_difference


def test_a_mean_has_its_standard_error() -> None:
    found = mean_of([0.0, 0.5, 1.0])
    assert found.value == 0.5
    assert found.error == pytest.approx(0.5 / math.sqrt(3))
    assert mean_of([0.3]).error is None
    assert math.isnan(mean_of([]).value)


def test_groups_count_the_same_however_many_pages_they_have() -> None:
    found = mean_of_groups({"a": [1.0, 1.0, 1.0], "b": [0.0]})
    assert (found.value, found.count) == (0.5, 2)


def test_a_constant_difference_is_certain() -> None:
    found = paired_difference([0.6, 0.8, 0.9], [0.5, 0.7, 0.8])
    for end in (found.value, found.low, found.high):
        assert end == pytest.approx(0.1)
    assert found.is_clear


def test_equal_systems_do_not_differ_clearly() -> None:
    random = np.random.default_rng(1)
    scores = random.uniform(size=200)
    noise = random.normal(0, 0.1, 200)
    found = paired_difference(list(scores + noise), list(scores))
    assert found.low < 0 < found.high
    assert not found.is_clear


def test_the_interval_is_as_wide_as_theory_says() -> None:
    values = np.random.default_rng(2).normal(0.1, 0.5, 400)
    found = paired_difference(list(values), [0.0] * 400)
    width = 2 * 1.96 * values.std() / math.sqrt(400)
    assert found.high - found.low == pytest.approx(width, rel=0.1)


def test_the_draws_are_always_the_same() -> None:
    ours, theirs = [0.1, 0.9, 0.4, 0.7], [0.3, 0.5, 0.5, 0.2]
    assert paired_difference(ours, theirs) == paired_difference(ours, theirs)


def test_weights_make_sites_equal() -> None:
    found = paired_difference([1.0, 1.0, 1.0, 0.0], [0.0] * 4, [1 / 3, 1 / 3, 1 / 3, 1.0])
    assert found.value == pytest.approx(0.5)


def test_one_page_is_never_clear() -> None:
    found = paired_difference([0.9], [0.1])
    assert not found.is_clear
    assert found.interval == "–"


@pytest.mark.parametrize(("low", "high"), [(0.0, 0.0), (0.0001, 0.0004), (-0.0004, -0.0001)])
def test_an_interval_that_is_shown_as_zero_is_not_clear(low: float, high: float) -> None:
    assert not Difference(low, low, high, 500).is_clear


def test_a_small_difference_of_many_pages_is_clear() -> None:
    assert Difference(0.001, 0.0006, 0.0014, 500).is_clear
    assert Difference(-0.001, -0.0014, -0.0006, 500).is_clear

"""The gate: no method may become worse than its floor in quality_floors.toml."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from statistics import mean
from typing import Final

import pytest

import tamis
from helpers.bench import needs_bench
from helpers.samples import FOLDER, SAMPLES, sample
from tamis.lab import load
from tamis.lab.metrics import word_counts
from tamis.lab.systems import find_fold_method

FLOORS: Final[dict[str, dict[str, float]]] = tomllib.loads(
    Path(__file__).with_name("quality_floors.toml").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("method", FLOORS["samples"])
def test_the_samples_are_read_as_well_as_ever(method: str) -> None:
    scores = {name: sample_score(name, method) for name in SAMPLES}
    found, floor = mean(scores.values()), FLOORS["samples"][method]
    assert found >= floor, f"{method} fell to {found:.4f}, below {floor}: {scores}"


def sample_score(name: str, method: str) -> float:
    """The word F1 of a method on a sample, each Han character a word."""
    gold = (FOLDER / "expected" / f"{name}.txt").read_text(encoding="utf-8")
    return word_counts(tamis.extract(sample(name), method=method).text, gold, "han").f1


@needs_bench
@pytest.mark.slow
@pytest.mark.parametrize("method", FLOORS["wcxb-dev"])
def test_the_benchmark_is_read_as_well_as_ever(method: str) -> None:
    dataset = load(str(Path(os.environ["TAMIS_BENCH"]) / "wcxb-dev"))
    scores = []
    for item in dataset.items:
        # What learned from the set is judged by models that have not seen the page's site.
        document = tamis.extract(item.html, method=find_fold_method(method, dataset, item))
        scores.append(word_counts(document.text, item.gold["main_content"]).f1)
    found, floor = mean(scores), FLOORS["wcxb-dev"][method]
    assert found >= floor, f"{method} fell to {found:.4f}, below {floor}"

"""Methods as systems: named, and out of fold where they learned from the set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from helpers.instances import PLAIN_METHODS
from tamis.errors import UnknownName
from tamis.lab import load
from tamis.lab.systems import (
    choose_systems,
    find_fold_method,
    method_systems,
    parse_names,
    read_training,
)
from tamis.pipeline import METHODS, Method


def test_names_are_lists_all_or_none() -> None:
    assert parse_names(None, ("a",), ("a", "b")) == ("a",)
    assert parse_names("all", ("a",), ("a", "b")) == ("a", "b")
    assert parse_names("none", ("a",), ("a", "b")) == ()
    assert parse_names(" b, a,b,", ("a",), ("a", "b")) == ("b", "a")


def test_all_methods_are_measured_unless_some_are_named(tiny: Path) -> None:
    dataset = load(str(tiny))
    found, missing = choose_systems(None, "none", dataset)
    assert [system.name for system in found] == [*PLAIN_METHODS, "all text", "largest"]
    assert missing == []
    with pytest.raises(UnknownName, match="no method 'nothing'"):
        choose_systems("optimum,nothing", "none", dataset)


def test_a_page_is_judged_by_a_model_that_has_not_seen_its_site(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = load(str(tiny))
    asked: list[tuple[str, str, str]] = []

    def fold(name: str, digest: str, group: str) -> Method:
        asked.append((name, digest, group))
        return METHODS["kfeature" if name == "optimum" else name]

    monkeypatch.setattr("tamis.lab.systems.methods.find_method", fold)
    learned, plain = method_systems(("optimum", "feature"), dataset, "v")
    assert (learned.label, plain.label) == ("optimum", "feature")
    trained = replace(dataset, digest=min(read_training("learned").digests))
    assert method_systems(("learned",), trained, "v")[0].label == "learned (out of fold)"
    with learned.started() as extract:
        document = extract(dataset.items[0].html, dataset.items[0]).document
    assert document is not None
    assert document.method == "tagset+kfeature"
    assert ("optimum", dataset.digest, "site1.example") in asked


@pytest.mark.parametrize("name", ["optimum", "svm", "learned"])
def test_on_pages_that_nothing_was_trained_on_methods_are_as_shipped(tiny: Path, name: str) -> None:
    dataset = load(str(tiny))
    assert find_fold_method(name, dataset, dataset.items[0]) is METHODS[name]
    assert method_systems((name,), dataset, "v")[0].label == name

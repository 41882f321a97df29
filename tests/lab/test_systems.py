"""Methods as systems: named, and out of fold where they learned from the set."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.instances import PLAIN_METHODS
from tamis.errors import UnknownName
from tamis.lab.datasets import load
from tamis.lab.systems import methods as folds
from tamis.lab.systems.choice import chosen_systems, names_of
from tamis.lab.systems.methods import fold_method, methods
from tamis.pipeline import METHODS, Method


def test_names_are_lists_all_or_none() -> None:
    assert names_of(None, ("a",), ("a", "b")) == ("a",)
    assert names_of("all", ("a",), ("a", "b")) == ("a", "b")
    assert names_of("none", ("a",), ("a", "b")) == ()
    assert names_of(" b, a,b,", ("a",), ("a", "b")) == ("b", "a")


def test_all_methods_are_measured_unless_some_are_named(tiny: Path) -> None:
    dataset = load(str(tiny))
    found, missing = chosen_systems(None, "none", dataset)
    assert [system.name for system in found] == [*PLAIN_METHODS, "all text", "largest"]
    assert missing == []
    with pytest.raises(UnknownName, match="no method 'nothing'"):
        chosen_systems("optimum,nothing", "none", dataset)


def test_a_page_is_judged_by_a_model_that_has_not_seen_its_site(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = load(str(tiny))
    asked: list[tuple[str, str, str]] = []

    def fold(name: str, digest: str, group: str) -> Method:
        asked.append((name, digest, group))
        return METHODS["kfeature" if name == "optimum" else name]

    monkeypatch.setattr(folds, "method_for", fold)
    learned, plain = methods(("optimum", "feature"), dataset, "v")
    assert (learned.label, plain.label) == ("optimum (out of fold)", "feature")
    with learned.started() as extract:
        document = extract(dataset.items[0].html, dataset.items[0]).document
    assert document is not None
    assert document.method == "tagset+kfeature"
    assert ("optimum", dataset.digest, "site1.example") in asked


@pytest.mark.parametrize("name", ["optimum", "svm", "learned"])
def test_on_pages_that_nothing_was_trained_on_methods_are_as_shipped(tiny: Path, name: str) -> None:
    dataset = load(str(tiny))
    assert fold_method(name, dataset, dataset.items[0]) is METHODS[name]
    assert methods((name,), dataset, "v")[0].label == name

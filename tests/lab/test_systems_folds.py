"""Folds: no model judges a page that it has learned from."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helpers.samples import sample
from tamis.lab.systems import (
    FOLD_PARSERS,
    FOLDS,
    domain_key,
    find_method,
    read_fold_identifiers,
    read_training,
    registered_domain,
    site_fold,
)
from tamis.lab.train import build_forest
from tamis.pipeline import METHODS
from tamis.verdict import Learned, Svm
from tamis.verdict.learned import LearnedModel, model_arrays, shipped_model

TRAINED = sorted(FOLD_PARSERS)
SITES = {"example.com": 0, "köln.example": 1, "a.example": 2, "e.example": 3, "b.example": 4, "": 0}


def marked(fold: int) -> LearnedModel:
    """Return a model that can be told by the confidence it has: a tenth of its fold."""
    model = shipped_model()
    nothing = build_forest([{"leaf_value": fold / 10}], model.confidence.names)
    return replace(model, confidence=nothing)


@pytest.fixture
def other_folds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have models of the folds that can be told apart."""
    domains = np.array([domain_key("seen.example")], dtype=np.uint32)
    arrays: dict[str, Any] = {"gold": np.array(["a digest"]), "domains": domains}
    for fold in range(FOLDS):
        arrays |= model_arrays(marked(fold), f"{fold}.")
    file = io.BytesIO()
    np.savez(file, **arrays)
    with monkeypatch.context() as patch:
        patch.setattr("tamis.lab.systems.methods._read_folds", lambda name: file.getvalue())
        read_training.cache_clear()
        read_fold_identifiers.cache_clear()
        yield
    read_training.cache_clear()
    read_fold_identifiers.cache_clear()


def test_the_fold_of_a_site_never_changes() -> None:
    assert {site: site_fold(site) for site in SITES} == SITES


def test_folds_are_of_about_the_same_size() -> None:
    sizes = np.bincount([site_fold(f"site{number}.example") for number in range(5000)])
    assert len(sizes) == FOLDS
    assert sizes.min() > 900


@pytest.mark.parametrize("name", sorted(METHODS))
def test_other_sets_are_judged_by_the_method_itself(name: str) -> None:
    assert find_method(name, "another digest", "example.com") is METHODS[name]


@pytest.mark.parametrize("name", sorted(set(METHODS) - set(TRAINED)))
def test_a_method_that_learns_nothing_needs_no_folds(name: str) -> None:
    for trained in TRAINED:
        for digest in read_training(trained).digests:
            assert find_method(name, digest, "example.com") is METHODS[name]


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("site", SITES)
def test_the_set_of_the_training_is_judged_by_the_model_of_the_fold(name: str, site: str) -> None:
    method = find_method(name, next(iter(read_training(name).digests)), site)
    assert method.segmenter == METHODS[name].segmenter
    assert method.identifier is read_fold_identifiers(name)[SITES[site]]
    assert method.identifier != METHODS[name].identifier


@pytest.mark.parametrize("name", TRAINED)
def test_there_is_a_model_a_fold(name: str) -> None:
    found = read_fold_identifiers(name)
    assert len(set(found)) == FOLDS
    models = [one.model for one in found if isinstance(one, Learned | Svm)]
    assert len(models) == FOLDS
    assert None not in models


def test_all_shipped_models_were_trained_on_one_set_at_least() -> None:
    assert frozenset.intersection(*(read_training(name).digests for name in TRAINED))


@pytest.mark.usefixtures("other_folds")
@pytest.mark.parametrize("site", ["seen.example", "forum.seen.example"])
def test_a_site_that_was_learned_from_is_judged_by_the_model_of_its_fold_in_all_sets(
    site: str,
) -> None:
    method = find_method("learned", "another digest", site)
    if site == registered_domain("seen.example"):
        assert method.identifier is read_fold_identifiers("learned")[site_fold(site)]
    assert find_method("learned", "another digest", "unseen.example") is METHODS["learned"]


def test_a_site_is_a_registered_domain() -> None:
    assert registered_domain("forum.example.co.uk") == registered_domain("example.co.uk")
    assert registered_domain("www.example.com") == "example.com"
    assert registered_domain("github.io") == "github.io"
    assert registered_domain("no-domain") == "no-domain"
    assert site_fold("forum.example.co.uk") == site_fold("example.co.uk")


@pytest.mark.parametrize("site", SITES)
def test_the_model_of_a_fold_is_the_one_under_its_number(site: str, other_folds: None) -> None:
    method = find_method("learned", "a digest", site)
    verdict = method.identifier.identify(method.segmenter.segment(sample("article")))
    assert verdict.page
    assert verdict.page.confidence == pytest.approx(SITES[site] / 10)


def test_models_of_folds_differ_from_the_shipped_one() -> None:
    page = sample("forum")
    blocks = METHODS["learned"].segmenter.segment(page)
    scores = [one.identify(blocks).score for one in read_fold_identifiers("learned")]
    scores.append(Learned().identify(blocks).score)
    for number, score in enumerate(scores):
        assert not any(np.array_equal(score, other) for other in scores[:number])

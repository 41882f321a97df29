"""The learned method: how it is fitted, and that no model of a fold has seen its fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tamis
from helpers.labelled import labelled_page, train_quickly
from tamis.blocks import TagSet
from tamis.errors import InputError
from tamis.lab.systems import FOLDS, site_fold
from tamis.lab.train import (
    MAX_BLOCKS,
    SECOND_COLUMNS,
    Example,
    FittedModels,
    Trainer,
    average_weights,
    compute_target,
    fit_fold_weights,
    fit_forest,
    fit_models,
    weigh_blocks,
)
from tamis.verdict import Learned
from tamis.verdict.learned import (
    CONFIDENCE_FEATURES,
    FIRST_FEATURES,
    PAGE_FEATURES,
    PAGE_TYPES,
    SECOND_FEATURES,
    SHAPE_FEATURES,
    TYPE_FEATURES,
    Features,
    Forest,
    LearnedModel,
    PageTokenWeights,
    TokenWeights,
    extract_features,
    first_probabilities,
    type_features,
)

pytest.importorskip("lightgbm")
pytest.importorskip("rapidfuzz")

SITES = 24
BLOCK_MARK = "place"  # a feature of blocks that is set to the number of the page
PAGE_MARK = "page_h1"  # likewise a feature of pages
SHAPE_MARK = "headline_match"  # and one of the shape of answers


def build_example(number: int) -> Example:
    html, gold = labelled_page(number)
    features = extract_features(TagSet().segment(tamis.parse(html)))
    target = compute_target(features, gold)
    page_type = ("article", "forum", None)[number % 3]
    weight = weigh_blocks(features.context.terms)
    site = f"site{number}.example"
    return Example("set", str(number), site, page_type, gold, features, target, weight)


@cache
def examples() -> tuple[Example, ...]:
    return tuple(build_example(number) for number in range(SITES))


@cache
def quickly_fitted() -> FittedModels:
    with pytest.MonkeyPatch.context() as patch:
        train_quickly(patch)
        return fit_models(examples())


def test_an_enormous_page_is_learned_from_in_part() -> None:
    html = "<p>one two three</p>" * (3 * MAX_BLOCKS)
    features = extract_features(TagSet().segment(tamis.parse(html)))
    size = len(features.context)
    big = Example("set", "x", "x", None, "", features, np.ones(size), np.ones(size))
    small = replace(examples()[0], weight=np.where(examples()[0].target > 0, 1.0, 0.0))
    trainer = Trainer([small, big], 0, lambda *_: None)
    (few, light), (many, heavy) = trainer.draw_blocks(0), trainer.draw_blocks(1)
    assert few.tolist() == np.flatnonzero(small.weight).tolist()
    assert len(few) == int(small.weight.sum())
    assert len(many) == len(set(many.tolist())) == MAX_BLOCKS
    assert ((many >= 0) & (many < size)).all()
    assert heavy[-1] / light[0] == pytest.approx(size / MAX_BLOCKS)
    np.testing.assert_array_equal(trainer.draw_blocks(1)[0], many)


def test_weights_are_1_on_average(monkeypatch: pytest.MonkeyPatch) -> None:
    train_quickly(monkeypatch)
    weights: list[np.ndarray] = []

    def recorded_fit(*arguments: Any) -> Forest:
        weight = arguments[3]
        weights.extend([weight] if weight is not None else [])
        return fit_forest(*arguments)

    monkeypatch.setattr("tamis.lab.train.trainer.fit_forest", recorded_fit)
    fit_models(examples())
    block_weights = [weight for weight in weights if not set(weight.tolist()) <= {0.5, 1.0}]
    assert len(block_weights) == 44  # sixteen first forests and six second ones, by two experts
    assert [weight.mean() for weight in block_weights] == pytest.approx([1] * 44)


def test_too_few_sites_are_a_clear_error() -> None:
    with pytest.raises(InputError, match="too few sites"):
        fit_models([replace(example, group="one.example") for example in examples()])


def test_sites_without_content_are_a_clear_error() -> None:
    with pytest.raises(InputError, match="nothing to learn"):
        fit_models([replace(example, weight=example.weight * 0) for example in examples()])


def test_it_learns_to_tell_content_from_menus() -> None:
    fitted = quickly_fitted()
    assert np.mean([judgement.f1 for judgement in fitted.judgements]) > 0.95
    for model in (fitted.model, *fitted.folds):
        html, gold = labelled_page(99)
        blocks = TagSet().segment(tamis.parse(html))
        verdict = Learned(model=model).identify(blocks)
        informative = np.flatnonzero(verdict.informative).tolist()
        assert "\n".join(blocks.text(index) for index in informative) == gold


def test_judgements_out_of_fold_are_those_of_the_models_of_the_folds() -> None:
    fitted = quickly_fitted()
    assert len(fitted.judgements) == len(fitted.confidence) == SITES
    triples = zip(examples(), fitted.judgements, fitted.confidence, strict=True)
    for example, judgement, confidence in triples:
        model = fitted.folds[site_fold(example.group)]
        verdict = Learned(model=model).identify(example.features.context.blocks)
        np.testing.assert_allclose(verdict.score, judgement.answer.experts.score)
        assert judgement.f1 == example.f1(verdict.informative)
        assert verdict.page
        assert verdict.page.confidence == pytest.approx(confidence)
        assert verdict.page.page_type == judgement.answer.page_type


def list_forests(model: LearnedModel) -> list[Forest]:
    experts = [model.article, model.other]
    block_forests = [forest for expert in experts for forest in (expert.first, expert.second)]
    return [*block_forests, model.types, model.plain, model.confidence]


def test_training_is_repeatable(monkeypatch: pytest.MonkeyPatch) -> None:
    train_quickly(monkeypatch)
    model, again = quickly_fitted().model, fit_models(examples()).model
    np.testing.assert_array_equal(model.page_tokens.weights, again.page_tokens.weights)
    np.testing.assert_array_equal(model.tokens.tables, again.tokens.tables)
    for forest, same_forest in zip(list_forests(model), list_forests(again), strict=True):
        np.testing.assert_array_equal(forest.threshold, same_forest.threshold)
        np.testing.assert_array_equal(forest.value, same_forest.value)


def test_no_model_of_a_fold_has_seen_its_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    train_quickly(monkeypatch)
    marked = [mark(example, number) for number, example in enumerate(examples())]
    copies = [replace(example, is_copy=True) for example in marked]
    # By the values of a forest: the folds of its pages. The forest is kept so that its id is.
    seen: dict[int, tuple[Forest, set[int]]] = {}
    # The folds that first forests had seen, and the fold of the page that they judged.
    judged: list[tuple[set[int], set[int]]] = []

    def recorded_fit(*arguments: Any) -> Forest:
        forest = fit_forest(*arguments)
        marks = arguments[1][:, find_mark(arguments[4])]
        numbers = {round(float(value)) - 1000 for value in marks}
        folds = {site_fold(examples()[number].group) for number in numbers}
        seen[id(forest.value)] = (forest, folds)
        return forest

    # Likewise the folds that weights of tokens were fitted to.
    fitted_folds: dict[int, tuple[TokenWeights, set[int]]] = {}

    def recorded_weights(fold_examples: Sequence[Example], draws: Any) -> Any:
        part = fit_fold_weights(fold_examples, draws)
        (fold,) = {site_fold(example.group) for example in fold_examples}
        part[0, 0] = 10.0**fold  # a mark that a mean can be read from
        return part

    def recorded_mean(parts: Sequence[Any]) -> TokenWeights:
        weights = average_weights(parts)
        fitted_folds[id(weights)] = (weights, {round(np.log10(part[0, 0])) for part in parts})
        return weights

    def recorded_probabilities(firsts: Sequence[Forest], tokens: Any, features: Any) -> Any:
        value = features.page_features[PAGE_FEATURES.index(PAGE_MARK)]
        example = examples()[round(float(value)) - 1000]
        seen_folds = set.union(*(seen[id(first.value)][1] for first in firsts))
        judged.append((seen_folds, {site_fold(example.group)}))
        judged.append((fitted_folds[id(tokens)][1], {site_fold(example.group)}))
        return first_probabilities(firsts, tokens, features)

    monkeypatch.setattr("tamis.lab.train.trainer.fit_forest", recorded_fit)
    monkeypatch.setattr("tamis.lab.train.trainer.fit_fold_weights", recorded_weights)
    monkeypatch.setattr("tamis.lab.train.trainer.average_weights", recorded_mean)
    monkeypatch.setattr("tamis.verdict.learned.learned.first_probabilities", recorded_probabilities)
    monkeypatch.setattr(
        "tamis.lab.train.cross_validation.first_probabilities", recorded_probabilities
    )
    monkeypatch.setattr("tamis.lab.train.cross_validation.type_features", mark_shape)
    fitted = fit_models([*marked, *copies])
    assert judged
    assert not any(seen_folds & page_fold for seen_folds, page_fold in judged)
    for fold, model in enumerate((*fitted.folds, fitted.model)):
        assert fitted_folds[id(model.tokens)][1] == set(range(FOLDS)) - {fold}
        for forest in list_forests(model):
            assert seen[id(forest.value)][1] <= set(range(FOLDS)) - {fold}


def mark(example: Example, number: int) -> Example:
    """Return an example whose features hold its number."""
    features = extract_features(example.features.context.blocks)
    features.buffer[FIRST_FEATURES.index(BLOCK_MARK)] = 1000 + number
    features.page_features[PAGE_FEATURES.index(PAGE_MARK)] = 1000 + number
    return replace(example, features=features)


def mark_shape(
    features: Features, probabilities: NDArray[np.float64], tokens: PageTokenWeights
) -> NDArray[np.float32]:
    """Return type features in which the shape of the answers holds the number of the page."""
    row = type_features(features, probabilities, tokens)
    row[TYPE_FEATURES.index(SHAPE_MARK)] = row[TYPE_FEATURES.index(PAGE_MARK)]
    return row


def find_mark(names: Sequence[str]) -> int:
    """Return the column with the mark of blocks or pages; second forests are fitted unnamed."""
    names = names or [SECOND_FEATURES[column] for column in SECOND_COLUMNS]
    marks = (BLOCK_MARK, PAGE_MARK, SHAPE_MARK)
    return next(list(names).index(name) for name in marks if name in names)


def test_the_names_of_the_features_fit_the_model() -> None:
    model = quickly_fitted().model
    for expert in (model.article, model.other):
        assert expert.first.names == FIRST_FEATURES
        assert expert.second.names == SECOND_FEATURES
    assert model.types.names == TYPE_FEATURES
    assert model.types.outputs == len(PAGE_TYPES)
    assert model.plain.names == SHAPE_FEATURES
    assert model.confidence.names == CONFIDENCE_FEATURES

"""learned: what it learns from, and that no model of a fold has seen its fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tamis
from helpers.labelled import labelled_page, train_quickly, write_labelled
from tamis.blocks import TagSet
from tamis.errors import InputError
from tamis.lab.datasets import load
from tamis.lab.gold import informative_blocks, placed_words, shares, words
from tamis.lab.systems.methods import FOLDS, fold_of
from tamis.lab.train import learned, trees
from tamis.lab.train.examples import MOST_TERMS, Example, block_weights, content_shares, examples_of
from tamis.lab.train.learned import MOST_BLOCKS, Trained, Trainer, trained
from tamis.verdict import Learned
from tamis.verdict.learned import (
    CONFIDENCE_FEATURES,
    FIRST_FEATURES,
    PAGE_FEATURES,
    PAGE_TYPES,
    SECOND_FEATURES,
    SHAPE_FEATURES,
    STACKED_FEATURES,
    TYPE_FEATURES,
    Forest,
    LearnedModel,
    extract_features,
    first_probabilities,
)

pytest.importorskip("lightgbm")
pytest.importorskip("rapidfuzz")

SITES = 24
MARK = "place"  # a feature of blocks, of which one tells the number of a page
PAGE_MARK = "page_h1"  # and one of pages


def example(number: int) -> Example:
    html, gold = labelled_page(number)
    found = extract_features(TagSet().segment(tamis.parse(html)), len(STACKED_FEATURES))
    target = content_shares(found, gold)
    kind = ("article", "forum", None)[number % 3]
    weight = block_weights(found.context.terms)
    return Example(str(number), f"site{number}.example", kind, gold, found, target, weight)


@cache
def examples() -> tuple[Example, ...]:
    return tuple(example(number) for number in range(SITES))


@cache
def quickly_trained() -> Trained:
    with pytest.MonkeyPatch.context() as patch:
        train_quickly(patch)
        return trained(examples())


# What is learned from.


def test_the_target_is_the_mean_of_alignment_and_best_answer() -> None:
    html, gold = labelled_page(1)
    blocks = TagSet().segment(tamis.parse(html + "<p>the river is not in the valley</p>"))
    found = content_shares(extract_features(blocks), gold)
    aligned = shares(placed_words(blocks), words(gold))
    expected = (aligned + informative_blocks(blocks, gold)) / 2
    np.testing.assert_allclose(found, expected)
    text = [blocks.text(n) for n in range(len(blocks))]
    assert [found[n] for n in range(len(blocks)) if text[n] in gold] == [1, 1]
    assert found.sum() < 3


def test_without_gold_nothing_is_content() -> None:
    found = extract_features(TagSet().segment(tamis.parse("<p>one<p>two")))
    assert content_shares(found, " … ").tolist() == [0, 0]


def test_blocks_weigh_as_much_as_they_say() -> None:
    weight = block_weights(np.array([0.0, 9, MOST_TERMS, 10 * MOST_TERMS]))
    assert weight[1] / weight[0] == pytest.approx(10)
    assert weight[2] == weight[3]
    assert weight.sum() ** 2 == pytest.approx(1 + 10 + 2 * (MOST_TERMS + 1))
    double = block_weights(np.array([0.0, 9, MOST_TERMS, 10 * MOST_TERMS] * 4))
    assert double.sum() == pytest.approx(2 * weight.sum())  # less than four times


def test_examples_are_the_pages_with_blocks(tmp_path: Path) -> None:
    dataset = load(str(write_labelled(tmp_path / "tiny", 6)))
    fresh = list(examples_of(dataset))
    assert [one.group for one in fresh] == [f"site{number}.example" for number in range(6)]
    for one in fresh:
        assert one.f1(one.target > 0.5) == 1
        assert one.f1(one.target > 2) == 0


# How it is learned.


def test_an_enormous_page_is_learned_from_in_part() -> None:
    html = "<p>one two three</p>" * (3 * MOST_BLOCKS)
    found = extract_features(TagSet().segment(tamis.parse(html)))
    size = len(found.context)
    big = Example("x", "x", None, "", found, np.ones(size), np.ones(size))
    small = replace(examples()[0], weight=np.where(examples()[0].target > 0, 1.0, 0.0))
    trainer = Trainer([small, big], 0, lambda *_: None)
    (few, light), (many, heavy) = trainer.drawn(0), trainer.drawn(1)
    assert few.tolist() == np.flatnonzero(small.weight).tolist()
    assert len(few) == int(small.weight.sum())
    assert len(many) == len(set(many.tolist())) == MOST_BLOCKS
    assert ((many >= 0) & (many < size)).all()
    assert heavy[-1] / light[0] == pytest.approx(size / MOST_BLOCKS)
    np.testing.assert_array_equal(trainer.drawn(1)[0], many)


def test_weights_are_1_on_average(monkeypatch: pytest.MonkeyPatch) -> None:
    train_quickly(monkeypatch)
    weights: list[np.ndarray] = []
    fit = trees.fitted_forest

    def watched_fit(*given: Any) -> Forest:
        weights.extend([given[3]] if given[3] is not None else [])
        return fit(*given)

    monkeypatch.setattr(learned, "fitted_forest", watched_fit)
    trained(examples())
    of_blocks = [weight for weight in weights if not set(weight.tolist()) <= {0.5, 1.0}]
    assert len(of_blocks) == 44  # sixteen first forests and six second ones, by two views
    assert [weight.mean() for weight in of_blocks] == pytest.approx([1] * 44)


def test_too_few_sites_are_a_clear_error() -> None:
    with pytest.raises(InputError, match="too few sites"):
        trained([replace(one, group="one.example") for one in examples()])


def test_sites_without_content_are_a_clear_error() -> None:
    with pytest.raises(InputError, match="nothing to learn"):
        trained([replace(one, weight=one.weight * 0) for one in examples()])


def test_it_learns_to_tell_content_from_menus() -> None:
    found = quickly_trained()
    assert np.mean([one.f1 for one in found.judged]) > 0.95
    for model in (found.model, *found.folds):
        html, gold = labelled_page(99)
        blocks = TagSet().segment(tamis.parse(html))
        verdict = Learned(model=model).identify(blocks)
        kept = np.flatnonzero(verdict.informative).tolist()
        assert "\n".join(blocks.text(n) for n in kept) == gold


def test_what_is_judged_out_of_fold_is_what_the_models_of_the_folds_say() -> None:
    found = quickly_trained()
    assert len(found.judged) == len(found.confidence) == SITES
    for one, judged, sure in zip(examples(), found.judged, found.confidence, strict=True):
        verdict = Learned(model=found.folds[fold_of(one.group)]).identify(one.found.context.blocks)
        np.testing.assert_allclose(verdict.score, judged.views.score)
        assert judged.f1 == one.f1(verdict.informative)
        assert verdict.page
        assert verdict.page.confidence == pytest.approx(sure)
        assert verdict.page.page_type == PAGE_TYPES[int(np.argmax(judged.types))]


def forests_of(model: LearnedModel) -> list[Forest]:
    experts = [model.article, model.other]
    of_blocks = [forest for expert in experts for forest in (expert.first, expert.second)]
    return [*of_blocks, model.types, model.plain, model.confidence]


def test_training_is_repeatable(monkeypatch: pytest.MonkeyPatch) -> None:
    train_quickly(monkeypatch)
    one, other = quickly_trained().model, trained(examples()).model
    for forest, again in zip(forests_of(one), forests_of(other), strict=True):
        np.testing.assert_array_equal(forest.threshold, again.threshold)
        np.testing.assert_array_equal(forest.value, again.value)


def test_no_model_of_a_fold_has_seen_its_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    train_quickly(monkeypatch)
    marked = [mark(one, place) for place, one in enumerate(examples())]
    copies = [replace(one, copy=True) for one in marked]
    seen: dict[int, tuple[Forest, set[int]]] = {}  # by the values of a forest: folds of its pages
    believed: list[tuple[set[int], set[int]]] = []  # folds that gave beliefs, and of the page
    fit = trees.fitted_forest

    def watched_fit(*given: Any) -> Forest:
        forest = fit(*given)
        places = {round(float(value)) - 1000 for value in given[1][:, column(given[4])]}
        folds = {fold_of(examples()[place].group) for place in places}
        seen[id(forest.value)] = (forest, folds)
        return forest

    def watched_probabilities(firsts: Sequence[Forest], found: Any) -> Any:
        place = round(float(found.page[PAGE_FEATURES.index(PAGE_MARK)])) - 1000
        known = set.union(*(seen[id(first.value)][1] for first in firsts))
        believed.append((known, {fold_of(examples()[place].group)}))
        return first_probabilities(firsts, found)

    monkeypatch.setattr(learned, "fitted_forest", watched_fit)
    monkeypatch.setattr(learned, "first_probabilities", watched_probabilities)
    found = trained([*marked, *copies])
    assert believed
    assert not any(known & own for known, own in believed)
    for fold, model in enumerate((*found.folds, found.model)):
        for forest in forests_of(model):
            assert seen[id(forest.value)][1] <= set(range(FOLDS)) - {fold}


def mark(one: Example, place: int) -> Example:
    """Return an example whose number stands in its evidence."""
    page = one.found.page_features.copy()
    columns = one.found.buffer.copy()
    columns[FIRST_FEATURES.index(MARK)] = 1000 + place
    page[PAGE_FEATURES.index(PAGE_MARK)] = 1000 + place
    headline = one.found.headline._replace(match=1000.0 + place)
    marked = replace(one.found, page_features=page, headline=headline)
    return replace(
        one, found=replace(marked, matrix=columns[: len(FIRST_FEATURES)], buffer=columns)
    )


def column(names: Sequence[str]) -> int:
    """Return the column with the mark of blocks or pages; second forests are fitted unnamed."""
    names = names or [SECOND_FEATURES[place] for place in learned.SECOND_USED]
    marks = (MARK, PAGE_MARK, "headline_match")
    return next(list(names).index(name) for name in marks if name in names)


def test_the_names_of_the_features_fit_the_model() -> None:
    model = quickly_trained().model
    for expert in (model.article, model.other):
        assert expert.first.names == FIRST_FEATURES
        assert expert.second.names == SECOND_FEATURES
    assert model.types.names == TYPE_FEATURES
    assert model.types.outputs == len(PAGE_TYPES)
    assert model.plain.names == SHAPE_FEATURES
    assert model.confidence.names == CONFIDENCE_FEATURES

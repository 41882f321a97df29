"""learned: what it learns from, and that no model of a fold has seen its fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tamis
from helpers.labelled import labelled_page, train_quickly, write_labelled
from helpers.samples import SAMPLES, sample
from tamis.blocks import TagSet
from tamis.errors import InputError
from tamis.evaluate.alignment import informative_blocks, informative_shares
from tamis.evaluate.datasets import load
from tamis.evaluate.folds import FOLDS, fold_of
from tamis.train import learned, trees
from tamis.train.examples import (
    MOST_TERMS,
    Example,
    aged,
    aged_examples,
    block_weights,
    content_shares,
    examples_of,
)
from tamis.train.learned import MOST_BLOCKS, Half, Trained, Trainer, trained
from tamis.verdict import Learned
from tamis.verdict.evidence import evidence, whole
from tamis.verdict.forest import Forest
from tamis.verdict.learned import FIRST_NAMES, PAGE_TYPES, QUALITY_NAMES, SECOND_NAMES, LearnedModel

pytest.importorskip("lightgbm")
pytest.importorskip("rapidfuzz")

SITES = 24
MARK = "page_h1"  # a feature of pages and of their blocks


def example(number: int) -> Example:
    html, gold = labelled_page(number)
    found = evidence(TagSet().segment(tamis.parse(html)))
    target = content_shares(found, gold)
    kind = ("article", "forum", None)[number % 3]
    weight = block_weights(found.frame.terms)
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


@pytest.mark.parametrize("name", SAMPLES)
def test_an_aged_page_says_the_same(name: str) -> None:
    page = sample(name)
    old = tamis.parse(aged(page.source.decode()))
    assert old.text.split() == page.text.split()
    blocks, old_blocks = TagSet().segment(page), TagSet().segment(old)
    assert [blocks.text(n) for n in range(len(blocks))] == [
        old_blocks.text(n) for n in range(len(old_blocks))
    ]


def test_an_aged_page_has_no_elements_of_html_5_and_no_names_that_say_something() -> None:
    html = (
        "<MAIN><article class='nav Post' id=\"footer\"><p data-class=nav class=menu>class='nav'"
        "<figure><figcaption>x</figcaption></figure></article></main><header>y</header>"
    )
    assert aged(html) == (
        "<div><div class='ani Cbfg' id=\"sbbgre\"><p data-class=nav class=menu>class='nav'"
        "<div><div>x</div></div></div></div><div>y</div>"
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_what_repeats_on_a_page_still_does_on_the_aged_one(name: str) -> None:
    html = sample(name).source.decode()
    page, old = tamis.parse(html), tamis.parse(aged(html))
    assert len(page) == len(old)
    pairs = set(zip(page.class_key.tolist(), old.class_key.tolist(), strict=True))
    assert len(pairs) == len(set(page.class_key.tolist())) == len(set(old.class_key.tolist()))


def test_the_target_is_the_mean_of_alignment_and_best_answer() -> None:
    html, gold = labelled_page(1)
    blocks = TagSet().segment(tamis.parse(html + "<p>the river is not in the valley</p>"))
    found = content_shares(evidence(blocks), gold)
    expected = (informative_shares(blocks, gold) + informative_blocks(blocks, gold)) / 2
    np.testing.assert_allclose(found, expected)
    text = [blocks.text(n) for n in range(len(blocks))]
    assert [found[n] for n in range(len(blocks)) if text[n] in gold] == [1, 1]
    assert found.sum() < 3


def test_without_gold_nothing_is_content() -> None:
    found = evidence(TagSet().segment(tamis.parse("<p>one<p>two")))
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
    fresh, old = list(examples_of(dataset)), list(aged_examples(dataset))
    assert [one.group for one in fresh] == [f"site{number}.example" for number in range(6)]
    assert [one.group for one in old] == [one.group for one in fresh]
    for one, other in zip(fresh, old, strict=True):
        np.testing.assert_allclose(other.weight, one.weight / 2)
        np.testing.assert_allclose(other.target, one.target)
        assert one.f1(one.target > 0.5) == 1
        assert one.f1(one.target > 2) == 0


# How it is learned.


def test_an_enormous_page_is_learned_from_in_part() -> None:
    html = "<p>one two three</p>" * (3 * MOST_BLOCKS)
    found = evidence(TagSet().segment(tamis.parse(html)))
    size = len(found.frame)
    big = Example("x", "x", None, "", found, np.ones(size), np.ones(size))
    small = replace(examples()[0], weight=np.where(examples()[0].target > 0, 1.0, 0.0))
    trainer = Trainer([small, big], 2, 0, lambda _: None)
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
    fit = trees.fitted_forests

    def watched_fit(*given: Any) -> list[Forest]:
        weights.extend([given[3]] if given[3] is not None else [])
        return fit(*given)

    monkeypatch.setattr(learned, "fitted_forests", watched_fit)
    trained(examples())
    assert len(weights) == 22  # sixteen first forests and six second ones
    assert [weight.mean() for weight in weights] == pytest.approx([1] * 22)


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
        verdict = Learned(model=found.folds[fold_of(one.group)]).identify(one.found.frame.blocks)
        np.testing.assert_allclose(verdict.score, judged.score)
        assert judged.f1 == one.f1(verdict.informative)
        assert verdict.page
        assert verdict.page.confidence == pytest.approx(sure)
        assert verdict.page.page_type == PAGE_TYPES[int(np.argmax(judged.types))]


def forests_of(model: LearnedModel) -> list[Forest]:
    return [model.first, model.second, *model.types, model.quality]


def test_training_is_repeatable(monkeypatch: pytest.MonkeyPatch) -> None:
    train_quickly(monkeypatch)
    one, other = quickly_trained().model, trained(examples()).model
    for forest, again in zip(forests_of(one), forests_of(other), strict=True):
        np.testing.assert_array_equal(forest.threshold, again.threshold)
        np.testing.assert_array_equal(forest.value, again.value)


def test_no_model_of_a_fold_has_seen_its_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    train_quickly(monkeypatch)
    marked, old = (tuple(mark(one, place) for place, one in enumerate(examples())) for _ in "ab")
    seen: dict[int, tuple[Forest, set[int]]] = {}  # by the values of a forest: folds of its pages
    left_out: list[int | None] = []  # by the second forest that is made
    fit, second_of, judge = trees.fitted_forests, Trainer.second, learned.judgements

    def watched_fit(*given: Any) -> list[Forest]:
        forests = fit(*given)
        places = {round(float(value)) - 1000 for value in given[1][:, column(given[4])]}
        folds = {fold_of(examples()[place].group) for place in places}
        seen.update({id(forest.value): (forest, folds) for forest in forests})
        return forests

    def check_unseen(half: Half, unknown: set[int]) -> None:
        for forest in (half[0], *half[1]):
            assert not seen[id(forest.value)][1] & unknown

    def watched_second(trainer: Trainer, halves: Mapping[int, Half]) -> Forest:
        missing = set(range(FOLDS)) - set(halves)
        left_out.append(next(iter(missing), None))
        for fold, half in halves.items():
            check_unseen(half, {fold} | missing)
        return second_of(trainer, halves)

    def watched_judgements(trainer: Trainer, fold: int, half: Half, second: Forest) -> Any:
        check_unseen(half, {fold})
        assert fold not in seen[id(second.value)][1]
        return judge(trainer, fold, half, second)

    monkeypatch.setattr(learned, "fitted_forests", watched_fit)
    monkeypatch.setattr(Trainer, "second", watched_second)
    monkeypatch.setattr(learned, "judgements", watched_judgements)
    found = trained(marked, old)
    for fold, model in enumerate((*found.folds, found.model)):
        for forest in forests_of(model):
            assert seen[id(forest.value)][1] == set(range(FOLDS)) - {fold}
    assert left_out == [*range(FOLDS), None]


def mark(one: Example, place: int) -> Example:
    """Return an example whose number stands in its evidence."""
    columns, page = one.found.columns.copy(), one.found.page.copy()
    columns[FIRST_NAMES.index(MARK)] = 1000 + place
    page[whole.NAMES.index(MARK)] = 1000 + place
    return replace(one, found=replace(one.found, columns=columns, page=page))


def column(names: Sequence[str]) -> int:
    """Return the column with the mark; the second forest is fitted without names."""
    return (list(names) or [SECOND_NAMES[n] for n in learned.SECOND_USED]).index(MARK)


def test_the_names_of_the_features_fit_the_model() -> None:
    model = quickly_trained().model
    assert [forest.names for forest in (model.first, model.second, model.quality)] == [
        FIRST_NAMES,
        SECOND_NAMES,
        QUALITY_NAMES,
    ]

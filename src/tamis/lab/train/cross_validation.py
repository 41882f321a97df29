"""Fits the model of the learned method, and the models that are judged out of fold.

The cross-validation is nested, by site: the model that is judged on fold k has learned nothing from
it, and its second forests and those of page types have learned from probabilities of first forests
that had seen neither fold k nor the page's own fold. The confidence forest is the one exception: it
learns, on the other folds, from answers of models that had seen fold k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.errors import InputError
from tamis.lab.systems.methods import FOLDS
from tamis.lab.train.examples import Example, Floats
from tamis.lab.train.forests import build_forest
from tamis.lab.train.shared import OnStep, has_all_folds, ignore_step
from tamis.lab.train.trainer import Row, Trainer
from tamis.verdict.learned import (
    CONFIDENCE_FEATURES,
    EXPERTS,
    Expert,
    Forest,
    LearnedModel,
    PageAnswer,
    answer_page,
    confidence_features,
    first_probabilities,
    predict_confidence,
    type_features,
)

# How often `fit_models` takes each kind of step: first forests without zero, one or two folds,
# second forests for each fold and for the model to ship, and judgements of each fold.
FIT_STEPS: Final = {
    "tokens": FOLDS,
    "first forest": len(EXPERTS) * (1 + FOLDS + comb(FOLDS, 2)),
    "second forest": len(EXPERTS) * (FOLDS + 1),
    "judging": FOLDS,
    "confidence": 1,
}

_FirstForests = tuple[Forest, ...]  # one per expert


@dataclass(frozen=True, eq=False)
class Judgement:
    """The answer of a model to a page that it has not learned from."""

    answer: PageAnswer
    f1: float


@dataclass(frozen=True, eq=False)
class FittedModels:
    """The model to ship, the models of the folds, and their answers to the pages of their folds."""

    model: LearnedModel
    folds: tuple[LearnedModel, ...]
    judgements: tuple[Judgement, ...]  # one per page, in their order
    confidence: Floats  # one per page


def fit_models(
    examples: Sequence[Example], *, seed: int = 0, on_step: OnStep = ignore_step
) -> FittedModels:
    """Return the model that is learned from examples, and its cross-validation.

    A copy of a page is learned from in the fold of its site, but no model is judged on it.
    """
    trainer = Trainer(examples, seed, on_step)
    _check_examples(examples)
    firsts = _fit_first_forests(trainer)
    fold_models = [_fit_model(trainer, firsts, fold) for fold in range(FOLDS)]
    by_example: dict[int, Judgement] = {}
    for fold, model in enumerate(fold_models):
        on_step("judging", f"fold {fold}")
        by_example |= _judge_fold(trainer, fold, model)
    judgements = {index: by_example[index] for index in trainer.originals}
    model = _fit_model(trainer, firsts)
    on_step("confidence", "forests of all folds")
    folds = [
        replace(fold_model, confidence=_fit_confidence(trainer, judgements, fold))
        for fold, fold_model in enumerate(fold_models)
    ]
    model = replace(model, confidence=_fit_confidence(trainer, judgements))
    confidence = _predict_confidence(trainer, judgements, folds)
    return FittedModels(model, tuple(folds), tuple(judgements.values()), confidence)


def _check_examples(examples: Sequence[Example]) -> None:
    """Raise an error if there is too little to learn from."""
    if not has_all_folds(example.group for example in examples):
        raise InputError(f"too few sites for {FOLDS} folds: add pages of others")
    if not any(example.weight.any() for example in examples):
        raise InputError("no page holds the text of its main_content: there is nothing to learn")


def _fit_first_forests(trainer: Trainer) -> dict[frozenset[int], _FirstForests]:
    """Return the first forests by the folds that they have not seen: none, one or two."""
    unseen = [(), *combinations(range(FOLDS), 1), *combinations(range(FOLDS), 2)]
    return {
        frozenset(folds): tuple(trainer.fit_first(expert, *folds) for expert in EXPERTS)
        for folds in unseen
    }


def _fit_model(
    trainer: Trainer, firsts: Mapping[frozenset[int], _FirstForests], unseen: int | None = None
) -> LearnedModel:
    """Return a model with an empty confidence forest, fitted to all folds but one.

    The later forests learn from probabilities of first forests that have not seen the page.
    """
    without = frozenset(() if unseen is None else (unseen,))
    probabilities: dict[int, Floats] = {}
    type_rows: dict[int, Row] = {}
    for index in trainer.outside(*without):
        features = trainer.examples[index].features
        unseen_folds = without | {int(trainer.fold[index])}
        tokens = trainer.token_weights(*unseen_folds)
        probabilities[index] = first_probabilities(firsts[unseen_folds], tokens, features)
        page_tokens = trainer.page_token_weights(*unseen_folds)
        type_rows[index] = type_features(features, probabilities[index], page_tokens)
    article, other = (
        Expert(first, trainer.fit_second(expert, probabilities, *without))
        for expert, first in zip(EXPERTS, firsts[without], strict=True)
    )
    types, plain = trainer.fit_types(type_rows), trainer.fit_plain(type_rows)
    tokens, page_tokens = trainer.token_weights(*without), trainer.page_token_weights(*without)
    confidence = build_forest((), CONFIDENCE_FEATURES)
    return LearnedModel(tokens, page_tokens, article, other, types, plain, confidence)


def _judge_fold(trainer: Trainer, fold: int, model: LearnedModel) -> dict[int, Judgement]:
    """Return the answers of a model to the pages of a fold."""
    return {
        index: _judge(trainer.examples[index], model)
        for index in trainer.originals
        if trainer.fold[index] == fold
    }


def _judge(example: Example, model: LearnedModel) -> Judgement:
    """Return the answer of a model to a page."""
    answer = answer_page(model, example.features)
    return Judgement(answer, example.f1(answer.choice.informative))


def _fit_confidence(
    trainer: Trainer, judgements: Mapping[int, Judgement], unseen: int = -1
) -> Forest:
    """Return the confidence forest, fitted to the answers in all folds but one."""
    is_seen = trainer.fold[list(judgements)] != unseen
    f1 = np.array([judgement.f1 for judgement in judgements.values()])
    return trainer.fit_confidence(_confidence_rows(trainer, judgements)[is_seen], f1[is_seen])


def _predict_confidence(
    trainer: Trainer, judgements: Mapping[int, Judgement], folds: Sequence[LearnedModel]
) -> Floats:
    """Return the confidence in each answer, by the model that has not seen the page."""
    rows = _confidence_rows(trainer, judgements)
    models = [folds[int(trainer.fold[index])] for index in judgements]
    pairs = zip(models, rows, strict=True)
    return np.array([predict_confidence(model.confidence, row) for model, row in pairs])


def _confidence_rows(trainer: Trainer, judgements: Mapping[int, Judgement]) -> NDArray[np.float32]:
    """Return the features that the confidence in answers is predicted from, one row per page."""
    return np.stack(
        [
            confidence_features(trainer.examples[index].features, judgement.answer)
            for index, judgement in judgements.items()
        ]
    )

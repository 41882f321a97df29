"""Trains the model of the learned method, and the models that judge it out of fold.

The protocol is nested, by site: the model that judges fold k has learned nothing from it, and its
second forests and those of page types have learned from beliefs of first forests that knew neither
fold k nor the page's own. Only the forest that tells the quality of an answer learns, on the other
folds, from answers of models that knew fold k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.errors import InputError
from tamis.lab.systems.methods import FOLDS, fold_of
from tamis.lab.train.augmentation import WEIGHT
from tamis.lab.train.examples import Example, Floats
from tamis.lab.train.steps import Step, say_nothing
from tamis.lab.train.trees import fitted_forest, forest_of, over
from tamis.verdict.learned import (
    CONFIDENCE_FEATURES,
    EXPERTS,
    FIRST_FEATURES,
    PAGE_TYPES,
    SECOND_FEATURES,
    SHAPE_FEATURES,
    TYPE_FEATURES,
    Choice,
    Expert,
    ExpertProbabilities,
    Forest,
    LearnedModel,
    article_probability,
    choose_blocks,
    confidence_features,
    first_probabilities,
    likely_blocks,
    predict_confidence,
    refine_probabilities,
    second_features,
    type_features,
    type_probabilities,
)

MOST_BLOCKS: Final = 250  # of a page that a forest learns from, drawn at random
FIRST: Final = {
    "objective": "cross_entropy",
    "rounds": 120,
    "learning_rate": 0.105,
    "num_leaves": 32,  # as many as the evaluation of trees can take
    "max_depth": 6,
    "min_data_in_leaf": 400,  # a leaf is never about one page
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
}
SECOND: Final = {
    **FIRST,
    "rounds": 60,
    "learning_rate": 0.11,
    "num_leaves": 24,
}
TYPE: Final = {
    "objective": "multiclass",
    "num_class": len(PAGE_TYPES),
    "rounds": 120,
    "learning_rate": 0.05,
    "num_leaves": 7,
    "min_data_in_leaf": 10,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 3.0,
}
PLAIN: Final = {**TYPE, "objective": "binary", "num_class": 1, "min_data_in_leaf": 20}
QUALITY: Final = {
    "objective": "regression",
    "rounds": 120,
    "learning_rate": 0.04,
    "num_leaves": 7,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
}
# Lists kept on an article's page cost more than lists lost elsewhere, and of old pages most are
# articles.
ARTICLE_WEIGHT: Final = 2.0
# Names that hardly occur, and what tells little beside a belief, are left to the first forest.
_ONLY_FIRST: Final = ("own_", "n_", "kind_at", "part_")
# How often `trained` takes each kind of step: first forests without no fold, one or two of them,
# second forests for each fold and for the model to ship, and judgements of each fold.
STEPS: Final = {
    "first forest": len(EXPERTS) * (1 + FOLDS + comb(FOLDS, 2)),
    "second forest": len(EXPERTS) * (FOLDS + 1),
    "judging": FOLDS,
    "quality": 1,
}
Places = Sequence[int]


@dataclass(frozen=True, eq=False)
class Judged:
    """What a model makes of an example that it has not learned from."""

    types: Floats
    traits: NDArray[np.float32]
    views: ExpertProbabilities
    cut: Choice
    f1: float


@dataclass(frozen=True, eq=False)
class Trained:
    """The model to ship, the models of the folds, and what these make of their folds."""

    model: LearnedModel
    folds: tuple[LearnedModel, ...]
    judged: tuple[Judged, ...]
    confidence: Floats


@dataclass(frozen=True, eq=False)
class Trainer:
    """Pages to learn from, and the fits that are made of them."""

    examples: Sequence[Example]
    seed: int
    step: Step

    @cached_property
    def fold(self) -> NDArray[np.int64]:
        """The fold of each example."""
        return np.array([fold_of(example.group) for example in self.examples])

    @cached_property
    def real(self) -> list[int]:
        """The examples that are pages as they are."""
        return [place for place, example in enumerate(self.examples) if not example.copy]

    def others(self, *folds: int) -> list[int]:
        """Return the examples that are not in these folds."""
        return np.flatnonzero(~np.isin(self.fold, folds)).tolist()

    def of_view(self, view: str, places: Places) -> list[int]:
        """Return the examples whose pages are such as a view sees; all of them if none is."""
        wanted = {"article": {"article", None}, "other": {*PAGE_TYPES, None} - {"article"}}[view]
        some = [place for place in places if self.examples[place].page_type in wanted]
        return some if any(self.examples[place].weight.any() for place in some) else list(places)

    def drawn(
        self, place: int, allowed: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], Floats]:
        """Return the blocks of an example to learn from, of those allowed, and their weights."""
        example = self.examples[place]
        chosen = np.arange(len(example.target)) if allowed is None else allowed
        size = len(chosen)
        if size > MOST_BLOCKS:
            dice = np.random.default_rng((self.seed, place))
            chosen = np.sort(dice.choice(chosen, MOST_BLOCKS, replace=False))
        some = chosen[example.weight[chosen] > 0]
        return some, example.weight[some] * (size / max(len(chosen), 1))

    def fitted(
        self,
        settings: Mapping[str, Any],
        places: Places,
        drawn: Sequence[tuple[NDArray[np.int64], Floats]],
        data: NDArray[np.float32],
        names: Sequence[str],
    ) -> Forest:
        """Return a forest learned from blocks drawn of some examples; `data` has a row a block."""
        pairs = zip(places, drawn, strict=True)
        target = np.concatenate([self.examples[place].target[some] for place, (some, _) in pairs])
        weight = np.concatenate([weight for _, weight in drawn])
        weight *= len(weight) / max(weight.sum(), 1e-9)
        return fitted_forest({**settings, "seed": self.seed}, data, target, weight, names)

    def first(self, view: str, *unseen: int) -> Forest:
        """Return the first forest of a view, learned from all folds but these."""
        without = f" without fold {' and '.join(map(str, unseen))}" if unseen else ""
        self.step("first forest", f"{view}{without}")
        places = self.of_view(view, self.others(*unseen))
        drawn = [self.drawn(place) for place in places]
        pairs = zip(places, drawn, strict=True)
        data = [self.examples[place].found.matrix[:, some].T for place, (some, _) in pairs]
        return self.fitted(FIRST, places, drawn, np.concatenate(data), FIRST_FEATURES)

    def second(self, view: str, beliefs: Mapping[int, Floats]) -> Forest:
        """Return the second forest of a view, learned from examples with their beliefs."""
        self.step("second forest", view)
        row = EXPERTS.index(view)
        places = self.of_view(view, list(beliefs))
        drawn, data = [], []
        for place in places:
            found, belief = self.examples[place].found, beliefs[place][row]
            some, weight = self.drawn(place, likely_blocks(found, belief))
            drawn.append((some, weight))
            data.append(second_features(found, belief)[SECOND_USED][:, some].T)
        names = [SECOND_FEATURES[used] for used in SECOND_USED]
        forest = self.fitted(SECOND, places, drawn, np.concatenate(data), names)
        return over(forest, SECOND_USED, SECOND_FEATURES)

    def types(self, traits: Mapping[int, NDArray[np.float32]]) -> Forest:
        """Return the forest that tells page types, learned from what pages are like."""
        some = [place for place in traits if self.examples[place].page_type in PAGE_TYPES]
        if not some:
            return forest_of((), TYPE_FEATURES, len(PAGE_TYPES))
        kinds = np.array([PAGE_TYPES.index(str(self.examples[place].page_type)) for place in some])
        weight = np.array([WEIGHT if self.examples[place].copy else 1.0 for place in some])
        rows = np.stack([traits[place] for place in some])
        settings = {**TYPE, "seed": self.seed}
        return fitted_forest(settings, rows, kinds, weight, TYPE_FEATURES)

    def plain(self, traits: Mapping[int, NDArray[np.float32]]) -> Forest:
        """Return the forest that tells articles by the shape of the answers: from aged copies."""
        some = [
            place
            for place in traits
            if self.examples[place].copy and self.examples[place].page_type in PAGE_TYPES
        ]
        if not some:
            return forest_of((), SHAPE_FEATURES)
        target = np.array([self.examples[place].page_type == "article" for place in some])
        start = TYPE_FEATURES.index(SHAPE_FEATURES[0])
        rows = np.stack([traits[place] for place in some])[:, start : start + len(SHAPE_FEATURES)]
        weight = np.where(target, ARTICLE_WEIGHT, 1.0)
        settings = {**PLAIN, "seed": self.seed}
        return fitted_forest(settings, rows, target.astype(float), weight, SHAPE_FEATURES)


SECOND_USED: Final = np.array(
    [place for place, name in enumerate(SECOND_FEATURES) if not name.startswith(_ONLY_FIRST)]
)
Firsts = tuple[Forest, ...]  # the first forest of each view


def trained(examples: Sequence[Example], *, seed: int = 0, step: Step = say_nothing) -> Trained:
    """Return the model that is learned from examples, and its cross-validation.

    Copies of pages are learned from in the folds of their sites, but the model is not judged on
    them.
    """
    trainer = Trainer(examples, seed, step)
    check(trainer)
    firsts = first_forests(trainer)
    halves = [half_model(trainer, firsts, fold) for fold in range(FOLDS)]
    judged: dict[int, Judged] = {}
    for fold, half in enumerate(halves):
        step("judging", f"fold {fold}")
        judged |= judgements(trainer, fold, half)
    ordered = {place: judged[place] for place in trainer.real}
    whole = half_model(trainer, firsts)
    step("quality", "forests of all folds")
    folds = [
        replace(half, confidence=quality_forest(trainer, ordered, fold))
        for fold, half in enumerate(halves)
    ]
    model = replace(whole, confidence=quality_forest(trainer, ordered))
    sure = confidences(trainer, ordered, folds)
    return Trained(model, tuple(folds), tuple(ordered.values()), sure)


def check(trainer: Trainer) -> None:
    """Raise an error if there is too little to learn from."""
    if set(trainer.fold.tolist()) != set(range(FOLDS)):
        raise InputError(f"too few sites for {FOLDS} folds: add pages of others")
    if not any(example.weight.any() for example in trainer.examples):
        raise InputError("no page holds the text of its main_content: there is nothing to learn")


def first_forests(trainer: Trainer) -> dict[frozenset[int], Firsts]:
    """Return the first forests, learned without no fold, one or two of them."""
    unseen = [(), *combinations(range(FOLDS), 1), *combinations(range(FOLDS), 2)]
    return {
        frozenset(folds): tuple(trainer.first(view, *folds) for view in EXPERTS) for folds in unseen
    }


def half_model(
    trainer: Trainer, firsts: Mapping[frozenset[int], Firsts], unseen: int | None = None
) -> LearnedModel:
    """Return a model, but for its quality forest, learned from all folds but one.

    What the later forests learn from are beliefs of first forests that have not seen the page.
    """
    without = frozenset(() if unseen is None else (unseen,))
    beliefs: dict[int, Floats] = {}
    traits: dict[int, NDArray[np.float32]] = {}
    for place in trainer.others(*without):
        found = trainer.examples[place].found
        beliefs[place] = first_probabilities(firsts[without | {int(trainer.fold[place])}], found)
        traits[place] = type_features(found, beliefs[place])
    article, other = (
        Expert(first, trainer.second(view, beliefs))
        for view, first in zip(EXPERTS, firsts[without], strict=True)
    )
    nothing = forest_of((), CONFIDENCE_FEATURES)
    return LearnedModel(article, other, trainer.types(traits), trainer.plain(traits), nothing)


def judgements(trainer: Trainer, fold: int, model: LearnedModel) -> dict[int, Judged]:
    """Return what a model makes of the pages of a fold."""
    judged = {}
    for place in trainer.real:
        if trainer.fold[place] == fold:
            example = trainer.examples[place]
            found = example.found
            beliefs = first_probabilities((model.article.first, model.other.first), found)
            traits = type_features(found, beliefs)
            types = type_probabilities(model.types, traits)
            article = article_probability(model.plain, found, traits, types)
            views = refine_probabilities(model, found, beliefs, article)
            cut = choose_blocks(views, found.context.terms)
            judged[place] = Judged(types, traits, views, cut, example.f1(cut.informative))
    return judged


def quality_rows(trainer: Trainer, judged: Mapping[int, Judged]) -> NDArray[np.float32]:
    """Return what the quality of each answer is told from, a row a page."""
    return np.stack(
        [
            confidence_features(trainer.examples[place].found, j.views, j.cut, j.types, j.traits)
            for place, j in judged.items()
        ]
    )


def quality_forest(trainer: Trainer, judged: Mapping[int, Judged], unseen: int = -1) -> Forest:
    """Return the forest that tells the F1 of an answer, learned from all folds but one."""
    some = trainer.fold[list(judged)] != unseen
    f1 = np.array([j.f1 for j in judged.values()])[some]
    settings = {**QUALITY, "seed": trainer.seed}
    return fitted_forest(
        settings, quality_rows(trainer, judged)[some], f1, None, CONFIDENCE_FEATURES
    )


def confidences(
    trainer: Trainer, judged: Mapping[int, Judged], folds: Sequence[LearnedModel]
) -> Floats:
    """Return the confidence in each answer, by the model that has not seen the page."""
    pairs = zip(quality_rows(trainer, judged), trainer.fold[list(judged)].tolist(), strict=True)
    return np.array([predict_confidence(folds[fold].quality, row) for row, fold in pairs])

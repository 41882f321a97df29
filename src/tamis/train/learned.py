"""Trains the model of the learned method, and the models that judge it out of fold.

The protocol is nested, by site: the model that judges fold k has learned nothing from it, and its
second forest has learned from beliefs of first forests that knew neither fold k nor the page's own.
Only the forest that tells the quality of an answer learns, on the other folds, from answers of
models that knew fold k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.errors import InputError
from tamis.evaluate.folds import FOLDS, fold_of
from tamis.train.examples import Example, Floats
from tamis.train.trees import fitted_forests, forest_of, over
from tamis.verdict.cut import Cut, best_cut
from tamis.verdict.evidence import whole
from tamis.verdict.forest import Forest, chance
from tamis.verdict.learned import (
    FIRST_NAMES,
    PAGE_TYPES,
    QUALITY_NAMES,
    SECOND_NAMES,
    LearnedModel,
    block_chances,
    quality,
    quality_features,
    second_features,
    type_chances,
)

MOST_BLOCKS: Final = 300  # of a page that a first forest learns from, drawn at random
FIRST: Final = {
    "objective": "cross_entropy",
    "rounds": 100,
    "learning_rate": 0.12,
    "num_leaves": 31,
    "max_depth": 6,
    "min_data_in_leaf": 500,  # a leaf is never about one page
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
}
SECOND: Final = {
    **FIRST,
    "rounds": 70,
    "learning_rate": 0.1,
    "num_leaves": 24,
    "min_data_in_leaf": 500,
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
# What is the same for all blocks of a page, and names that hardly occur, are left to the first.
_NOT_SECOND: Final = ("page_is_", "page_mean_", "og_", "own_", "n_", "kind_at", "part_")
Step = Callable[[str], None]
Half = tuple[Forest, tuple[Forest, ...]]  # the first forest, and those of the page types


@dataclass(frozen=True, eq=False)
class Judged:
    """What a model makes of an example that it has not learned from."""

    types: Floats
    score: Floats
    cut: Cut
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
    real: int  # how many of them, the first ones, are pages as they are
    seed: int
    step: Step

    @cached_property
    def fold(self) -> NDArray[np.int64]:
        """The fold of each example."""
        return np.array([fold_of(example.group) for example in self.examples])

    @cached_property
    def pages(self) -> NDArray[np.float32]:
        """What each page is like as a whole, a row a page."""
        return np.stack([example.found.page for example in self.examples]).astype(np.float32)

    def others(self, *folds: int) -> list[int]:
        """Return the examples that are not in these folds."""
        return np.flatnonzero(~np.isin(self.fold, folds)).tolist()

    def drawn(self, place: int) -> tuple[NDArray[np.int64], Floats]:
        """Return the blocks of an example to learn from, and their weights."""
        example = self.examples[place]
        size = len(example.target)
        chosen = np.arange(size)
        if size > MOST_BLOCKS:
            dice = np.random.default_rng((self.seed, place))
            chosen = np.sort(dice.choice(size, MOST_BLOCKS, replace=False))
        some = chosen[example.weight[chosen] > 0]
        return some, example.weight[some] * (size / len(chosen))

    def fitted(
        self,
        settings: Mapping[str, Any],
        places: Sequence[int],
        features: Callable[[int], NDArray[np.float32]],
        names: Sequence[str],
    ) -> Forest:
        """Return a forest learned from some examples; `features` has a row a block of one."""
        drawn = [self.drawn(place) for place in places]
        pairs = list(zip(places, drawn, strict=True))
        data = np.concatenate([features(place)[some] for place, (some, _) in pairs])
        target = np.concatenate([self.examples[place].target[some] for place, (some, _) in pairs])
        weight = np.concatenate([weight for _, weight in drawn])
        weight *= len(weight) / weight.sum()
        return fitted_forests({**settings, "seed": self.seed}, data, target, weight, names)[0]

    def first(self, *unseen: int) -> Forest:
        """Return the first forest, learned from all folds but these."""
        self.step(f"first forest without folds {unseen}" if unseen else "first forest")

        def features(place: int) -> NDArray[np.float32]:
            return self.examples[place].found.columns.T

        return self.fitted(FIRST, self.others(*unseen), features, FIRST_NAMES)

    def types(self, *unseen: int) -> tuple[Forest, ...]:
        """Return a forest a page type, learned from all folds but these."""
        known = [self.examples[place].page_type in PAGE_TYPES for place in self.others(*unseen)]
        some = np.array(self.others(*unseen))[known]
        if not len(some):
            return tuple(forest_of((), whole.NAMES) for _ in PAGE_TYPES)
        kinds = np.array([PAGE_TYPES.index(str(self.examples[p].page_type)) for p in some])
        settings = {**TYPE, "seed": self.seed}
        return tuple(fitted_forests(settings, self.pages[some], kinds, None, whole.NAMES))

    def second(self, halves: Mapping[int, Half]) -> Forest:
        """Return the second forest, learned from the examples of some folds.

        `halves` are, for each of them, what gives the beliefs that it learns from.
        """
        self.step("second forest")
        places = np.flatnonzero(np.isin(self.fold, list(halves))).tolist()

        def features(place: int) -> NDArray[np.float32]:
            first, types = halves[int(self.fold[place])]
            found = self.examples[place].found
            belief = chance(first.sums(found.columns))
            rows = second_features(found, belief, type_chances(types, found))
            return rows.T[:, SECOND_USED]

        return over(self.fitted(SECOND, places, features, ()), SECOND_USED, SECOND_NAMES)


SECOND_USED: Final = np.array(
    [place for place, name in enumerate(SECOND_NAMES) if not name.startswith(_NOT_SECOND)]
)


def trained(
    examples: Sequence[Example],
    aged: Sequence[Example] = (),
    *,
    seed: int = 0,
    step: Step = lambda _: None,
) -> Trained:
    """Return the model that is learned from examples, and its cross-validation.

    `aged` are learned from as well, in the folds of their sites, but the model is not judged on
    them.
    """
    trainer = Trainer([*examples, *aged], len(examples), seed, step)
    check(trainer)
    halves = first_halves(trainer)
    seconds = [second_forest(trainer, halves, fold) for fold in range(FOLDS)]
    judged: dict[int, Judged] = {}
    for fold, second in enumerate(seconds):
        judged |= judgements(trainer, fold, halves[frozenset({fold})], second)
    ordered = [judged[place] for place in range(len(examples))]
    folds = []
    for fold, second in enumerate(seconds):
        first, types = halves[frozenset({fold})]
        folds.append(LearnedModel(first, second, types, quality_forest(trainer, ordered, fold)))
    first, types = halves[frozenset()]
    second = second_forest(trainer, halves)
    model = LearnedModel(first, second, types, quality_forest(trainer, ordered))
    return Trained(model, tuple(folds), tuple(ordered), confidences(trainer, ordered, folds))


def check(trainer: Trainer) -> None:
    """Raise an error if there is too little to learn from."""
    if set(trainer.fold.tolist()) != set(range(FOLDS)):
        raise InputError(f"too few sites for {FOLDS} folds: add pages of others")
    if not any(example.weight.any() for example in trainer.examples):
        raise InputError("no page holds the text of its main_content: there is nothing to learn")


def first_halves(trainer: Trainer) -> dict[frozenset[int], Half]:
    """Return what is learned before the second forest, without no fold, one or two of them."""
    unseen = [(), *combinations(range(FOLDS), 1), *combinations(range(FOLDS), 2)]
    return {frozenset(folds): (trainer.first(*folds), trainer.types(*folds)) for folds in unseen}


def second_forest(
    trainer: Trainer, halves: dict[frozenset[int], Half], unseen: int | None = None
) -> Forest:
    """Return the second forest, learned from all folds but one.

    What it learns from are the beliefs of first forests that have not seen the page's fold.
    """
    folds = [fold for fold in range(FOLDS) if fold != unseen]
    without = set() if unseen is None else {unseen}
    return trainer.second({fold: halves[frozenset({fold, *without})] for fold in folds})


def judgements(trainer: Trainer, fold: int, half: Half, second: Forest) -> dict[int, Judged]:
    """Return what a model makes of the pages of a fold."""
    judged = {}
    for place in np.flatnonzero(trainer.fold[: trainer.real] == fold).tolist():
        example = trainer.examples[place]
        types = type_chances(half[1], example.found)
        score = block_chances(half[0], second, example.found, types)
        cut = best_cut(score, example.found.frame.terms)
        judged[place] = Judged(types, score, cut, example.f1(cut.kept))
    return judged


def quality_rows(trainer: Trainer, judged: Sequence[Judged]) -> NDArray[np.float32]:
    """Return what the quality of each answer is told from, a row a page."""
    pairs = zip(trainer.examples[: trainer.real], judged, strict=True)
    return np.stack([quality_features(e.found, j.score, j.cut, j.types) for e, j in pairs])


def quality_forest(trainer: Trainer, judged: Sequence[Judged], unseen: int = -1) -> Forest:
    """Return the forest that tells the F1 of an answer, learned from all folds but one."""
    some = [place for place in trainer.others(unseen) if place < trainer.real]
    f1 = np.array([judged[place].f1 for place in some])
    settings = {**QUALITY, "seed": trainer.seed}
    rows = quality_rows(trainer, judged)[some]
    return fitted_forests(settings, rows, f1, None, QUALITY_NAMES)[0]


def confidences(
    trainer: Trainer, judged: Sequence[Judged], folds: Sequence[LearnedModel]
) -> Floats:
    """Return the confidence in each answer, by the model that has not seen the page."""
    rows = quality_rows(trainer, judged)
    pairs = zip(rows, trainer.fold[: trainer.real].tolist(), strict=True)
    return np.array([quality(folds[fold], row) for row, fold in pairs])

"""The forests of the learned method: their settings, and what each of them is fitted to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.lab.systems.methods import FOLDS, site_fold
from tamis.lab.train.augmentation import COPY_WEIGHT
from tamis.lab.train.examples import Example, Floats
from tamis.lab.train.forests import build_forest, fit_forest, widen_forest
from tamis.lab.train.shared import OnStep
from tamis.lab.train.tokens import (
    PAGE_TOKEN_SETTINGS,
    TOKEN_SETTINGS,
    average_weights,
    fit_fold_weights,
    fit_page_weights,
)
from tamis.verdict.learned import (
    CONFIDENCE_FEATURES,
    EXPERTS,
    FIRST_FEATURES,
    PAGE_TYPES,
    SECOND_FEATURES,
    SHAPE_FEATURES,
    TYPE_FEATURES,
    Features,
    Forest,
    PageTokenWeights,
    TokenWeights,
    first_features,
    likely_blocks,
    second_features,
)

FOREST_COUNT: Final = 2  # forests with seeds of their own, of which a forest for blocks is the mean
MAX_BLOCKS: Final = 250  # of a page that a forest learns from, drawn at random
_FIRST: Final = {
    "objective": "cross_entropy",
    "rounds": 120,
    "learning_rate": 0.105,
    "num_leaves": 32,  # as many as the evaluation of trees supports
    "max_depth": 6,
    "min_data_in_leaf": 400,  # so that no leaf is about a single page
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
}
_SECOND: Final = {
    **_FIRST,
    "rounds": 60,
    "learning_rate": 0.11,
    "num_leaves": 24,
}
_TYPE: Final = {
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
_PLAIN: Final = {**_TYPE, "objective": "binary", "num_class": 1, "min_data_in_leaf": 20}
_CONFIDENCE: Final = {
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
# The settings of the regression, and LightGBM's of each kind of forest, by the names that model
# files have for them.
SETTINGS: Final[Mapping[str, dict[str, Any]]] = {
    "tokens": {**TOKEN_SETTINGS},
    "page tokens": {**PAGE_TOKEN_SETTINGS},
    "first": _FIRST,
    "second": _SECOND,
    "type": _TYPE,
    "plain": _PLAIN,
    "quality": _CONFIDENCE,
}
# A list that is taken for part of an article costs more than a list that is lost elsewhere, and
# most old pages are articles.
_ARTICLE_WEIGHT: Final = 2.0
# Rare names, and features that add little to a probability, are left to the first forest.
_ONLY_FIRST: Final = ("own_", "n_", "kind_at", "part_")
# The columns of SECOND_FEATURES that second forests learn from.
SECOND_COLUMNS: Final = np.array(
    [column for column, name in enumerate(SECOND_FEATURES) if not name.startswith(_ONLY_FIRST)]
)
_EXPERT_TYPES: Final = {
    "article": {"article", None},
    "other": {*PAGE_TYPES, None} - {"article"},
}

Row = NDArray[np.float32]  # features of one page
_Draw = tuple[NDArray[np.int64], Floats]  # blocks of an example to learn from, and their weights


@dataclass(frozen=True, eq=False)
class Trainer:
    """Examples to learn from, and the forests that are fitted to them.

    Examples are passed as indices into `examples`.
    """

    examples: Sequence[Example]
    seed: int
    on_step: OnStep

    @cached_property
    def fold(self) -> NDArray[np.int64]:
        """The fold of each example."""
        return np.array([site_fold(example.group) for example in self.examples])

    @cached_property
    def originals(self) -> list[int]:
        """The examples on which models are judged: pages, not copies, with all of their content."""
        return [index for index, example in enumerate(self.examples) if example.is_judged]

    def outside(self, *folds: int) -> list[int]:
        """Return the examples that are not in these folds."""
        return np.flatnonzero(~np.isin(self.fold, folds)).tolist()

    def _list_pages(self, fold: int) -> list[int]:
        """Return the pages of a fold, without copies."""
        in_fold = np.flatnonzero(self.fold == fold).tolist()
        return [index for index in in_fold if not self.examples[index].is_copy]

    @cached_property
    def _token_parts(self) -> list[NDArray[np.float64]]:
        """The weights of tokens that are fitted to each fold."""
        parts = []
        for fold in range(FOLDS):
            self.on_step("tokens", f"fold {fold}")
            indices = self._list_pages(fold)
            draws = [self.draw_blocks(index) for index in indices]
            parts.append(fit_fold_weights([self.examples[index] for index in indices], draws))
        return parts

    @cached_property
    def _token_weights(self) -> dict[frozenset[int], TokenWeights]:
        return {}

    def token_weights(self, *unseen: int) -> TokenWeights:
        """Return the weights of tokens of blocks, fitted to all folds but these."""
        key = frozenset(unseen)
        if key not in self._token_weights:
            parts = [part for fold, part in enumerate(self._token_parts) if fold not in key]
            self._token_weights[key] = average_weights(parts)
        return self._token_weights[key]

    @cached_property
    def _page_token_weights(self) -> dict[frozenset[int], PageTokenWeights]:
        return {}

    def page_token_weights(self, *unseen: int) -> PageTokenWeights:
        """Return the weights of tokens of pages, fitted to all folds but these."""
        key = frozenset(unseen)
        if key not in self._page_token_weights:
            folds = [fold for fold in range(FOLDS) if fold not in key]
            pages = [self.examples[index] for fold in folds for index in self._list_pages(fold)]
            self._page_token_weights[key] = fit_page_weights(pages)
        return self._page_token_weights[key]

    def write_tokens(self, index: int, *unseen: int) -> Features:
        """Return the features of an example with those of its tokens, by weights that have seen
        neither its own fold nor the others that are given.
        """
        features = self.examples[index].features
        first_features(features, self.token_weights(int(self.fold[index]), *unseen))
        return features

    def fit_first(self, expert: str, *unseen: int) -> Forest:
        """Return the first forest of an expert, fitted to all folds but these."""
        without = f" without fold {' and '.join(map(str, unseen))}" if unseen else ""
        self.on_step("first forest", f"{expert}{without}")
        indices = self._select_for_expert(expert, self.outside(*unseen))
        draws = [self.draw_blocks(index) for index in indices]
        pairs = zip(indices, draws, strict=True)
        rows = [
            self.write_tokens(index, *unseen).buffer[: len(FIRST_FEATURES), blocks].T
            for index, (blocks, _) in pairs
        ]
        # Those without two folds only judge the pages that second forests learn from.
        count = FOREST_COUNT if len(unseen) < 2 else 1
        matrix = np.concatenate(rows)
        return self._fit_blocks("first", indices, draws, matrix, FIRST_FEATURES, count)

    def fit_second(self, expert: str, probabilities: Mapping[int, Floats], *unseen: int) -> Forest:
        """Return the second forest of an expert, fitted to all folds but these.

        `probabilities` has, for each example to learn from, those of the first forests: one row per
        expert, one column per block.
        """
        self.on_step("second forest", expert)
        expert_row = EXPERTS.index(expert)
        indices = self._select_for_expert(expert, list(probabilities))
        draws, rows = [], []
        for index in indices:
            features = self.write_tokens(index, *unseen)
            probability = probabilities[index][expert_row]
            blocks, weight = self.draw_blocks(index, likely_blocks(features, probability))
            draws.append((blocks, weight))
            rows.append(second_features(features, probability)[SECOND_COLUMNS][:, blocks].T)
        names = [SECOND_FEATURES[column] for column in SECOND_COLUMNS]
        matrix = np.concatenate(rows)
        forest = self._fit_blocks("second", indices, draws, matrix, names, FOREST_COUNT)
        return widen_forest(forest, SECOND_COLUMNS, SECOND_FEATURES)

    def fit_types(self, type_rows: Mapping[int, Row]) -> Forest:
        """Return the forest for page types, fitted to the type features of examples."""
        typed = [index for index in type_rows if self.examples[index].page_type in PAGE_TYPES]
        if not typed:
            return build_forest((), TYPE_FEATURES, len(PAGE_TYPES))
        target = np.array(
            [PAGE_TYPES.index(str(self.examples[index].page_type)) for index in typed]
        )
        weight = np.array([COPY_WEIGHT if self.examples[index].is_copy else 1.0 for index in typed])
        rows = np.stack([type_rows[index] for index in typed])
        return self._fit("type", rows, target, weight, TYPE_FEATURES)

    def fit_plain(self, type_rows: Mapping[int, Row]) -> Forest:
        """Return the forest that recognises articles without HTML 5, fitted to aged copies.

        It sees only the shape of the possible answers.
        """
        typed_copies = [
            index
            for index in type_rows
            if self.examples[index].is_copy and self.examples[index].page_type in PAGE_TYPES
        ]
        if not typed_copies:
            return build_forest((), SHAPE_FEATURES)
        is_article = np.array(
            [self.examples[index].page_type == "article" for index in typed_copies]
        )
        start = TYPE_FEATURES.index(SHAPE_FEATURES[0])
        rows = np.stack([type_rows[index] for index in typed_copies])
        shape_rows = rows[:, start : start + len(SHAPE_FEATURES)]
        weight = np.where(is_article, _ARTICLE_WEIGHT, 1.0)
        return self._fit("plain", shape_rows, is_article.astype(float), weight, SHAPE_FEATURES)

    def fit_confidence(self, rows: NDArray[np.float32], f1: Floats) -> Forest:
        """Return the forest that predicts the word F1 of answers; `rows` has one row per page."""
        return self._fit("quality", rows, f1, None, CONFIDENCE_FEATURES)

    def draw_blocks(self, index: int, allowed: NDArray[np.int64] | None = None) -> _Draw:
        """Return the blocks of an example to learn from, of those allowed, and their weights."""
        example = self.examples[index]
        drawn = np.arange(len(example.target)) if allowed is None else allowed
        size = len(drawn)
        if size > MAX_BLOCKS:
            generator = np.random.default_rng((self.seed, index))
            drawn = np.sort(generator.choice(drawn, MAX_BLOCKS, replace=False))
        weighted = drawn[example.weight[drawn] > 0]
        return weighted, example.weight[weighted] * (size / max(len(drawn), 1))

    def _select_for_expert(self, expert: str, indices: Sequence[int]) -> list[int]:
        """Return the examples of an expert's page types; all examples if these teach nothing."""
        page_types = _EXPERT_TYPES[expert]
        selected = [index for index in indices if self.examples[index].page_type in page_types]
        has_content = any(self.examples[index].weight.any() for index in selected)
        return selected if has_content else list(indices)

    def _fit_blocks(
        self,
        kind: str,
        indices: Sequence[int],
        draws: Sequence[_Draw],
        rows: NDArray[np.float32],
        names: Sequence[str],
        count: int,
    ) -> Forest:
        """Return a forest that is fitted to blocks of examples; `rows` has one row per block."""
        pairs = zip(indices, draws, strict=True)
        target = np.concatenate(
            [self.examples[index].target[blocks] for index, (blocks, _) in pairs]
        )
        weight = np.concatenate([weight for _, weight in draws])
        weight *= len(weight) / max(weight.sum(), 1e-9)
        return self._fit(kind, rows, target, weight, names, count)

    def _fit(
        self,
        kind: str,
        rows: NDArray[np.float32],
        target: NDArray[Any],
        weight: Floats | None,
        names: Sequence[str],
        count: int = 1,
    ) -> Forest:
        """Return a forest of a kind, with its settings and the seed of this training."""
        return fit_forest({**SETTINGS[kind], "seed": self.seed}, rows, target, weight, names, count)

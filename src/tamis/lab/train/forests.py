"""Fits forests with LightGBM and converts them to the arrays that `Forest` evaluates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.lab.train.shared import import_library
from tamis.verdict.learned import LEAVES, NODES, Forest, leaf_slots

_Node = tuple[int, float, int]  # feature, threshold, and the leaves on its left, one bit each
_EMPTY_NODE: Final[_Node] = (0, np.inf, 0)  # excludes no leaf
_SEED_STEP: Final = 1000  # between the seeds of forests that are averaged
# The same data give the same trees, however many processors there are.
_REPEATABLE: Final = {
    "deterministic": True,
    "force_col_wise": True,
    "use_missing": False,
    "verbose": -1,
}


def fit_forest(
    settings: Mapping[str, Any],
    features: NDArray[np.float32],
    target: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    names: Sequence[str],
    count: int = 1,
) -> Forest:
    """Return the forest that LightGBM fits, with one output per class if there are several.

    `features` has one row per example and one column per name. `settings` are LightGBM's, with the
    number of rounds as "rounds". With a `count` the forest is the mean of as many, each with a seed
    of its own.
    """
    lightgbm = import_library("lightgbm", "LightGBM")
    parameters = {**_REPEATABLE, **settings}
    rounds, seed = parameters.pop("rounds"), parameters.pop("seed", 0)
    dataset = lightgbm.Dataset(features, target, weight=weight, free_raw_data=True)
    outputs = int(settings.get("num_class", 1))
    forests = []
    for number in range(count):
        parameters["seed"] = seed + _SEED_STEP * number
        booster = lightgbm.train(parameters, dataset, num_boost_round=rounds)
        trees = [info["tree_structure"] for info in booster.dump_model()["tree_info"]]
        forests.append(build_forest(trees, names, outputs))
    return average_forests(forests)


def average_forests(forests: Sequence[Forest]) -> Forest:
    """Return a forest whose sums are the means of those of several, over the same features."""
    if len(forests) == 1:
        return forests[0]
    starts = np.cumsum([0, *(len(forest.threshold) for forest in forests)])
    values = np.concatenate([forest.value for forest in forests])
    trees = [forest.trees[:-1] + start for forest, start in zip(forests, starts, strict=False)]
    return replace(
        forests[0],
        threshold=np.concatenate([forest.threshold for forest in forests]),
        feature=np.concatenate([forest.feature for forest in forests]),
        crossed=np.concatenate([forest.crossed for forest in forests]),
        value=(values / len(forests)).astype(np.float32),
        trees=np.concatenate([*trees, starts[-1:]]).astype(np.int32),
    )


def build_forest(
    trees: Sequence[Mapping[str, Any]], names: Sequence[str], outputs: int = 1
) -> Forest:
    """Return the trees of a LightGBM dump as a forest. With several classes, they alternate."""
    rows: list[list[_Node]] = []
    begins = [0]
    values = np.zeros((len(trees), LEAVES), dtype=np.float32)
    for tree, tree_values in zip(trees, values, strict=True):
        nodes, leaves = _flatten_tree(tree)
        if len(leaves) > LEAVES:
            raise ValueError(f"a tree has {len(leaves)} leaves; the maximum is {LEAVES}")
        nodes += [_EMPTY_NODE] * (-len(nodes) % NODES)
        rows += [nodes[start : start + NODES] for start in range(0, len(nodes), NODES)]
        tree_values[leaf_slots()[: len(leaves)]] = leaves
        begins.append(len(rows))
    columns = np.array(rows, dtype=np.float64).reshape(-1, NODES, len(_EMPTY_NODE))
    return Forest(
        tuple(names),
        round_down(columns[:, :, 1]),
        columns[:, :, 0].astype(np.int32),
        columns[:, :, 2].astype(np.uint32),
        values,
        np.array(begins, dtype=np.int32),
        outputs,
    )


def _flatten_tree(tree: Mapping[str, Any]) -> tuple[list[_Node], list[float]]:
    """Return the inner nodes of a tree and, from left to right, the values of its leaves."""
    if "split_feature" not in tree:
        return [], [float(tree["leaf_value"])]
    left_nodes, left = _flatten_tree(tree["left_child"])
    right_nodes, right = _flatten_tree(tree["right_child"])
    root = (int(tree["split_feature"]), float(tree["threshold"]), (1 << len(left)) - 1)
    shifted = [
        (feature, threshold, leaves << len(left)) for feature, threshold, leaves in right_nodes
    ]
    return [root, *left_nodes, *shifted], [*left, *right]


def round_down(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the greatest 32-bit number up to each value.

    As thresholds, both divide 32-bit features in the same way.
    """
    nearest = values.astype(np.float32)
    below = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > values, below, nearest)


def widen_forest(forest: Forest, columns: NDArray[np.int64], names: Sequence[str]) -> Forest:
    """Return a forest over selected columns of a matrix as one over all of them."""
    return replace(forest, names=tuple(names), feature=columns[forest.feature].astype(np.int32))

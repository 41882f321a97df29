"""Fits forests with LightGBM and turns them into plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.errors import unavailable
from tamis.verdict.kernel.trees import LEAVES, NODES
from tamis.verdict.learned import Forest, leaf_slots

Node = tuple[int, float, int]  # feature, threshold, and the leaves on its left, one bit each
NO_NODE: Final[Node] = (0, np.inf, 0)  # crosses nothing out
# The same trees from the same data, however many processors there are.
_REPEATABLE: Final = {
    "deterministic": True,
    "force_col_wise": True,
    "use_missing": False,
    "verbose": -1,
}


def fitted_forest(
    settings: Mapping[str, Any],
    features: NDArray[np.float32],
    target: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    names: Sequence[str],
) -> Forest:
    """Return the forest that LightGBM fits, with a sum for each class if there are several.

    `features` has a row an example and a column a name. `settings` are LightGBM's, with the number
    of rounds as "rounds".
    """
    lightgbm = _library()
    chosen = {**_REPEATABLE, **settings}
    rounds = chosen.pop("rounds")
    data = lightgbm.Dataset(features, target, weight=weight, free_raw_data=True)
    booster = lightgbm.train(chosen, data, num_boost_round=rounds)
    trees = [info["tree_structure"] for info in booster.dump_model()["tree_info"]]
    return forest_of(trees, names, int(settings.get("num_class", 1)))


def forest_of(trees: Sequence[Mapping[str, Any]], names: Sequence[str], outputs: int = 1) -> Forest:
    """Return trees as they stand in LightGBM's dump, one of each class in turn, as a forest."""
    rows: list[list[Node]] = []
    begins = [0]
    value = np.zeros((len(trees), LEAVES), dtype=np.float32)
    for tree, values in zip(trees, value, strict=True):
        nodes, leaves = nodes_and_leaves(tree)
        if len(leaves) > LEAVES:
            raise ValueError(f"a tree has {len(leaves)} leaves; at most {LEAVES} can be kept")
        nodes += [NO_NODE] * (-len(nodes) % NODES)
        rows += [nodes[place : place + NODES] for place in range(0, len(nodes), NODES)]
        values[leaf_slots()[: len(leaves)]] = leaves
        begins.append(len(rows))
    columns = np.array(rows, dtype=np.float64).reshape(-1, NODES, len(NO_NODE))
    return Forest(
        tuple(names),
        rounded_down(columns[:, :, 1]),
        columns[:, :, 0].astype(np.int32),
        columns[:, :, 2].astype(np.uint32),
        value,
        np.array(begins, dtype=np.int32),
        outputs,
    )


def nodes_and_leaves(tree: Mapping[str, Any]) -> tuple[list[Node], list[float]]:
    """Return the inner nodes of a tree and, from left to right, the values of its leaves."""
    if "split_feature" not in tree:
        return [], [float(tree["leaf_value"])]
    left_nodes, left = nodes_and_leaves(tree["left_child"])
    right_nodes, right = nodes_and_leaves(tree["right_child"])
    own = (int(tree["split_feature"]), float(tree["threshold"]), (1 << len(left)) - 1)
    shifted = [(place, limit, out << len(left)) for place, limit, out in right_nodes]
    return [own, *left_nodes, *shifted], [*left, *right]


def rounded_down(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the greatest 32-bit number up to each value: it divides 32-bit features the same."""
    near = values.astype(np.float32)
    below = np.nextafter(near, np.float32(-np.inf))
    return np.where(near > values, below, near)


def over(forest: Forest, places: NDArray[np.int64], names: Sequence[str]) -> Forest:
    """Return a forest over some of the features as one over all of them."""
    return replace(forest, names=tuple(names), feature=places[forest.feature].astype(np.int32))


def _library() -> Any:
    """Return LightGBM."""
    try:
        import lightgbm
    except ImportError as error:
        raise unavailable("training needs LightGBM", "train") from error
    return lightgbm

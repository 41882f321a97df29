"""Fits forests with LightGBM and turns them into plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.errors import Unavailable
from tamis.verdict.forest import Forest

# The same trees from the same data, however many processors there are.
_REPEATABLE: Final = {
    "deterministic": True,
    "force_col_wise": True,
    "use_missing": False,
    "verbose": -1,
}


def fitted_forests(
    settings: Mapping[str, Any],
    features: NDArray[np.float32],
    target: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    names: Sequence[str],
) -> list[Forest]:
    """Return the forests that LightGBM fits: one, or one a class.

    `features` has a row an example and a column a name. `settings` are LightGBM's, with the number
    of rounds as "rounds".
    """
    lightgbm = _library()
    chosen = {**_REPEATABLE, **settings}
    rounds = chosen.pop("rounds")
    data = lightgbm.Dataset(features, target, weight=weight, free_raw_data=True)
    booster = lightgbm.train(chosen, data, num_boost_round=rounds)
    trees = [info["tree_structure"] for info in booster.dump_model()["tree_info"]]
    classes = int(settings.get("num_class", 1))
    return [forest_of(trees[number::classes], names) for number in range(classes)]


def forest_of(trees: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Forest:
    """Return trees as they stand in LightGBM's dump as one forest."""
    nodes: list[Mapping[str, Any]] = []
    left: list[int] = []
    roots: list[tuple[int, int]] = []
    for tree in trees:
        root = len(nodes)
        nodes.append(tree)
        left.append(root)
        below, depth = [root], 0
        while below:  # level by level, so that children stand next to each other
            inner = [place for place in below if "split_feature" in nodes[place]]
            below = []
            for place in inner:
                left[place] = len(nodes)
                below += [len(nodes), len(nodes) + 1]
                nodes += [nodes[place]["left_child"], nodes[place]["right_child"]]
                left += below[-2:]
            depth += bool(inner)
        roots.append((root, max(depth, 1)))
    feature = [int(node.get("split_feature", 0)) for node in nodes]
    threshold = np.array([float(node.get("threshold", np.inf)) for node in nodes])
    value = [float(node.get("leaf_value", 0.0)) for node in nodes]
    return Forest(
        tuple(names),
        rounded_down(threshold),
        np.array((feature, left), dtype=np.int32).T.copy(),
        np.array(value, dtype=np.float32),
        np.array(roots, dtype=np.int32).reshape(-1, 2),
    )


def rounded_down(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the greatest 32-bit number up to each value: it divides 32-bit features the same."""
    near = values.astype(np.float32)
    below = np.nextafter(near, np.float32(-np.inf))
    return np.where(near > values, below, near)


def over(forest: Forest, places: NDArray[np.int64], names: Sequence[str]) -> Forest:
    """Return a forest over some of the features as one over all of them."""
    steps = forest.steps.copy()
    steps[:, 0] = places[steps[:, 0]]
    return replace(forest, names=tuple(names), steps=steps)


def _library() -> Any:
    """Return LightGBM."""
    try:
        import lightgbm
    except ImportError as error:
        raise Unavailable("training needs LightGBM: pip install tamis[train]") from error
    return lightgbm

"""Forest: gradient-boosted trees as columns, and their evaluation without the training library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tamis.verdict.kernel.trees import leaf_sums


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees over the features `names`, one column a property of a node.

    A node sends a value up to its threshold to its left child, a greater one to the node after
    that. `steps` has for each node its feature and its left child; a leaf is its own left child and
    its threshold is infinite. `trees` has the root of each tree and its depth, which is at least 1.
    """

    names: tuple[str, ...]
    threshold: NDArray[np.float32]
    steps: NDArray[np.int32]
    value: NDArray[np.float32]
    trees: NDArray[np.int32]

    def sums(
        self, features: NDArray[np.float32], some: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return the sum of the trees for each column of features, or for some of them."""
        if some is None:
            some = np.arange(features.shape[1])
        return leaf_sums(features, some, self.threshold, self.steps, self.value, self.trees)

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the forest as arrays to be saved: features as places in the list of names used."""
        used, feature = np.unique(self.steps[:, 0], return_inverse=True)
        if len(self.steps) > _MOST_NODES:
            raise ValueError(f"a forest of more than {_MOST_NODES} nodes cannot be saved")
        return {
            f"{prefix}.names": np.array([self.names[place] for place in used.tolist()], dtype=str),
            f"{prefix}.feature": feature.astype(np.uint16),
            f"{prefix}.left": self.steps[:, 1].astype(np.uint16),
            f"{prefix}.threshold": self.threshold,
            f"{prefix}.value": self.value,
            f"{prefix}.trees": self.trees.astype(np.uint16),
        }

    @classmethod
    def of_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, names: Sequence[str]
    ) -> Self:
        """Return the forest that was saved under a prefix, over features of these names."""
        places = {name: place for place, name in enumerate(names)}
        used = np.array([places[name] for name in arrays[f"{prefix}.names"].tolist()], np.int32)
        feature = used[arrays[f"{prefix}.feature"]]
        return cls(
            tuple(names),
            arrays[f"{prefix}.threshold"],
            np.stack((feature, arrays[f"{prefix}.left"].astype(np.int32)), axis=1),
            arrays[f"{prefix}.value"],
            arrays[f"{prefix}.trees"].astype(np.int32).reshape(-1, 2),
        )


def chance(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logistic function of sums."""
    chances: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.clip(sums, -40.0, 40.0)))
    return chances


_MOST_NODES = np.iinfo(np.uint16).max

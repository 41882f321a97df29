"""Forest: gradient-boosted trees as columns, and their evaluation without the training library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from tamis.verdict.kernel.trees import LEAVES, NODES, leaf_sums, slots


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees over the features `names`, in the form in which they are evaluated fastest.

    A node sends a value up to its threshold to its left, a greater one to its right: then the
    leaves below it on the left, `crossed`, are out of the question (bit n for leaf n from the
    left). Nodes stand four to a row; `trees` has the first row of each tree, and the end of the
    last. `value` has a row a tree: the values of its leaves, in the slots of `leaf_slots`. There
    may be several sums, the `outputs`, to which the trees add in turn.
    """

    names: tuple[str, ...]
    threshold: NDArray[np.float32]
    feature: NDArray[np.int32]
    crossed: NDArray[np.uint32]
    value: NDArray[np.float32]
    trees: NDArray[np.int32]
    outputs: int = 1

    def sums(
        self, features: NDArray[np.float32], some: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return the sums of the trees, a row each, for all columns of features or for some."""
        # "clip" changes nothing here, but takes half the time of checking each place.
        chosen = features if some is None else features.take(some, axis=1, mode="clip")
        return leaf_sums(
            chosen,
            self.threshold,
            self.feature,
            self.crossed,
            self.value,
            self.trees,
            self.outputs,
        )

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the forest as arrays to be saved: features as places in the list of names used."""
        used, feature = np.unique(self.feature, return_inverse=True)
        return {
            f"{prefix}.names": np.array([self.names[place] for place in used.tolist()], dtype=str),
            f"{prefix}.feature": feature.reshape(-1, NODES).astype(np.uint16),
            f"{prefix}.threshold": self.threshold,
            f"{prefix}.crossed": self.crossed,
            f"{prefix}.value": self.value,
            f"{prefix}.trees": self.trees,
            f"{prefix}.outputs": np.array(self.outputs),
        }

    @classmethod
    def of_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, names: Sequence[str]
    ) -> Self:
        """Return the forest that was saved under a prefix, over features of these names."""
        places = {name: place for place, name in enumerate(names)}
        used = np.array([places[name] for name in arrays[f"{prefix}.names"].tolist()], np.int32)
        return cls(
            tuple(names),
            arrays[f"{prefix}.threshold"],
            used[arrays[f"{prefix}.feature"]],
            arrays[f"{prefix}.crossed"],
            arrays[f"{prefix}.value"],
            arrays[f"{prefix}.trees"],
            int(arrays[f"{prefix}.outputs"]),
        )


def leaf_capacity() -> NDArray[np.uint32]:
    """Return the slot of the value of each leaf of a tree."""
    return slots(np.left_shift(np.uint32(1), np.arange(LEAVES, dtype=np.uint32)))


def logistic(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logistic function of sums."""
    chances: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.maximum(sums, -_FAR)))
    return chances


_FAR: Final = 700.0  # beyond which the exponential function is no number

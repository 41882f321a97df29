"""Forest: gradient-boosted trees as arrays, evaluated without the training library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from tamis.verdict.kernel.trees import LEAVES, NODES, leaf_sums, slots
from tamis.verdict.verdict import Floats

_MAX_EXPONENT: Final = 700.0  # beyond it the exponential function overflows


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees over the features `names`, in the form in which they are evaluated fastest.

    A node sends a value up to its threshold to the left, a greater one to the right; then the
    leaves below it on the left, `crossed`, are excluded (bit n for leaf n from the left). There
    are four nodes per row; `trees` has the first row of each tree, and the end of the last.
    `value` has one row per tree: the values of its leaves, in the order of `leaf_slots`. There may
    be several sums, the `outputs`, to which the trees add in turn.
    """

    names: tuple[str, ...]
    threshold: NDArray[np.float32]
    feature: NDArray[np.int32]
    crossed: NDArray[np.uint32]
    value: NDArray[np.float32]
    trees: NDArray[np.int32]
    outputs: int = 1

    def sums(
        self, features: NDArray[np.float32], columns: NDArray[np.int64] | None = None
    ) -> Floats:
        """Return the sums of the trees, one row per output, for all columns or the given ones."""
        # "clip" changes nothing here, but takes half the time of checking each index.
        chosen = features if columns is None else features.take(columns, axis=1, mode="clip")
        return leaf_sums(
            chosen,
            self.threshold,
            self.feature,
            self.crossed,
            self.value,
            self.trees,
            self.outputs,
        )

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the forest as arrays to save; features are indices into the names in use."""
        used, feature = np.unique(self.feature, return_inverse=True)
        names = [self.names[index] for index in used.tolist()]
        return {
            f"{prefix}.names": np.array(names, dtype=str),
            f"{prefix}.feature": feature.reshape(-1, NODES).astype(np.uint16),
            f"{prefix}.threshold": self.threshold,
            f"{prefix}.crossed": self.crossed,
            f"{prefix}.value": self.value,
            f"{prefix}.trees": self.trees,
            f"{prefix}.outputs": np.array(self.outputs),
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], prefix: str, names: Sequence[str]
    ) -> Self:
        """Return the forest that was saved with a prefix, over the features `names`."""
        indices = {name: index for index, name in enumerate(names)}
        used = np.array([indices[name] for name in arrays[f"{prefix}.names"].tolist()], np.int32)
        return cls(
            tuple(names),
            arrays[f"{prefix}.threshold"],
            used[arrays[f"{prefix}.feature"]],
            arrays[f"{prefix}.crossed"],
            arrays[f"{prefix}.value"],
            arrays[f"{prefix}.trees"],
            int(arrays[f"{prefix}.outputs"]),
        )


def leaf_slots() -> NDArray[np.uint32]:
    """Return the column of `Forest.value` for each leaf of a tree."""
    return slots(np.left_shift(np.uint32(1), np.arange(LEAVES, dtype=np.uint32)))


def logistic(sums: Floats) -> Floats:
    """Return the logistic function of sums."""
    probabilities: Floats = 1.0 / (1.0 + np.exp(-np.maximum(sums, -_MAX_EXPONENT)))
    return probabilities

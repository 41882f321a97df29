"""Forest: gradient-boosted trees as columns, and their evaluation without the training library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from tamis.errors import InputError
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

    def __post_init__(self) -> None:
        """Raise InputError for a forest that would be evaluated beyond the ends of its columns."""
        columns = ("threshold", "feature", "crossed", "value", "trees")
        for name, kind in zip(columns, _KINDS, strict=True):
            column = getattr(self, name)
            if not isinstance(column, np.ndarray) or column.dtype != kind:
                raise broken(f"{name} is not an array of {np.dtype(kind)}")
            object.__setattr__(self, name, frozen(column))
        nodes = self.threshold.shape
        is_in_rows = len(nodes) == 2 and nodes[1] == NODES
        if not is_in_rows or not nodes == self.feature.shape == self.crossed.shape:
            raise broken("its nodes are no rows of four")
        if self.value.ndim != 2 or self.value.shape[1] != LEAVES:
            raise broken(f"its trees have not {LEAVES} leaves")
        if self.trees.shape != (len(self.value) + 1,) or (np.diff(self.trees) < 0).any():
            raise broken("its trees have no rows of nodes")
        if (self.trees[0], self.trees[-1]) != (0, nodes[0]):
            raise broken("its trees end beyond its nodes, or before")
        if not is_below(self.feature, len(self.names)):
            raise broken(f"it asks for a feature that is none of {len(self.names)}")
        if not np.isfinite(self.value).all() or np.isnan(self.threshold).any():
            raise broken("a number in it is none")
        if not isinstance(self.outputs, int) or self.outputs < 1:
            raise broken(f"it has {self.outputs!r} sums")

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
        listed = arrays[f"{prefix}.names"]
        if listed.ndim != 1:
            raise broken("it has no list of features")
        used = np.array([places[name] for name in listed.tolist()], np.int32)
        feature = arrays[f"{prefix}.feature"]
        if feature.dtype.kind not in "iu" or not is_below(feature, len(used)):
            raise broken(f"it asks for a feature that is none of {len(used)}")
        return cls(
            tuple(names),
            arrays[f"{prefix}.threshold"],
            used[feature],
            arrays[f"{prefix}.crossed"],
            arrays[f"{prefix}.value"],
            arrays[f"{prefix}.trees"],
            int(arrays[f"{prefix}.outputs"]),
        )


def frozen(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column in one piece that nobody writes to: what was checked stays as it is."""
    if column.flags.writeable or not (column.flags.c_contiguous and column.flags.aligned):
        column = np.array(column, order="C")
        column.setflags(write=False)
    return column


def is_below(numbers: NDArray[Any], stop: int) -> bool:
    """Say whether all numbers are from 0 on, and below another one."""
    return not numbers.size or bool(0 <= numbers.min() <= numbers.max() < stop)


def broken(what: str) -> InputError:
    """Return the error for a forest that cannot be evaluated."""
    return InputError(f"a forest of the model is damaged, {what}: make the model with tamis train")


def leaf_capacity() -> NDArray[np.uint32]:
    """Return the slot of the value of each leaf of a tree."""
    return slots(np.left_shift(np.uint32(1), np.arange(LEAVES, dtype=np.uint32)))


def logistic(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logistic function of sums."""
    chances: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-np.maximum(sums, -_FAR)))
    return chances


_KINDS: Final = (np.float32, np.int32, np.uint32, np.float32, np.int32)  # of the columns
_FAR: Final = 700.0  # beyond which the exponential function is no number

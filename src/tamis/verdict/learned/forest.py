"""Forest: gradient-boosted trees as arrays, evaluated without the training library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from tamis.errors import InputError
from tamis.verdict.learned._forest import LEAVES, NODES, Trees
from tamis.verdict.verdict import Floats

_COLUMN_TYPES: Final = (np.float32, np.int32, np.uint32, np.float32, np.int32)
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

    def __post_init__(self) -> None:
        """Raise InputError for a forest that would be evaluated beyond the ends of its columns."""
        columns = ("threshold", "feature", "crossed", "value", "trees")
        for name, kind in zip(columns, _COLUMN_TYPES, strict=True):
            column = getattr(self, name)
            if not isinstance(column, np.ndarray) or column.dtype != kind:
                raise _damaged(f"{name} is not an array of {np.dtype(kind)}")
            object.__setattr__(self, name, _freeze_contiguous(column))
        nodes = self.threshold.shape
        is_in_rows = len(nodes) == 2 and nodes[1] == NODES
        if not is_in_rows or not nodes == self.feature.shape == self.crossed.shape:
            raise _damaged("its nodes are no rows of four")
        if self.value.ndim != 2 or self.value.shape[1] != LEAVES:
            raise _damaged(f"its trees have not {LEAVES} leaves")
        if self.trees.shape != (len(self.value) + 1,) or (np.diff(self.trees) < 0).any():
            raise _damaged("its trees have no rows of nodes")
        if (self.trees[0], self.trees[-1]) != (0, nodes[0]):
            raise _damaged("its trees end beyond its nodes, or before")
        if not _is_below(self.feature, len(self.names)):
            raise _damaged(f"it uses a feature that is none of {len(self.names)}")
        if not np.isfinite(self.value).all() or np.isnan(self.threshold).any():
            raise _damaged("a number in it is none")
        if not isinstance(self.outputs, int) or self.outputs < 1:
            raise _damaged(f"it has {self.outputs!r} sums")

    @cached_property
    def _trees(self) -> Trees:
        return Trees(
            self.threshold, self.feature, self.crossed, self.value, self.trees, self.outputs
        )

    def sums(
        self, features: NDArray[np.float32], columns: NDArray[np.int64] | None = None
    ) -> Floats:
        """Return the sums of the trees, one row per output, for all columns or the given ones."""
        rows = np.ascontiguousarray(features)
        trees = self._trees
        return trees.sums(rows) if columns is None else trees.sums_of(rows, columns)

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
        saved_names = arrays[f"{prefix}.names"]
        if saved_names.ndim != 1:
            raise _damaged("it has no list of features")
        unknown = [name for name in saved_names.tolist() if name not in indices]
        if unknown:
            raise InputError(
                f"the model was trained on features that are unknown here, {', '.join(unknown)}: "
                "make the model with tamis train"
            )
        used = np.array([indices[name] for name in saved_names.tolist()], np.int32)
        feature = arrays[f"{prefix}.feature"]
        if feature.dtype.kind not in "iu" or not _is_below(feature, len(used)):
            raise _damaged(f"it uses a feature that is none of {len(used)}")
        return cls(
            tuple(names),
            arrays[f"{prefix}.threshold"],
            used[feature],
            arrays[f"{prefix}.crossed"],
            arrays[f"{prefix}.value"],
            arrays[f"{prefix}.trees"],
            int(arrays[f"{prefix}.outputs"]),
        )


def _freeze_contiguous(column: NDArray[Any]) -> NDArray[Any]:
    """Return a contiguous column that nobody writes to: what was checked stays as it is."""
    if column.flags.writeable or not (column.flags.c_contiguous and column.flags.aligned):
        column = np.array(column, order="C")
        column.setflags(write=False)
    return column


def _is_below(numbers: NDArray[Any], stop: int) -> bool:
    """Say whether all numbers are at least 0 and below `stop`."""
    return not numbers.size or bool(0 <= numbers.min() <= numbers.max() < stop)


def _damaged(problem: str) -> InputError:
    """Return the error for a forest that cannot be evaluated."""
    message = f"a forest of the model is damaged, {problem}: make the model with tamis train"
    return InputError(message)


def logistic(sums: Floats) -> Floats:
    """Return the logistic function of sums."""
    probabilities: Floats = 1.0 / (1.0 + np.exp(-np.maximum(sums, -_MAX_EXPONENT)))
    return probabilities

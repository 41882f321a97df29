# cython: boundscheck=False, wraparound=False
"""Columns of features → leaves of trees: the hot loop of the learned method.

Not walked but crossed out (Lucchese et al., "QuickScorer", SIGIR 2015): each node of a tree whose
test fails crosses the leaves on its left out of a set of at most 32, and the first leaf that is
left is the one that a walk would reach. There is nothing to branch on, so that a processor takes
several columns at once (C, in trees.pxd). Uncompiled, numpy takes all of them at once.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

if not cython.compiled:  # trees.pxd has the same in C

    def cross_out(
        features: NDArray[np.float32],
        threshold: NDArray[np.float32],
        feature: NDArray[np.int32],
        crossed: NDArray[np.uint32],
        nodes: int,
        leaves: NDArray[np.uint32],
    ) -> None:
        """Cross out the leaves of all columns by a row of nodes."""
        for node in range(NODES):
            exceeded = features[feature[nodes, node]] > threshold[nodes, node]
            leaves[exceeded] &= ~crossed[nodes, node]

    def add_first(
        leaves: NDArray[np.uint32],
        value: NDArray[np.float32],
        tree: int,
        sums: NDArray[np.float64],
        output: int,
    ) -> None:
        """Add the value of the first leaf that is left in each set; make the set whole again."""
        sums[output] += value[tree][slots(leaves)]
        leaves[:] = ALL


LEAVES: Final = 32  # of a tree, at most: the bits of a set
NODES: Final = 4  # that cross out in one go: a row of nodes; trees are filled up to whole rows
ALL: Final = 0xFFFFFFFF
SLOTS: Final = 0x077CB531  # de Bruijn's: of its product with a bit the first five are its own


def leaf_sums(
    features: NDArray[np.float32],
    threshold: NDArray[np.float32],
    feature: NDArray[np.int32],
    crossed: NDArray[np.uint32],
    value: NDArray[np.float32],
    trees: NDArray[np.int32],
    outputs: int,
) -> NDArray[np.float64]:
    """Return sums, over the trees, of the leaf values that each column of features reaches.

    A node has a feature, a threshold, and the leaves that are crossed out when it is exceeded.
    There are four to a row; `trees` has the first row of each tree, and the end of the last.
    `value` has a row a tree with the values of its leaves, each in its slot. The sums are
    the rows of what is returned; the trees add to them in turn.
    """
    sums = np.zeros((outputs, features.shape[1]))
    leaves = np.empty(features.shape[1], dtype=np.uint32)
    leaves.fill(ALL)
    rows = np.ascontiguousarray(features)
    add_leaves(rows, threshold, feature, crossed, value, trees, leaves, sums)
    return sums


def slots(leaves: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the slot of the first leaf of each set."""
    first = leaves & (~leaves + np.uint32(1))
    return first * np.uint32(SLOTS) >> np.uint32(27)


def add_leaves(
    features: NDArray[np.float32],
    threshold: NDArray[np.float32],
    feature: NDArray[np.int32],
    crossed: NDArray[np.uint32],
    value: NDArray[np.float32],
    trees: NDArray[np.int32],
    leaves: NDArray[np.uint32],
    sums: NDArray[np.float64],
) -> None:
    """Add the leaf values of all trees to the sums; `leaves` has all leaves for each column."""
    with cython.nogil:
        for tree in range(value.shape[0]):
            for nodes in range(trees[tree], trees[tree + 1]):
                cross_out(features, threshold, feature, crossed, nodes, leaves)
            add_first(leaves, value, tree, sums, tree % sums.shape[0])

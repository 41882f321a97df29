# cython: boundscheck=False, wraparound=False
"""Rows of features → leaves of trees: the hot loop of the learned method.

All rows go down one level of a tree before any goes to the next, so that a processor follows many
rows at once; leaves lead to themselves. Uncompiled, numpy takes all rows and trees at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython


def leaf_sums(
    features: NDArray[np.float32],
    threshold: NDArray[np.float32],
    steps: NDArray[np.int32],
    value: NDArray[np.float32],
    trees: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return the sum, over the trees, of the leaf values that each column of features reaches.

    `steps` has for each node its feature and its left child; the right one stands next to that. A
    leaf is its own left child and sends nothing to the right. `trees` has the root of each tree and
    its depth.
    """
    size = features.shape[1]
    sums = np.zeros(size, dtype=np.float64)
    nodes = np.empty(size, dtype=np.int32)
    if cython.compiled:
        walk(features.reshape(-1), threshold, steps, value, trees, nodes, sums)
    else:
        rows = np.arange(size)
        for root, depth in trees.tolist():
            nodes = np.full(size, root)
            for _ in range(depth):
                feature, left = steps[nodes].T
                nodes = left + (features[feature, rows] > threshold[nodes])
            sums += value[nodes]
    return sums


def walk(
    features: NDArray[np.float32],
    threshold: NDArray[np.float32],
    steps: NDArray[np.int32],
    value: NDArray[np.float32],
    trees: NDArray[np.int32],
    nodes: NDArray[np.int32],
    sums: NDArray[np.float64],
) -> None:
    """Add the leaf values of all trees to the sums; `nodes` is room to work in."""
    size = nodes.shape[0]
    with cython.nogil:
        for tree in range(trees.shape[0]):
            root = trees[tree, 0]
            feature = steps[root, 0]
            left = steps[root, 1]
            limit = threshold[root]
            for row in range(size):
                nodes[row] = left + (features[feature * size + row] > limit)
            for _ in range(1, trees[tree, 1]):
                for row in range(size):
                    node = nodes[row]
                    nodes[row] = steps[node, 1] + (
                        features[steps[node, 0] * size + row] > threshold[node]
                    )
            for row in range(size):
                sums[row] += value[nodes[row]]

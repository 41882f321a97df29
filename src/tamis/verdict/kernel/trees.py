# cython: boundscheck=False, wraparound=False
"""Columns of features → leaves of trees: the hot loop of the learned method.

All columns go down one level of a tree before any goes to the next, so that a processor follows
many at once; leaves lead to themselves. Uncompiled, numpy takes all of them at once.
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
    some: NDArray[np.int64],
    threshold: NDArray[np.float32],
    steps: NDArray[np.int32],
    value: NDArray[np.float32],
    trees: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return the sum, over the trees, of the leaf values that some columns of features reach.

    `steps` has for each node its feature and its left child; the right one stands next to that. A
    leaf is its own left child and sends nothing to the right. `trees` has the root of each tree and
    its depth.
    """
    sums = np.zeros(len(some), dtype=np.float64)
    nodes = np.empty(len(some), dtype=np.int32)
    if cython.compiled:
        size = features.shape[1]
        some = np.ascontiguousarray(some)
        walk(features.ravel(), size, some, threshold, steps, value, trees, nodes, sums)
    else:
        for root, depth in trees.tolist():
            nodes = np.full(len(some), root)
            for _ in range(depth):
                feature, left = steps[nodes].T
                nodes = left + (features[feature, some] > threshold[nodes])
            sums += value[nodes]
    return sums


def walk(
    features: NDArray[np.float32],
    size: int,
    some: NDArray[np.int64],
    threshold: NDArray[np.float32],
    steps: NDArray[np.int32],
    value: NDArray[np.float32],
    trees: NDArray[np.int32],
    nodes: NDArray[np.int32],
    sums: NDArray[np.float64],
) -> None:
    """Add the leaf values of all trees to the sums; `nodes` is room to work in."""
    count = some.shape[0]
    with cython.nogil:
        for tree in range(trees.shape[0]):
            root = trees[tree, 0]
            feature = steps[root, 0]
            left = steps[root, 1]
            limit = threshold[root]
            for place in range(count):
                nodes[place] = left + (features[feature * size + some[place]] > limit)
            for _ in range(1, trees[tree, 1]):
                for place in range(count):
                    node = nodes[place]
                    nodes[place] = steps[node, 1] + (
                        features[steps[node, 0] * size + some[place]] > threshold[node]
                    )
            for place in range(count):
                sums[place] += value[nodes[place]]

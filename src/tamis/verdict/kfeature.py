"""kfeature: K-FeatureExtractor (Debnath et al. 2005 §5.2). It builds on `feature`."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import TEXT, Blocks
from tamis.errors import check_not_empty, check_number
from tamis.verdict.feature import (
    OUTWEIGHED_REASON,
    TOO_SHORT_REASON,
    check_basket_parameters,
    fill_basket,
)
from tamis.verdict.verdict import Floats, Verdict, build_verdict

_TINY: Final = 1e-300  # prevents 0 / 0


@dataclass(frozen=True)
class KFeature:
    """Takes all blocks of the basket except the lowest cluster (Debnath et al. 2005, Algorithm 4).

    The desired values of the basket are clustered by k-means. Of the `ks`, the one with the
    best silhouette is used. The first centroids are equidistant in the sorted values.
    """

    desired: tuple[str, ...] = (TEXT,)
    ks: tuple[int, ...] = (2, 3)
    min_terms: int = 3
    weights: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        check_basket_parameters(self.desired, self.min_terms, self.weights)
        check_not_empty("ks", self.ks, "the numbers of clusters")
        for k in self.ks:
            check_number("a k of ks", k, 1, whole=True)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks above the lowest cluster as informative."""
        weights = MappingProxyType(dict(self.weights))
        basket = fill_basket(blocks, self.desired, self.min_terms, weights)
        bound = find_cluster_bound(np.sort(basket.value[basket.inside]), self.ks)
        above = basket.inside & (basket.value >= bound)
        informative = above & ~basket.short
        code = np.where(informative, 0, np.where(above, 3, np.where(basket.inside, 1, 2)))
        return build_verdict(
            basket.value,
            informative,
            code,
            np.where(code == 2, basket.others, np.where(code == 3, basket.terms, basket.value)),
            "desired value {:.2f} is above the lowest cluster",
            "desired value {:.2f} is in the lowest cluster",
            OUTWEIGHED_REASON,
            TOO_SHORT_REASON,
        )


def find_cluster_bound(values: Floats, ks: tuple[int, ...]) -> float:
    """Return the smallest of the sorted values that is not in the lowest cluster.

    A single value, or values that are all equal, are not clustered: the bound is −∞.
    """
    clusterings = [kmeans_boundaries(values, k) for k in ks if 1 < k <= len(values)]
    clusterings = [boundaries for boundaries in clusterings if len(boundaries)]
    if not clusterings:
        return -np.inf
    best = max(clusterings, key=lambda boundaries: mean_silhouette(values, boundaries))
    return float(values[best[0]])


def kmeans_boundaries(values: Floats, k: int) -> NDArray[np.int64]:
    """Return the index at which each cluster but the first begins, by k-means in one dimension.

    Clusters of sorted values are slices, so one step of k-means is a binary search for the
    midpoints between centroids, and means come from prefix sums. Values that differ by rounding
    alone can make it run in circles: it ends when the same clusters come up a second time.
    """
    ordered = values.tolist()
    sums = [0.0, *accumulate(ordered)]
    last = len(ordered) - 1
    centroids = [ordered[round(i * last / (k - 1))] for i in range(k)]
    seen: set[tuple[int, ...]] = set()
    while True:
        midpoints = [(a + b) / 2 for a, b in pairwise(centroids)]
        edges = (0, *(bisect_right(ordered, midpoint) for midpoint in midpoints), len(ordered))
        if edges in seen:
            return np.unique([edge for edge in edges if 0 < edge <= last]).astype(np.int64)
        seen.add(edges)
        centroids = [
            (sums[b] - sums[a]) / (b - a) if b > a else old
            for (a, b), old in zip(pairwise(edges), centroids, strict=True)
        ]


def mean_silhouette(values: Floats, boundaries: NDArray[np.int64]) -> float:
    """Return the mean silhouette of sorted values in clusters, computed from prefix sums."""
    edges = [0, *boundaries.tolist(), len(values)]
    if len(edges) < 3:
        return -1.0
    sums = np.concatenate(([0.0], np.cumsum(values)))
    means = [(sums[b] - sums[a]) / (b - a) for a, b in pairwise(edges)]
    total = 0.0
    for index, (a, b) in enumerate(pairwise(edges)):
        size = b - a
        if size == 1:
            continue  # the silhouette of a cluster of one is 0
        cluster = values[a:b]
        # Sum of the distances to the smaller and to the greater values of the cluster.
        within = cluster * np.arange(-size, size, 2) + (sums[a] + sums[b]) - 2 * sums[a:b]
        within /= size - 1
        # In one dimension the nearest other cluster is a neighbour.
        neighbours = (*means[:index][-1:], *means[index + 1 :][:1])
        distances = [abs(cluster - mean) for mean in neighbours]
        apart = distances[0] if len(distances) == 1 else np.minimum(*distances)
        width = np.maximum(np.maximum(within, apart), _TINY)
        total += float(((apart - within) / width).sum())
    return total / len(values)

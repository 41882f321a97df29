"""kfeature: K-FeatureExtractor, 004 §5.2."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.blocks.measures import TEXT
from tamis.verdict.feature import OUTWEIGHED, SHORT, basket
from tamis.verdict.verdict import Verdict, verdict

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class KFeature:
    """Takes all blocks of the basket but those of the lowest cluster (004, Algorithm 4).

    The desired values of the basket are clustered by k-means, k being the one of `ks` with the
    better silhouette; first centroids stand at equidistant places of the sorted values.
    """

    desired: tuple[str, ...] = (TEXT,)
    ks: tuple[int, ...] = (2, 3)
    min_terms: int = 3
    weights: tuple[tuple[str, float], ...] = ()

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks above the lowest cluster as informative."""
        found = basket(blocks, self.desired, self.min_terms, MappingProxyType(dict(self.weights)))
        bound = cluster_bound(np.sort(found.value[found.inside]), self.ks)
        kept = found.inside & (found.value >= bound)
        why = np.where(kept, 0, np.where(found.inside, 1, np.where(found.short, 3, 2)))
        detail = np.where(why == 2, found.others, np.where(why == 3, found.terms, found.value))
        return verdict(
            found.value,
            kept,
            why,
            detail,
            "desired value {:.2f} is above the lowest cluster",
            "desired value {:.2f} is in the lowest cluster",
            OUTWEIGHED,
            SHORT,
        )


def cluster_bound(values: Floats, ks: tuple[int, ...]) -> float:
    """Return the least of the sorted values that is not in the lowest cluster.

    One value, or all equal: no clustering, the bound lets all through.
    """
    if len(values) == 0 or values[0] == values[-1]:
        return -np.inf
    cuts = [kmeans_cuts(values, k) for k in ks if k <= len(values)]
    best = max(cuts, key=lambda cut: silhouette(values, cut), default=np.array([0]))
    return float(values[best[0]])


def kmeans_cuts(values: Floats, k: int) -> NDArray[np.int64]:
    """Return where one-dimensional k-means cuts sorted values: the start of all but one cluster.

    Clusters of sorted values are slices, so a step of k-means is a binary search for the middles
    between centroids and a look at prefix sums.
    """
    ordered = values.tolist()
    sums = [0.0, *accumulate(ordered)]
    last = len(ordered) - 1
    centroids = [ordered[round(i * last / (k - 1))] for i in range(k)]
    edges: list[int] = []
    while True:
        middles = [(a + b) / 2 for a, b in pairwise(centroids)]
        moved = [0, *(bisect_right(ordered, middle) for middle in middles), len(ordered)]
        if moved == edges:
            return np.unique([edge for edge in edges[1:-1] if 0 < edge <= last])
        edges = moved
        centroids = [
            (sums[b] - sums[a]) / (b - a) if b > a else old
            for (a, b), old in zip(pairwise(edges), centroids, strict=True)
        ]


def silhouette(values: Floats, cuts: NDArray[np.int64]) -> float:
    """Return the mean silhouette of sorted values cut into clusters, by prefix sums."""
    edges = np.concatenate(([0], cuts, [len(values)]))
    if len(edges) < 3:
        return -1.0
    sums = np.concatenate(([0.0], np.cumsum(values)))
    cluster = np.repeat(np.arange(len(edges) - 1), np.diff(edges))
    low, high = edges[cluster], edges[cluster + 1]
    place = np.arange(len(values))
    below = values * (place - low) - (sums[place] - sums[low])
    above = (sums[high] - sums[place]) - values * (high - place)
    size = high - low
    within = (below + above) / np.maximum(size - 1, 1)
    apart = np.full(len(values), np.inf)
    # In one dimension the nearest other cluster is a neighbour.
    has_left, has_right = cluster > 0, cluster < len(edges) - 2
    left, right = np.maximum(cluster - 1, 0), np.minimum(cluster + 1, len(edges) - 2)
    means = np.diff(sums[edges]) / np.diff(edges)
    apart[has_left] = (values - means[left])[has_left]
    apart[has_right] = np.minimum(apart, means[right] - values)[has_right]
    width = np.maximum(within, apart)
    score = np.where((size > 1) & (width > 0), (apart - within) / np.where(width > 0, width, 1), 0.0)
    return float(score.mean())

"""kfeature: K-FeatureExtractor, 004 §5.2."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import TEXT, Blocks
from tamis.verdict.feature import OUTWEIGHED, SHORT, basket
from tamis.verdict.verdict import Verdict, build_verdict

Floats = NDArray[np.float64]

_TINY: Final = 1e-300  # against 0 / 0


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
        above = found.inside & (found.value >= bound)
        kept = above & ~found.short
        why = np.where(kept, 0, np.where(above, 3, np.where(found.inside, 1, 2)))
        detail = np.where(why == 2, found.others, np.where(why == 3, found.terms, found.value))
        return build_verdict(
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
    cuts = [kmeans_cuts(values, k) for k in ks if 1 < k <= len(values)]
    cuts = [cut for cut in cuts if len(cut)]
    if not cuts:
        return -np.inf
    best = max(cuts, key=lambda cut: silhouette(values, cut))
    return float(values[best[0]])


def kmeans_cuts(values: Floats, k: int) -> NDArray[np.int64]:
    """Return where one-dimensional k-means cuts sorted values: the start of all but one cluster.

    Clusters of sorted values are slices, so a step of k-means is a binary search for the middles
    between centroids and a look at prefix sums. Values that differ by rounding alone can make it
    run in circles: it ends when it comes to the same clusters a second time.
    """
    ordered = values.tolist()
    sums = [0.0, *accumulate(ordered)]
    last = len(ordered) - 1
    centroids = [ordered[round(i * last / (k - 1))] for i in range(k)]
    seen: set[tuple[int, ...]] = set()
    while True:
        middles = [(a + b) / 2 for a, b in pairwise(centroids)]
        edges = (0, *(bisect_right(ordered, middle) for middle in middles), len(ordered))
        if edges in seen:
            return np.unique([edge for edge in edges if 0 < edge <= last]).astype(np.int64)
        seen.add(edges)
        centroids = [
            (sums[b] - sums[a]) / (b - a) if b > a else old
            for (a, b), old in zip(pairwise(edges), centroids, strict=True)
        ]


def silhouette(values: Floats, cuts: NDArray[np.int64]) -> float:
    """Return the mean silhouette of sorted values cut into clusters, by prefix sums."""
    edges = [0, *cuts.tolist(), len(values)]
    if len(edges) < 3:
        return -1.0
    sums = np.concatenate(([0.0], np.cumsum(values)))
    means = [(sums[b] - sums[a]) / (b - a) for a, b in pairwise(edges)]
    total = 0.0
    for number, (a, b) in enumerate(pairwise(edges)):
        size = b - a
        if size == 1:
            continue  # the silhouette of a cluster of one is 0
        mine = values[a:b]
        # Distances to the values below and above in the cluster, summed.
        within = mine * np.arange(-size, size, 2) + (sums[a] + sums[b]) - 2 * sums[a:b]
        within /= size - 1
        # In one dimension the nearest other cluster is a neighbour.
        beside = [abs(mine - mean) for mean in (*means[:number][-1:], *means[number + 1 :][:1])]
        apart = beside[0] if len(beside) == 1 else np.minimum(*beside)
        width = np.maximum(np.maximum(within, apart), _TINY)
        total += float(((apart - within) / width).sum())
    return total / len(values)

"""kfeature: K-FeatureExtractor of Debnath et al. 2005 §5.2."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tamis
from helpers.growth import LINEAR, growth
from helpers.html_strategies import patient
from tamis.blocks import Blocks, TagSet
from tamis.verdict import (
    Feature,
    KFeature,
    fill_basket,
    find_cluster_bound,
    kmeans_boundaries,
    mean_silhouette,
)

# Whole numbers: sums are exact, so that both sides see the same means.
sorted_values = st.lists(st.integers(0, 60), min_size=3, max_size=40).map(
    lambda values: np.array(sorted(values), dtype=np.float64)
)


def blocks_of(*word_counts: int) -> Blocks:
    """Return blocks of so many words each."""
    return TagSet().segment(tamis.parse("".join(f"<p>{'word ' * n}</p>" for n in word_counts)))


def kept(blocks: Blocks, kfeature: KFeature = KFeature()) -> list[int]:  # noqa: B008
    return np.flatnonzero(kfeature.identify(blocks).informative).tolist()


def lloyd(values: list[float], k: int) -> list[list[float]]:
    """Return the clusters of k-means as Lloyd does it, value by value."""
    places = [round(i * (len(values) - 1) / (k - 1)) for i in range(k)]
    centroids = [values[place] for place in places]
    clusters: list[list[float]] = []
    while True:
        found: list[list[float]] = [[] for _ in range(k)]
        for value in values:
            found[nearest(value, centroids)].append(value)
        if found == clusters:
            return [cluster for cluster in clusters if cluster]
        clusters = found
        centroids = [
            sum(c) / len(c) if c else old for c, old in zip(clusters, centroids, strict=True)
        ]


def nearest(value: float, centroids: list[float]) -> int:
    """Return the nearest of sorted centroids, the lower of two that are as near."""
    borders = [(low + high) / 2 for low, high in pairwise(centroids)]
    return next((i for i, border in enumerate(borders) if value <= border), len(borders))


def literal_silhouette(clusters: list[list[float]]) -> float:
    """Return the mean over all values of (b − a) / max(a, b), 0 for a value alone."""
    scores: list[float] = []
    for number, cluster in enumerate(clusters):
        others = [c for i, c in enumerate(clusters) if i != number]
        for place, value in enumerate(cluster):
            rest = cluster[:place] + cluster[place + 1 :]
            a = sum(abs(value - other) for other in rest) / max(len(rest), 1)
            b = min(sum(abs(value - other) for other in c) / len(c) for c in others)
            width = max(float(a), float(b))
            scores.append((b - a) / width if rest and width else 0.0)
    return sum(scores) / len(scores)


def clusters_at(values: np.ndarray, cuts: np.ndarray) -> list[list[float]]:
    return [part.tolist() for part in np.split(values, cuts)]


@settings(patient, max_examples=300)
@given(values=sorted_values, k=st.sampled_from((2, 3)))
@example(values=np.array([6.0, 6, 6, 10, 18, 30]), k=3)  # two first centroids are equal
def test_clusters_are_those_of_lloyd(values: np.ndarray, k: int) -> None:
    assert clusters_at(values, kmeans_boundaries(values, k)) == lloyd(values.tolist(), k)


@patient
@given(values=sorted_values, cuts=st.sets(st.integers(1, 39), min_size=1, max_size=3))
def test_the_silhouette_is_that_of_its_definition(values: np.ndarray, cuts: set[int]) -> None:
    places = np.array(sorted(cut for cut in cuts if cut < len(values)), dtype=np.int64)
    if len(places):
        expected = literal_silhouette(clusters_at(values, places))
        assert mean_silhouette(values, places) == pytest.approx(expected, abs=1e-9)


@patient
@given(values=sorted_values)
def test_the_k_of_the_better_silhouette_decides(values: np.ndarray) -> None:
    found = [lloyd(values.tolist(), k) for k in (2, 3)]
    found = [clusters for clusters in found if len(clusters) > 1]
    bound = find_cluster_bound(values, (2, 3))
    if not found:
        assert bound == -np.inf
        return
    best = max(literal_silhouette(clusters) for clusters in found)
    good = [c for c in found if literal_silhouette(c) > best - 1e-9]
    assert bound in [clusters[1][0] for clusters in good]


def test_no_clustering_of_one_value_of_equal_values_or_of_none() -> None:
    for values in ([], [0.5], [0.5, 0.5, 0.5]):
        assert find_cluster_bound(np.array(values), (2, 3)) == -np.inf
    assert kept(blocks_of(7)) == [0]
    assert kept(blocks_of(7, 7, 7)) == [0, 1, 2]
    assert kept(blocks_of()) == []


def test_the_first_centroids_are_equidistant_places_of_the_sorted_values() -> None:
    values = np.array([0.0, 1, 2, 3, 10, 11, 12, 13, 100])
    assert kmeans_boundaries(values, 2).tolist() == [8]
    assert kmeans_boundaries(values, 3).tolist() == [4, 8]


def test_values_that_differ_by_rounding_alone_do_no_harm() -> None:
    least = float(np.spacing(0.1))
    for length in range(2, 12):
        for steps in range(1, 20):
            values = np.sort(0.1 + least * (np.arange(length) * steps % 7))
            assert find_cluster_bound(values, (2, 3)) <= values[-1]
    assert (
        find_cluster_bound(np.array([1.0, 1.0]) + np.spacing(1.0) * np.array([1, 2]), (2, 3)) <= 2
    )


def test_all_blocks_above_the_lowest_cluster_are_kept() -> None:
    blocks = blocks_of(4, 90, 5, 80, 3, 100, 6, 85)
    verdict = KFeature().identify(blocks)
    assert np.flatnonzero(verdict.informative).tolist() == [1, 3, 5, 7]
    assert verdict.reason(1) == "desired value 0.90 is above the lowest cluster"
    assert verdict.reason(0) == "desired value 0.04 is in the lowest cluster"


def test_two_of_three_clusters_are_kept() -> None:
    blocks = blocks_of(3, 4, 5, 50, 51, 52, 100, 99, 98)
    assert kept(blocks, KFeature(ks=(3,))) == [3, 4, 5, 6, 7, 8]
    assert kept(blocks, KFeature(ks=(2,))) == [6, 7, 8]
    assert kept(blocks, KFeature()) == [3, 4, 5, 6, 7, 8]


def test_the_basket_is_that_of_feature() -> None:
    html = "<p>one two three four <b>b</b></p><p>one two three</p><p>x</p><p>a b c d e f g h</p>"
    blocks = TagSet().segment(tamis.parse(html))
    found = fill_basket(blocks, ("text",), 3, {})
    assert found.inside.tolist() == [False, True, True, True]
    assert found.short.tolist() == [False, False, True, False]
    assert not KFeature().identify(blocks).informative[~found.inside | found.short].any()
    assert KFeature().identify(blocks).score.tolist() == Feature().identify(blocks).score.tolist()


def test_short_blocks_are_clustered_and_never_taken() -> None:
    blocks = blocks_of(1, 1, 1, 1, 2, 50, 55, 100)
    assert kept(blocks, KFeature()) == kept(blocks, KFeature(min_terms=0)) == [5, 6, 7]
    assert kept(blocks_of(1, 2, 2), KFeature()) == []


def test_other_features_can_be_asked_for() -> None:
    gallery = "".join(f"<div>{'<img>' * n}</div>" for n in (1, 9, 1, 8, 10))
    blocks = TagSet().segment(tamis.parse(gallery + "<p>some words here</p>"))
    assert kept(blocks, KFeature(("img",))) == [1, 3, 4]


def test_a_k_that_the_basket_is_too_small_for_is_left_out() -> None:
    assert kept(blocks_of(3, 100), KFeature(ks=(3,))) == [0, 1]
    assert kept(blocks_of(3, 100), KFeature(ks=(2, 3))) == [1]
    assert kept(blocks_of(3, 100), KFeature(ks=(1,))) == [0, 1]


def test_clustering_takes_linear_time() -> None:
    small, large = (np.sort(np.random.default_rng(1).random(n)) for n in (10_000, 80_000))
    assert (
        growth(lambda: find_cluster_bound(small, (2, 3)), lambda: find_cluster_bound(large, (2, 3)))
        < LINEAR
    )

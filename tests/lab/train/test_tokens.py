"""How weights of tokens are fitted: from which pages, and to what end."""

from __future__ import annotations

import numpy as np
import pytest

import tamis
from helpers.samples import SAMPLES, sample
from tamis.blocks import TagSet
from tamis.lab.train import (
    Example,
    average_forests,
    average_weights,
    build_forest,
    fit_fold_weights,
    fit_page_weights,
    token_matrix,
    weigh_blocks,
)
from tamis.verdict.learned import (
    BUCKETS,
    FIRST_FEATURES,
    PAGE_TYPES,
    TABLE_COUNT,
    extract_features,
    first_features,
    round_weights,
)

pytest.importorskip("scipy")

SUM = FIRST_FEATURES.index("tokens_sum")


def build_example(html: str, number: int, page_type: str | None = None) -> Example:
    """Return a page of a site of its own; content is what begins with "Story"."""
    features = extract_features(TagSet().segment(tamis.parse(html)))
    blocks, terms = features.context.blocks, features.context.terms
    is_content = [blocks.text(index).startswith("Story") for index in range(len(blocks))]
    target = np.array(is_content, dtype=np.float64)
    site = f"site{number}.example"
    return Example("set", site, site, page_type, "", features, target, weigh_blocks(terms))


def page_of(number: int, kind: str = "post") -> str:
    return (
        f"<body class='{kind}-page c{number}'><div class=crumbs><p>Home at last, number {number}"
        f"</div><div class='post-body'><p>Story of the day, part {number}, told in order."
        "</div><h2>Related stories</h2><div class=teaser><p>Another day, another tale</div>"
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_the_matrix_times_the_weights_is_the_feature(name: str) -> None:
    features = extract_features(TagSet().segment(sample(name)))
    size = len(features.context)
    example = Example("set", "x", "x", None, "", features, np.ones(size), np.ones(size))
    weights = round_weights(np.random.default_rng(3).normal(0, 0.3, (TABLE_COUNT, BUCKETS)))
    blocks = np.arange(size)[::2]
    sums = token_matrix(example, blocks) @ weights.tables.ravel()
    expected = first_features(features, weights)[SUM, blocks]
    np.testing.assert_allclose(sums, expected, rtol=1e-4, atol=1e-4)


def test_names_and_words_of_other_sites_tell_content_from_noise() -> None:
    examples = [build_example(page_of(number), number) for number in range(8)]
    draws = [(np.arange(len(example.target)), example.weight) for example in examples]
    halves = [fit_fold_weights(examples[half::2], draws[half::2]) for half in (0, 1)]
    weights = average_weights(halves)
    other = build_example(page_of(99), 99)
    sums = first_features(other.features, weights)[SUM]
    has_text = other.features.context.terms > 0
    assert sums[other.target > 0].min() > sums[has_text & (other.target == 0)].max() + 1


def test_a_token_of_few_sites_has_no_weight() -> None:
    examples = [build_example(page_of(number), 1) for number in range(8)]
    draws = [(np.arange(len(example.target)), example.weight) for example in examples]
    assert not fit_fold_weights(examples, draws).any()
    assert not fit_fold_weights([], []).any()


def test_tokens_of_a_page_tell_its_type() -> None:
    kinds = {"shop": "product", "thread": "forum"}
    examples = [
        build_example(page_of(number, kind), number * 2 + index, page_type)
        for number in range(8)
        for index, (kind, page_type) in enumerate(kinds.items())
    ]
    weights = fit_page_weights(examples)
    for kind, page_type in kinds.items():
        sums = weights.sums(build_example(page_of(50, kind), 50).features)
        assert PAGE_TYPES[int(np.argmax(sums))] == page_type


def test_pages_without_a_type_teach_none() -> None:
    weights = fit_page_weights([build_example(page_of(number), number) for number in range(8)])
    assert not weights.weights.any()
    assert not weights.bias.any()


def test_the_mean_of_forests_gives_the_mean_of_their_sums() -> None:
    def stump(feature: int, left: float, right: float) -> dict[str, object]:
        leaves = {"left_child": {"leaf_value": left}, "right_child": {"leaf_value": right}}
        return {"split_feature": feature, "threshold": 0.5, **leaves}

    names = ("a", "b")
    forests = [
        build_forest([stump(0, -1, 1), stump(1, 2, 4)], names),
        build_forest([stump(1, 10, 20)], names),
        build_forest([{"leaf_value": 3.0}], names),
    ]
    features = np.array([[0, 1, 0, 1], [0, 0, 1, 1]], dtype=np.float32)
    expected = np.mean([forest.sums(features) for forest in forests], axis=0)
    np.testing.assert_allclose(average_forests(forests).sums(features), expected, rtol=1e-6)

"""What follows from probabilities: stacked, candidate and confidence features, and reasons."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from helpers.html_strategies import pages
from helpers.samples import SAMPLES, sample
from tamis.blocks import TagSet
from tamis.page import Page
from tamis.verdict.learned import (
    BLOCK_FEATURES,
    CANDIDATE_FEATURES,
    PAGE_FEATURES,
    PAGE_TYPES,
    STACKED_FEATURES,
    STEPS,
    TYPE_FEATURES,
    WINDOWS,
    ExpertProbabilities,
    Features,
    choose_blocks,
    empty_page_weights,
    extract_features,
    type_features,
    write_stacked_features,
)

from .oracle import Oracle, Sums

Floats = NDArray[np.float64]


def made_up(features: Features, seed: int = 0) -> Floats:
    """Return probabilities by two experts, some of them equal."""
    dice = np.random.default_rng(seed)
    return np.round(dice.random((2, len(features.context))) ** 2, 2)


def expected_beliefs(oracle: Oracle, belief: Floats) -> dict[str, list[float]]:
    """Return means of the belief, weighted by terms, each over a set of blocks."""
    weight = [min(sums.terms, 500) + 0.5 for sums in oracle.each]
    values: dict[str, list[float]] = {}

    def add(name: str, some: list[int]) -> None:
        total = sum(belief[block] * weight[block] for block in some)
        values.setdefault(name, []).append(total / sum(weight[block] for block in some))

    every = range(oracle.size)
    classes = oracle.blocks.page.class_key[oracle.blocks.node].tolist()
    named = list(zip(oracle.paths, classes, strict=True))
    for block in every:
        for window in WINDOWS:
            add(f"belief_within_{window}", [b for b in every if abs(b - block) <= window])
        for level, row in enumerate(oracle.levels[block], start=1):
            add(f"belief_level_{level}", oracle.held(row))
        add("belief_path", [b for b in every if oracle.paths[b] == oracle.paths[block]])
        add("belief_named_path", [b for b in every if named[b] == named[block]])
        inner, outer = (oracle.record_around(block, place) for place in (0, -1))
        for name, record, alike in (
            ("belief_record", inner, False),
            ("belief_records", inner, True),
            ("belief_outer_records", outer, True),
        ):
            rows = [record] if record is not None else []
            if alike and record is not None:
                make = oracle.records[record]
                rows = [row for row in oracle.records if oracle.records[row] == make]
            add(name, [b for row in rows for b in oracle.held(row)] or [block])
    return values


def check_stacked(page: Page) -> None:
    blocks = TagSet().segment(page)
    if not len(blocks):
        return
    features = extract_features(blocks)
    belief, size = made_up(features)[0], len(blocks)
    columns = np.full((len(STACKED_FEATURES), size), np.nan, dtype=np.float32)
    write_stacked_features(features, belief, columns)
    oracle = Oracle(blocks)
    expected = expected_beliefs(oracle, belief)
    weight = np.array([min(sums.terms, 500) + 0.5 for sums in oracle.each])
    total = max(float(belief @ weight), 1e-9)
    order = sorted(range(size), key=lambda block: -belief[block])
    expected["belief"] = belief.tolist()
    expected["rank"] = [order.index(block) / size for block in range(size)]
    expected["belief_best"] = [float(belief.max())] * size
    expected["belief_share"] = [total / float(weight.sum())] * size
    sums = np.append(0.0, np.cumsum(belief * weight))
    expected["belief_before"] = (sums[:-1] / total).tolist()
    expected["belief_after"] = (1 - sums[1:] / total).tolist()
    for step in STEPS:
        there = [belief[b + step] if 0 <= b + step < size else -1.0 for b in range(size)]
        expected[f"belief_at_{step}"] = there
    assert set(expected) == set(STACKED_FEATURES)
    for name, row in zip(STACKED_FEATURES, columns, strict=True):
        np.testing.assert_allclose(row, expected[name], rtol=1e-5, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", SAMPLES)
def test_stacked_features_are_means_of_probabilities(name: str) -> None:
    check_stacked(sample(name))


@settings(deadline=None, max_examples=40)
@given(pages())
def test_stacked_features_of_any_tree(page: Page) -> None:
    check_stacked(page)


def find_runs(oracle: Oracle, kept: list[int]) -> list[list[int]]:
    """Return the blocks with text of an answer, in runs with at most three others in between."""
    runs: list[list[int]] = []
    for block in kept:
        if oracle.each[block].terms:
            if not runs or block - runs[-1][-1] > 4:
                runs.append([])
            runs[-1].append(block)
    return runs


def share(part: float, whole: float) -> float:
    return part / max(whole, 1)


def expected_candidates(features: Features, beliefs: Floats) -> dict[str, float]:
    """Return the candidate features, by sets of blocks."""
    oracle, headline = Oracle(features.context.blocks), features.headline
    column = dict(zip(BLOCK_FEATURES, features.matrix.astype(np.float64), strict=True))
    terms = features.context.terms
    choices = [choose_blocks(ExpertProbabilities(row[None], np.ones(1)), terms) for row in beliefs]
    article, other = (np.flatnonzero(choice.informative).tolist() for choice in choices)
    runs = find_runs(oracle, article)
    spoken = [block for run in runs for block in run]
    longest = max(runs, key=lambda run: oracle.sums(run).terms, default=[])
    run = [block for block in article if longest and longest[0] <= block <= longest[-1]]
    rest = [block for block in other if block not in run]

    def mean(values: Floats, some: list[int]) -> float:
        return share(float((values * terms)[some].sum()), oracle.sums(some).terms)

    def gap(some: list[int]) -> float:
        return float(np.clip(some[0] - headline, -50, 50)) if some and headline >= 0 else -60.0

    def span(some: list[int]) -> Sums:
        return oracle.sums(range(some[0], some[-1] + 1) if some else range(0))

    whole, others, in_run, in_rest = (oracle.sums(some) for some in (article, other, run, rest))
    both = oracle.sums(block for block in article if block in other)
    long = [block for block in spoken if oracle.each[block].long]
    match, heading = column["title_match"], np.array([sums.headings > 0 for sums in oracle.each])
    body = [block for block in run if column["title_match"][block] < 0.5]
    values = {
        "agreement": share(both.terms, others.terms),
        "runs": float(len(runs)),
        "dense": len(article) / (spoken[-1] - spoken[0] + 1 if spoken else 1),
        "dense_terms": share(whole.terms, span(spoken).terms),
        "gap": gap(spoken),
        "long_gap": gap(long),
        "headline_links": oracle.each[headline].link_density if headline >= 0 else -1.0,
        "headline_level": float(column["level"][headline]) if headline >= 0 else 10.0,
        "article_long": share(whole.long, whole.terms),
        "article_links": whole.link_density,
        "other_long": share(others.long, others.terms),
        "other_links": others.link_density,
        "article_with_headline": mean(column["with_headline_share"], article),
        "run_share": share(in_run.terms, whole.terms),
        "run_terms_per_block": share(in_run.terms, in_run.count),
        "run_dense": share(in_run.terms, span(run).terms),
        "run_ends": mean(column["ends_sentence"], run),
        "run_headings": share(in_run.headings, in_run.count),
        "run_links": in_run.link_density,
        "run_marks": share(in_run.marks, in_run.terms),
        "run_gap": gap(longest),
        "run_body_cover": max([0.0, *(float(column["title_cover"][b]) for b in body)]),
        "run_body_share": mean(column["title_share"], run),
        "rest_share": share(in_rest.terms, others.terms),
        "rest_links": in_rest.link_density,
        "rest_headings": share(in_rest.headings, in_rest.count),
        "rest_ends": mean(column["ends_sentence"], rest),
        "rest_long": share(in_rest.long, in_rest.terms),
        "headline_match": float(match[np.argmax(match + 0.25 * (heading & (match > 0.2)))]),
        "headline_follow": 0.0,
        "headline_repeats": 0.0,
    }
    if headline >= 0:
        near = oracle.sums(range(headline, min(headline + 21, oracle.size)))
        values["headline_follow"] = share(near.long, oracle.all.long)
        values["headline_repeats"] = float(np.count_nonzero(column["title_match"] > 0.5))
    for expert, choice, belief, answer in zip(
        ("article", "other"), choices, beliefs, (whole, others), strict=True
    ):
        values |= {
            f"{expert}_f1": choice.expected_f1,
            f"{expert}_kept": share(answer.terms, oracle.all.terms),
            f"{expert}_log_terms": math.log1p(answer.terms),
            f"{expert}_mean_belief": share(float(belief @ terms), oracle.all.terms),
            f"{expert}_best_belief": float(belief.max()),
            f"{expert}_cut": choice.threshold,
            f"{expert}_run_belief": mean(belief, run),
            f"{expert}_rest_belief": mean(belief, rest),
        }
    return values


def check_candidates(page: Page) -> None:
    blocks = TagSet().segment(page)
    if not len(blocks):
        return
    features = extract_features(blocks)
    for seed in range(3):
        beliefs = made_up(features, seed)
        row = type_features(features, beliefs, empty_page_weights(len(PAGE_TYPES)))
        values = dict(zip(TYPE_FEATURES, row.tolist(), strict=True))
        expected = expected_candidates(features, beliefs)
        assert set(expected) == set(CANDIDATE_FEATURES)
        for name in CANDIDATE_FEATURES:
            assert values[name] == pytest.approx(expected[name], rel=1e-5, abs=1e-6), name
        page_row = row[: len(PAGE_FEATURES)]
        np.testing.assert_allclose(page_row, features.page_features, rtol=1e-6)


@pytest.mark.parametrize("name", SAMPLES)
def test_candidate_features_of_a_sample(name: str) -> None:
    check_candidates(sample(name))


@settings(deadline=None, max_examples=40)
@given(pages())
def test_candidate_features_of_any_tree(page: Page) -> None:
    check_candidates(page)


def test_columns_of_another_length_are_refused() -> None:
    features = extract_features(TagSet().segment(sample("docs")))
    size = len(features.context)
    matrix = np.empty((len(STACKED_FEATURES), size), dtype=np.float32)
    with pytest.raises(ValueError, match="one probability per block"):
        write_stacked_features(features, np.zeros(size - 1), matrix)
    with pytest.raises(ValueError, match="one row per stacked feature"):
        write_stacked_features(features, np.zeros(size), matrix[1:])
    with pytest.raises(ValueError, match="one column per block"):
        type_features(features, np.zeros((2, size + 1)), empty_page_weights(len(PAGE_TYPES)))
    experts = ExpertProbabilities(np.zeros((2, size)), np.array((0.5, 0.5)))
    with pytest.raises(ValueError, match="for every block"):
        choose_blocks(experts, np.zeros(size - 1))

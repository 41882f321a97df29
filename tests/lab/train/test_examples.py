"""Examples: what the learned method learns from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tamis
from helpers.labelled import labelled_page, write_labelled
from tamis.blocks import TagSet
from tamis.lab.datasets import load
from tamis.lab.gold import informative_blocks, placed_words, shares, words
from tamis.lab.train import MAX_WEIGHT_TERMS, compute_target, read_examples, weigh_blocks
from tamis.verdict.learned import extract_features

pytest.importorskip("rapidfuzz")


def test_the_target_is_the_mean_of_alignment_and_best_answer() -> None:
    html, gold = labelled_page(1)
    blocks = TagSet().segment(tamis.parse(html + "<p>the river is not in the valley</p>"))
    target = compute_target(extract_features(blocks), gold)
    aligned = shares(placed_words(blocks), words(gold))
    expected = (aligned + informative_blocks(blocks, gold)) / 2
    np.testing.assert_allclose(target, expected)
    text = [blocks.text(n) for n in range(len(blocks))]
    assert [target[n] for n in range(len(blocks)) if text[n] in gold] == [1, 1]
    assert target.sum() < 3


def test_without_gold_nothing_is_content() -> None:
    features = extract_features(TagSet().segment(tamis.parse("<p>one<p>two")))
    assert compute_target(features, " … ").tolist() == [0, 0]


def test_blocks_weigh_as_much_as_they_say() -> None:
    weight = weigh_blocks(np.array([0.0, 9, MAX_WEIGHT_TERMS, 10 * MAX_WEIGHT_TERMS]))
    assert weight[1] / weight[0] == pytest.approx(10)
    assert weight[2] == weight[3]
    assert weight.sum() ** 2 == pytest.approx(1 + 10 + 2 * (MAX_WEIGHT_TERMS + 1))
    double = weigh_blocks(np.array([0.0, 9, MAX_WEIGHT_TERMS, 10 * MAX_WEIGHT_TERMS] * 4))
    assert double.sum() == pytest.approx(2 * weight.sum())  # less than four times


def test_examples_are_the_pages_with_blocks(tmp_path: Path) -> None:
    dataset = load(str(write_labelled(tmp_path / "tiny", 6)))
    examples = list(read_examples(dataset))
    assert [example.group for example in examples] == [
        f"site{number}.example" for number in range(6)
    ]
    for example in examples:
        assert example.f1(example.target > 0.5) == 1
        assert example.f1(example.target > 2) == 0

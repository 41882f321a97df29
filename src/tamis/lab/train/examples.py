"""Examples: pages with the features of their blocks and how much of each block is content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import TagSet
from tamis.errors import InputError
from tamis.lab.datasets import Dataset, Item
from tamis.lab.gold import MIN_SHARE, improve_blocks, matched_shares, owned_words, words
from tamis.lab.metrics.text import word_counts
from tamis.lab.train.shared import Track
from tamis.page import Bools, parse
from tamis.verdict.learned import Features, extract_features

MAX_WEIGHT_TERMS: Final = 60  # of a block: a longer one weighs no more

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Example:
    """A page to learn from."""

    id: str
    group: str  # the site; pages of one site are in one fold
    page_type: str | None
    gold: str
    features: Features
    target: Floats  # the share of each block that is content
    weight: Floats  # of each block; 0 on a page without content to learn from
    is_copy: bool = False  # an altered page, on which no model is judged

    def f1(self, informative: Bools) -> float:
        """Return the word F1 of an answer that consists of these blocks."""
        blocks = self.features.context.blocks
        text = "\n".join(blocks.text(index) for index in np.flatnonzero(informative).tolist())
        return word_counts(text, self.gold).f1


def read_examples(dataset: Dataset, track: Track = iter) -> Iterator[Example]:
    """Yield the pages of a data set that have blocks."""
    if dataset.truth != "text":
        raise InputError(f"the learned method learns from main_content: {dataset.name} has none")
    for item in track(dataset.items):
        example = build_example(item, item.html)
        if example is not None:
            yield example


def build_example(item: Item, html: str) -> Example | None:
    """Return a page to learn from, or None if it has no blocks."""
    blocks = TagSet().segment(parse(html, deadline=None))
    if not len(blocks):
        return None
    features = extract_features(blocks)
    gold = item.gold["main_content"]
    target = compute_target(features, gold)
    weight = weigh_blocks(features.context.terms) * bool(target.any())
    page_type = item.gold.get("page_type")
    return Example(item.id, item.group, page_type, gold, features, target, weight)


def compute_target(features: Features, gold: str) -> Floats:
    """Return the share of each block that is content.

    It is the mean of two: the share of a block's words that are aligned with the gold, and whether
    the block is in the answer with the best word F1.
    """
    page_words, gold_words = owned_words(features.context.blocks), words(gold)
    if not gold_words:
        return np.zeros(len(features.context))
    aligned = matched_shares(page_words, gold_words)
    return (aligned + improve_blocks(page_words, gold_words, aligned >= MIN_SHARE)) / 2


def weigh_blocks(terms: Floats) -> Floats:
    """Return the weights of a page's blocks: by their terms, and lower on a page with many."""
    weight = np.minimum(terms, MAX_WEIGHT_TERMS) + 1.0
    return np.asarray(weight / np.sqrt(weight.sum()))

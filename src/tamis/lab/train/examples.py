"""Examples: pages with the evidence on their blocks and what the truth says of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import TagSet
from tamis.errors import InputError
from tamis.lab.datasets import Dataset, Item
from tamis.lab.gold import MIN_SHARE, improved, placed_words, shares, words
from tamis.lab.metrics.text import word_counts
from tamis.lab.train.steps import Watch
from tamis.page import parse
from tamis.verdict.learned import STACKED_FEATURES, Features, extract_features

MOST_TERMS: Final = 60  # of a block: a longer one weighs no more

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Example:
    """A page to learn from."""

    id: str
    group: str  # the site; pages of one site are in one fold
    page_type: str | None
    gold: str
    found: Features
    target: Floats  # of each block: how much of it is content
    weight: Floats  # of each block; nothing where the page has no content to learn from
    copy: bool = False  # of a page, changed; the model is not judged on it

    def f1(self, kept: NDArray[np.bool_]) -> float:
        """Return the word F1 of an answer that keeps these blocks."""
        blocks = self.found.context.blocks
        text = "\n".join(blocks.text(index) for index in np.flatnonzero(kept).tolist())
        return word_counts(text, self.gold).f1


def examples_of(dataset: Dataset, watch: Watch = iter) -> Iterator[Example]:
    """Yield the pages of a data set that have blocks."""
    if dataset.truth != "text":
        raise InputError(f"the learned method learns from main_content: {dataset.name} has none")
    for item in watch(dataset.items):
        found = example_of(item, item.html)
        if found is not None:
            yield found


def example_of(item: Item, html: str) -> Example | None:
    """Return a page to learn from, or None if it has no blocks."""
    blocks = TagSet().segment(parse(html, deadline=None))
    if not len(blocks):
        return None
    found = extract_features(blocks, len(STACKED_FEATURES))
    target = content_shares(found, item.gold["main_content"])
    weight = block_weights(found.context.terms) * bool(target.any())
    kind = item.gold.get("page_type")
    gold = item.gold["main_content"]
    return Example(item.id, item.group, kind, gold, found, target, weight)


def content_shares(found: Features, gold: str) -> Floats:
    """Return how much of each block is content: by alignment, and by the best page F1."""
    placed, wanted = placed_words(found.context.blocks), words(gold)
    if not wanted:
        return np.zeros(len(found.context))
    aligned = shares(placed, wanted)
    return (aligned + improved(placed, wanted, aligned >= MIN_SHARE)) / 2


def block_weights(terms: Floats) -> Floats:
    """Return the weights of a page's blocks: by their terms, less on a page with many."""
    weight = np.minimum(terms, MOST_TERMS) + 1.0
    return np.asarray(weight / np.sqrt(weight.sum()))

"""Examples: pages with the features of their blocks and how much of each block is content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import TagSet
from tamis.errors import InputError
from tamis.lab.datasets import Dataset, Item
from tamis.lab.gold import MIN_SHARE, improve_blocks, matched_shares, owned_words, words
from tamis.lab.metrics.text import squeeze, word_counts
from tamis.lab.train.shared import Track
from tamis.page import Bools, parse
from tamis.verdict.learned import Features, extract_features

MAX_WEIGHT_TERMS: Final = 60  # of a block: a longer one weighs no more
_SNIPPET_WEIGHT: Final = 3.0  # of a block that a snippet labels: a page has only a few of them
_MAX_SNIPPET_BLOCKS: Final = 2  # that hold a snippet of content, for it to label them

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Example:
    """A page to learn from."""

    dataset: str  # its name
    id: str
    group: str  # the site; pages of one site are in one fold
    page_type: str | None
    gold: str | None  # text of the content, None where only snippets of it are known
    features: Features
    target: Floats  # the share of each block that is content
    weight: Floats  # of each block; 0 on a page without content to learn from
    tokens: str = "words"  # how words of the page are counted
    is_copy: bool = False  # an altered page, on which no model is judged

    @property
    def is_judged(self) -> bool:
        """Whether the answer of a model that has not seen the page can be measured in words."""
        return self.gold is not None and not self.is_copy

    def f1(self, informative: Bools) -> float:
        """Return the word F1 of an answer that consists of these blocks."""
        blocks = self.features.context.blocks
        text = "\n".join(blocks.text(index) for index in np.flatnonzero(informative).tolist())
        return word_counts(text, self.gold or "", self.tokens).f1


def read_examples(dataset: Dataset, track: Track = iter) -> Iterator[Example]:
    """Yield the pages of a data set that have blocks."""
    build = {"text": build_example, "posts": build_example, "snippets": _build_snippet_example}
    if dataset.truth not in build:
        raise InputError(
            f"the learned method learns from main_content or snippets: {dataset.name} has none"
        )
    for item in track(dataset.items):
        example = build[dataset.truth](dataset.name, item, item.html)
        if example is not None:
            yield example


def build_example(dataset: str, item: Item, html: str) -> Example | None:
    """Return a page to learn from, or None if it has no blocks."""
    blocks = TagSet().segment(parse(html, deadline=None))
    if not len(blocks):
        return None
    features = extract_features(blocks)
    gold = item.gold["main_content"]
    target = compute_target(features, gold)
    weight = weigh_blocks(features.context.terms) * bool(target.any())
    page_type = item.gold.get("page_type")
    return Example(
        dataset, item.id, item.group, page_type, gold, features, target, weight, item.tokens
    )


def _build_snippet_example(dataset: str, item: Item, html: str) -> Example | None:
    """Return a page of which only the blocks with snippets are learned from."""
    blocks = TagSet().segment(parse(html, deadline=None))
    if not len(blocks):
        return None
    target, is_labelled = label_snippets(
        [blocks.text(index) for index in range(len(blocks))],
        item.gold["with"],
        [*item.gold["without"], *(item.gold.get("comments") or ())],
    )
    weight = np.where(is_labelled, _SNIPPET_WEIGHT, 0.0)
    features = extract_features(blocks)
    return Example(dataset, item.id, item.group, None, None, features, target, weight, item.tokens)


def label_snippets(
    texts: Sequence[str], wanted: Sequence[str], unwanted: Sequence[str]
) -> tuple[Floats, Bools]:
    """Return for each text whether it holds wanted snippets, and whether it holds any.

    A text that holds both has no label, and a wanted snippet that stands in many texts labels none.
    """
    squeezed = [squeeze(text) for text in texts]
    holds = np.zeros((2, len(texts)), dtype=np.bool_)
    for row, snippets in enumerate((unwanted, wanted)):
        for snippet in filter(None, map(squeeze, snippets)):
            matches = [index for index, text in enumerate(squeezed) if snippet in text]
            if row == 0 or len(matches) <= _MAX_SNIPPET_BLOCKS:
                holds[row, matches] = True
    return holds[1].astype(np.float64), holds[0] != holds[1]


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

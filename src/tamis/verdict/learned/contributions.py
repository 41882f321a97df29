"""Contributions: which features decided about one block."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from tamis.blocks import Blocks
from tamis.verdict.learned.features import extract_features, first_features
from tamis.verdict.learned.learned import (
    FIRST_FEATURES,
    article_probability,
    first_probabilities,
    shipped_model,
    type_features,
    type_probabilities,
)

_MIN_CONTRIBUTION: Final = 0.05  # log odds; less is not worth a line


class Contribution(NamedTuple):
    """A feature of a block, and what it adds to the log odds of content."""

    name: str
    value: float
    typical: float  # the median over the blocks of the page
    log_odds: float  # the block's, less what they would be with the typical value


def find_contributions(blocks: Blocks, index: int, count: int = 8) -> list[Contribution]:
    """Return the features that decided most about a block, by the first forests.

    Each feature in turn is given the value that is typical of the page; what the log odds lose or
    gain is its contribution. Features that go together share theirs.
    """
    model, features = shipped_model(), extract_features(blocks)
    firsts = (model.article.first, model.other.first)
    probabilities = first_probabilities(firsts, model.tokens, features)
    matrix = first_features(features, model.tokens)
    values = type_features(features, probabilities, model.page_tokens)
    types = type_probabilities(model.types, values)
    article = article_probability(model.plain, features, values, types)
    typical = np.median(matrix, axis=1)
    variants = np.repeat(matrix[:, index : index + 1], len(FIRST_FEATURES) + 1, axis=1)
    rows = np.arange(len(FIRST_FEATURES))
    variants[rows, rows] = typical
    variants = np.ascontiguousarray(variants, dtype=matrix.dtype)
    sums = article * model.article.first.sums(variants)[0]
    sums = sums + (1 - article) * model.other.first.sums(variants)[0]
    gains = sums[-1] - sums[:-1]
    order = np.argsort(-np.abs(gains))[:count]
    return [
        Contribution(
            FIRST_FEATURES[row],
            float(matrix[row, index]),
            float(typical[row]),
            float(gains[row]),
        )
        for row in order.tolist()
        if abs(gains[row]) >= _MIN_CONTRIBUTION
    ]

"""Candidate features: what the answers of both experts are like, to tell which one fits the page.

An answer that is one run of sentences below a headline that matches the page's title is that of an
article, however short it is and whatever is around it.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.verdict.kernel.answers import find_run, run_cover, sum_answers
from tamis.verdict.learned.features import BLOCK_FEATURES, Features
from tamis.verdict.learned.threshold import Choice, ExpertProbabilities, choose_blocks
from tamis.verdict.learned.title_features import TITLE_PAGE_FEATURES
from tamis.verdict.verdict import Floats

_EXPERTS: Final = ("article", "other")
_RUN_MEASURES: Final = (
    "share terms_per_block dense ends headings links marks gap body_cover body_share".split()
)
_REST_MEASURES: Final = "share links headings ends long".split()
# Names of model files: "belief" is a probability, "cut" a threshold.
_PROBABILITY_MEASURES: Final = (
    "f1 kept log_terms mean_belief best_belief cut run_belief rest_belief".split()
)
# Features that depend neither on the length of the article nor on the level of probabilities.
SHAPE_FEATURES: Final = (
    *"agreement runs dense dense_terms gap long_gap".split(),
    *"headline_links headline_level".split(),
    *(f"{expert}_{measure}" for expert in _EXPERTS for measure in ("long", "links")),
    "article_with_headline",
    *(f"run_{measure}" for measure in _RUN_MEASURES),
    *(f"rest_{measure}" for measure in _REST_MEASURES),
    *TITLE_PAGE_FEATURES,
)
CANDIDATE_FEATURES: Final = (
    *SHAPE_FEATURES,
    *(f"{expert}_{measure}" for expert in _EXPERTS for measure in _PROBABILITY_MEASURES),
)
_MAX_GAP: Final = 50  # blocks
_NO_GAP: Final = -60.0  # if there is no headline
_SUMMED_FEATURES: Final = ("ends_sentence", "with_headline_share", "title_share")
_SUMMED_ROWS: Final = np.array([BLOCK_FEATURES.index(name) for name in _SUMMED_FEATURES])
_MATCH_ROW: Final = BLOCK_FEATURES.index("title_match")
_COVER_ROW: Final = BLOCK_FEATURES.index("title_cover")
_LEVEL_ROW: Final = BLOCK_FEATURES.index("level")


def compute_candidate_features(features: Features, probabilities: Floats) -> NDArray[np.float32]:
    """Return the candidate features, one value per name of `CANDIDATE_FEATURES`.

    `probabilities` has one row for the expert on articles and one for the expert on other pages.
    """
    totals, matrix, terms = features.context.totals, features.matrix, features.context.terms
    choices = [
        choose_blocks(ExpertProbabilities(row[None], np.ones(1)), terms) for row in probabilities
    ]
    article, other = (choice.informative.view(np.uint8) for choice in choices)
    bounds, sums = np.empty(5, dtype=np.int64), np.zeros((5, 8 + len(_SUMMED_FEATURES) + 2))
    run_count = find_run(totals, article, bounds)
    sum_answers(totals, matrix, _SUMMED_ROWS, probabilities, article, other, bounds, sums)
    cover = run_cover(article, bounds, matrix[_MATCH_ROW], matrix[_COVER_ROW])
    sum_rows = sums.tolist()
    values = _shape_features(features, bounds.tolist(), run_count, cover, sum_rows)
    for expert, choice in enumerate(choices):
        values += _probability_features(choice, features.context.all_terms, sum_rows, expert)
    return np.array(values, dtype=np.float32)


def _shape_features(
    features: Features, bounds: list[int], run_count: int, cover: float, sums: list[list[float]]
) -> list[float]:
    """Return the features of `SHAPE_FEATURES`."""
    context, matrix = features.context, features.matrix
    article, other, both, run, rest = sums
    first, first_long, last, run_first, run_last = bounds
    totals = context.totals[0]
    span = float(totals[last + 1] - totals[first]) if run_count else 0.0
    run_span = float(totals[run_last + 1] - totals[run_first]) if run_count else 0.0
    headline = features.headline.block

    def gap(block: int) -> float:
        if min(block, headline) < 0:
            return _NO_GAP
        return float(max(-_MAX_GAP, min(block - headline, _MAX_GAP)))

    return [
        both[1] / max(other[1], 1.0),
        float(run_count),
        article[0] / max(last - first + 1, 1),
        article[1] / max(span, 1.0),
        gap(first),
        gap(first_long),
        float(context.link_density[headline]) if headline >= 0 else -1.0,
        float(matrix[_LEVEL_ROW, headline]) if headline >= 0 else 10.0,
        article[5] / max(article[1], 1.0),
        article[2] / max(article[3], 1.0),
        other[5] / max(other[1], 1.0),
        other[2] / max(other[3], 1.0),
        article[9] / max(article[1], 1.0),
        run[1] / max(article[1], 1.0),
        run[1] / max(run[0], 1.0),
        run[1] / max(run_span, 1.0),
        run[8] / max(run[1], 1.0),
        run[6] / max(run[0], 1.0),
        run[2] / max(run[3], 1.0),
        run[4] / max(run[1], 1.0),
        gap(run_first),
        cover,
        run[10] / max(run[1], 1.0),
        rest[1] / max(other[1], 1.0),
        rest[2] / max(rest[3], 1.0),
        rest[6] / max(rest[0], 1.0),
        rest[8] / max(rest[1], 1.0),
        rest[5] / max(rest[1], 1.0),
        *features.headline[1:],
    ]


def _probability_features(
    choice: Choice, all_terms: float, sums: list[list[float]], expert: int
) -> list[float]:
    """Return how probable and how long the answer of an expert is."""
    answer, run, rest = sums[expert], sums[3], sums[4]
    return [
        choice.expected_f1,
        answer[1] / all_terms,
        math.log1p(answer[1]),
        choice.expected_terms / all_terms,
        choice.best_probability,
        choice.threshold,
        run[-2 + expert] / max(run[1], 1.0),
        rest[-2 + expert] / max(rest[1], 1.0),
    ]

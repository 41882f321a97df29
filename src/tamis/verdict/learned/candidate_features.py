"""What two answers are like, the one of an article and the one of another page: which fits?

An answer that keeps one run of sentences below a headline that is the page's title is that of an
article, however short it is and whatever stands around it.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.verdict.kernel.answers import find_run, run_cover, sum_answers
from tamis.verdict.learned import name_features
from tamis.verdict.learned.features import BLOCK_FEATURES as COLUMNS
from tamis.verdict.learned.features import Features
from tamis.verdict.learned.threshold import Choice, ExpertProbabilities, Floats, choose_blocks

RUN: Final = "share terms_per_block dense ends headings links marks gap body_cover body_share"
# What does not depend on how long the article is and how sure the beliefs are.
SHAPE: Final = (
    *"agreement runs dense dense_terms gap long_gap".split(),
    *"headline_links headline_level".split(),
    *(f"{view}_{what}" for view in ("article", "other") for what in ("long", "links")),
    "article_with_headline",
    *(f"run_{what}" for what in RUN.split()),
    *(f"rest_{what}" for what in "share links headings ends long".split()),
    *name_features.TITLE_PAGE_FEATURES,
)
CANDIDATE_FEATURES: Final = (
    *SHAPE,
    *(
        f"{view}_{what}"
        for view in ("article", "other")
        for what in "f1 kept log_terms mean_belief best_belief cut run_belief rest_belief".split()
    ),
)
FAR: Final = 50  # blocks
NONE: Final = -60.0  # where there is no headline
_TOLD = ("ends_sentence", "with_headline_share", "title_share")


def compute_candidate_features(found: Features, beliefs: Floats) -> NDArray[np.float32]:
    """Return what the answers by two views are like, one value a name.

    `beliefs` has a row for articles and a row for other pages.
    """
    frame, terms = found.frame, found.frame.terms
    cuts = [choose_blocks(ExpertProbabilities(belief[None], _SURE), terms) for belief in beliefs]
    article, other = (cut.kept.view(np.uint8) for cut in cuts)
    bounds, sums = np.empty(5, dtype=np.int64), np.zeros((5, 8 + len(_TOLD) + 2))
    runs = find_run(frame.totals, article, bounds)
    sum_answers(frame.totals, found.columns, _TOLD_AT, beliefs, article, other, bounds, sums)
    cover = run_cover(article, bounds, found.columns[_MATCH_AT], found.columns[_COVER_AT])
    summed = sums.tolist()
    values = shape(found, bounds.tolist(), runs, cover, summed)
    for place, cut in enumerate(cuts):
        values += sureness(cut, frame.all_terms, summed, place)
    return np.array(values, dtype=np.float32)


def shape(
    found: Features, bounds: list[int], runs: int, cover: float, sums: list[list[float]]
) -> list[float]:
    """Return what the answers are like, in the order of `SHAPE`."""
    frame, columns = found.frame, found.columns
    article, other, both, in_run, rest = sums
    first, first_long, last, run_first, run_last = bounds
    totals = frame.totals[0]
    span = float(totals[last + 1] - totals[first]) if runs else 0.0
    run_span = float(totals[run_last + 1] - totals[run_first]) if runs else 0.0
    headline = found.headline.block

    def gap(block: int) -> float:
        return float(max(-FAR, min(block - headline, FAR))) if min(block, headline) >= 0 else NONE

    return [
        both[1] / max(other[1], 1.0),
        float(runs),
        article[0] / max(last - first + 1, 1),
        article[1] / max(span, 1.0),
        gap(first),
        gap(first_long),
        float(frame.link_density[headline]) if headline >= 0 else -1.0,
        float(columns[_LEVEL_AT, headline]) if headline >= 0 else 10.0,
        article[5] / max(article[1], 1.0),
        article[2] / max(article[3], 1.0),
        other[5] / max(other[1], 1.0),
        other[2] / max(other[3], 1.0),
        article[9] / max(article[1], 1.0),
        in_run[1] / max(article[1], 1.0),
        in_run[1] / max(in_run[0], 1.0),
        in_run[1] / max(run_span, 1.0),
        in_run[8] / max(in_run[1], 1.0),
        in_run[6] / max(in_run[0], 1.0),
        in_run[2] / max(in_run[3], 1.0),
        in_run[4] / max(in_run[1], 1.0),
        gap(run_first),
        cover,
        in_run[10] / max(in_run[1], 1.0),
        rest[1] / max(other[1], 1.0),
        rest[2] / max(rest[3], 1.0),
        rest[6] / max(rest[0], 1.0),
        rest[8] / max(rest[1], 1.0),
        rest[5] / max(rest[1], 1.0),
        *found.headline[1:],
    ]


def sureness(cut: Choice, all_terms: float, sums: list[list[float]], place: int) -> list[float]:
    """Return how sure and how long the answer by a view is."""
    kept, run, rest = sums[place], sums[3], sums[4]
    return [
        cut.expected_f1,
        kept[1] / all_terms,
        math.log1p(kept[1]),
        cut.expected_terms / all_terms,
        cut.best_chance,
        cut.threshold,
        run[-2 + place] / max(run[1], 1.0),
        rest[-2 + place] / max(rest[1], 1.0),
    ]


_SURE = np.ones(1)
_TOLD_AT = np.array([COLUMNS.index(name) for name in _TOLD])
_MATCH_AT, _COVER_AT = COLUMNS.index("title_match"), COLUMNS.index("title_cover")
_LEVEL_AT = COLUMNS.index("level")

"""What two answers are like, the one of an article and the one of another page: which fits?

An answer that keeps one run of sentences below a headline that is the page's title is that of an
article, however short it is and whatever stands around it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.verdict.cut import Cut, Floats, Views, best_cut
from tamis.verdict.evidence import titles
from tamis.verdict.evidence.columns import NAMES as COLUMNS
from tamis.verdict.evidence.columns import Evidence
from tamis.verdict.kernel.answers import find_run, sum_answers

RUN: Final = "share terms_per_block dense ends headings links marks gap body_cover body_share"
# What does not depend on how long the article is and how sure the beliefs are.
SHAPE: Final = (
    *"agreement runs dense dense_terms gap long_gap".split(),
    *"headline_links headline_level".split(),
    *(f"{view}_{what}" for view in ("article", "other") for what in ("long", "links")),
    "article_with_headline",
    *(f"run_{what}" for what in RUN.split()),
    *(f"rest_{what}" for what in "share links headings ends long".split()),
    *titles.PAGE_NAMES,
)
NAMES: Final = (
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


def answers(found: Evidence, beliefs: Floats) -> NDArray[np.float32]:
    """Return what the answers by two views are like, one value a name.

    `beliefs` has a row for articles and a row for other pages.
    """
    frame, terms = found.frame, found.frame.terms
    cuts = [best_cut(Views(belief[None], _SURE), terms) for belief in beliefs]
    article, other = (cut.kept for cut in cuts)
    told = np.empty((len(_TOLD) + 2, len(frame)))
    told[:-2] = found.columns[_TOLD_AT]
    told[-2:] = beliefs
    bounds = np.empty(5, dtype=np.int64)
    runs = find_run(frame.totals, article.view(np.uint8), bounds)
    run = np.zeros(len(frame), dtype=np.bool_)
    if runs:
        run[bounds[3] : bounds[4] + 1] = article[bounds[3] : bounds[4] + 1]
    sums = np.zeros((5, 8 + len(told)))
    both = article.view(np.uint8), other.view(np.uint8)
    sum_answers(frame.totals, told, *both, bounds, sums)
    values = shape(found, bounds, runs, run, sums)
    for place, cut in enumerate(cuts):
        values += sureness(cut, beliefs[place], terms, sums, place)
    return np.array(values, dtype=np.float32)


def shape(
    found: Evidence, bounds: NDArray[np.int64], runs: int, run: NDArray[np.bool_], sums: Floats
) -> list[float]:
    """Return what the answers are like, in the order of `SHAPE`."""
    frame, columns = found.frame, found.columns
    article, other, both, in_run, rest = sums
    first, first_long, last, run_first, run_last = bounds.tolist()
    totals = frame.totals[0]
    span = totals[last + 1] - totals[first] if runs else 0.0
    run_span = totals[run_last + 1] - totals[run_first] if runs else 0.0
    after = columns[_AFTER_AT]
    headline = int(np.argmin(np.abs(after))) if after[0] > -101 else -1

    def gap(block: int) -> float:
        return float(max(-FAR, min(block - headline, FAR))) if min(block, headline) >= 0 else NONE

    body = run & (columns[_MATCH_AT] < 0.5)
    cover = float(columns[_COVER_AT][body].max(initial=0.0))
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
        *found.headline,
    ]


def sureness(cut: Cut, belief: Floats, terms: Floats, sums: Floats, place: int) -> list[float]:
    """Return how sure and how long the answer by a view is."""
    kept, run, rest = sums[place], sums[3], sums[4]
    all_terms = max(float(terms.sum()), 1.0)
    return [
        cut.expected_f1,
        kept[1] / all_terms,
        float(np.log1p(kept[1])),
        float(belief @ terms) / all_terms,
        float(belief.max(initial=0.0)),
        cut.threshold,
        run[-2 + place] / max(run[1], 1.0),
        rest[-2 + place] / max(rest[1], 1.0),
    ]


_SURE = np.ones(1)
_TOLD_AT = [COLUMNS.index(name) for name in _TOLD]
_AFTER_AT = COLUMNS.index("after_headline")
_MATCH_AT, _COVER_AT = COLUMNS.index("title_match"), COLUMNS.index("title_cover")
_LEVEL_AT = COLUMNS.index("level")

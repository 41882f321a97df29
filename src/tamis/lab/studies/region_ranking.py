"""A learned ranking of the regions of a page, to hold the rank score of `records` against.

The weights maximise the expected record F1 of a soft choice between the regions of each page. They
are drawn towards those of the rank score, which is the product of two features.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

import tamis
from tamis.errors import unavailable
from tamis.lab.datasets import Item
from tamis.lab.metrics.records import record_counts
from tamis.records import (
    Region,
    candidate_regions,
    drop_separators,
    find_search_queries,
    row_interest,
)

_MAX_REGIONS: Final = 40  # of a page, the best by rank score
_SHARPNESS: Final = 3.0  # of the soft choice that begins with the rank score
PENALTIES: Final = (0.3, 1.0)  # on the distance of the weights from those of the rank score
FEATURES: Final = (
    "score",  # as the rank score has it
    "query",
    "records",
    "cells in common",
    "spread of the records' weights",
    "links",
    "different texts",
    "a column of different texts",
    "position",
    "weight on the page",
    "largest record",
)

_Floats = NDArray[np.float64]


class _Choice(NamedTuple):
    """The regions of a page: their features, and the record F1 of each."""

    site: str
    features: _Floats
    f1: _Floats


def rank_over_folds(
    items: Sequence[Item],
    documents: Sequence[tamis.Document],
    site_fold: Callable[[str], int],
    folds: int,
) -> Mapping[str, float]:
    """Return the mean record F1 of the best region by rank score, by weights, and of the best."""
    choices = [
        choice
        for item, document in zip(items, documents, strict=True)
        if len((choice := _read_choice(item, document)).f1)
    ]
    means = {
        "rank score": _mean(choices, [float(choice.f1[0]) for choice in choices]),
        "best by the truth (score)": _mean(choices, [float(c.f1.max()) for c in choices]),
    }
    for penalty in PENALTIES:
        inside, outside = [], [0.0] * len(choices)
        for fold in range(folds):
            fitted = [choice for choice in choices if site_fold(choice.site) != fold]
            weights = _fit_weights(fitted, penalty)
            inside.append(_mean(fitted, [_pick(choice, weights) for choice in fitted]))
            for index, choice in enumerate(choices):
                if site_fold(choice.site) == fold:
                    outside[index] = _pick(choice, weights)
        means[f"learned, penalty {penalty:g}, in fold"] = float(np.mean(inside))
        means[f"learned, penalty {penalty:g}, out of fold"] = _mean(choices, outside)
    return means


def _read_choice(item: Item, document: tamis.Document) -> _Choice:
    """Return the regions of a page with their features and record F1."""
    page = document.page
    interest = row_interest(page, document._row_probabilities)
    regions = candidate_regions(page, interest, find_search_queries(page))
    best = sorted(regions, key=lambda region: -region.rank_score)[:_MAX_REGIONS]
    f1 = [_record_f1(region, item.gold["records"]) for region in best]
    features = np.array([_read_features(region) for region in best])
    return _Choice(item.group, features.reshape(-1, len(FEATURES)), np.array(f1))


def _record_f1(region: Region, gold: Sequence[Sequence[str]]) -> float:
    """Return the record F1 of a region."""
    region = drop_separators(region)
    rows: list[list[str]] = [[] for _ in range(len(region))]
    for record, text in zip(region.record, region.cells.texts(region.cell), strict=True):
        rows[record].append(text)
    return record_counts(rows, gold).f1


def _read_features(region: Region) -> list[float]:
    """Return the features of a region, in the order of FEATURES."""
    page, cells, count = region.page, region.cells, len(region)
    weight = cells.weight[region.cell]
    total = max(float(weight.sum()), 1e-9)
    record_weight = np.bincount(region.record, weight, count)
    texts = cells.texts(region.cell)
    in_link = page.in_link[cells.first_row[region.cell]]
    return [
        float(np.log(region.score + 1e-9)),
        float(np.log1p(10 * region.query_share)),
        float(np.log(count)),
        float(np.log(region.cells_per_record)),
        float(record_weight.std() / max(record_weight.mean(), 1e-9)),
        float((weight * in_link).sum() / total),
        len(set(texts)) / len(texts),
        _best_column(region, texts),
        float(region.start[0]) / len(page),
        total / max(float(cells.weight.sum()), 1e-9),
        float(record_weight.max()) / total,
    ]


def _best_column(region: Region, texts: Sequence[str]) -> float:
    """Return the greatest share of different texts of a column that most records have."""
    by_column: defaultdict[int, list[str]] = defaultdict(list)
    for column, text in zip(region.column.tolist(), texts, strict=True):
        by_column[column].append(text)
    filled = ([text for text in column if text] for column in by_column.values())
    usual = (column for column in filled if len(column) >= 0.8 * len(region))
    return max((len(set(column)) / len(column) for column in usual), default=0.0)


def _fit_weights(choices: Sequence[_Choice], penalty: float) -> _Floats:
    """Return the weights that choose best; each site counts the same."""
    try:
        from scipy.optimize import minimize
    except ImportError as error:
        raise unavailable("learning a ranking needs scipy", "evaluate") from error
    scale = np.concatenate([choice.features for choice in choices]).std(axis=0) + 1e-9
    start = np.zeros(len(FEATURES))
    start[:2] = _SHARPNESS * scale[:2]
    pages = Counter(choice.site for choice in choices)

    def loss(weights: _Floats) -> tuple[float, _Floats]:
        value, slope = (
            penalty * float(((weights - start) ** 2).sum()),
            2 * penalty * (weights - start),
        )
        for choice in choices:
            scaled = choice.features / scale
            exponents = scaled @ weights
            share = np.exp(exponents - exponents.max())
            share /= share.sum()
            expected = float(share @ choice.f1)
            value -= expected / pages[choice.site]
            slope -= ((share * (choice.f1 - expected)) @ scaled) / pages[choice.site]
        return value, slope

    weights: _Floats = minimize(loss, start, jac=True, method="L-BFGS-B").x / scale
    return weights


def _pick(choice: _Choice, weights: _Floats) -> float:
    """Return the record F1 of the region that weights choose."""
    return float(choice.f1[int(np.argmax(choice.features @ weights))])


def _mean(choices: Sequence[_Choice], values: Sequence[float]) -> float:
    """Return the mean over the pages of a site, then over sites."""
    by_site: defaultdict[str, list[float]] = defaultdict(list)
    for choice, value in zip(choices, values, strict=True):
        by_site[choice.site].append(value)
    return float(np.mean([np.mean(values) for values in by_site.values()]))

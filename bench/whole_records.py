"""Whole-record decisions: do regions of records raise the default's F1 on pages of lists?

    TAMIS_BENCH=… python bench/whole_records.py

On the list pages of wcxb-dev, with models that have not seen the site. The chances of blocks in the
best region of a page are drawn towards their mean, half way or all of it: over the blocks of one
column (what all records have in common stands or falls together), over a record, over the whole
region. The cut through the chances is then made as ever.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tamis
from tamis.lab.datasets import Item, load
from tamis.lab.metrics.statistics import paired_difference
from tamis.lab.metrics.text import word_counts
from tamis.lab.systems import methods
from tamis.page import Bools
from tamis.records import Region, find_best_region, row_interest
from tamis.verdict.learned import ExpertProbabilities, Features, learned

KINDS = ("collection", "listing", "forum")
LEAST_SHARE = 0.25  # of the page, or its best region is not what it is about

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


def main() -> None:
    """Print the word F1 of the default, and the gain of each way to decide on whole records."""
    items = [item for item in load("wcxb-dev").items if item.kind in KINDS]
    known = learned.refine_probabilities
    base = page_scores(items)
    print(f"| decided on | {' | '.join(KINDS)} |\n|---|{'---|' * len(KINDS)}")
    print(f"| blocks | {' | '.join(f'{np.mean(base[kind]):.3f}' for kind in KINDS)} |")
    for (said, groups), part in product(GROUPS.items(), (0.5, 1.0)):
        learned.refine_probabilities = smoothed(known, groups, part)
        scores = page_scores(items)
        learned.refine_probabilities = known
        gains = [paired_difference(scores[kind], base[kind]) for kind in KINDS]
        cells = (f"{gain.value:+.3f} ({gain.low:+.3f} to {gain.high:+.3f})" for gain in gains)
        print(f"| {said}, {part:.0%} of the way | {' | '.join(cells)} |", flush=True)


def page_scores(items: list[Item]) -> dict[str, list[float]]:
    """Return the word F1 of pages by type, judged by models that have not seen their sites."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    digest = load("wcxb-dev").digest
    for item in items:
        method = methods.method_for("learned", digest, item.group)
        text = tamis.extract(item.html, method=method, deadline=None).text
        found[item.kind].append(word_counts(text, item.gold["main_content"]).f1)
    return found


def smoothed(
    views_of: Callable[..., ExpertProbabilities], groups: Any, part: float
) -> Callable[..., ExpertProbabilities]:
    """Return another `views_of`: chances in the best region go a part of the way to a mean."""

    def smooth(model: Any, found: Features, beliefs: Floats, article: float) -> ExpertProbabilities:
        views = views_of(model, found, beliefs, article)
        region = region_of(found, views.by_expert[1])
        if region is None or region.share < LEAST_SHARE:
            return views
        row = found.context.anchor
        record = np.searchsorted(region.start, row, side="right") - 1
        inside = (record >= 0) & (row < region.stop[record]) & (found.context.terms > 0)
        group = groups(found, region, record, inside)
        some = np.flatnonzero(inside & (group >= 0))
        belief, terms = views.by_expert[1].copy(), found.context.terms[some]
        sums = np.bincount(group[some], terms * belief[some])
        mean = sums / np.maximum(np.bincount(group[some], terms), 1e-9)
        belief[some] += part * (mean[group[some]] - belief[some])
        return ExpertProbabilities(np.stack((views.by_expert[0], belief)), views.weights)

    return smooth


def region_of(found: Features, belief: Floats) -> Region | None:
    """Return the best region of a page by what is believed of its blocks, as `records` does."""
    blocks = found.context.blocks
    return find_best_region(
        blocks.page, row_interest(blocks.page, np.append(belief, 0.0)[blocks.owner])
    )


def by_column(found: Features, region: Region, record: Numbers, inside: Bools) -> Numbers:
    """Return the column of each block's first cell, -1 where there is none."""
    blocks = found.context.blocks
    owner = blocks.owner[region.cells.first_row[region.cell]][::-1]
    column = np.full(len(blocks) + 1, -1)  # what no block owns has the number -1
    column[owner] = region.column[::-1]  # the last write counts
    return column[:-1]


def by_record(found: Features, region: Region, record: Numbers, inside: Bools) -> Numbers:
    """Return the record of each block."""
    return record


def by_region(found: Features, region: Region, record: Numbers, inside: Bools) -> Numbers:
    """Return the same number for all blocks."""
    return np.zeros(len(record), dtype=np.int64)


GROUPS = {"columns": by_column, "records": by_record, "the region": by_region}

if __name__ == "__main__":
    main()

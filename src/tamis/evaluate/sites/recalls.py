"""Precision at equal recall: what scores of blocks are worth, whatever threshold they come with.

004 expects `ibdf`, learned from five to ten pages, to be more precise than `entropy`. Each has a
threshold of its own, which ends at another recall; so all thresholds are gone through here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.evaluate.block_metrics import has_text
from tamis.evaluate.sites.systems import ON_TAGSET, LabPage, reader, segmenter_of

NAMES: Final = ("ibdf", "entropy", ON_TAGSET)
SIZES: Final = (5, 10)  # pages to learn from
DRAWS: Final = 3  # of pages to learn from, for each size
RECALLS: Final = (0.5, 0.7, 0.8, 0.9)

Floats = NDArray[np.float64]
Precisions = tuple[float, ...]  # at each of RECALLS


@dataclass(frozen=True)
class AtRecalls:
    """Precision of a system at RECALLS, in blocks and in words; means over sites."""

    name: str
    pages: int  # learned from
    sites: int
    blocks: Precisions
    words: Precisions


def at_recalls(sites: Mapping[str, Sequence[LabPage]]) -> tuple[AtRecalls, ...]:
    """Return the precision of each system on the pages of sites that it did not learn from."""
    found: list[AtRecalls] = []
    for size in SIZES:
        enough = [pages for pages in sites.values() if len(pages) > size]
        for name in NAMES if enough else ():
            rows = [row for pages in enough for row in drawn_precisions(name, pages, size)]
            blocks, words = np.mean(rows, axis=0).tolist()  # every site has as many draws
            found.append(AtRecalls(name, size, len(enough), tuple(blocks), tuple(words)))
    return tuple(found)


def drawn_precisions(
    name: str, pages: Sequence[LabPage], size: int
) -> Iterator[tuple[Precisions, Precisions]]:
    """Yield for each draw the precisions in blocks and in words on the other pages of a site.

    One threshold holds for all of them, as it does where methods are used.
    """
    for draw in range(DRAWS):
        learn = set(random.Random(draw).sample(range(len(pages)), size))
        read = reader(name, [pages[number] for number in sorted(learn)])
        scores: list[Floats] = []
        counts: list[Floats] = []
        for page in (page for number, page in enumerate(pages) if number not in learn):
            document = read(page)
            some = has_text(document.segments)
            scores.append(document.verdict.score[some])
            counts.append(block_weights(page, segmenter_of(name))[:, some])
        score, count = np.concatenate(scores), np.concatenate(counts, axis=1)
        yield precisions(score, count[0], count[1]), precisions(score, count[2], count[3])


def block_weights(page: LabPage, segmenter: str) -> Floats:
    """Return of each block 1, whether it is wanted, how many words it has, and how many of them
    are words of the content.
    """
    wanted = page.wanted(segmenter).astype(np.float64)
    return np.stack([np.ones(len(wanted)), wanted, *page.words(segmenter)])


def precisions(score: Floats, found: Floats, wanted: Floats) -> Precisions:
    """Return the precision at RECALLS of the items of the highest scores.

    `found` is the weight of each item and `wanted` the part of it that is right. As usual it is the
    best precision at a recall that is as great or greater; items of one score go together.
    """
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)[: len(order)]
    right = np.cumsum(wanted[order])[last]
    precision = right / np.maximum(np.cumsum(found[order])[last], 1)
    if not len(right) or not right[-1]:
        return (0.0,) * len(RECALLS)
    recall = right / right[-1]
    return tuple(float(precision[recall >= least].max()) for least in RECALLS)

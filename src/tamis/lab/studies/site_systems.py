"""The systems of the sites study, and their precision at equal recall.

A system takes pages to learn from and gives a function from pages to documents. Debnath et al. 2005
expect `ibdf`, learned from five to ten pages, to be more precise than `entropy`. Their thresholds
lead to different recalls, so precision is compared over all thresholds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import SEGMENTERS, Blocks
from tamis.content import Document
from tamis.lab.datasets import Item, Row
from tamis.lab.gold import placed_words, shares, words
from tamis.lab.metrics.blocks import has_text, wanted_blocks
from tamis.page import Bools, Page, parse
from tamis.pipeline import METHODS
from tamis.site import METHOD, PageProfile, Site, Weights, build_profile, learn_templates
from tamis.verdict import Entropy, Ibdf, Identifier, Shingle

ON_TAGSET: Final = "entropy/tagset"  # Lin and Ho's measure on blocks of today
NAMES: Final = ("ibdf", "entropy", ON_TAGSET, "shingle", "kfeature", "learned", "site")
SEGMENTER_OF: Final = {"ibdf": "tagset", "entropy": "tables", "shingle": "fragments"}
LEARNING: Final[dict[str, Ibdf | Entropy | Shingle]] = {
    "ibdf": Ibdf(),
    "entropy": Entropy(),
    ON_TAGSET: Entropy(),
    "shingle": Shingle(),
}
LEAST: Final = {"entropy": 2, ON_TAGSET: 2}  # pages to learn from
SOME_DAY: Final = date(2026, 1, 1)  # no verdict depends on it


@dataclass(frozen=True)
class ShapedItem:
    """A page that is made up, as an item of a data set."""

    html: str
    text: str
    url: str
    tokens: str = "words"

    @property
    def gold(self) -> Row:
        """The truth about it."""
        return {"main_content": self.text}


@dataclass(frozen=True, eq=False)
class LabPage:
    """A page of the set with all that systems see of it, each made once."""

    item: Item | ShapedItem

    @cached_property
    def page(self) -> Page:
        """The page, parsed."""
        return parse(self.item.html, self.item.url)

    @cached_property
    def profile(self) -> PageProfile:
        """What templates see of it."""
        return build_profile(METHOD.segmenter.segment(self.page))

    @cached_property
    def gold(self) -> str:
        """The text of its content."""
        return self.item.gold["main_content"] or ""

    @cache  # noqa: B019 - lives as long as the study
    def blocks(self, segmenter: str) -> Blocks:
        """Return its blocks."""
        return SEGMENTERS[segmenter]().segment(self.page)

    @cache  # noqa: B019 - lives as long as the study
    def wanted(self, segmenter: str) -> Bools:
        """Return the blocks that an ideal identifier keeps."""
        return wanted_blocks(self.blocks(segmenter), self.gold)

    @cache  # noqa: B019 - lives as long as the study
    def words(self, segmenter: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return how many words each block has, and how many of them are words of the content."""
        block_words = placed_words(self.blocks(segmenter))
        return block_words.sizes, shares(block_words, words(self.gold)) * block_words.sizes


Reader = Callable[[LabPage], Document]


def segmenter_of(name: str) -> str:
    """Return the name of the segmenter of a system."""
    return SEGMENTER_OF.get(name, "tagset")


def reader(name: str, pages: Sequence[LabPage], weights: Weights | None = None) -> Reader:
    """Return a system that has learned from pages, those that learn."""
    if name == "site":
        return site_reader(pages, weights or Weights())
    segmenter = segmenter_of(name)
    identifier: Identifier
    if name in LEARNING:
        identifier = LEARNING[name].fit([page.blocks(segmenter) for page in pages])
    else:
        identifier = METHODS[name].identifier

    def read(page: LabPage) -> Document:
        blocks = page.blocks(segmenter)
        return Document(page.page, blocks, identifier.identify(blocks), name)

    return read


def site_reader(pages: Sequence[LabPage], weights: Weights) -> Reader:
    """Return a site that has learned from pages."""
    return weighed(Site(learn_templates(page.profile for page in pages), SOME_DAY, None, weights))


def weighed(site: Site) -> Reader:
    """Return a site as a system."""

    def read(page: LabPage) -> Document:
        return Document(page.page, page.profile.blocks, site.judge(page.profile), "site")

    return read


RECALL_SYSTEMS: Final = ("ibdf", "entropy", ON_TAGSET)
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
    rows_by_system: list[AtRecalls] = []
    for size in SIZES:
        enough = [pages for pages in sites.values() if len(pages) > size]
        for name in RECALL_SYSTEMS if enough else ():
            rows = [row for pages in enough for row in drawn_precisions(name, pages, size)]
            blocks, words = np.mean(rows, axis=0).tolist()  # every site has as many draws
            rows_by_system.append(AtRecalls(name, size, len(enough), tuple(blocks), tuple(words)))
    return tuple(rows_by_system)


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
            with_text = has_text(document.segments)
            scores.append(document.verdict.score[with_text])
            counts.append(block_weights(page, segmenter_of(name))[:, with_text])
        score, count = np.concatenate(scores), np.concatenate(counts, axis=1)
        yield precisions(score, count[0], count[1]), precisions(score, count[2], count[3])


def block_weights(page: LabPage, segmenter: str) -> Floats:
    """Return of each block 1, whether it is wanted, how many words it has, and how many of them
    are words of the content.
    """
    wanted = page.wanted(segmenter).astype(np.float64)
    return np.stack([np.ones(len(wanted)), wanted, *page.words(segmenter)])


def precisions(score: Floats, weight: Floats, wanted: Floats) -> Precisions:
    """Return the precision at RECALLS of the items of the highest scores.

    `weight` is the weight of each item, `wanted` the part of it that is right. As usual this is the
    best precision at a recall that is as great or greater; items of equal score go together.
    """
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)[: len(order)]
    right = np.cumsum(wanted[order])[last]
    precision = right / np.maximum(np.cumsum(weight[order])[last], 1)
    if not len(right) or not right[-1]:
        return (0.0,) * len(RECALLS)
    recall = right / right[-1]
    return tuple(float(precision[recall >= least].max()) for least in RECALLS)

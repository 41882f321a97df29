"""The systems of the study of sites: each learns from pages and then reads others.

Also their precision at equal recall. Debnath et al. 2005 expect `ibdf`, learned from five to ten
pages, to be more precise than `entropy`. Each has a threshold of its own, which leads to another
recall. So here all thresholds are compared.
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

from tamis.blocks import SEGMENTERS, Blocks, Segmenter, TagSet
from tamis.content import Document
from tamis.lab.datasets import Dataset, GoldRow, Item
from tamis.lab.gold import matched_shares, owned_words, words
from tamis.lab.metrics.blocks import has_text, wanted_blocks
from tamis.lab.systems.methods import find_fold_method
from tamis.page import Bools, Page, parse
from tamis.pipeline import DEFAULT_METHOD, METHODS
from tamis.site import METHOD, PageProfile, Site, Weights, build_profile, learn_templates
from tamis.verdict import Entropy, Ibdf, Identifier, Shingle

ENTROPY_ON_TAGSET: Final = "entropy/tagset"  # the measure of Lin & Ho 2002 on blocks of today
SYSTEM_NAMES: Final = (
    "ibdf",
    "entropy",
    ENTROPY_ON_TAGSET,
    "shingle",
    "kfeature",
    "learned",
    "site",
)
_SEGMENTERS: Final = {"ibdf": "tagset", "entropy": "tables", "shingle": "fragments"}
_VARIANTS: Final[dict[str, Segmenter]] = {
    "tagset/whole": TagSet(tables="whole"),
    "tagset/classic": TagSet("classic"),
}
_LEARNERS: Final[dict[str, Ibdf | Entropy | Shingle]] = {
    "ibdf": Ibdf(),
    "entropy": Entropy(),
    ENTROPY_ON_TAGSET: Entropy(),
    "shingle": Shingle(),
}
MIN_PAGES: Final = {"entropy": 2, ENTROPY_ON_TAGSET: 2}  # pages to learn from
ANY_DAY: Final = date(2026, 1, 1)  # no verdict depends on it


@dataclass(frozen=True)
class ShapedItem:
    """A made-up page, as an item of a data set."""

    html: str
    text: str
    url: str
    tokens: str = "words"

    @property
    def gold(self) -> GoldRow:
        """The truth about it."""
        return {"main_content": self.text}


@dataclass(frozen=True, eq=False)
class LabPage:
    """A page of the set with all that systems derive from it, each computed once.

    `identifier` judges the page by itself: the default one, with a model that has seen nothing of
    the page's site.
    """

    item: Item | ShapedItem
    identifier: Identifier = METHOD.identifier

    @cached_property
    def page(self) -> Page:
        """The page, parsed."""
        return parse(self.item.html, self.item.url)

    @cached_property
    def profile(self) -> PageProfile:
        """What templates see of it."""
        return build_profile(METHOD.segmenter.segment(self.page), self.identifier)

    @cached_property
    def gold(self) -> str:
        """The text of its content."""
        return self.item.gold["main_content"] or ""

    @cache  # noqa: B019 - lives as long as the study
    def blocks(self, segmenter: str) -> Blocks:
        """Return its blocks, by the name of a segmenter or of a variant of one."""
        variant = _VARIANTS.get(segmenter)
        return (variant or SEGMENTERS[segmenter]()).segment(self.page)

    @cache  # noqa: B019 - lives as long as the study
    def wanted(self, segmenter: str) -> Bools:
        """Return the blocks that an ideal identifier keeps."""
        return wanted_blocks(self.blocks(segmenter), self.gold)

    @cache  # noqa: B019 - lives as long as the study
    def words(self, segmenter: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return how many words each block has, and how many of them are words of the content."""
        page_words = owned_words(self.blocks(segmenter))
        sizes = page_words.sizes
        return sizes, matched_shares(page_words, words(self.gold)) * sizes


Reader = Callable[[LabPage], Document]


def build_lab_page(item: Item, dataset: Dataset) -> LabPage:
    """Return a page of a set, judged by a model that has seen nothing of its site."""
    return LabPage(item, find_fold_method(DEFAULT_METHOD, dataset, item).identifier)


def find_segmenter(name: str) -> str:
    """Return the name of the segmenter of a system."""
    return _SEGMENTERS.get(name, "tagset")


def build_reader(name: str, pages: Sequence[LabPage], weights: Weights | None = None) -> Reader:
    """Return a system; if it is one that learns, it has learned from the pages."""
    if name == "site":
        return _build_site_reader(pages, weights or Weights())
    if name == DEFAULT_METHOD:
        return _read_alone
    segmenter = find_segmenter(name)
    identifier: Identifier
    if name in _LEARNERS:
        identifier = _LEARNERS[name].fit([page.blocks(segmenter) for page in pages])
    else:
        identifier = METHODS[name].identifier

    def read(page: LabPage) -> Document:
        blocks = page.blocks(segmenter)
        return Document(page.page, blocks, identifier.identify(blocks), name)

    return read


def _read_alone(page: LabPage) -> Document:
    """Return the document of a page that is judged by itself."""
    return Document(page.page, page.profile.blocks, page.profile.verdict, DEFAULT_METHOD)


def _build_site_reader(pages: Sequence[LabPage], weights: Weights) -> Reader:
    """Return a site that has learned from pages."""
    return read_with_site(
        Site(learn_templates(page.profile for page in pages), ANY_DAY, None, weights)
    )


def read_with_site(site: Site) -> Reader:
    """Return a site as a system."""

    def read(page: LabPage) -> Document:
        return Document(page.page, page.profile.blocks, site.judge(page.profile), "site")

    return read


_RECALL_SYSTEMS: Final = ("ibdf", "entropy", ENTROPY_ON_TAGSET)
_SIZES: Final = (5, 10)  # pages to learn from
_DRAWS: Final = 3  # of pages to learn from, for each size
RECALLS: Final = (0.5, 0.7, 0.8, 0.9)

_Floats = NDArray[np.float64]
_Precisions = tuple[float, ...]  # at each of RECALLS


@dataclass(frozen=True)
class AtRecalls:
    """Precision of a system at RECALLS, in blocks and in words; means over sites."""

    name: str
    pages: int  # learned from
    sites: int
    blocks: _Precisions
    words: _Precisions


def measure_at_recalls(sites: Mapping[str, Sequence[LabPage]]) -> tuple[AtRecalls, ...]:
    """Return the precision of each system on the pages of sites that it did not learn from."""
    outcomes: list[AtRecalls] = []
    for size in _SIZES:
        enough = [pages for pages in sites.values() if len(pages) > size]
        for name in _RECALL_SYSTEMS if enough else ():
            rows = [row for pages in enough for row in _drawn_precisions(name, pages, size)]
            blocks, words = np.mean(rows, axis=0).tolist()  # every site has as many draws
            outcomes.append(AtRecalls(name, size, len(enough), tuple(blocks), tuple(words)))
    return tuple(outcomes)


def _drawn_precisions(
    name: str, pages: Sequence[LabPage], size: int
) -> Iterator[tuple[_Precisions, _Precisions]]:
    """Yield for each draw the precisions in blocks and in words on the other pages of a site.

    One threshold holds for all of them, as it does where methods are used.
    """
    for draw in range(_DRAWS):
        learn = set(random.Random(draw).sample(range(len(pages)), size))
        read = build_reader(name, [pages[number] for number in sorted(learn)])
        scores: list[_Floats] = []
        counts: list[_Floats] = []
        for page in (page for number, page in enumerate(pages) if number not in learn):
            document = read(page)
            with_text = has_text(document.segments)
            scores.append(document.verdict.score[with_text])
            counts.append(_block_weights(page, find_segmenter(name))[:, with_text])
        score, count = np.concatenate(scores), np.concatenate(counts, axis=1)
        yield (
            precisions_at_recalls(score, count[0], count[1]),
            precisions_at_recalls(score, count[2], count[3]),
        )


def _block_weights(page: LabPage, segmenter: str) -> _Floats:
    """Return of each block 1, whether it is wanted, how many words it has, and how many of them
    are words of the content.
    """
    wanted = page.wanted(segmenter).astype(np.float64)
    return np.stack([np.ones(len(wanted)), wanted, *page.words(segmenter)])


def precisions_at_recalls(score: _Floats, weight: _Floats, right: _Floats) -> _Precisions:
    """Return the precision at RECALLS of the blocks with the highest scores.

    `weight` is the weight of each block and `right` the part of it that is right. As usual it is
    the best precision at a recall that is as great or greater. Blocks of one score go together.
    """
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)[: len(order)]
    right_sum = np.cumsum(right[order])[last]
    precision = right_sum / np.maximum(np.cumsum(weight[order])[last], 1)
    if not len(right_sum) or not right_sum[-1]:
        return (0.0,) * len(RECALLS)
    recall = right_sum / right_sum[-1]
    return tuple(float(precision[recall >= minimum].max()) for minimum in RECALLS)

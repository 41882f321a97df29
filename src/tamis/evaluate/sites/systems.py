"""The systems of the study: pages to learn from → a function from pages to documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import SEGMENTERS, Blocks
from tamis.content import Document
from tamis.evaluate.alignment import placed_words, shares, words
from tamis.evaluate.block_metrics import wanted_blocks
from tamis.evaluate.datasets import Item, Row
from tamis.page import Page, parse
from tamis.page.page import Bools
from tamis.pipeline import METHODS
from tamis.site.evidence import Weights
from tamis.site.learning import templates_of
from tamis.site.sight import METHOD, Sight, sight
from tamis.site.site import Site
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
    def sight(self) -> Sight:
        """What templates see of it."""
        return sight(METHOD.segmenter.segment(self.page))

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
        found = placed_words(self.blocks(segmenter))
        return found.sizes, shares(found, words(self.gold)) * found.sizes


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
    return weighed(Site(templates_of(page.sight for page in pages), SOME_DAY, None, weights))


def weighed(site: Site) -> Reader:
    """Return a site as a system."""

    def read(page: LabPage) -> Document:
        return Document(page.page, page.sight.blocks, site.judge(page.sight), "site")

    return read

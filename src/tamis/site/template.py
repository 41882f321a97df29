"""Template: what the pages of one structure have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


class RepeatedBlock(NamedTuple):
    """A block that stands in several pages."""

    id: str  # the fingerprint of its terms
    pages: int  # that hold it: its document frequency
    times: int  # that it occurs
    path: str  # signature
    xpath: str  # in the page where it was first seen again
    text: str
    noise: bool = False  # whether a person declared it to be noise

    @property
    def is_added(self) -> bool:
        """Whether a person added it to the file: a learned block has an XPath."""
        return not self.xpath


class PathStats(NamedTuple):
    """What stood at one path signature."""

    path: str
    pages: int  # that have text there
    blocks: int
    terms: int
    log_odds: float  # mean log odds of content, weighted by terms

    @property
    def weight(self) -> float:
        """Its weight, summed over all pages."""
        return path_weight(self.pages, self.terms)


class Container(NamedTuple):
    """An element that is the main container of pages."""

    path: str  # signature
    pages: int  # whose main container it is
    share: float  # of its terms that are informative on these pages, on average

    def with_page(self, share: float) -> Container:
        """Return it with one more page."""
        return self._replace(
            pages=self.pages + 1, share=(self.share * self.pages + share) / (self.pages + 1)
        )

    def without_page(self, share: float) -> Container:
        """Return it as if a page with this share had not been learned from."""
        pages = self.pages - 1
        mean = (self.share * self.pages - share) / pages if pages else 0.0
        return self._replace(pages=pages, share=min(max(mean, 0.0), 1.0))


class SeenOnce(NamedTuple):
    """Blocks at one path signature that stood in one page so far."""

    path: str
    ids: tuple[str, ...]  # fingerprints, the newest last


@dataclass(frozen=True)
class Template:
    """What was learned from pages of one structure."""

    pages: int
    blocks: tuple[RepeatedBlock, ...]
    paths: tuple[PathStats, ...]
    seen_once: tuple[SeenOnce, ...] = ()
    containers: tuple[Container, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, RepeatedBlock]:
        """The repeated blocks by their fingerprints."""
        return {block.id: block for block in self.blocks}

    @cached_property
    def declared(self) -> frozenset[str]:
        """The fingerprints of blocks that a person declared to be noise."""
        return frozenset(block.id for block in self.blocks if block.noise)

    @cached_property
    def by_path(self) -> Mapping[str, PathStats]:
        """What stood at each path signature."""
        return {stats.path: stats for stats in self.paths}

    @cached_property
    def repetition(self) -> Mapping[str, float]:
        """For each path, the mean share of the other pages that have the same blocks there."""
        totals: dict[str, float] = {}
        for block in self.blocks:
            share = block.times * (block.pages - 1) / max(self.pages - 1, 1)
            totals[block.path] = totals.get(block.path, 0.0) + share
        return {
            path: min(total / max(self.by_path[path].blocks, 1), 1.0)
            for path, total in totals.items()
            if path in self.by_path
        }

    @cached_property
    def structure(self) -> Structure:
        """The weights of its path signatures."""
        weights = {stats.path: stats.weight for stats in self.paths}
        return Structure(self.pages, weights, sum(weights.values()))

    def match(self, path_weights: Mapping[str, float]) -> float:
        """Return how well a page with these path signatures fits, between 0 and 1."""
        return self.structure.similarity(path_weights)


@dataclass
class Structure:
    """The path signatures of several pages, with the sum of their weights over the pages."""

    pages: int
    weights: dict[str, float]
    total: float  # of all weights

    def similarity(self, path_weights: Mapping[str, float]) -> float:
        """Return the weighted Jaccard similarity of a page: Σ min / Σ max over path signatures."""
        pages = max(self.pages, 1)
        mean = {path: self.weights.get(path, 0.0) / pages for path in path_weights}
        common = sum(min(weight, mean[path]) for path, weight in path_weights.items())
        union = sum(path_weights.values()) + self.total / pages - common
        return min(common / union, 1.0) if union > 0 else 1.0


def path_weight(pages: int, terms: int) -> float:
    """Return the weight of a path over pages that have so many terms there together."""
    return pages * math.log1p(terms / pages) if pages else 0.0

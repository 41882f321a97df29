"""Template: what the pages of one structure have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


class Repeated(NamedTuple):
    """A block that stands in several pages."""

    id: str  # the fingerprint of its terms
    pages: int  # that hold it: its document frequency
    times: int  # that it occurs
    place: str
    xpath: str  # where it stood when it was first seen again
    text: str
    noise: bool = False  # whether a person declared it

    @property
    def is_added(self) -> bool:
        """Whether a person put it into the file: what was learned stood somewhere."""
        return not self.xpath


class Spot(NamedTuple):
    """A place of the template, with what stood there."""

    place: str
    pages: int  # that have text there
    blocks: int
    terms: int
    odds: float  # the mean logarithm of the odds of content, weighed by terms

    @property
    def weight(self) -> float:
        """What it weighs over all pages."""
        return place_weight(self.pages, self.terms)


class Container(NamedTuple):
    """An element that held most of what pages keep by themselves."""

    place: str
    pages: int  # whose content it held
    share: float  # of its terms that these pages keep, on average

    def with_page(self, share: float) -> Container:
        """Return it with one more page."""
        return self._replace(
            pages=self.pages + 1, share=(self.share * self.pages + share) / (self.pages + 1)
        )

    def without_page(self, share: float) -> Container:
        """Return it as if one page, which keeps this share, had not been learned from."""
        pages = self.pages - 1
        mean = (self.share * self.pages - share) / pages if pages else 0.0
        return self._replace(pages=pages, share=min(max(mean, 0.0), 1.0))


class Once(NamedTuple):
    """Blocks of a place that stood in one page so far: those that a further page has repeat."""

    place: str
    ids: tuple[str, ...]  # fingerprints, the newest last


@dataclass(frozen=True)
class Template:
    """What was learned from pages of one structure."""

    pages: int
    blocks: tuple[Repeated, ...]
    places: tuple[Spot, ...]
    once: tuple[Once, ...] = ()
    containers: tuple[Container, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, Repeated]:
        """The repeated blocks by their fingerprints."""
        return {block.id: block for block in self.blocks}

    @cached_property
    def declared(self) -> frozenset[str]:
        """The fingerprints of blocks that a person declared to be noise."""
        return frozenset(block.id for block in self.blocks if block.noise)

    @cached_property
    def by_place(self) -> Mapping[str, Spot]:
        """The places by their paths."""
        return {spot.place: spot for spot in self.places}

    @cached_property
    def repetition(self) -> Mapping[str, float]:
        """How much of a place repeats: the mean share of the other pages that have its blocks."""
        found: dict[str, float] = {}
        for block in self.blocks:
            share = block.times * (block.pages - 1) / max(self.pages - 1, 1)
            found[block.place] = found.get(block.place, 0.0) + share
        spots = self.by_place
        return {
            place: min(total / max(spots[place].blocks, 1), 1.0)
            for place, total in found.items()
            if place in spots
        }

    @cached_property
    def structure(self) -> Structure:
        """What its places weigh."""
        weights = {spot.place: spot.weight for spot in self.places}
        return Structure(self.pages, weights, sum(weights.values()))

    def match(self, structure: Mapping[str, float]) -> float:
        """Return how well a page with these places fits, between 0 and 1."""
        return self.structure.likeness(structure)


@dataclass
class Structure:
    """The places of several pages, with the sum of what each weighs over the pages."""

    pages: int
    weights: dict[str, float]
    total: float  # of all weights

    def likeness(self, page: Mapping[str, float]) -> float:
        """Return the weighed Jaccard likeness of a page: Σ min / Σ max of weights over places."""
        pages = max(self.pages, 1)
        mean = {place: self.weights.get(place, 0.0) / pages for place in page}
        common = sum(min(weight, mean[place]) for place, weight in page.items())
        either = sum(page.values()) + self.total / pages - common
        return min(common / either, 1.0) if either > 0 else 1.0


def place_weight(pages: int, terms: int) -> float:
    """Return what a place weighs over some pages that have so many terms there."""
    return pages * math.log1p(terms / pages) if pages else 0.0

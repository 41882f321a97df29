"""Template: what the pages of one structure have in common."""

from __future__ import annotations

from collections.abc import Mapping, Set
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


class Spot(NamedTuple):
    """A place of the template, with what stood there."""

    place: str
    pages: int  # that have text there
    blocks: int
    terms: int
    odds: float  # the mean logarithm of the odds of content, weighed by terms


@dataclass(frozen=True)
class Template:
    """What was learned from pages of one structure."""

    pages: int
    blocks: tuple[Repeated, ...]
    places: tuple[Spot, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Repeated]:
        """The repeated blocks by their fingerprints."""
        return {block.id: block for block in self.blocks}

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
    def usual(self) -> float:
        """How many places a page of the template has on average."""
        return sum(spot.pages for spot in self.places) / max(self.pages, 1)

    def match(self, structure: Set[str]) -> float:
        """Return how well a page with text in these places fits, between 0 and 1."""
        spots = self.by_place
        counts = (spots[place].pages for place in structure if place in spots)
        return likeness(sum(counts), len(structure), self.usual * self.pages, self.pages)


def likeness(common: float, places: int, total: float, pages: int) -> float:
    """Return the weighed Jaccard likeness of a page to several.

    `common` is the sum, over the places of the page, of the pages that have them; `total` that over
    all places. With one other page it is the share of places that both have of those either has.
    """
    shared = common / max(pages, 1)
    either = places + total / max(pages, 1) - shared
    return shared / either if either else 1.0

"""Knowledge: what all templates of a site say together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from tamis.page import Bools
from tamis.site.learning import Sums
from tamis.site.sight import Floats, Sight
from tamis.site.template import Container, Template


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What holds on pages of all structures: texts that were seen, and where content stood."""

    repeated: frozenset[str]  # fingerprints of blocks that stand in several pages
    once: frozenset[str]  # and in one page
    containers: Mapping[str, Container]  # by place
    places: Mapping[str, Sums]  # what stood there

    @classmethod
    def of(cls, templates: Iterable[Template]) -> Knowledge:
        """Return what templates say together."""
        repeated: set[str] = set()
        once: set[str] = set()
        containers: dict[str, Container] = {}
        places: dict[str, Sums] = {}
        for template in templates:
            repeated.update(template.by_id)
            for row in template.once:
                # What stands in one page of each of two structures stands in two pages.
                repeated.update(once.intersection(row.ids))
                once.update(row.ids)
            for known in template.containers:
                before = containers.get(known.place, Container(known.place, 0, 0.0))
                pages = before.pages + known.pages
                share = (before.share * before.pages + known.share * known.pages) / max(pages, 1)
                containers[known.place] = Container(known.place, pages, share)
            for spot in template.places:
                sums = places.setdefault(spot.place, Sums())
                sums.pages += spot.pages
                sums.terms += spot.terms
                sums.odds += spot.odds * spot.terms
        return cls(frozenset(repeated), frozenset(once - repeated), containers, places)

    def has_learned(self, page: Sight) -> bool:
        """Say whether the site was learned from a page: what only it says was then seen once.

        That is most of what it keeps. If all of that repeats nobody can know, and the page counts
        as learned from, which says less.
        """
        own = {
            said: float(terms)
            for said, terms in zip(page.fingerprints, page.terms * page.kept, strict=True)
            if terms and said and said not in self.repeated
        }
        known = sum(terms for said, terms in own.items() if said in self.once)
        return 2 * known >= sum(own.values())

    def place_odds(self, page: Sight, was_learned: bool) -> Floats:
        """Return the mean log odds of what other pages have in the place of each block.

        It counts in full where many pages have text there, by half where one has, and is 0 where
        none has.
        """
        here: dict[str, Sums] = {}
        if was_learned:
            values = zip(page.places, page.terms.tolist(), page.odds.tolist(), strict=True)
            for place, terms, odds in values:
                sums = here.setdefault(place, Sums(pages=int(place in page.structure)))
                sums.terms += int(terms)
                sums.odds += terms * odds
        found: dict[str, float] = {}
        for place in dict.fromkeys(page.places):
            sums, less = self.places.get(place, Sums()), here.get(place, Sums())
            pages, terms = sums.pages - less.pages, sums.terms - less.terms
            is_seen = pages > 0 and terms > 0
            mean = (sums.odds - less.odds) / terms if is_seen else 0.0
            found[place] = mean * pages / (pages + 1) if is_seen else 0.0
        return np.array([found[place] for place in page.places], dtype=np.float64)

    def is_new(self, page: Sight, was_learned: bool) -> Bools:
        """Say of which blocks the text stands on no other page, nor in what the page keeps."""
        taken = {
            said for said, kept in zip(page.fingerprints, page.kept, strict=True) if kept and said
        }
        once = frozenset[str]() if was_learned else self.once
        return np.array(
            [
                said is not None
                and said not in self.repeated
                and said not in once
                and said not in taken
                for said in page.fingerprints
            ],
            dtype=np.bool_,
        )

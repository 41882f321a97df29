"""SiteKnowledge: what all templates of a site say together, with or without a given page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from tamis.page import Bools
from tamis.site.learning import PathSums
from tamis.site.profile import PageProfile
from tamis.site.template import Container, Template
from tamis.verdict import Floats


@dataclass(frozen=True, eq=False)
class SiteKnowledge:
    """What holds on pages of all structures: texts that were seen, and where content stood."""

    repeated: frozenset[str]  # fingerprints of blocks that stand in several pages
    seen_once: frozenset[str]  # fingerprints of blocks that stand in one page
    containers: Mapping[str, Container]  # by path
    paths: Mapping[str, PathSums]

    @classmethod
    def from_templates(cls, templates: Iterable[Template]) -> SiteKnowledge:
        """Return what templates say together."""
        repeated: set[str] = set()
        seen_once: set[str] = set()
        containers: dict[str, Container] = {}
        paths: dict[str, PathSums] = {}
        for template in templates:
            repeated.update(template.by_id)
            for once in template.seen_once:
                # A block in one page of each of two structures is in two pages.
                repeated.update(seen_once.intersection(once.ids))
                seen_once.update(once.ids)
            for container in template.containers:
                before = containers.get(container.path, Container(container.path, 0, 0.0))
                pages = before.pages + container.pages
                terms = before.share * before.pages + container.share * container.pages
                containers[container.path] = Container(container.path, pages, terms / max(pages, 1))
            for stats in template.paths:
                sums = paths.setdefault(stats.path, PathSums())
                sums.pages += stats.pages
                sums.terms += stats.terms
                sums.log_odds += stats.log_odds * stats.terms
        return cls(frozenset(repeated), frozenset(seen_once - repeated), containers, paths)

    def has_learned(self, profile: PageProfile) -> bool:
        """Say whether the site was learned from a page.

        Most of the informative text that does not repeat was then seen once. If all of it repeats
        there is no way to know, and the page counts as learned from, which is the cautious answer.
        """
        unique_terms = {
            block_id: float(terms)
            for block_id, terms in zip(
                profile.fingerprints, profile.terms * profile.informative, strict=True
            )
            if terms and block_id and block_id not in self.repeated
        }
        seen = sum(terms for block_id, terms in unique_terms.items() if block_id in self.seen_once)
        return 2 * seen >= sum(unique_terms.values())

    def path_log_odds(self, profile: PageProfile, was_learned: bool) -> Floats:
        """Return, for each block, the mean log odds of what other pages have at its path.

        It counts in full where many pages have text there, by half where one has, and is 0 where
        none has.
        """
        page_sums: dict[str, PathSums] = {}
        if was_learned:
            rows = zip(
                profile.paths, profile.terms.tolist(), profile.log_odds.tolist(), strict=True
            )
            for path, terms, log_odds in rows:
                sums = page_sums.setdefault(path, PathSums(pages=int(path in profile.path_weights)))
                sums.terms += int(terms)
                sums.log_odds += terms * log_odds
        values: dict[str, float] = {}
        for path in dict.fromkeys(profile.paths):
            sums, own = self.paths.get(path, PathSums()), page_sums.get(path, PathSums())
            pages, terms = sums.pages - own.pages, sums.terms - own.terms
            is_seen = pages > 0 and terms > 0
            mean = (sums.log_odds - own.log_odds) / terms if is_seen else 0.0
            values[path] = mean * pages / (pages + 1) if is_seen else 0.0
        return np.array([values[path] for path in profile.paths], dtype=np.float64)

    def is_new(self, profile: PageProfile, was_learned: bool) -> Bools:
        """Say which texts stand neither on another page nor in an informative block of this one."""
        informative = {
            block_id
            for block_id, is_informative in zip(
                profile.fingerprints, profile.informative, strict=True
            )
            if is_informative and block_id
        }
        seen_once = frozenset[str]() if was_learned else self.seen_once
        return np.array(
            [
                block_id is not None
                and block_id not in self.repeated
                and block_id not in seen_once
                and block_id not in informative
                for block_id in profile.fingerprints
            ],
            dtype=np.bool_,
        )

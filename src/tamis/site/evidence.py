"""Evidence: what a site says about the blocks of a page, beside what the page says itself."""

from __future__ import annotations

from collections.abc import Container as Holding
from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.page import Bools
from tamis.site.containers import inside
from tamis.site.knowledge import Knowledge
from tamis.site.places import path
from tamis.site.sight import Floats, Sight
from tamis.site.template import Container, Template

SURE: Final = 500.0  # log odds beyond which nothing changes but that exp() overflows
REPEATED: Final = 4  # other pages from which on what they have in common is none of their content
PURE: Final = 0.8  # share of a container that pages keep: what holds much else does not say much
MEDIUM: Final = 20.0  # terms of a block whose length says nothing
LONG: Final = 200.0  # terms from which on a block counts as no longer


@dataclass(frozen=True)
class Weights:
    """How much each kind of evidence counts, in units of the logarithm of odds.

    Chosen on sites-dev; `tamis evaluate sites` measures each site with those chosen on the others.
    """

    block: float = 3.0  # against a block that all other pages have in the same place
    place: float = 6.0  # against such a block in a place where all blocks repeat
    container: float = 1.1  # for a block in the element that holds the content of other pages
    length: float = 0.25  # for each factor e by which such a block is longer than MEDIUM
    path: float = 0.2  # share that the mean log odds of other pages' blocks in its place have


@dataclass(frozen=True, eq=False)
class Evidence:
    """For each block of a page: what the site knows, and the odds that follow."""

    alone: Floats  # log odds of content by the page itself
    pages: Floats  # of the template that hold the block
    seen: Floats  # blocks of the template in the same place
    others: Floats  # mean log odds of these
    repetition: Floats  # how much of the place repeats
    container: Container | None  # that holds the content of other pages, and of this one
    lifted: Bools  # whether that counts for the block
    odds: Floats  # all together
    kept: Bools  # the blocks to keep
    declared: Bools  # whether a person declared the block to be noise
    agreement: float  # of the page itself and the site on what to keep, in terms

    @property
    def chance(self) -> Floats:
        """The chance that a block is content; what is declared to be noise has none."""
        odds = np.clip(self.odds, -SURE, SURE)
        return np.where(self.declared, 0.0, 1 / (1 + np.exp(-odds)))


def evidence(
    page: Sight,
    template: Template,
    site: Knowledge,
    weights: Weights,
    declared: Holding[str | None] = (),
) -> Evidence:
    """Weigh the evidence on the blocks of a page, as if the page had not been learned from.

    The page's own verdict stands, with two exceptions. Blocks that several other pages have in the
    same place, in one that mostly repeats, lose odds and go if these fall below 1. Blocks whose
    text no other page has, in the element that holds the content of other pages, gain odds, more
    if they are long and if other pages have their content in the same place, and are kept from odds
    of 1 on. So nothing whose text is the page's own is ever taken away. What is `declared` is noise
    whatever the rest says.
    """
    was_learned = site.has_learned(page)
    spots = [template.by_place.get(place) for place in page.places]
    held = [template.by_id.get(said) if said else None for said in page.fingerprints]
    pages = np.array([block.pages if block else 0 for block in held], dtype=np.float64)
    seen = np.array([spot.blocks if spot else 0 for spot in spots], dtype=np.float64)
    means = np.array([spot.odds if spot else 0.0 for spot in spots], dtype=np.float64)
    repetition = np.array([template.repetition.get(place, 0.0) for place in page.places])
    stands = np.array(
        [
            block is not None and (block.place == place or block.is_added)
            for block, place in zip(held, page.places, strict=True)
        ],
        dtype=np.bool_,
    )
    added = np.array([block is not None and block.is_added for block in held], dtype=np.bool_)
    count = max(template.pages - was_learned, 1)
    elsewhere = np.where(stands, np.maximum(pages - was_learned, 0.0), 0.0)
    kept = page.kept
    repeats = (elsewhere >= REPEATED) & (2 * elsewhere >= count) & (repetition >= 0.5)
    repeats &= ~beside(page, kept & ~repeats)
    repeats |= added & (2 * elsewhere >= count)  # a person need not say where it stands
    odds = page.odds - repeats * (weights.block * elsewhere / count + weights.place * repetition)
    container, within = site_container(page, site, was_learned)
    lifted = np.zeros(len(odds), dtype=np.bool_)
    if container is not None:
        lifted = within & ~kept & (page.terms > 0) & site.is_new(page, was_learned)
        odds = odds + lifted * container_odds(page, site, weights, was_learned)
    chosen = np.where(kept, ~repeats | (odds >= 0), lifted & (odds >= 0))
    is_declared = np.array([said in declared for said in page.fingerprints], dtype=np.bool_)
    return Evidence(
        page.odds,
        pages,
        seen,
        means,
        repetition,
        container,
        lifted,
        odds,
        chosen & ~is_declared,
        is_declared,
        agreement(page.terms, kept, chosen),
    )


def beside(page: Sight, some: Bools) -> Bools:
    """Say which blocks stand in an element, the parent of their own, that holds some blocks.

    Such are the headings of a manual and the steps that recipes share: they repeat, but they are
    parts of what does not.
    """
    nodes, blocks = page.blocks.page, page.blocks
    order = np.sort(blocks.node[some])
    parents = np.maximum(nodes.parent[blocks.node], 0)
    first, last = np.searchsorted(order, parents), np.searchsorted(order, nodes.end[parents])
    held: Bools = last > first
    return held


def site_container(
    page: Sight, site: Knowledge, was_learned: bool
) -> tuple[Container | None, Bools]:
    """Return the element around what a page keeps that holds the content of other pages as well.

    And which blocks stand in it.
    """
    main, nodes = page.container, page.blocks.page
    names: dict[int, str] = {}
    row = main.row if main else -1
    while main is not None and row >= 0:
        place = main.place if row == main.row else path(nodes, row, names, {})
        if not place:
            break  # the page as a whole, which says nothing of where in it the content stands
        container = site.containers.get(place)
        if container is not None and was_learned and place == main.place:
            container = container.without_page(main.share)
        if container is not None and container.pages and container.share >= PURE:
            return container, inside(page.blocks, row)
        row = int(nodes.parent[row])
    return None, np.zeros(len(page.blocks), dtype=np.bool_)


def container_odds(page: Sight, site: Knowledge, weights: Weights, was_learned: bool) -> Floats:
    """Return what it adds to the log odds of each block to stand in the site's container.

    It is never less than 0, and does not depend on the number of pages: what a container says is
    as true after five pages as after fifty.
    """
    length = np.log(np.clip(page.terms, 1.0, LONG) / MEDIUM)
    places = site.place_odds(page, was_learned)
    return np.maximum(weights.container + weights.length * length + weights.path * places, 0.0)


def agreement(terms: Floats, kept: Bools, chosen: Bools) -> float:
    """Return the terms that two verdicts keep as a share of those that either keeps."""
    either = float(terms @ (kept | chosen))
    return float(terms @ (kept & chosen)) / either if either else 1.0


def is_repeated(found: Evidence, template: Template) -> Bools:
    """Say which blocks stand in at least half of the pages."""
    return found.pages >= max(template.pages / 2, 1)

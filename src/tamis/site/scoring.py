"""Scoring: how the other pages of a site change the verdict on the blocks of a page."""

from __future__ import annotations

from collections.abc import Container as Collection
from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.page import Bools
from tamis.site.knowledge import SiteKnowledge
from tamis.site.profile import PageProfile, is_inside, path_signature
from tamis.site.template import Container, Template
from tamis.verdict import Floats

MIN_REPEATS: Final = 4  # other pages that have a text before it counts as part of the template
_MAX_LOG_ODDS: Final = 500.0  # beyond it exp() overflows and no probability changes
_MIN_CONTAINER_SHARE: Final = 0.8  # informative share: a container with much else says little
_MEDIUM_TERMS: Final = 20.0  # of a block whose length adds nothing
_MAX_TERMS: Final = 200.0  # of a block that count as its length


@dataclass(frozen=True)
class Weights:
    """How much each kind of observation changes the log odds of a block.

    They were chosen on sites-dev; `tamis evaluate sites` measures each site with weights that were
    chosen on the other sites.
    """

    block: float = 3.0  # against a block that all other pages have at the same path
    repetition: float = 6.0  # against such a block at a path where all blocks repeat
    container: float = 1.1  # for a block in the element that holds the content of other pages
    length: float = 0.25  # for each factor e by which such a block is longer than medium
    path: float = 0.2  # times the mean log odds of other pages' blocks at its path


@dataclass(frozen=True, eq=False)
class BlockScores:
    """For each block of a page: what the site knows, and the log odds that follow."""

    page_log_odds: Floats  # of content, by the page alone
    pages: Floats  # of the template that hold the block
    path_blocks: Floats  # blocks of the template at the same path
    path_log_odds: Floats  # their mean log odds
    repetition: Floats  # mean share of other pages that have the same blocks at this path
    container: Container | None  # that holds the content of this page and of others
    raised: Bools  # whether the container counts for the block
    log_odds: Floats  # all together
    informative: Bools
    declared: Bools  # whether a person declared the block to be noise
    agreement: float  # between the page alone and the site, on what is informative

    @property
    def probability(self) -> Floats:
        """The probability of content; 0 for declared noise."""
        return np.where(self.declared, 0.0, to_probability(self.log_odds))


def to_probability(log_odds: Floats | float) -> Floats:
    """Return the probability of log odds."""
    probability: Floats = 1 / (1 + np.exp(-np.clip(log_odds, -_MAX_LOG_ODDS, _MAX_LOG_ODDS)))
    return probability


def score_blocks(
    profile: PageProfile,
    template: Template,
    site: SiteKnowledge,
    weights: Weights,
    declared: Collection[str | None] = (),
) -> BlockScores:
    """Score the blocks of a page, as if the page had not been learned from.

    The page's own verdict stands, with two exceptions. A block that several other pages have at the
    same path, where blocks mostly repeat, loses log odds and becomes noise below 0. A block that is
    noise by the page alone, but whose text no other page has, is not all links, and stands in the
    element that holds the content of other pages, gains log odds and becomes informative from 0
    on. So no text that only this page has is ever taken away. What is `declared` is noise in any
    case.
    """
    was_learned = site.has_learned(profile)
    stats = [template.by_path.get(path) for path in profile.paths]
    same = [template.by_id.get(block_id) if block_id else None for block_id in profile.fingerprints]
    pages = np.array([block.pages if block else 0 for block in same], dtype=np.float64)
    path_blocks = np.array([path.blocks if path else 0 for path in stats], dtype=np.float64)
    path_log_odds = np.array([path.log_odds if path else 0.0 for path in stats], dtype=np.float64)
    repetition = np.array([template.repetition.get(path, 0.0) for path in profile.paths])
    has_path = np.array(
        [
            block is not None and (block.path == path or block.is_added)
            for block, path in zip(same, profile.paths, strict=True)
        ],
        dtype=np.bool_,
    )
    added = np.array([block is not None and block.is_added for block in same], dtype=np.bool_)
    count = max(template.pages - was_learned, 1)
    other_pages = np.where(has_path, np.maximum(pages - was_learned, 0.0), 0.0)
    informative = profile.informative
    repeats = (other_pages >= MIN_REPEATS) & (2 * other_pages >= count) & (repetition >= 0.5)
    repeats &= ~_is_beside(profile, informative & ~repeats)
    repeats |= added & (2 * other_pages >= count)  # a person need not say where it stands
    log_odds = profile.log_odds - repeats * (
        weights.block * other_pages / count + weights.repetition * repetition
    )
    container, inside = _find_site_container(profile, site, was_learned)
    raised = np.zeros(len(log_odds), dtype=np.bool_)
    if container is not None:
        raised = inside & ~informative & (profile.terms > 0) & site.is_new(profile, was_learned)
        raised &= ~_is_all_links(profile)
        log_odds = log_odds + raised * container_log_odds(profile, site, weights, was_learned)
    chosen = np.where(informative, ~repeats | (log_odds >= 0), raised & (log_odds >= 0))
    is_declared = np.array([block_id in declared for block_id in profile.fingerprints], np.bool_)
    return BlockScores(
        profile.log_odds,
        pages,
        path_blocks,
        path_log_odds,
        repetition,
        container,
        raised,
        log_odds,
        chosen & ~is_declared,
        is_declared,
        _measure_agreement(profile.terms, informative, chosen),
    )


def container_log_odds(
    profile: PageProfile, site: SiteKnowledge, weights: Weights, was_learned: bool
) -> Floats:
    """Return the log odds that each block would gain in the site's container.

    They are never less than 0 and do not depend on the number of pages: on sites-dev a container
    says as much after five pages as after ten.
    """
    length = np.log(np.clip(profile.terms, 1.0, _MAX_TERMS) / _MEDIUM_TERMS)
    path = site.path_log_odds(profile, was_learned)
    return np.maximum(weights.container + weights.length * length + weights.path * path, 0.0)


def is_frequent(scores: BlockScores, template: Template) -> Bools:
    """Say which blocks stand in at least half of the pages."""
    return scores.pages >= max(template.pages / 2, 1)


def _is_beside(profile: PageProfile, selected: Bools) -> Bools:
    """Say which blocks have a parent element that holds a selected block.

    Headings of a manual and steps that recipes share are such blocks: they repeat, but they are
    parts of something that does not.
    """
    page, blocks = profile.blocks.page, profile.blocks
    rows = np.sort(blocks.node[selected])
    parents = np.maximum(page.parent[blocks.node], 0)
    first, last = np.searchsorted(rows, parents), np.searchsorted(rows, page.end[parents])
    is_beside: Bools = last > first
    return is_beside


def _is_all_links(profile: PageProfile) -> Bools:
    """Say which blocks have no text but that of links: they lead to content elsewhere."""
    page, blocks = profile.blocks.page, profile.blocks
    is_all_links: Bools = blocks.owned(np.where(page.in_link, 0, page.terms)) == 0
    return is_all_links


def _find_site_container(
    profile: PageProfile, site: SiteKnowledge, was_learned: bool
) -> tuple[Container | None, Bools]:
    """Return the element around the page's content that holds the content of other pages as well.

    The second value says which blocks stand in it.
    """
    main, page = profile.main_container, profile.blocks.page
    row = main.row if main else -1
    while main is not None and row >= 0:
        path = main.path if row == main.row else path_signature(page, row)
        if not path:
            break  # the whole page, which does not say where in it the content stands
        container = site.containers.get(path)
        if container is not None and was_learned and path == main.path:
            container = container.without_page(main.share)
        if container is not None and container.pages and container.share >= _MIN_CONTAINER_SHARE:
            return container, is_inside(profile.blocks, row)
        row = int(page.parent[row])
    return None, np.zeros(len(profile.blocks), dtype=np.bool_)


def _measure_agreement(terms: Floats, page_choice: Bools, site_choice: Bools) -> float:
    """Return the terms that both verdicts choose as a share of those that either chooses."""
    either = float(terms @ (page_choice | site_choice))
    return float(terms @ (page_choice & site_choice)) / either if either else 1.0

"""What a template changes on pages that the default method has read by themselves."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tamis.lab.metrics.text import word_counts
from tamis.lab.studies.sites.shapes import SHAPES, make_shaped_pages
from tamis.lab.studies.sites.systems import LabPage, ShapedItem, build_reader
from tamis.site import Weights

FEW_PAGES: Final = 5  # pages to learn from
_MANY_PAGES: Final = (10, 8)  # the first number that a site has more pages than
_DRAWS: Final = 5  # of pages to learn from, for each number of them
LOSS: Final = 0.02  # of F1 that is counted
HEAVY_LOSS: Final = 0.1


@dataclass(frozen=True)
class Effect:
    """What templates that were learned from pages of a site change on its other pages."""

    site: str
    learned: int
    pages: int  # read with a template, all draws together
    alone: float  # mean F1, page by page
    gain: float  # with templates, on average
    worst: float  # gain of the page that gains least
    losing: int  # pages that lose more than LOSS
    losing_much: int  # and more than HEAVY_LOSS
    emptied: int  # pages that have content by themselves and none with the template


def make_shaped_sites() -> dict[str, list[LabPage]]:
    """Return the made-up sites, one of each shape."""
    return {
        name: [
            LabPage(ShapedItem(page.html, page.gold, f"https://sieve.example/{number}"))
            for number, page in enumerate(make_shaped_pages(name))
        ]
        for name in SHAPES
    }


def measure_effects(
    sites: Mapping[str, Sequence[LabPage]], weights: Mapping[str, Weights] | None = None
) -> tuple[Effect, ...]:
    """Return the effect of templates on each site, learned from few pages and from many."""
    effects: list[Effect] = []
    for site, pages in sites.items():
        chosen = weights[site] if weights else Weights()
        effects += [measure_site_effect(site, pages, size, chosen) for size in learned_sizes(pages)]
    return tuple(effects)


def learned_sizes(pages: Sequence[LabPage]) -> list[int]:
    """Return the numbers of pages to learn from that leave others to read."""
    many = next((size for size in _MANY_PAGES if len(pages) > size), FEW_PAGES)
    return [size for size in dict.fromkeys((FEW_PAGES, many)) if len(pages) > size]


def measure_site_effect(site: str, pages: Sequence[LabPage], size: int, weights: Weights) -> Effect:
    """Return what templates, learned from drawn pages, change on the others."""
    alone = build_reader("learned", ())
    before = [score_page(page, alone(page).text) for page in pages]
    scores, gains, emptied = [], [], 0
    for draw in range(_DRAWS):
        drawn = set(random.Random(draw).sample(range(len(pages)), size))
        read = build_reader("site", [pages[number] for number in sorted(drawn)], weights)
        for number in sorted(set(range(len(pages))) - drawn):
            f1, is_empty = score_page(pages[number], read(pages[number]).text)
            was, was_empty = before[number]
            scores.append(was)
            gains.append(f1 - was)
            emptied += is_empty and not was_empty
    return Effect(
        site,
        size,
        len(gains),
        sum(scores) / len(scores),
        sum(gains) / len(gains),
        min(gains),
        sum(gain < -LOSS for gain in gains),
        sum(gain < -HEAVY_LOSS for gain in gains),
        emptied,
    )


def score_page(page: LabPage, text: str) -> tuple[float, bool]:
    """Return the F1 of a text for a page, and whether it is empty."""
    return word_counts(text, page.gold, page.item.tokens).f1, not text.strip()

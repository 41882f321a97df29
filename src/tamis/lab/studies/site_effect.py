"""Effect: what a template makes of pages that the default method has read by themselves."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tamis.lab.metrics.text import word_counts
from tamis.lab.studies.site_shapes import SHAPES, shaped_pages
from tamis.lab.studies.site_systems import LabPage, ShapedItem, reader
from tamis.site import Weights

FEW: Final = 5  # pages to learn from
MANY: Final = (10, 8)  # so many where a site has more, or else so many
DRAWS: Final = 5  # of pages to learn from, for each number of them
LOSS: Final = 0.02  # of F1 that is counted
HEAVY_LOSS: Final = 0.1


@dataclass(frozen=True)
class Effect:
    """What templates learned from so many pages of a site make of its other pages."""

    site: str
    learned: int
    pages: int  # read with a template, all draws together
    alone: float  # mean F1, page by page
    gain: float  # with templates, on average
    worst: float  # gain of the page that gains least
    losing: int  # pages that lose more than LOSS
    losing_much: int  # and more than HEAVY_LOSS
    emptied: int  # pages that have content by themselves and none with the template


def shaped_sites() -> dict[str, list[LabPage]]:
    """Return the sites that are made up, one of each shape."""
    return {
        name: [
            LabPage(ShapedItem(page.html, page.gold, f"https://sieve.example/{number}"))
            for number, page in enumerate(shaped_pages(name))
        ]
        for name in SHAPES
    }


def effects(
    sites: Mapping[str, Sequence[LabPage]],
    weights: Mapping[str, Weights] | None = None,
    draws: int = DRAWS,
) -> tuple[Effect, ...]:
    """Return the effect of templates on each site, learned from few pages and from many."""
    rows = []
    for site, pages in sites.items():
        chosen = weights[site] if weights else Weights()
        rows += [site_effect(site, pages, size, chosen, draws) for size in learned_sizes(pages)]
    return tuple(rows)


def learned_sizes(pages: Sequence[LabPage]) -> list[int]:
    """Return the numbers of pages to learn from that leave some others to read."""
    many = next((size for size in MANY if len(pages) > size), FEW)
    return [size for size in dict.fromkeys((FEW, many)) if len(pages) > size]


def site_effect(
    site: str, pages: Sequence[LabPage], size: int, weights: Weights, draws: int = DRAWS
) -> Effect:
    """Return what templates, learned from drawn pages, make of the others."""
    alone = reader("learned", ())
    before = [page_score(page, alone(page).text) for page in pages]
    scores, gains, emptied = [], [], 0
    after: dict[tuple[int, bytes], tuple[float, bool]] = {}  # most draws keep the same blocks
    for draw in range(draws):
        drawn = set(random.Random(draw).sample(range(len(pages)), size))
        read = reader("site", [pages[number] for number in sorted(drawn)], weights)
        for number in sorted(set(range(len(pages))) - drawn):
            document = read(pages[number])
            key = number, document.verdict.informative.tobytes()
            if key not in after:
                after[key] = page_score(pages[number], document.text)
            f1, is_empty = after[key]
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


def page_score(page: LabPage, text: str) -> tuple[float, bool]:
    """Return the F1 of a text as that of a page, and whether it is empty."""
    return word_counts(text, page.gold, page.item.tokens).f1, not text.strip()

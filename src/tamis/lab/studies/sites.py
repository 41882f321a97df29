"""The sites study: metrics on pages that were not learned from, by system and by pages learned."""

from __future__ import annotations

import random
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Final

from tamis.errors import InputError, PoorMatch
from tamis.lab.datasets import Dataset
from tamis.lab.metrics.blocks import block_counts
from tamis.lab.metrics.statistics import Difference, paired_difference
from tamis.lab.metrics.text import word_counts
from tamis.lab.studies.site_effect import Effect, effects, learned_sizes, page_score, shaped_sites
from tamis.lab.studies.site_systems import (
    LEAST,
    NAMES,
    SOME_DAY,
    AtRecalls,
    LabPage,
    Reader,
    at_recalls,
    reader,
    segmenter_of,
    weighed,
)
from tamis.lab.studies.site_times import COUNTS, Timing, timings
from tamis.site import Site, Weights, learn_templates

PARTS: Final = 5  # of a site: each is scored by what was learned from the others
SIZES: Final = (1, 2, 5, 10, 20)  # pages to learn from
DRAWS: Final = 3  # of pages to learn from, for each size
MEASURES: Final = ("b_precision", "b_recall", "b_f1", "precision", "recall", "f1")
DEAR: Final = 3.0  # times that a loss counts as much as a gain where weights are chosen
# Weights to choose from; each site is measured with those that are best on the other sites.
GRID: Final = tuple(
    Weights(container=container, length=length, path=path)
    for container, length, path in product((0.9, 1.1, 1.3), (0.15, 0.25), (0.1, 0.2))
)

Scores = Mapping[str, float]
Told = Callable[[str], None]


@dataclass(frozen=True)
class Study:
    """All that was measured."""

    dataset: str
    sites: Mapping[str, int]  # pages
    scores: Mapping[str, Mapping[str, Scores]]  # by system and site: means of MEASURES
    differences: Mapping[str, Difference]  # site against the others, F1 paired by page
    chosen: Mapping[str, Weights]  # by site, chosen on the others
    curve: Mapping[str, Mapping[int, Scores]]  # means by system and pages learned from
    curve_sites: Mapping[int, int]  # sites with so many pages
    effects: tuple[Effect, ...]  # of templates on pages, by site
    shaped: tuple[Effect, ...]  # the same on sites that are made up, with the weights that ship
    at_recalls: tuple[AtRecalls, ...]  # precision, with all thresholds
    times: tuple[Timing, ...]


def study(dataset: Dataset, told: Told = lambda step: None) -> Study:
    """Measure all systems on a set with several pages of each site."""
    sites, shaped = pages_by_site(dataset), shaped_sites()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorMatch)
        told("choosing weights, each site by the others")
        chosen = chosen_weights(sites, shaped)
        found = {}
        for name in NAMES:
            told(f"measuring {name}")
            found[name] = {site: held_out(name, sites[site], chosen[site]) for site in sites}
        told("learning from 1 to 20 pages")
        curve = {name: curve_of(name, sites, chosen) for name in NAMES}
        told("comparing pages with and without templates")
        changes = effects(sites, chosen), effects(shaped)
        told("going through thresholds")
        equal = at_recalls(sites)
    told("taking times")
    return Study(
        dataset.name,
        {site: len(pages) for site, pages in sites.items()},
        {name: {site: means(rows) for site, rows in by.items()} for name, by in found.items()},
        differences(found),
        chosen,
        curve,
        {size: sum(len(pages) > size for pages in sites.values()) for size in SIZES},
        *changes,
        equal,
        timings(COUNTS),
    )


def pages_by_site(dataset: Dataset) -> dict[str, list[LabPage]]:
    """Return the pages of each site; InputError if there are too few."""
    if dataset.truth != "text":
        raise InputError(f"{dataset.name} has no main_content: take a set such as sites-dev")
    found: defaultdict[str, list[LabPage]] = defaultdict(list)
    for item in dataset.items:
        found[item.group].append(LabPage(item))
    sites = {site: pages for site, pages in found.items() if len(pages) >= PARTS}
    if len(sites) < 2:
        raise InputError(
            f"{dataset.name} has {len(sites)} sites with {PARTS} pages or more: two are needed"
        )
    return sites


def parts(pages: Sequence[LabPage]) -> Iterator[tuple[list[LabPage], list[LabPage]]]:
    """Yield the parts of a site, and what there is to learn from beside each."""
    for part in range(PARTS):
        scored = [page for number, page in enumerate(pages) if number % PARTS == part]
        yield scored, [page for number, page in enumerate(pages) if number % PARTS != part]


def held_out(name: str, pages: Sequence[LabPage], weights: Weights) -> list[Scores]:
    """Return the scores of all pages of a site, each by a system that did not learn from it."""
    return [
        score(page, read, name)
        for scored, others in parts(pages)
        for read in (reader(name, others, weights),)
        for page in scored
    ]


def score(page: LabPage, read: Reader, name: str) -> Scores:
    """Return the measures of a system on a page."""
    document, segmenter = read(page), segmenter_of(name)
    kept = document.verdict.informative
    blocks = block_counts(document.segments, kept, page.wanted(segmenter))
    words = word_counts(document.text, page.gold, page.item.tokens)
    values = (blocks.precision, blocks.recall, blocks.f1, words.precision, words.recall, words.f1)
    return dict(zip(MEASURES, values, strict=True))


def means(rows: Sequence[Scores]) -> dict[str, float]:
    """Return the mean of each measure."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in MEASURES}


def chosen_weights(
    sites: Mapping[str, Sequence[LabPage]], shaped: Mapping[str, Sequence[LabPage]]
) -> dict[str, Weights]:
    """Return for each site the weights that are best on all other sites and on those made up."""
    values = {site: grid_values(pages) for site, pages in sites.items()}
    always = [grid_values(pages) for pages in shaped.values()]

    def value(weights: Weights, left_out: str) -> float:
        real = [values[site][weights] for site in sites if site != left_out]
        return sum(real) / len(real) + sum(by[weights] for by in always) / max(len(always), 1)

    return {site: max(GRID, key=partial(value, left_out=site)) for site in sites}


def grid_values(pages: Sequence[LabPage]) -> dict[Weights, float]:
    """Return what templates with each weights are worth on a site: its mean gain of F1.

    Learned from as few pages as people learn from. A page that loses counts as several that gain
    as much: templates are there to help.
    """
    gains: dict[Weights, list[float]] = {weights: [] for weights in GRID}
    alone = reader("learned", ())
    before = [page_score(page, alone(page).text)[0] for page in pages]
    scores: dict[tuple[int, bytes], float] = {}  # most weights keep the same blocks of a page
    for drawn, size in product(range(DRAWS), learned_sizes(pages)):
        chosen = set(random.Random(drawn).sample(range(len(pages)), size))
        site = Site(learn_templates(pages[n].profile for n in sorted(chosen)), SOME_DAY)
        for weights in GRID:
            read = weighed(replace(site, weights=weights))
            for number in sorted(set(range(len(pages))) - chosen):
                document = read(pages[number])
                key = number, document.verdict.informative.tobytes()
                if key not in scores:
                    scores[key] = page_score(pages[number], document.text)[0]
                gain = scores[key] - before[number]
                gains[weights].append(gain if gain > 0 else DEAR * gain)
    return {weights: sum(found) / max(len(found), 1) for weights, found in gains.items()}


def differences(found: Mapping[str, Mapping[str, Sequence[Scores]]]) -> dict[str, Difference]:
    """Return how much better than each other system the site templates are, with intervals."""
    weights = [1 / len(rows) for rows in found["site"].values() for _ in rows]

    def values(name: str) -> list[float]:
        return [row["f1"] for rows in found[name].values() for row in rows]

    return {
        name: paired_difference(values("site"), values(name), weights)
        for name in found
        if name != "site"
    }


def curve_of(
    name: str, sites: Mapping[str, Sequence[LabPage]], chosen: Mapping[str, Weights]
) -> dict[int, Scores]:
    """Return the means over sites on pages not learned from, by the number learned from."""
    found: dict[int, Scores] = {}
    for size in SIZES:
        if size < LEAST.get(name, 1):
            continue
        values = [
            drawn_score(name, pages, size, chosen[site])
            for site, pages in sites.items()
            if len(pages) > size
        ]
        if values:
            found[size] = means(values)
    return found


def drawn_score(name: str, pages: Sequence[LabPage], size: int, weights: Weights) -> Scores:
    """Return the means over the other pages of a site, learned from a few drawn ones."""
    found = []
    for draw in range(DRAWS):
        learn = set(random.Random(draw).sample(range(len(pages)), size))
        read = reader(name, [pages[number] for number in sorted(learn)], weights)
        rows = [score(page, read, name) for n, page in enumerate(pages) if n not in learn]
        found.append(means(rows))
    return means(found)

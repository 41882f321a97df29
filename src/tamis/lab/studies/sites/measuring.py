"""What is measured on sites: each page by what was learned from other pages of its site.

Debnath et al. 2005 have the same tables, on the pages that were learned from.
"""

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
from tamis.lab.studies.sites.effect import (
    Effect,
    learned_sizes,
    make_shaped_sites,
    measure_effects,
    score_page,
)
from tamis.lab.studies.sites.systems import (
    ANY_DAY,
    MIN_PAGES,
    SYSTEM_NAMES,
    AtRecalls,
    LabPage,
    Reader,
    build_lab_page,
    build_reader,
    find_segmenter,
    measure_at_recalls,
    read_with_site,
)
from tamis.lab.studies.sites.times import COUNTS, Timing, measure_times
from tamis.site import Site, Weights, learn_templates

_PARTS: Final = 5  # of a site: each is scored by what was learned from the others
SIZES: Final = (1, 2, 5, 10, 20)  # pages to learn from
_DRAWS: Final = 3  # of pages to learn from, for each size
MEASURES: Final = ("b_precision", "b_recall", "b_f1", "precision", "recall", "f1")
_LOSS_WEIGHT: Final = 3.0  # of a loss against a gain, where weights are chosen
# Weights to choose from; each site is measured with those that are best on the other sites.
GRID: Final = tuple(
    Weights(container=container, length=length, path=path)
    for container, length, path in product((0.9, 1.1, 1.3), (0.15, 0.25), (0.1, 0.2))
)

_Scores = Mapping[str, float]


@dataclass(frozen=True)
class SitesOutcome:
    """All that was measured."""

    dataset: str
    sites: Mapping[str, int]  # pages
    scores: Mapping[str, Mapping[str, _Scores]]  # by system and site: means of MEASURES
    differences: Mapping[str, Difference]  # site against the others, F1 paired by page
    chosen: Mapping[str, Weights]  # by site, chosen on the others
    curve: Mapping[str, Mapping[int, _Scores]]  # means by system and pages learned from
    curve_sites: Mapping[int, int]  # sites with so many pages
    effects: tuple[Effect, ...]  # of templates on pages, by site
    shaped: tuple[Effect, ...]  # the same on sites that are made up, with the weights that ship
    at_recalls: tuple[AtRecalls, ...]  # precision, with all thresholds
    times: tuple[Timing, ...]


def measure_sites(
    dataset: Dataset, say: Callable[[str], None] = lambda message: None
) -> SitesOutcome:
    """Measure all systems on a set with several pages of each site."""
    sites, shaped = pages_by_site(dataset), make_shaped_sites()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorMatch)
        say("choosing weights, each site by the others")
        chosen = choose_weights(sites, shaped)
        scores = {}
        for name in SYSTEM_NAMES:
            say(f"measuring {name}")
            scores[name] = {site: score_held_out(name, sites[site], chosen[site]) for site in sites}
        say("learning from 1 to 20 pages")
        curve = {name: _learning_curve(name, sites, chosen) for name in SYSTEM_NAMES}
        say("comparing pages with and without templates")
        effects = measure_effects(sites, chosen), measure_effects(shaped)
        say("going through thresholds")
        precisions = measure_at_recalls(sites)
    say("taking times")
    return SitesOutcome(
        dataset.name,
        {site: len(pages) for site, pages in sites.items()},
        {
            name: {site: _means(rows) for site, rows in by_site.items()}
            for name, by_site in scores.items()
        },
        _differences(scores),
        chosen,
        curve,
        {size: sum(len(pages) > size for pages in sites.values()) for size in SIZES},
        *effects,
        precisions,
        measure_times(COUNTS),
    )


def pages_by_site(dataset: Dataset) -> dict[str, list[LabPage]]:
    """Return the pages of each site; InputError if there are too few."""
    if dataset.truth != "text":
        raise InputError(f"{dataset.name} has no main_content: take a set such as sites-dev")
    groups: defaultdict[str, list[LabPage]] = defaultdict(list)
    for item in dataset.items:
        groups[item.group].append(build_lab_page(item, dataset))
    sites = {site: pages for site, pages in groups.items() if len(pages) >= _PARTS}
    if len(sites) < 2:
        raise InputError(
            f"{dataset.name} has {len(sites)} sites with {_PARTS} pages or more: two are needed"
        )
    return sites


def split_site(pages: Sequence[LabPage]) -> Iterator[tuple[list[LabPage], list[LabPage]]]:
    """Yield the parts of a site, and what there is to learn from beside each."""
    for part in range(_PARTS):
        scored = [page for number, page in enumerate(pages) if number % _PARTS == part]
        yield scored, [page for number, page in enumerate(pages) if number % _PARTS != part]


def score_held_out(name: str, pages: Sequence[LabPage], weights: Weights) -> list[_Scores]:
    """Return the scores of all pages of a site, each by a system that did not learn from it."""
    return [
        _score(page, read, name)
        for scored, others in split_site(pages)
        for read in (build_reader(name, others, weights),)
        for page in scored
    ]


def _score(page: LabPage, read: Reader, name: str) -> _Scores:
    """Return the measures of a system on a page."""
    document, segmenter = read(page), find_segmenter(name)
    kept = document.verdict.informative
    blocks = block_counts(document.segments, kept, page.wanted(segmenter))
    words = word_counts(document.text, page.gold, page.item.tokens)
    values = (blocks.precision, blocks.recall, blocks.f1, words.precision, words.recall, words.f1)
    return dict(zip(MEASURES, values, strict=True))


def _means(rows: Sequence[_Scores]) -> dict[str, float]:
    """Return the mean of each measure."""
    return {name: sum(row[name] for row in rows) / len(rows) for name in MEASURES}


def choose_weights(
    sites: Mapping[str, Sequence[LabPage]], shaped: Mapping[str, Sequence[LabPage]]
) -> dict[str, Weights]:
    """Return for each site the weights that are best on all other sites and on made-up ones."""
    values = {site: _value_weights(pages) for site, pages in sites.items()}
    shaped_values = [_value_weights(pages) for pages in shaped.values()]

    def value(weights: Weights, left_out: str) -> float:
        real = [values[site][weights] for site in sites if site != left_out]
        return sum(real) / len(real) + sum(
            by_weights[weights] for by_weights in shaped_values
        ) / max(len(shaped_values), 1)

    return {site: max(GRID, key=partial(value, left_out=site)) for site in sites}


def _value_weights(pages: Sequence[LabPage]) -> dict[Weights, float]:
    """Return the mean gain of F1 on a site for templates with each choice of weights.

    Learned from as few pages as people learn from. A page that loses counts as several that gain
    as much: templates are there to help.
    """
    gains: dict[Weights, list[float]] = {weights: [] for weights in GRID}
    alone = build_reader("learned", ())
    before = [score_page(page, alone(page).text)[0] for page in pages]
    scores: dict[tuple[int, bytes], float] = {}  # most weights keep the same blocks of a page
    for drawn, size in product(range(_DRAWS), learned_sizes(pages)):
        chosen = set(random.Random(drawn).sample(range(len(pages)), size))
        site = Site(learn_templates(pages[n].profile for n in sorted(chosen)), ANY_DAY)
        for weights in GRID:
            read = read_with_site(replace(site, weights=weights))
            for number in sorted(set(range(len(pages))) - chosen):
                document = read(pages[number])
                key = number, document.verdict.informative.tobytes()
                if key not in scores:
                    scores[key] = score_page(pages[number], document.text)[0]
                gain = scores[key] - before[number]
                gains[weights].append(gain if gain > 0 else _LOSS_WEIGHT * gain)
    return {weights: sum(values) / max(len(values), 1) for weights, values in gains.items()}


def _differences(scores: Mapping[str, Mapping[str, Sequence[_Scores]]]) -> dict[str, Difference]:
    """Return how much better than each other system the site templates are, with intervals."""
    weights = [1 / len(rows) for rows in scores["site"].values() for _ in rows]

    def values(name: str) -> list[float]:
        return [row["f1"] for rows in scores[name].values() for row in rows]

    return {
        name: paired_difference(values("site"), values(name), weights)
        for name in scores
        if name != "site"
    }


def _learning_curve(
    name: str, sites: Mapping[str, Sequence[LabPage]], chosen: Mapping[str, Weights]
) -> dict[int, _Scores]:
    """Return the means over sites on pages not learned from, by the number learned from."""
    curve: dict[int, _Scores] = {}
    for size in SIZES:
        if size < MIN_PAGES.get(name, 1):
            continue
        values = [
            _score_drawn(name, pages, size, chosen[site])
            for site, pages in sites.items()
            if len(pages) > size
        ]
        if values:
            curve[size] = _means(values)
    return curve


def _score_drawn(name: str, pages: Sequence[LabPage], size: int, weights: Weights) -> _Scores:
    """Return the means over the other pages of a site, learned from a few drawn ones."""
    draws = []
    for draw in range(_DRAWS):
        learn = set(random.Random(draw).sample(range(len(pages)), size))
        read = build_reader(name, [pages[number] for number in sorted(learn)], weights)
        rows = [_score(page, read, name) for n, page in enumerate(pages) if n not in learn]
        draws.append(_means(rows))
    return _means(draws)

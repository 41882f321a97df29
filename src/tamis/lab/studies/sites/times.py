"""Run time against the number of pages, as Debnath et al. 2005 show it in Figures 7 and 9."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tamis.blocks import Fragments, Segmenter, Tables, TagSet
from tamis.lab.studies.sites.synthetic import site_pages
from tamis.page import Page, parse
from tamis.site import Site
from tamis.verdict import Entropy, Feature, Ibdf, Shingle

COUNTS: Final = (10, 30, 100, 300, 1000)


@dataclass(frozen=True)
class Timing:
    """Seconds of a system for so many pages, and how many times that of ibdf it is."""

    name: str
    pages: int
    seconds: float
    ratio: float


def _run_learner(
    segmenter: Segmenter, learner: Ibdf | Entropy | Shingle
) -> Callable[[Sequence[Page]], None]:
    """Return what learns from all pages and judges each."""

    def run(pages: Sequence[Page]) -> None:
        blocks = [segmenter.segment(page) for page in pages]
        identifier = learner.fit(blocks)
        for page in blocks:
            identifier.identify(page)

    return run


def _run_feature(pages: Sequence[Page]) -> None:
    """Judge pages by FeatureExtractor, page by page."""
    for page in pages:
        Feature().identify(TagSet(tables="whole").segment(page))


def _run_site(pages: Sequence[Page]) -> None:
    """Judge pages by a site template, with the scores of the default method for each page."""
    site = Site.learn(pages)
    for page in pages:
        site.identify(TagSet().segment(page))


_SYSTEMS: Final[Mapping[str, Callable[[Sequence[Page]], None]]] = {
    "ibdf": _run_learner(TagSet(), Ibdf()),
    "entropy": _run_learner(Tables(), Entropy()),
    "shingle": _run_learner(Fragments(), Shingle()),
    "feature": _run_feature,
    "site": _run_site,
}


def measure_times(counts: Sequence[int]) -> tuple[Timing, ...]:
    """Return the time of each system for several numbers of pages of a made-up site.

    Times are of one thread, without parsing, the better of two.
    """
    timings: list[Timing] = []
    for count in counts:
        pages = [parse(html, url) for url, html in site_pages(count)]
        seconds = {name: _best_time(run, pages) for name, run in _SYSTEMS.items()}
        timings += [
            Timing(name, count, value, value / seconds["ibdf"]) for name, value in seconds.items()
        ]
    return tuple(timings)


def _best_time(run: Callable[[Sequence[Page]], None], pages: Sequence[Page]) -> float:
    """Return the lesser of two times."""
    times = []
    for _ in range(2):
        gc.collect()
        start = time.thread_time()
        run(pages)
        times.append(time.thread_time() - start)
    return min(times)

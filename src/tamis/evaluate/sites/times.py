"""Run time against the number of pages, as 004's Figures 7 and 9 show it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tamis.blocks import Fragments, Tables, TagSet
from tamis.evaluate.sites.made import site_pages
from tamis.page import Page, parse
from tamis.site.site import Site
from tamis.verdict import Entropy, Feature, Ibdf, Shingle

COUNTS: Final = (10, 30, 100, 300, 1000)


@dataclass(frozen=True)
class Timing:
    """Seconds of a system for so many pages, and how many times that of ibdf it is."""

    name: str
    pages: int
    seconds: float
    ratio: float


def ibdf(pages: Sequence[Page]) -> None:
    """Find the informative blocks of all pages by ContentExtractor."""
    blocks = [TagSet().segment(page) for page in pages]
    ready = Ibdf().fit(blocks)
    for page in blocks:
        ready.identify(page)


def entropy(pages: Sequence[Page]) -> None:
    """The same by Lin and Ho."""
    blocks = [Tables().segment(page) for page in pages]
    ready = Entropy().fit(blocks)
    for page in blocks:
        ready.identify(page)


def shingle(pages: Sequence[Page]) -> None:
    """The same by shared fragments."""
    blocks = [Fragments().segment(page) for page in pages]
    ready = Shingle().fit(blocks)
    for page in blocks:
        ready.identify(page)


def feature(pages: Sequence[Page]) -> None:
    """The same by FeatureExtractor, page by page."""
    for page in pages:
        Feature().identify(TagSet(tables="whole").segment(page))


def site(pages: Sequence[Page]) -> None:
    """The same by a site template, with the score of the default method for each page."""
    ready = Site.learn(pages)
    for page in pages:
        ready.identify(TagSet().segment(page))


SYSTEMS: Final[Mapping[str, Callable[[Sequence[Page]], None]]] = {
    "ibdf": ibdf,
    "entropy": entropy,
    "shingle": shingle,
    "feature": feature,
    "site": site,
}


def timings(counts: Sequence[int]) -> tuple[Timing, ...]:
    """Return the time of each system for several numbers of pages of a site that is made up.

    Times are of one thread, without parsing, the better of two.
    """
    found = []
    for count in counts:
        pages = [parse(html, url) for url, html in site_pages(count)]
        seconds = {name: best(run, pages) for name, run in SYSTEMS.items()}
        found += [
            Timing(name, count, value, value / seconds["ibdf"]) for name, value in seconds.items()
        ]
    return tuple(found)


def best(work: Callable[[Sequence[Page]], None], pages: Sequence[Page]) -> float:
    """Return the lesser of two times."""
    times = []
    for _ in range(2):
        gc.collect()
        start = time.thread_time()
        work(pages)
        times.append(time.thread_time() - start)
    return min(times)

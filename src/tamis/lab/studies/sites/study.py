"""The studies of sites: `tamis evaluate sites` and `tamis evaluate site-growth`."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar, Final

from tamis.lab.datasets import load
from tamis.lab.report import Report, ReportTable
from tamis.lab.studies.sites.measuring import measure_sites
from tamis.lab.studies.sites.synthetic import site_pages
from tamis.lab.studies.sites.tables import sites_charts, sites_tables
from tamis.lab.study import Log, Study
from tamis.page import parse
from tamis.site import METHOD, Groups, sight

_MAX_TRACED_PAGES: Final = 1000  # tracing memory is slow


@dataclass(frozen=True)
class SitesStudy(Study):
    """Measures what several pages of a site are good for (Debnath et al. 2005)."""

    name: ClassVar[str] = "sites"

    dataset: str = "sites-dev"

    def run(self, log: Log) -> Report:
        """Score each page by what was learned from other pages of its site."""
        outcome = measure_sites(load(self.dataset), log.say)
        return Report(
            f"tamis: sites of {outcome.dataset}",
            sites_tables(outcome),
            lambda: sites_charts(outcome),
            asdict(outcome),
            "Each page is scored by what was learned from other pages of its site; the weights of "
            "site templates are chosen on the other sites. Systems cut pages in different ways, so "
            "measures of blocks compare only with care.",
        )


@dataclass(frozen=True)
class GrowthStudy(Study):
    """Measures how learning a made-up site grows with its pages: time, blocks, memory."""

    name: ClassVar[str] = "site-growth"

    counts: Sequence[int] = (100, 1000, 10_000)

    def run(self, log: Log) -> Report:
        """Learn from more and more pages; the time is a multiple of that for the fewest."""
        rows = []
        first_seconds = None
        for count in self.counts:
            log.say(f"learning from {count:,} pages")
            seconds, groups = _learn(count)
            first_seconds = first_seconds or seconds
            blocks = sum(len(group.once) + len(group.repeated) for group in groups.learners)
            memory = f"{_traced_bytes(count) / blocks:.0f}" if count <= _MAX_TRACED_PAGES else ""
            rows.append([f"{count:,}", f"{seconds / first_seconds:.1f}", f"{blocks:,}", memory])
        heads = ["pages", "time", "different blocks", "bytes per block"]
        caption = "Time of learning as a multiple of the first, without making and parsing pages."
        return Report(
            "tamis: growth of learning",
            [ReportTable("Learning a made-up site", heads, rows, caption)],
        )


def _learn(count: int) -> tuple[float, Groups]:
    """Return the seconds that learning takes, without making and parsing pages, and the learner."""
    groups = Groups()
    seconds = 0.0
    for url, html in site_pages(count, index_every=10):
        page = parse(html, url)
        start = time.thread_time()
        groups.learn(sight(METHOD.segmenter.segment(page)))
        seconds += time.thread_time() - start
    return seconds, groups


def _traced_bytes(count: int) -> int:
    """Return the bytes that a learner holds after learning from pages."""
    tracemalloc.start()
    try:
        _, groups = _learn(count)
        size, _ = tracemalloc.get_traced_memory()
        return size if groups.learners else 0
    finally:
        tracemalloc.stop()

"""Run time against the number of pages (Debnath et al. 2005, Figures 7 and 9), on real pages.

Pages of sites-dev, of blocks-dev by host, and of the archives are taken as one class, one after the
other. Beyond these there are only made-up pages, which are reported apart.
"""

from __future__ import annotations

import gc
import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tamis.blocks import Fragments, Segmenter, Tables, TagSet
from tamis.errors import InputError, PoorMatch, TamisError
from tamis.lab.datasets import Item, load
from tamis.lab.studies.papers.site_blocks import start_extractors
from tamis.lab.studies.sites import site_pages
from tamis.lab.study import Log
from tamis.lab.systems.methods import Answer, Extractor
from tamis.page import Page, parse
from tamis.pipeline import METHODS, extract
from tamis.site import Site
from tamis.source import Input, Source, is_archive, read_archive
from tamis.verdict import Entropy, Ibdf, Shingle, SiteStyle

ARCHIVES: Final = "warc"  # the folder of archives among the data sets
_REAL_COUNTS: Final = (10, 30, 100, 269)  # and all pages that there are
_MADE_UP_COUNTS: Final = (100, 300, 1000, 3000)
_ROUNDS: Final = 2
_MAX_TOOL_PAGES: Final = 269  # tools take as long for each page as for the one before
_MAX_BYTES: Final = 50_000_000  # of a page in an archive

_Run = Callable[[Sequence[Page]], object]


def _learn(segmenter: Segmenter, learner: Ibdf | Entropy | Shingle | SiteStyle) -> _Run:
    """Return what learns from all pages and judges each."""

    def run(pages: Sequence[Page]) -> None:
        blocks = [segmenter.segment(page) for page in pages]
        identifier = learner.fit(blocks)
        for page in blocks:
            identifier.identify(page)

    return run


def _read_single(name: str) -> _Run:
    """Return what judges page by page."""
    method = METHODS[name]

    def run(pages: Sequence[Page]) -> None:
        for page in pages:
            method.identifier.identify(method.segmenter.segment(page))

    return run


def _run_site(pages: Sequence[Page]) -> None:
    """Learn templates and judge each page by them."""
    site = Site.learn(pages)
    for page in pages:
        site.identify(TagSet().segment(page))


SYSTEMS: Final[Mapping[str, _Run]] = {
    "entropy": _learn(Tables(), Entropy()),
    "ibdf": _learn(TagSet(), Ibdf()),
    "feature": _read_single("feature"),
    "kfeature": _read_single("kfeature"),
    "shingle": _learn(Fragments(), Shingle()),
    "sitestyle": _learn(TagSet(), SiteStyle()),
    "coreex": _read_single("coreex"),
    "learned": _read_single("learned"),
    "site": _run_site,
}


@dataclass(frozen=True, eq=False)
class TimedPage:
    """A page that is timed: parsed for what is built here, as HTML for other tools."""

    page: Page
    html: str
    item: Item | None  # of a labelled set, which tools are given


def measure_times_part(log: Log) -> dict[str, Any]:
    """Return the seconds of each system for several numbers of real and of made-up pages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorMatch)
        return _measure_all(log)


def _measure_all(log: Log) -> dict[str, Any]:
    """Return the seconds for all numbers of pages."""
    real, sources = read_real_pages(log)
    counts = sorted({count for count in _REAL_COUNTS if count < len(real)} | {len(real)})
    times: dict[str, dict[str, dict[str, float]]] = {"real": {}, "made-up": {}}
    whole: dict[str, dict[str, float]] = {}
    for count in counts:
        pages = [page.page for page in real[:count]]
        times["real"][str(count)] = _measure(pages, f"{count} real pages", log)
    for count in (count for count in counts if count <= _MAX_TOOL_PAGES):
        log.say(f"timing tools on {count} real pages")
        whole[str(count)] = _measure_whole(real[:count], log)
    made_up = [parse(html, url) for url, html in site_pages(max(_MADE_UP_COUNTS))]
    for count in _MADE_UP_COUNTS:
        times["made-up"][str(count)] = _measure(made_up[:count], f"{count} made-up pages", log)
    return {"sources": sources, "seconds": times, "whole": whole}


def _measure(pages: Sequence[Page], what: str, log: Log) -> dict[str, float]:
    """Return the best of several times of each system; of one thread, without parsing."""
    log.say(f"timing {what}")
    best = dict.fromkeys(SYSTEMS, float("inf"))
    for _ in range(_ROUNDS):
        for name, run in SYSTEMS.items():
            gc.collect()
            start = time.thread_time()
            run(pages)
            best[name] = min(best[name], time.thread_time() - start)
    return best


def _measure_whole(pages: Sequence[TimedPage], log: Log) -> dict[str, float]:
    """Return the seconds of the default method with parsing, and of other tools; one round."""
    items = [(page.html, page.item) for page in pages if page.item is not None]
    seconds = {}
    with start_extractors(log) as tools:
        systems: Mapping[str, Extractor] = {"learned": _extract_text, **tools}
        for name, read in systems.items():
            gc.collect()
            start = time.thread_time()
            for html, item in items:
                with suppress(Exception):  # whatever a tool raises, it took its time
                    read(html, item)
            seconds[name] = time.thread_time() - start
    return seconds


def _extract_text(html: str, _: Item) -> Answer:
    """Return the text that the default method gives."""
    return Answer(extract(html).text)


def read_real_pages(log: Log) -> tuple[list[TimedPage], dict[str, int]]:
    """Return the pages of all sets that are there, site by site, and how many each set has."""
    pages: list[TimedPage] = []
    sources: dict[str, int] = {}
    for name in ("sites-dev", "blocks-dev"):
        try:
            items = sorted(load(name).items, key=lambda item: (item.group, item.id))
        except TamisError as error:
            log.say(f"left out: {error}")
            continue
        for item in items:
            html = item.html
            pages.append(TimedPage(parse(html, item.url), html, item))
        sources[name] = len(items)
    archived = _read_archives()
    if archived:
        sources[ARCHIVES] = len(archived)
    if not pages and not archived:
        raise InputError(
            "no real pages: put sites-dev, blocks-dev or the folder warc into $TAMIS_BENCH"
        )
    return [*pages, *archived], sources


def _read_archives() -> list[TimedPage]:
    """Return the pages of the archives among the data sets."""
    folder = Path(os.environ.get("TAMIS_BENCH", "")) / ARCHIVES
    if not folder.is_dir():
        return []
    return [
        TimedPage(parse(page.data, page.url, charset=page.charset), "", None)
        for path in sorted(path for path in folder.iterdir() if is_archive(path.name))
        for page in read_archive(Input(path.name, "archive", str(path)), _MAX_BYTES)
        if isinstance(page, Source)
    ]

"""Blocks of sites: b-precision, b-recall, b-F and words of all systems, page by page.

These are Tables 2, 3 and 6 of Debnath et al. 2005. Systems that learn from several pages of a site
learn from its other pages, or, where there are few, from all of them as in the paper: no truth is
used.
"""

from __future__ import annotations

import random
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from statistics import mean
from typing import Any, Final

from tamis.blocks import Blocks
from tamis.content import Document
from tamis.errors import PoorMatch, Unavailable
from tamis.lab.datasets import Dataset, Item, load
from tamis.lab.gold import MIN_SHARE, matched_shares, owned_words, words
from tamis.lab.metrics.blocks import block_counts
from tamis.lab.metrics.text import word_counts
from tamis.lab.run import silence_libraries
from tamis.lab.studies.sites import choose_weights, pages_by_site, split_site
from tamis.lab.studies.sites.effect import make_shaped_sites
from tamis.lab.studies.sites.systems import (
    ENTROPY_ON_TAGSET,
    MIN_PAGES,
    LabPage,
    build_lab_page,
    build_reader,
)
from tamis.lab.study import Log
from tamis.lab.systems.methods import BASELINES, Extractor, find_method
from tamis.lab.systems.peers import find_peer
from tamis.page import Bools
from tamis.site import Weights
from tamis.verdict import Entropy, Ibdf, Shingle, SiteStyle

MEASURES: Final = ("b-P", "b-R", "b-F", "P", "R", "F1")
SITES_SET: Final = "sites-dev"
# Systems that learn from several pages, with their segmenter.
LEARNERS: Final[Mapping[str, tuple[str, Ibdf | Entropy | Shingle | SiteStyle]]] = {
    "entropy": ("tables", Entropy()),
    "ibdf": ("tagset", Ibdf()),
    "shingle": ("fragments", Shingle()),
    ENTROPY_ON_TAGSET: ("tagset", Entropy()),
    "sitestyle": ("tagset", SiteStyle()),
}
SINGLE: Final[Mapping[str, str]] = {  # systems that read single pages, with their segmenter
    "feature": "tagset/whole",
    "kfeature": "tagset",
    "svm": "tagset/classic",
    "coreex": "tagset",
    "optimum": "tagset",
    "learned": "tagset",
}
TOOLS: Final = ("trafilatura", "resiliparse", "readability-lxml")
THRESHOLDS: Final = (0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 0.92, 0.94, 0.96, 0.98, 1.0)  # of sitestyle
CURVE_SIZES: Final = (1, 2, 5, 10, 20)
CURVE_SYSTEMS: Final = ("entropy", "ibdf", "shingle", "sitestyle", "site")
_DRAWS: Final = 3
_MIN_SITE: Final = 5  # pages of a site of wcxb-dev, to learn from them

Scores = list[float]  # by MEASURES
Answer = tuple[str, Bools, str]  # segmenter, decisions on its blocks, text
Reader = Callable[[LabPage], Answer]


@dataclass(frozen=True, eq=False)
class SitePages:
    """Pages of sites that one study reads; `digest` names the gold that they have."""

    digest: str
    sites: Mapping[str, Sequence[LabPage]]


def score_answer(page: LabPage, answer: Answer) -> Scores:
    """Return the measures of an answer."""
    segmenter, kept, text = answer
    blocks = block_counts(page.blocks(segmenter), kept, page.wanted(segmenter))
    text_words = word_counts(text, page.gold, page.item.tokens)
    return [value for c in (blocks, text_words) for value in (c.precision, c.recall, c.f1)]


def _judge(page: LabPage, segmenter: str, identifier: Any) -> Answer:
    """Return the answer of an identifier."""
    blocks = page.blocks(segmenter)
    verdict = identifier.identify(blocks)
    return segmenter, verdict.informative, Document(page.page, blocks, verdict, segmenter).text


def build_learner(name: str, pages: Sequence[LabPage]) -> Reader:
    """Return a system that has learned from pages."""
    segmenter, learner = LEARNERS[name]
    fitted = learner.fit([page.blocks(segmenter) for page in pages])
    return lambda page: _judge(page, segmenter, fitted)


def build_single(name: str, digest: str, site: str) -> Reader:
    """Return a system that reads single pages of a site, and has not learned from that site."""
    if name in BASELINES:
        return lambda page: _judge(page, "tagset", BASELINES[name].identifier)
    identifier = find_method(name, digest, site).identifier
    return lambda page: _judge(page, SINGLE[name], identifier)


def build_site(pages: Sequence[LabPage], weights: Weights) -> Reader:
    """Return a site template that was learned from pages."""
    read = build_reader("site", pages, weights)

    def answer(page: LabPage) -> Answer:
        document = read(page)
        return "tagset", document.verdict.informative, document.text

    return answer


def _read_by_tool(extract: Extractor) -> Reader:
    """Return another tool as a reader: it keeps the blocks with half of their words in its text."""

    def answer(page: LabPage) -> Answer:
        assert isinstance(page.item, Item)
        blocks = page.blocks("tagset")
        try:
            text = extract(page.item.html, page.item).text
        except Exception:  # whatever a tool raises, the page counts as empty
            text = ""
        return "tagset", blocks_in_text(blocks, text), text

    return answer


def blocks_in_text(blocks: Blocks, text: str) -> Bools:
    """Return which blocks have at least half of their words in a text, in order."""
    kept: Bools = matched_shares(owned_words(blocks), words(text)) >= MIN_SHARE
    return kept


@contextmanager
def start_extractors(log: Log) -> Iterator[dict[str, Extractor]]:
    """Give the tools that are installed; the others are named."""
    with ExitStack() as stack:
        stack.enter_context(silence_libraries())
        extractors = {}
        for name in TOOLS:
            try:
                extractors[name] = stack.enter_context(find_peer(name).started())
            except Unavailable as error:
                log.say(f"left out: {error}")
        yield extractors


@contextmanager
def start_tools(log: Log) -> Iterator[dict[str, Reader]]:
    """Give the tools that are installed as readers."""
    with start_extractors(log) as extractors:
        yield {name: _read_by_tool(extract) for name, extract in extractors.items()}


def measure_sites_part(log: Log) -> dict[str, Any]:
    """Return all systems on sites-dev, learned from other pages of the site."""
    dataset = load(SITES_SET)
    pages = SitePages(dataset.digest, pages_by_site(dataset))
    log.say(f"{SITES_SET}: choosing weights and thresholds, each site by the others")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorMatch)
        weights = choose_weights(pages.sites, make_shaped_sites())
        style = _measure_thresholds(pages)
        scores = _score_held_out(pages, weights, log)
    scores["sitestyle"], chosen = _choose_thresholds(pages, style)
    return {
        "sites": [site for site, group in pages.sites.items() for _ in group],
        "scores": scores,
        "thresholds": chosen,
        "by_threshold": {str(threshold): rows for threshold, rows in style.items()},
    }


def _score_held_out(
    pages: SitePages, weights: Mapping[str, Weights], log: Log
) -> dict[str, list[Scores]]:
    """Return the scores of all pages by system, in the order of sites."""
    scores: defaultdict[str, dict[int, Scores]] = defaultdict(dict)
    names = [*LEARNERS, *SINGLE, *BASELINES, "site"]
    with start_tools(log) as tools:
        for site, group in pages.sites.items():
            log.say(f"{SITES_SET}: {site}")
            for name in names:
                for scored, others in split_site(group):
                    if name in LEARNERS:
                        read = build_learner(name, others)
                    elif name == "site":
                        read = build_site(others, weights[site])
                    else:
                        read = build_single(name, pages.digest, site)
                    for page in scored:
                        scores[name][id(page)] = score_answer(page, read(page))
            for name, read in tools.items():
                for page in group:
                    scores[name][id(page)] = score_answer(page, read(page))
    order = [id(page) for group in pages.sites.values() for page in group]
    return {name: [by_page[key] for key in order] for name, by_page in scores.items()}


def _measure_thresholds(pages: SitePages) -> dict[float, list[Scores]]:
    """Return the scores of sitestyle with each threshold, in the order of sites."""
    scores: dict[float, dict[int, Scores]] = {threshold: {} for threshold in THRESHOLDS}
    segmenter, learner = LEARNERS["sitestyle"]
    assert isinstance(learner, SiteStyle)
    for group in pages.sites.values():
        for scored, others in split_site(group):
            fitted = learner.fit([page.blocks(segmenter) for page in others])
            for threshold in THRESHOLDS:
                strict = replace(fitted, threshold=threshold)
                for page in scored:
                    answer = _judge(page, segmenter, strict)
                    scores[threshold][id(page)] = score_answer(page, answer)
    order = [id(page) for group in pages.sites.values() for page in group]
    return {threshold: [rows[key] for key in order] for threshold, rows in scores.items()}


def _choose_thresholds(
    pages: SitePages, style: Mapping[float, Sequence[Scores]]
) -> tuple[list[Scores], dict[str, float]]:
    """Return the scores with the thresholds that have the best b-F on all other sites."""
    labels = [site for site, group in pages.sites.items() for _ in group]
    chosen: dict[str, float] = {}
    for site in pages.sites:

        def value(threshold: float, left_out: str = site) -> float:
            return mean(
                mean(
                    row[2]
                    for row, label in zip(style[threshold], labels, strict=True)
                    if label == other
                )
                for other in pages.sites
                if other != left_out
            )

        chosen[site] = max(THRESHOLDS, key=value)
    return [style[chosen[label]][number] for number, label in enumerate(labels)], chosen


def measure_curve_part(log: Log) -> dict[str, Any]:
    """Return b-F and words on the other pages of a site by the number of pages learned from."""
    sites = pages_by_site(load(SITES_SET))
    large = {site: group for site, group in sites.items() if len(group) > max(CURVE_SIZES)}
    curve: dict[str, dict[str, list[Scores]]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PoorMatch)
        for name in CURVE_SYSTEMS if large else ():
            log.say(f"{SITES_SET}: {name} learns from 1 to {CURVE_SIZES[-1]} pages")
            curve[name] = _measure_curve(name, large.values())
    names = [site for site in large for _ in range(_DRAWS)]
    return {"sites": len(large), "draws": _DRAWS, "names": names, "curve": curve}


def _measure_curve(name: str, groups: Iterable[Sequence[LabPage]]) -> dict[str, list[Scores]]:
    """Return by number of pages the means over the other pages of each site, for each draw."""
    return {
        str(size): [
            _score_drawn(name, group, size, draw) for group in groups for draw in range(_DRAWS)
        ]
        for size in CURVE_SIZES
        if size >= MIN_PAGES.get(name, 1)
    }


def _score_drawn(name: str, pages: Sequence[LabPage], size: int, draw: int) -> Scores:
    """Return the means over the other pages of a site, learned from a few drawn ones."""
    learn = set(random.Random(draw).sample(range(len(pages)), size))
    drawn = [pages[number] for number in sorted(learn)]
    read = build_site(drawn, Weights()) if name == "site" else build_learner(name, drawn)
    rows = [score_answer(page, read(page)) for n, page in enumerate(pages) if n not in learn]
    return [mean(column) for column in zip(*rows, strict=True)]


@dataclass(frozen=True)
class ShopGroup:
    """Pages of one kind: shops, reviews, forums; `learned` are all pages of their sites."""

    name: str
    pages: SitePages
    learned: Mapping[str, Sequence[LabPage]]  # sites with enough pages to learn from


def measure_shops_part(log: Log) -> dict[str, Any]:
    """Return all systems on pages that are no news: shops, lists, forums."""
    groups: list[ShopGroup] = []
    problems: list[str] = []
    for name, build in _SHOP_SETS.items():
        try:
            groups += build(load(name))
        except Exception as error:  # one set that fails does not stop the others
            problems.append(f"{name}: {error}")
            log.say(f"left out: {name}: {error}")
    if not groups:
        raise Unavailable(f"none of the sets could be read: {'; '.join(problems)}")
    with warnings.catch_warnings(), start_tools(log) as tools:
        warnings.simplefilter("ignore", PoorMatch)
        outcomes = {group.name: _score_group(group, tools, log) for group in groups}
    return {"groups": outcomes, "problems": problems}


def _score_group(group: ShopGroup, tools: Mapping[str, Reader], log: Log) -> dict[str, Any]:
    """Return the scores of all systems by page, with the site of each."""
    log.say(group.name)
    rows: defaultdict[str, list[Scores]] = defaultdict(list)
    sites: defaultdict[str, list[str]] = defaultdict(list)
    for site, pages in group.pages.sites.items():
        readers = {n: build_single(n, group.pages.digest, site) for n in (*SINGLE, *BASELINES)}
        readers |= tools
        if others := group.learned.get(site):
            readers |= {name: build_learner(name, others) for name in LEARNERS}
            readers["site"] = build_site(others, Weights())
        for name, read in readers.items():
            rows[name] += [score_answer(page, read(page)) for page in pages]
            sites[name] += [site] * len(pages)
    return {"scores": rows, "sites": sites}


def _group_pages(dataset: Dataset) -> dict[str, list[LabPage]]:
    groups: defaultdict[str, list[LabPage]] = defaultdict(list)
    for item in dataset.items:
        groups[item.group].append(build_lab_page(item, dataset))
    return groups


def _typed_groups(dataset: Dataset) -> list[ShopGroup]:
    """Return products, collections and forums of wcxb-dev; sites with five pages are learned."""
    sites = _group_pages(dataset)
    learned = {site: pages for site, pages in sites.items() if len(pages) >= _MIN_SITE}
    groups = []
    for kind in ("product", "collection", "forum"):
        of_kind = {
            site: chosen
            for site, pages in sites.items()
            if (chosen := [page for page in pages if page.item.gold.get("page_type") == kind])
        }
        pages = SitePages(dataset.digest, of_kind)
        groups.append(ShopGroup(f"{kind} pages of {dataset.name}", pages, learned))
    return groups


def _post_groups(dataset: Dataset) -> list[ShopGroup]:
    """Return the threads of posts-dev; forums with two pages or more are learned."""
    sites = _group_pages(dataset)
    learned = {site: pages for site, pages in sites.items() if len(pages) > 1}
    pages = SitePages(dataset.digest, sites)
    return [ShopGroup(f"threads of {dataset.name}", pages, learned)]


def _record_groups(dataset: Dataset) -> list[ShopGroup]:
    """Return the result pages of records-dev, shops apart; the content is the text of records."""
    as_text = replace(dataset, items=tuple(map(_add_content, dataset.items)))
    sites = _group_pages(as_text)
    groups = []
    for name, priced in (("result pages with prices", True), ("other result pages", False)):
        of_kind = {
            site: chosen
            for site, pages in sites.items()
            if (chosen := [p for p in pages if bool(p.item.gold.get("has_price")) == priced])
        }
        pages = SitePages(dataset.digest, of_kind)
        groups.append(ShopGroup(f"{name} of {dataset.name}", pages, sites))
    return groups


def _add_content(item: Item) -> Item:
    """Return a page whose content is the text of its records."""
    text = "\n".join(" ".join(filter(None, row)) for row in item.gold["records"])
    return replace(item, gold={**item.gold, "main_content": text})


_SHOP_SETS: Final[Mapping[str, Callable[[Dataset], list[ShopGroup]]]] = {
    "wcxb-dev": _typed_groups,
    "records-dev": _record_groups,
    "posts-dev": _post_groups,
}
SHOP_SETS: Final = tuple(_SHOP_SETS)

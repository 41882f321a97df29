"""The harvest rate of focused crawls: relevant pages of those fetched, in three orders of fetching.

The papers' claim is that noise in pages misleads what reads them. Here the same ranking of links
rates the linking page once by its informative blocks and once by all of its text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from tamis.errors import InputError
from tamis.lab.metrics.statistics import Difference, mean_with_error, paired_difference
from tamis.lab.report.charts import line_chart, quality_range
from tamis.lab.report.report import Chart, Report, ReportTable
from tamis.lab.studies.crawl.simulation import (
    QueryOrder,
    RankLinks,
    TokenMemory,
    WebPage,
    crawl_web,
    rank_by_depth,
    read_web,
    scale_length,
)
from tamis.lab.studies.crawl.webs import SearchedQuery, Web, build_webs
from tamis.lab.study import Log, Study

BREADTH_FIRST: Final = "breadth first"
INFORMATIVE: Final = "informative blocks"
WHOLE: Final = "whole pages"
WHOLE_ALIKE: Final = "whole pages, all links alike"
LINKS_ALONE: Final = "links alone"
ARMS: Final = (INFORMATIVE, WHOLE, WHOLE_ALIKE, LINKS_ALONE, BREADTH_FIRST)
_SHARES: Final = (0.1, 0.25, 0.5)  # of a web, in tables
_CHART_SHARES: Final = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
_MAX_SHARE: Final = max(_CHART_SHARES)
_REMARKS: Final = (
    "Pages are real, sites and links are made: the data sets have too few links among their pages. "
    "Half of the related links lead to pages with the same label, all others anywhere; names of "
    "sections say nothing.",
    "Labels decide what is relevant: category (records-dev), page type (wcxb-dev), language. The "
    "ranking sees none of them. Queries are the names of categories and page types, and the most "
    "distinctive words of titles of sites that are not in the web.",
    "The web of categories has the result pages of records-dev, and one page each for up to five "
    "records of a page.",
    "Pages are extracted by the shipped model, which was trained on some of these sets.",
)


@dataclass(frozen=True)
class Harvest:
    """The outcome of the crawls of one web for one query."""

    web: str
    query: SearchedQuery
    pages: int  # of the web
    relevant: int  # pages of the web
    rates: Mapping[str, Mapping[float, float]]  # by arm and share of the web that is fetched


@dataclass(frozen=True)
class CrawlStudy(Study):
    """Measures the harvest rate of focused crawls on made-up webs of real pages."""

    name: ClassVar[str] = "crawl"

    limit: int | None = None  # pages of data sets in each web

    def run(self, log: Log) -> Report:
        """Crawl every web for every query in every order."""
        harvests: list[Harvest] = []
        for web in build_webs(self.limit):
            log.say(f"{web.name}: {len(web.labels):,} pages, {len(web.queries)} queries")
            with log.progress(len(web.labels) + len(web.queries)) as progress:
                harvests.extend(measure_web(web, progress.advance))
        if not harvests:
            raise InputError("no page of the webs has a label that can be looked for")
        return Report(
            "tamis: focused crawls",
            crawl_tables(harvests),
            lambda: crawl_charts(harvests),
            data=_as_data(harvests),
            remarks=_REMARKS,
        )


def measure_web(web: Web, advance: Callable[[], None] = lambda: None) -> Iterator[Harvest]:
    """Yield the outcome for each query of a web."""
    pages = read_web(web, advance)
    tokenize = TokenMemory()
    whole_length = scale_length(pages.values(), tokenize)
    max_pages = round(_MAX_SHARE * len(pages))
    by_depth = crawl_web(pages, web.start, rank_by_depth, max_pages)
    for query in web.queries:
        orders = {BREADTH_FIRST: by_depth}
        for arm, rank_links in _query_orders(query.words, tokenize, whole_length).items():
            orders[arm] = crawl_web(pages, web.start, rank_links, max_pages)
        rates = {arm: _harvest_rates(orders[arm], web, query.label) for arm in ARMS}
        yield Harvest(web.name, query, len(pages), web.count_relevant(query.label), rates)
        advance()


def _query_orders(words: str, tokenize: TokenMemory, whole_length: float) -> dict[str, RankLinks]:
    """Return the arms that look for a query."""
    return {
        INFORMATIVE: QueryOrder(words, tokenize, _informative_text),
        WHOLE: QueryOrder(words, tokenize, _whole_text, whole_length),
        WHOLE_ALIKE: QueryOrder(words, tokenize, _whole_text, whole_length, rates_places=False),
        LINKS_ALONE: QueryOrder(words, tokenize, _informative_text, rates_pages=False),
    }


def _informative_text(page: WebPage) -> str:
    return page.informative


def _whole_text(page: WebPage) -> str:
    return page.whole


def _harvest_rates(order: Sequence[str], web: Web, label: str) -> dict[float, float]:
    """Return which share of the pages fetched is relevant, after shares of the web."""
    relevant = np.cumsum([web.labels[url] == label for url in order])
    counts = {share: max(round(share * len(web.labels)), 1) for share in _CHART_SHARES}
    # A crawl that comes to its end early has fetched less.
    return {
        share: float(relevant[min(count, len(order)) - 1] / count)
        for share, count in counts.items()
    }


# Means: over the queries of a label, over the labels of a web, over webs --------------------------


def _label_rates(harvests: Sequence[Harvest], arm: str, share: float) -> dict[str, list[float]]:
    """Return the mean rate of each label, by web."""
    rates: dict[tuple[str, str], list[float]] = defaultdict(list)
    for harvest in harvests:
        rates[harvest.web, harvest.query.label].append(harvest.rates[arm][share])
    by_web: dict[str, list[float]] = defaultdict(list)
    for (web, _), values in rates.items():
        by_web[web].append(mean_with_error(values).value)
    return by_web


def mean_rate(harvests: Sequence[Harvest], arm: str, share: float) -> float:
    """Return the mean harvest rate; every web counts the same, and in it every label."""
    by_web = _label_rates(harvests, arm, share)
    return mean_with_error([mean_with_error(rates).value for rates in by_web.values()]).value


def rate_difference(harvests: Sequence[Harvest], arm: str, share: float) -> Difference:
    """Return how much more informative blocks harvest than an arm; drawn are labels."""
    ours, theirs = (_label_rates(harvests, name, share) for name in (INFORMATIVE, arm))
    weights = [1 / len(rates) for rates in ours.values() for _ in rates]
    return paired_difference(
        [rate for rates in ours.values() for rate in rates],
        [rate for rates in theirs.values() for rate in rates],
        weights,
    )


def _relevant_share(harvests: Sequence[Harvest]) -> float:
    """Return the share of a web that is relevant, the rate of a crawl by chance."""
    shares: dict[str, dict[str, float]] = defaultdict(dict)
    for harvest in harvests:
        shares[harvest.web][harvest.query.label] = harvest.relevant / harvest.pages
    return mean_with_error(
        [mean_with_error([*by_label.values()]).value for by_label in shares.values()]
    ).value


def _by_web(harvests: Sequence[Harvest]) -> dict[str, list[Harvest]]:
    by_web: dict[str, list[Harvest]] = defaultdict(list)
    for harvest in harvests:
        by_web[harvest.web].append(harvest)
    return by_web


# Tables, charts, data -----------------------------------------------------------------------------


def crawl_tables(harvests: Sequence[Harvest]) -> list[ReportTable]:
    """Return the harvest rates of all webs, by web, and the differences."""
    heads = [f"{share:.0%}" for share in _SHARES]
    by_web = _by_web(harvests)
    tables = [
        ReportTable(
            f"Harvest rate, {len(by_web)} webs, {len(harvests)} queries",
            ["order", *heads],
            _rate_rows(harvests),
            "relevant pages of those fetched, after a share of the web; mean over webs",
        ),
        ReportTable(
            "What informative blocks gain",
            ["against", *(cell for head in heads for cell in (head, "95 %"))],
            [
                [
                    arm,
                    *(
                        cell
                        for share in _SHARES
                        for difference in [rate_difference(harvests, arm, share)]
                        for cell in (f"{difference.value:+.3f}", difference.interval)
                    ),
                ]
                for arm in ARMS
                if arm != INFORMATIVE
            ],
            "mean difference of harvest rates, and its interval by bootstrap over labels",
        ),
    ]
    for name, part in by_web.items():
        labels = len({harvest.query.label for harvest in part})
        title = f"{name}: {part[0].pages:,} pages, {labels} labels, {len(part)} queries"
        tables.append(ReportTable(title, ["order", *heads], _rate_rows(part)))
    return tables


def _rate_rows(harvests: Sequence[Harvest]) -> list[list[str]]:
    rows = [[arm, *(f"{mean_rate(harvests, arm, share):.3f}" for share in _SHARES)] for arm in ARMS]
    return [*rows, ["by chance", *[f"{_relevant_share(harvests):.3f}"] * len(_SHARES)]]


def crawl_charts(harvests: Sequence[Harvest]) -> list[Chart]:
    """Return the harvest rate against the share of the web, of all webs and of each."""
    parts = {"all webs": list(harvests), **_by_web(harvests)}
    return [_chart(name, part) for name, part in parts.items()]


def _chart(name: str, harvests: Sequence[Harvest]) -> Chart:
    lines = {
        arm: [(100 * share, mean_rate(harvests, arm, share)) for share in _CHART_SHARES]
        for arm in ARMS
    }
    rates_early = ", ".join(f"{arm} {mean_rate(harvests, arm, _SHARES[0]):.3f}" for arm in ARMS)
    rates = [rate for points in lines.values() for _, rate in points]
    return line_chart(
        f"Harvest rate, {name}",
        f"Relevant pages of those fetched. At {_SHARES[0]:.0%}: {rates_early}; by chance "
        f"{_relevant_share(harvests):.3f}.",
        lines,
        ("share of the web that is fetched, %", "harvest rate"),
        quality_range(rates),
        is_log=(False, False),
        margin=1.35,
        unit="% fetched",
    )


def _as_data(harvests: Sequence[Harvest]) -> list[dict[str, Any]]:
    """Return every crawl as plain data."""
    return [
        {
            "web": harvest.web,
            "query": harvest.query.words,
            "label": harvest.query.label,
            "pages": harvest.pages,
            "relevant": harvest.relevant,
            "rates": {
                arm: {f"{share:g}": rate for share, rate in rates.items()}
                for arm, rates in harvest.rates.items()
            },
        }
        for harvest in harvests
    ]

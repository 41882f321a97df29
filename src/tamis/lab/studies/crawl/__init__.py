"""Studies of crawls: how many pages of a focused one are relevant, speed, memory, the frontier."""

from __future__ import annotations

from tamis.lab.studies.crawl.frontier import FrontierStudy
from tamis.lab.studies.crawl.simulation import (
    QueryOrder,
    TokenMemory,
    WebPage,
    crawl_web,
    rank_by_depth,
    read_web,
)
from tamis.lab.studies.crawl.speed import CrawlSpeedStudy, build_pages
from tamis.lab.studies.crawl.study import (
    ARMS,
    CrawlStudy,
    Harvest,
    crawl_charts,
    crawl_tables,
    mean_rate,
    measure_web,
    rate_difference,
)
from tamis.lab.studies.crawl.webs import SearchedQuery, SourcePage, Web, build_web, build_webs

__all__ = [
    "ARMS",
    "CrawlSpeedStudy",
    "CrawlStudy",
    "FrontierStudy",
    "Harvest",
    "QueryOrder",
    "SearchedQuery",
    "SourcePage",
    "TokenMemory",
    "Web",
    "WebPage",
    "build_pages",
    "build_web",
    "build_webs",
    "crawl_charts",
    "crawl_tables",
    "crawl_web",
    "mean_rate",
    "measure_web",
    "rank_by_depth",
    "rate_difference",
    "read_web",
]

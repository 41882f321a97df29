"""The papers, measured: their tables, figures and claims with our figures beside them."""

from __future__ import annotations

from tamis.lab.studies.papers.items import Estimate, PaperItem, PaperRow, estimate
from tamis.lab.studies.papers.parts import PARTS, PartCache, measure_part
from tamis.lab.studies.papers.published import TABLE_2, TABLE_3, TABLE_6, mean_by_system
from tamis.lab.studies.papers.study import ITEMS, PapersStudy, build_report, choose_items

__all__ = [
    "ITEMS",
    "PARTS",
    "TABLE_2",
    "TABLE_3",
    "TABLE_6",
    "Estimate",
    "PaperItem",
    "PaperRow",
    "PapersStudy",
    "PartCache",
    "build_report",
    "choose_items",
    "estimate",
    "mean_by_system",
    "measure_part",
]

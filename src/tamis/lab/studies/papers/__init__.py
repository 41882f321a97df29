"""The papers, measured: their tables, figures and claims with our figures beside them."""

from __future__ import annotations

from tamis.lab.studies.papers.claims import build_claims
from tamis.lab.studies.papers.copies import make_copies
from tamis.lab.studies.papers.items import Estimate, PaperItem, PaperRow, estimate
from tamis.lab.studies.papers.parts import PARTS, PartCache, measure_part, user_part_cache
from tamis.lab.studies.papers.published import (
    KEY_PATTERN_MEANS,
    KEY_PATTERN_PAGES,
    PHONES,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_6,
    mean_by_system,
)
from tamis.lab.studies.papers.study import ITEMS, PapersStudy, build_report, choose_items

__all__ = [
    "ITEMS",
    "KEY_PATTERN_MEANS",
    "KEY_PATTERN_PAGES",
    "PARTS",
    "PHONES",
    "TABLE_1",
    "TABLE_2",
    "TABLE_3",
    "TABLE_6",
    "Estimate",
    "PaperItem",
    "PaperRow",
    "PapersStudy",
    "PartCache",
    "build_claims",
    "build_report",
    "choose_items",
    "estimate",
    "make_copies",
    "mean_by_system",
    "measure_part",
    "user_part_cache",
]

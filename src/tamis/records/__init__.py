"""Records: the table that a list page shows.

page ──regions──▶ Region ──columns──▶ columns ──fields──▶ Records

Patterns: what the records of one page look like, applied to further pages of its site.

`places` tells where fields stand, `fitting` which field of a page is which of the pattern.

Regions of records: where a page repeats itself (002 §3.1, without layout).

    page ──cells──▶ Cells ──candidates──▶ groups of elements ──region──▶ Region

A cell is a run of text that a reader takes as one, or a picture. A candidate is a group of
elements that may each begin a record; a region is a candidate with its records cut and its cells
aligned. All of it is near-linear in the page and needs no verdict.

The next page: the address of the page that goes on where this one ends.
"""

from __future__ import annotations

from tamis.records import candidates, cells, search_query, visual_score
from tamis.records.ads import drop_separators
from tamis.records.cells import (
    _KIND,
    LINK_SHARE,
    Cells,
    build_cells,
    build_paths,
    counted,
    tag_symbols,
)
from tamis.records.column import MAX_VALUES, places_of
from tamis.records.fields import Field, unique
from tamis.records.next_page import find_next_page
from tamis.records.pagers import goes_back, likeness, parts
from tamis.records.pattern import Pattern
from tamis.records.prices import purpose_of, was_and_now
from tamis.records.records import (
    Records,
    arrow_table,
    find_all_records,
    find_main_records,
    interest_of,
    write_parquet,
)
from tamis.records.regions import Region, find_best_region, find_regions, find_regions_at
from tamis.records.search_query import find_search_queries
from tamis.records.visual_score import Boxes

__all__ = [
    "LINK_SHARE",
    "MAX_VALUES",
    "_KIND",
    "Boxes",
    "Cells",
    "Field",
    "Pattern",
    "Records",
    "Region",
    "arrow_table",
    "build_cells",
    "build_paths",
    "candidates",
    "cells",
    "counted",
    "drop_separators",
    "find_all_records",
    "find_best_region",
    "find_main_records",
    "find_next_page",
    "find_regions",
    "find_regions_at",
    "find_search_queries",
    "goes_back",
    "interest_of",
    "likeness",
    "parts",
    "places_of",
    "purpose_of",
    "search_query",
    "tag_symbols",
    "unique",
    "visual_score",
    "was_and_now",
    "write_parquet",
]

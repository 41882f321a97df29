"""Records: the entries of a list page as a table, patterns for further pages, the next page.

    page ──cells──▶ Cells ──candidates──▶ Candidate ──regions──▶ Region
    Region ──columns, tables──▶ Column ──roles, prices, ratings──▶ fields ──▶ Records

A cell is a run of text that a reader takes as one, or an image. A candidate is a group of elements
that may each begin a record. A region is a candidate with its records cut and its cells aligned.
A `Pattern` keeps what the records of one page look like. `find_next_page` finds the page that goes
on with the list. `find_threads` finds the posts of a discussion and the comments below a text:

    page ──date_marks──▶ DateMarks ──messages──▶ Group ──message_parts──▶ Parts ──threads──▶ Threads
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tamis.lazy import defer_imports

if TYPE_CHECKING:
    from tamis.records._align import group_equal
    from tamis.records.ads import drop_separators
    from tamis.records.cells import LINE_KINDS, MIN_TEXT_PER_LINK, build_cells
    from tamis.records.columns import MAX_VALUES, assign_indexes
    from tamis.records.fields import Field, make_names_unique
    from tamis.records.folding import fold_fields
    from tamis.records.messages import is_profile_url
    from tamis.records.next_page import find_next_page
    from tamis.records.pagers import compare_urls, leads_back, parse_page_url
    from tamis.records.pattern import Pattern
    from tamis.records.prices import find_amount_purpose, parse_was_and_now
    from tamis.records.records import (
        Records,
        arrow_table,
        find_all_records,
        find_main_records,
        row_interest,
        write_parquet,
    )
    from tamis.records.regions import Region, candidate_regions, find_best_region, find_regions
    from tamis.records.search_query import find_search_queries
    from tamis.records.signatures import build_path_keys, prefix_sums, tag_symbols
    from tamis.records.threads import Message, Threads, find_threads, may_be_thread
    from tamis.records.visual_score import (
        Boxes,
        score_centering,
        score_left_alignment,
        score_size,
        score_spacing,
        score_uniformity,
    )

__all__ = [
    "LINE_KINDS",
    "MAX_VALUES",
    "MIN_TEXT_PER_LINK",
    "Boxes",
    "Field",
    "Message",
    "Pattern",
    "Records",
    "Region",
    "Threads",
    "arrow_table",
    "assign_indexes",
    "build_cells",
    "build_path_keys",
    "candidate_regions",
    "compare_urls",
    "drop_separators",
    "find_all_records",
    "find_amount_purpose",
    "find_best_region",
    "find_main_records",
    "find_next_page",
    "find_regions",
    "find_search_queries",
    "find_threads",
    "fold_fields",
    "group_equal",
    "is_profile_url",
    "leads_back",
    "make_names_unique",
    "may_be_thread",
    "parse_page_url",
    "parse_was_and_now",
    "prefix_sums",
    "row_interest",
    "score_centering",
    "score_left_alignment",
    "score_size",
    "score_spacing",
    "score_uniformity",
    "tag_symbols",
    "write_parquet",
]

_DEFERRED = {
    "_align": "group_equal",
    "ads": "drop_separators",
    "cells": "LINE_KINDS MIN_TEXT_PER_LINK build_cells",
    "columns": "MAX_VALUES assign_indexes",
    "fields": "Field make_names_unique",
    "folding": "fold_fields",
    "messages": "is_profile_url",
    "next_page": "find_next_page",
    "pagers": "compare_urls leads_back parse_page_url",
    "pattern": "Pattern",
    "prices": "find_amount_purpose parse_was_and_now",
    "records": (
        "Records arrow_table find_all_records find_main_records row_interest write_parquet"
    ),
    "regions": "Region candidate_regions find_best_region find_regions",
    "search_query": "find_search_queries",
    "signatures": "build_path_keys prefix_sums tag_symbols",
    "threads": "Message Threads find_threads may_be_thread",
    "visual_score": (
        "Boxes score_centering score_left_alignment score_size score_spacing score_uniformity"
    ),
}
__getattr__ = defer_imports(__name__, _DEFERRED)

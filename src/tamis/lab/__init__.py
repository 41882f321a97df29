"""The lab: data sets, metrics, systems, studies, reports, training. Only cli/ imports it."""

from __future__ import annotations

from tamis.lab.cache import Cache, unzip_results, user_cache
from tamis.lab.datasets import Dataset, Item, find_folder, find_gold_file, list_datasets, load
from tamis.lab.gold import (
    align_words,
    cut_sequences,
    informative_blocks,
    mark_common_words,
    matched_shares,
    owned_words,
    segment_blocks,
    words,
)
from tamis.lab.layouts import Layouts, lay_out_pages, page_files, user_layouts
from tamis.lab.results import PageResult, Results, SystemResult
from tamis.lab.run import evaluate, limit_time, silence_libraries
from tamis.lab.study import Log, Study
from tamis.lab.summary import Summary, summarize
from tamis.lab.versions import code_version, hash_files, is_code, peer_version

__all__ = [
    "Cache",
    "Dataset",
    "Item",
    "Layouts",
    "Log",
    "PageResult",
    "Results",
    "Study",
    "Summary",
    "SystemResult",
    "align_words",
    "code_version",
    "cut_sequences",
    "evaluate",
    "find_folder",
    "find_gold_file",
    "hash_files",
    "informative_blocks",
    "is_code",
    "lay_out_pages",
    "limit_time",
    "list_datasets",
    "load",
    "mark_common_words",
    "matched_shares",
    "owned_words",
    "page_files",
    "peer_version",
    "segment_blocks",
    "silence_libraries",
    "summarize",
    "unzip_results",
    "user_cache",
    "user_layouts",
    "words",
]

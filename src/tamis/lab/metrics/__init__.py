"""Measures of quality: text, structure, blocks, segments, records, posts, and their statistics."""

from __future__ import annotations

from tamis.lab.metrics.blocks import (
    WIDE_CONTENT,
    block_counts,
    segment_counts,
    segments_in_blocks,
    segments_in_text,
    wanted_blocks,
)
from tamis.lab.metrics.listed import ListedItem, is_same_item, read_items, shown_items
from tamis.lab.metrics.posts import PostMatch, match_posts, post_measures
from tamis.lab.metrics.records import (
    aligned_share,
    best_pairs,
    comparable_value,
    field_counts,
    field_measures,
    price_counts,
    record_counts,
)
from tamis.lab.metrics.segments import build_judge
from tamis.lab.metrics.statistics import (
    Difference,
    calibrate,
    mean_over_groups,
    mean_with_error,
    paired_difference,
)
from tamis.lab.metrics.structure import StructureCounts, count_structure
from tamis.lab.metrics.text import Counts, characters, snippet_share, word_counts

__all__ = [
    "WIDE_CONTENT",
    "Counts",
    "Difference",
    "ListedItem",
    "PostMatch",
    "StructureCounts",
    "aligned_share",
    "best_pairs",
    "block_counts",
    "build_judge",
    "calibrate",
    "characters",
    "comparable_value",
    "count_structure",
    "field_counts",
    "field_measures",
    "is_same_item",
    "match_posts",
    "mean_over_groups",
    "mean_with_error",
    "paired_difference",
    "post_measures",
    "price_counts",
    "read_items",
    "record_counts",
    "segment_counts",
    "segments_in_blocks",
    "segments_in_text",
    "shown_items",
    "snippet_share",
    "wanted_blocks",
    "word_counts",
]

"""Blocks: pages cut into pieces. `SEGMENTERS` maps names to the classes that cut."""

from __future__ import annotations

from typing import Final

from tamis.blocks.blocks import Block, Blocks, Segmenter, build_blocks, leaf_rows
from tamis.blocks.fragments import Fragments
from tamis.blocks.keypattern import (
    MAX_PATTERNS,
    KeyPattern,
    cut_pieces,
    important_rows,
    key_patterns,
    maximal_repetitions,
    root,
)
from tamis.blocks.measures import (
    TEXT,
    count_features,
    count_tags,
    counts_by,
    group_equal,
    scale_to_maximum,
)
from tamis.blocks.tagset import CLASSIC, HTML5, Chunks, Tables, TagSet
from tamis.blocks.terms import (
    BlockVector,
    Maxima,
    block_counts,
    block_terms,
    block_vector,
    fingerprint,
    greatest_counts,
    term_pattern,
)
from tamis.blocks.vips import COHERENT, Vips, best_cuts, runs, separators, structure, weights
from tamis.blocks.visual import DEFAULT_RULES, RULES, Visual
from tamis.blocks.visual_tree import (
    BlockParameters,
    VisualTree,
    build_visual_tree,
    measure_parameters,
)

SEGMENTERS: Final[dict[str, type[Segmenter]]] = {
    "tagset": TagSet,
    "keypattern": KeyPattern,
    "chunks": Chunks,
    "tables": Tables,
    "fragments": Fragments,
    "visual": Visual,
    "vips": Vips,
}

__all__ = [
    "CLASSIC",
    "COHERENT",
    "DEFAULT_RULES",
    "HTML5",
    "MAX_PATTERNS",
    "RULES",
    "SEGMENTERS",
    "TEXT",
    "Block",
    "BlockParameters",
    "BlockVector",
    "Blocks",
    "Chunks",
    "Fragments",
    "KeyPattern",
    "Maxima",
    "Segmenter",
    "Tables",
    "TagSet",
    "Vips",
    "Visual",
    "VisualTree",
    "best_cuts",
    "block_counts",
    "block_terms",
    "block_vector",
    "build_blocks",
    "build_visual_tree",
    "count_features",
    "count_tags",
    "counts_by",
    "cut_pieces",
    "fingerprint",
    "greatest_counts",
    "group_equal",
    "important_rows",
    "key_patterns",
    "leaf_rows",
    "maximal_repetitions",
    "measure_parameters",
    "root",
    "runs",
    "scale_to_maximum",
    "separators",
    "structure",
    "term_pattern",
    "weights",
]

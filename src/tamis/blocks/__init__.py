"""Blocks: the parts of a page. `SEGMENTERS` maps names to the classes that make them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tamis.lazy import defer_imports

if TYPE_CHECKING:
    from tamis.blocks.blocks import Block, Blocks, Segmenter, build_blocks, leaf_rows
    from tamis.blocks.by_layout import ByLayout
    from tamis.blocks.fragments import Fragments
    from tamis.blocks.keypattern import (
        MAX_PATTERNS,
        KeyPattern,
        cut_sequence,
        important_rows,
        key_patterns,
        maximal_repetitions,
        pattern_root,
    )
    from tamis.blocks.measures import (
        TEXT,
        check_features,
        count_features,
        count_kinds,
        count_tags,
        scale_to_maximum,
    )
    from tamis.blocks.segmenters import SEGMENTERS
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
    from tamis.blocks.vips import (
        MAX_COHERENCE,
        Vips,
        build_structure,
        find_separators,
        group_runs,
        separator_weights,
        split_at_heaviest,
    )
    from tamis.blocks.visual import DEFAULT_RULES, RULES, Visual
    from tamis.blocks.visual_tree import (
        BlockParameters,
        VisualTree,
        build_visual_tree,
        measure_parameters,
    )

__all__ = [
    "CLASSIC",
    "DEFAULT_RULES",
    "HTML5",
    "MAX_COHERENCE",
    "MAX_PATTERNS",
    "RULES",
    "SEGMENTERS",
    "TEXT",
    "Block",
    "BlockParameters",
    "BlockVector",
    "Blocks",
    "ByLayout",
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
    "block_counts",
    "block_terms",
    "block_vector",
    "build_blocks",
    "build_structure",
    "build_visual_tree",
    "check_features",
    "count_features",
    "count_kinds",
    "count_tags",
    "cut_sequence",
    "find_separators",
    "fingerprint",
    "greatest_counts",
    "group_runs",
    "important_rows",
    "key_patterns",
    "leaf_rows",
    "maximal_repetitions",
    "measure_parameters",
    "pattern_root",
    "scale_to_maximum",
    "separator_weights",
    "split_at_heaviest",
    "term_pattern",
]

_DEFERRED = {
    "blocks": "Block Blocks Segmenter build_blocks leaf_rows",
    "fragments": "Fragments",
    "keypattern": (
        "MAX_PATTERNS KeyPattern cut_sequence important_rows key_patterns maximal_repetitions "
        "pattern_root"
    ),
    "measures": ("TEXT check_features count_features count_kinds count_tags scale_to_maximum"),
    "tagset": "CLASSIC HTML5 Chunks Tables TagSet",
    "terms": (
        "BlockVector Maxima block_counts block_terms block_vector fingerprint greatest_counts "
        "term_pattern"
    ),
    "vips": (
        "MAX_COHERENCE Vips build_structure find_separators group_runs separator_weights "
        "split_at_heaviest"
    ),
    "by_layout": "ByLayout",
    "visual": "DEFAULT_RULES RULES Visual",
    "visual_tree": "BlockParameters VisualTree build_visual_tree measure_parameters",
    "segmenters": "SEGMENTERS",
}
__getattr__ = defer_imports(__name__, _DEFERRED)

"""All features of the blocks of a page, as the rows of one matrix.

`extract_features` computes what the first forest of each expert sees. The second forest sees in
addition the stacked features: the probabilities that the first one gave to a block's surroundings.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Final

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Ints, tags
from tamis.verdict.kernel.beliefs import (
    mean_beliefs,
    measure_beliefs,
    rank_beliefs,
    record_beliefs,
    step_beliefs,
    sum_beliefs,
)
from tamis.verdict.kernel.passes import add_elements
from tamis.verdict.learned import block_features, name_features, page_features, title_features
from tamis.verdict.learned.block_features import LEVELS, STEP_ARRAY, STEPS, WINDOW_ARRAY, WINDOWS
from tamis.verdict.learned.feature_context import FeatureContext, Matrix
from tamis.verdict.verdict import Floats

_GROUPS: Final = {
    "text": block_features.TEXT_FEATURES,
    "characters": block_features.CHARACTER_FEATURES,
    "title": title_features.TITLE_FEATURES,
    "names": name_features.NAME_FEATURES,
    "position": block_features.POSITION_FEATURES,
    "containers": block_features.CONTAINER_FEATURES,
    "repetition": block_features.REPETITION_FEATURES,
    "neighbours": block_features.NEIGHBOUR_FEATURES,
}
BLOCK_FEATURES: Final = tuple(chain.from_iterable(_GROUPS.values()))
# The names say "belief" for probability, because model files have them.
STACKED_FEATURES: Final = (
    *"belief rank".split(),
    *(f"belief_at_{step}" for step in STEPS),
    *(f"belief_within_{window}" for window in WINDOWS),
    *(f"belief_level_{level}" for level in range(1, LEVELS + 1)),
    *"belief_path belief_named_path belief_record belief_records belief_outer_records".split(),
    *"belief_before belief_after belief_share belief_best".split(),
)
_MAX_WEIGHT_TERMS: Final = 500.0  # of a block, that count as its weight in means


def _group_slices() -> dict[str, slice]:
    """Return the rows of the matrix that each group of features is written into."""
    ends = list(accumulate((len(group) for group in _GROUPS.values()), initial=0))
    return {name: slice(*rows) for name, rows in zip(_GROUPS, pairwise(ends), strict=True)}


_SLICES: Final = _group_slices()
# Counts of ancestors, the first features of the position, are counted in one pass with names.
_NAMES_AND_ANCESTORS: Final = slice(
    _SLICES["names"].start, _SLICES["position"].start + len(block_features.ANCESTOR_GROUPS)
)
_ANCESTOR_BITS: Final = block_features.ancestor_bits(len(name_features.NAME_GROUPS))
_IS_OF_HTML5: Final = tags.tag_table(tags.HTML5_SECTIONS)


@dataclass(frozen=True, eq=False)
class Features:
    """The features of the blocks of a page, and what further features are computed from."""

    context: FeatureContext
    matrix: Matrix  # one row per name of `BLOCK_FEATURES`, one column per block
    buffer: Matrix  # the matrix, with rows below it that are written later
    page_features: Floats
    levels: Ints
    paths: Ints
    named_paths: Ints
    records: block_features.Records
    headline: title_features.Headline
    plain: bool  # whether the page has none of the elements that HTML 5 introduced


def extract_features(blocks: Blocks, extra_rows: int = 0) -> Features:
    """Return all features of the blocks of a page, with extra rows in the buffer."""
    context = FeatureContext(blocks)
    levels = block_features.find_container_levels(context)
    paths, named_paths = block_features.group_by_path(context)
    records = block_features.find_records(context)
    masks = name_features.find_name_groups(blocks.page)
    add_elements(masks, blocks.page.tag, _ANCESTOR_BITS)
    buffer = np.empty((len(BLOCK_FEATURES) + extra_rows, len(context)), dtype=np.float32)
    matrix = buffer[: len(BLOCK_FEATURES)]
    part = {name: matrix[rows] for name, rows in _SLICES.items()}
    block_features.write_text_features(context, part["text"])
    block_features.write_character_features(context, part["characters"])
    headline = title_features.write_title_features(context, part["title"])
    name_features.write_name_features(context, masks, matrix[_NAMES_AND_ANCESTORS])
    block_features.write_position_features(context, part["position"])
    block_features.write_container_features(context, levels, part["containers"])
    block_features.write_repetition_features(
        context, paths, named_paths, records, part["repetition"]
    )
    block_features.write_neighbour_features(context, part["neighbours"])
    page_names = name_features.page_name_features(context, masks, part["names"])
    return Features(
        context,
        matrix,
        buffer,
        page_features.compute_page_features(context, records, part["characters"], page_names),
        levels,
        paths,
        named_paths,
        records,
        headline,
        plain=not context.rows_by_tag[_IS_OF_HTML5].any(),
    )


def write_stacked_features(features: Features, probability: Floats, matrix: Matrix) -> None:
    """Write means of the blocks' probabilities, weighted by terms, over their surroundings."""
    context, records = features.context, features.records
    sums = np.empty((2, len(context) + 1))
    sum_beliefs(probability, context.terms, _MAX_WEIGHT_TERMS, sums)
    order = np.argsort(-probability, kind="stable")
    rank_beliefs(probability, order, sums, matrix[:2], matrix[-4:])
    start = 2 + len(STEPS)
    step_beliefs(probability, STEP_ARRAY, matrix[2:start])
    stop = start + len(WINDOWS) + LEVELS
    before, end = context.before, context.page.end
    measure_beliefs(sums, WINDOW_ARRAY, features.levels, before, end, matrix[start:stop])
    for row, group in enumerate((features.paths, features.named_paths), start=stop):
        mean_beliefs(sums, group, np.zeros((2, len(context))), matrix[row])
    record_beliefs(
        *(sums, before, end, records.rows, records.group, records.inner, records.outer),
        probability,
        np.zeros((2, max(records.group_count, 1))),
        matrix[stop + 2 : stop + 5],
    )

"""All evidence on the blocks of a page, as the rows of one matrix.

What the first forest thinks of a block's surroundings: the evidence of the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import tags
from tamis.verdict.kernel.beliefs import (
    mean_beliefs,
    measure_beliefs,
    rank_beliefs,
    record_beliefs,
    step_beliefs,
    sum_beliefs,
)
from tamis.verdict.kernel.passes import add_elements
from tamis.verdict.learned import block_features, name_features, page_features
from tamis.verdict.learned.block_features import LEVELS, STEPS, WINDOWS
from tamis.verdict.learned.feature_context import Columns, FeatureContext, Matrix, Numbers

_GROUPS: Final = {
    "own": block_features.TEXT_FEATURES,
    "letters": block_features.LETTER_FEATURES,
    "titles": name_features.TITLE_FEATURES,
    "names": name_features.NAME_FEATURES,
    "places": block_features.POSITION_FEATURES,
    "containers": block_features.CONTAINER_FEATURES,
    "repetition": block_features.REPETITION_FEATURES,
    "neighbours": block_features.NEIGHBOUR_FEATURES,
}
BLOCK_FEATURES: Final = tuple(chain.from_iterable(_GROUPS.values()))


@dataclass(frozen=True, eq=False)
class Features:
    """The evidence on the blocks of a page, and what further evidence is computed from."""

    frame: FeatureContext
    columns: Matrix
    room: Matrix  # the columns, and below them room for more, to be written later
    page: NDArray[np.float64]
    levels: Numbers
    paths: Numbers
    named_paths: Numbers
    records: block_features.Records
    headline: name_features.Headline
    plain: bool  # whether the page has none of the elements that HTML 5 brought


def extract_features(blocks: Blocks, more: int = 0) -> Features:
    """Return all evidence on the blocks of a page, with room for some more rows of it."""
    frame = FeatureContext(blocks)
    levels = block_features.levels_above(frame)
    paths, named_paths = block_features.path_keys(frame)
    records = block_features.records_of(frame)
    masks = name_features.named_rows(blocks.page)
    add_elements(masks, blocks.page.tag, _ELEMENTS)
    room = np.empty((len(BLOCK_FEATURES) + more, len(frame)), dtype=np.float32)
    columns = room[: len(BLOCK_FEATURES)]
    block_features.write_text_features(frame, columns[_PARTS["own"]])
    block_features.write_letter_features(frame, columns[_PARTS["letters"]])
    headline = name_features.write_title_features(frame, columns[_PARTS["titles"]])
    name_features.write_name_features(frame, masks, columns[_AROUND])
    block_features.write_position_features(frame, columns[_PARTS["places"]])
    block_features.write_container_features(frame, levels, columns[_PARTS["containers"]])
    block_features.write_repetition_features(
        frame, paths, named_paths, records, columns[_PARTS["repetition"]]
    )
    block_features.write_neighbour_features(frame, columns[_PARTS["neighbours"]])
    named = name_features.page_names(frame, masks, columns[_PARTS["names"]])
    page = page_features.compute_page_features(frame, records, columns[_PARTS["letters"]], named)
    plain = not frame.rows_by_tag[_OF_HTML5].any()
    return Features(
        frame, columns, room, page, levels, paths, named_paths, records, headline, plain
    )


def group_slices() -> dict[str, slice]:
    """Return the rows of the matrix that each group of features is written into."""
    ends = list(accumulate((len(group) for group in _GROUPS.values()), initial=0))
    return {name: slice(*rows) for name, rows in zip(_GROUPS, pairwise(ends), strict=True)}


_PARTS: Final = group_slices()
# The counts of elements of some kinds around a block stand below those of elements of some names.
_AROUND: Final = slice(_PARTS["names"].start, _PARTS["places"].start + len(block_features.AROUND))
_ELEMENTS: Final = block_features.element_groups(len(name_features.WORDS))
_OF_HTML5: Final = tags.tag_table(tags.HTML5_SECTIONS)


CONTEXT_FEATURES: Final = (
    *"belief rank".split(),
    *(f"belief_at_{step}" for step in STEPS),
    *(f"belief_within_{window}" for window in WINDOWS),
    *(f"belief_level_{level}" for level in range(1, LEVELS + 1)),
    *"belief_path belief_named_path belief_record belief_records belief_outer_records".split(),
    *"belief_before belief_after belief_share belief_best".split(),
)

MOST_TERMS: Final = 500.0  # of a block that count as weight


def write_context_features(found: Features, belief: Columns, columns: Matrix) -> None:
    """Write means of the belief in the blocks, weighted by terms, over their surroundings."""
    frame, records = found.frame, found.records
    sums = np.empty((2, len(frame) + 1))
    sum_beliefs(belief, frame.terms, MOST_TERMS, sums)
    order = np.argsort(-belief, kind="stable")
    rank_beliefs(belief, order, sums, columns[:2], columns[-4:])
    step_beliefs(belief, _CONTEXT_STEPS, columns[2 : 2 + len(STEPS)])
    at = 2 + len(STEPS)
    stop = at + len(WINDOWS) + LEVELS
    before, end = frame.before, frame.page.end
    measure_beliefs(sums, _CONTEXT_WINDOWS, found.levels, before, end, columns[at:stop])
    for place, group in enumerate((found.paths, found.named_paths), start=stop):
        mean_beliefs(sums, group, np.zeros((2, len(frame))), columns[place])
    record_beliefs(
        *(sums, before, end, records.rows, records.group, records.inner, records.outer, belief),
        np.zeros((2, max(records.makes, 1))),
        columns[stop + 2 : stop + 5],
    )


_CONTEXT_STEPS, _CONTEXT_WINDOWS = np.array(STEPS), np.array(WINDOWS)

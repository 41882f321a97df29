"""Features of blocks: text, characters, position, containers, neighbours and repetition.

Each group of features has a tuple of names and a function that writes the features in the order of
the names. Names are stored in model files: a model finds its features by them.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import group_equal
from tamis.page import Ints, freeze, tags
from tamis.verdict.kernel.measures import (
    longest_text,
    measure_best,
    measure_distances,
    measure_groups,
    measure_kinship,
    measure_levels,
    measure_likeness,
    measure_order,
    measure_own,
    measure_records,
    measure_steps,
    measure_windows,
)
from tamis.verdict.kernel.passes import (
    find_around,
    find_levels,
    find_makes,
    hash_blocks,
    hash_paths,
    keep_makes,
    measure_letters,
    measure_repeats,
)
from tamis.verdict.learned.feature_context import COUNTED_TAGS, FeatureContext, Matrix

# Elements that a block can be, in an order that a threshold can split: running text first.
KINDS: Final = (
    "p blockquote pre dd td h1 h2 h3 h4 h5 h6 figcaption dt th li div article main section details "
    "figure address body html form header aside footer nav ul ol dl tr table hr"
).split()
_KIND_BY_TAG = np.full(256, len(KINDS))
for _index, _name in enumerate(KINDS):
    _KIND_BY_TAG[tags.CODE[_name]] = _index
_HEADING_LEVEL_BY_TAG = np.full(256, 9)  # 9 for what is no heading
for _index, _name in enumerate(tags.HEADINGS, start=1):
    _HEADING_LEVEL_BY_TAG[tags.CODE[_name]] = _index


# Text: what a block owns.

TEXT_FEATURES: Final = (
    *"terms marks link_density marks_per_term share of_longest".split(),
    *"kind level whole depth hidden".split(),
    *(f"n_{group[0]}" for group in COUNTED_TAGS),
)


def write_text_features(context: FeatureContext, matrix: Matrix) -> None:
    """Write features of the text and the elements that each block owns."""
    blocks = context.blocks
    first, node = (np.ascontiguousarray(rows) for rows in (blocks.first, blocks.node))
    measure_own(
        *(context.sums, context.elements, context.tag, _KIND_BY_TAG, _HEADING_LEVEL_BY_TAG),
        *(context.page.depth, first, node, matrix),
    )


# Characters: digits, signs, how the text of a block ends, whether it is repeated.

CHARACTER_FEATURES: Final = (
    *"digits money asks signs stops ends_sentence ends_colon".split(),
    *"same first_of_same".split(),
)
MAX_CHARACTERS: Final = 160  # that are read of a block: more tell nothing new
# Classes of characters that are counted, and those that matter at the end of a block.
COUNTED_CHARACTERS: Final = ("0123456789", "$€£¥₹₽元￥", "?？", "©®™|·•→›»←‹«×/", ".!?…。！？；;")
END_CHARACTERS: Final = ('.!?…。！？"”»」』', ":：")
_CLASS_TABLE_SIZE: Final = 0x20000


def write_character_features(context: FeatureContext, matrix: Matrix) -> None:
    """Write shares of classes of characters, and how often each text occurs on the page."""
    start, stop = context.text_span
    keys = np.empty(len(context), dtype=np.uint64)
    counted = matrix[: len(COUNTED_CHARACTERS) + len(END_CHARACTERS)]
    measure_letters(
        *(context.text, _character_classes(), MAX_CHARACTERS, start, stop, keys, counted)
    )
    group, count = group_equal(keys)
    measure_repeats(group, np.zeros(count, dtype=np.int64), matrix[len(counted) :])


@functools.cache
def _character_classes() -> NDArray[np.uint8]:
    """Return the classes of each code point below `_CLASS_TABLE_SIZE`, as bits."""
    table = np.zeros(_CLASS_TABLE_SIZE, dtype=np.uint8)
    for bit, chars in enumerate((*COUNTED_CHARACTERS, *END_CHARACTERS)):
        table[[ord(char) for char in chars]] |= 1 << bit
    return freeze(table)


# Position: in which elements a block lies, how far it is from headings and landmarks.

ANCESTOR_GROUPS: Final = (
    ("nav",),
    ("header",),
    ("footer",),
    ("aside",),
    ("main",),
    ("article",),
    ("form", "fieldset"),
    ("table",),
    ("ul", "ol", "menu"),
    ("li",),
    ("section",),
    ("figure",),
    ("dl",),
    ("blockquote",),
    ("details",),
    ("a",),
    ("button", "select", "label"),
    ("td", "th"),
    ("dialog",),
)
_LANDMARKS: Final = 6  # the first of the ancestor groups: distances to them are features
_MAX_DISTANCE: Final = 300  # blocks
POSITION_FEATURES: Final = (
    *(f"in_{group[0]}_element" for group in ANCESTOR_GROUPS),
    *"place from_end text_before long_before long_after".split(),
    *(f"after_{group[0]}" for group in ANCESTOR_GROUPS[:_LANDMARKS]),
    *"after_heading after_long".split(),
    *(f"before_{group[0]}" for group in ANCESTOR_GROUPS[:_LANDMARKS]),
    *"before_heading before_long".split(),
    *"after_h1 heading_level next_level".split(),
    *"with_h1 with_h1_share with_longest with_longest_share".split(),
)
_POSITION_SIZES: Final = (len(ANCESTOR_GROUPS), 5, _LANDMARKS + 2, _LANDMARKS + 2, 3, 4)
_POSITION_SLICES: Final = tuple(
    slice(*ends) for ends in pairwise(np.cumsum(_POSITION_SIZES).tolist())
)
_ANCESTOR_BIT_BY_TAG = np.zeros(256, dtype=np.int64)
for _index, _names in enumerate(ANCESTOR_GROUPS):
    _ANCESTOR_BIT_BY_TAG[[tags.CODE[_name] for _name in _names]] = 1 << _index


def ancestor_bits(first: int) -> NDArray[np.int64]:
    """Return, by tag code, the ancestor group of a tag as a bit; the first group is bit `first`."""
    return _ANCESTOR_BIT_BY_TAG << first


def write_position_features(context: FeatureContext, matrix: Matrix) -> None:
    """Write where the blocks are; the first rows, counts of ancestors, are already written."""
    page, buffer = context.page, np.empty(len(context), dtype=np.uint8)
    order, after, before, levels, kinship = (matrix[rows] for rows in _POSITION_SLICES)
    measure_distances(matrix, context.totals, buffer, _MAX_DISTANCE, after, before)
    h1 = measure_order(context.totals, context.tag, _HEADING_LEVEL_BY_TAG, after[-2], order, levels)
    if h1 >= 0:
        measure_kinship(page.parent, page.end, context.anchor, h1, kinship[:2])
    else:
        kinship[:2] = -1.0
    longest = longest_text(context.totals)
    measure_kinship(page.parent, page.end, context.anchor, longest, kinship[2:])


# Containers: how much of the page's text the elements around a block hold, and what kind of text.

LEVELS: Final = 6
_LEVEL_MEASURES: Final = (
    "long_share share blocks terms_per_block link_density marks_per_term kind headings part".split()
)
CONTAINER_FEATURES: Final = (
    *(f"{measure}_{level}" for measure in _LEVEL_MEASURES for level in range(1, LEVELS + 1)),
    *"in_best around_best best_share side_of_best".split(),
)


def find_container_levels(context: FeatureContext) -> Ints:
    """Return the elements around each block, inside out, that hold more blocks than the last.

    One row per level; beyond the root, levels repeat the root.
    """
    page = context.page
    levels = np.empty((LEVELS, len(context)), dtype=np.int64)
    find_levels(page.parent, page.end, context.before, context.anchor, levels)
    return levels


def write_container_features(context: FeatureContext, levels: Ints, matrix: Matrix) -> None:
    """Write what the elements around the blocks hold."""
    page, totals, before = context.page, context.totals, context.before
    measure_levels(totals, levels, before, page.end, page.tag, _KIND_BY_TAG, matrix[:-4])
    buffer = np.zeros(len(page))
    measure_best(totals, page.parent, page.end, before, context.anchor, buffer, matrix[-4:])


# Neighbours: the blocks before and after a block.

STEPS: Final = (-2, -1, 1, 2)
WINDOWS: Final = (3, 8, 20)  # blocks to each side
NEIGHBOUR_FEATURES: Final = (
    *(f"{measure}_at_{step}" for step in STEPS for measure in ("terms", "link_density", "kind")),
    *(
        f"{measure}_within_{window}"
        for window in WINDOWS
        for measure in ("terms", "link_density", "marks_per_term", "long", "headings")
    ),
)
STEP_ARRAY: Final = np.array(STEPS)
WINDOW_ARRAY: Final = np.array(WINDOWS)


def write_neighbour_features(context: FeatureContext, matrix: Matrix) -> None:
    """Write features of the blocks before and after each block."""
    at_steps, within_windows = matrix[: 3 * len(STEPS)], matrix[3 * len(STEPS) :]
    measure_steps(context.sums, context.tag, _KIND_BY_TAG, STEP_ARRAY, at_steps)
    measure_windows(context.totals, WINDOW_ARRAY, context.all_long, within_windows)


# Repetition: blocks with equal paths, and records, which are siblings of one signature.

_PATH_MEASURES: Final = "count terms share link_density long_share".split()
_RECORD_MEASURES: Final = (
    "count share long_share terms_each blocks_each link_density headings_each objects_each "
    "number part".split()
)
REPETITION_FEATURES: Final = (
    *(f"path_{measure}" for measure in _PATH_MEASURES),
    *(f"named_path_{measure}" for measure in _PATH_MEASURES),
    *(f"record_{measure}" for measure in _RECORD_MEASURES),
    *(f"outer_record_{measure}" for measure in _RECORD_MEASURES),
    *"like_last like_next".split(),
)
_MIN_RECORDS: Final = 3


@dataclass(frozen=True, eq=False)
class Records:
    """Records of a page: at least three siblings with the same tag and class that all hold text.

    They are simpler than the records of `tamis.records`, which need alignment.
    """

    rows: Ints  # in document order
    group: Ints  # the group of each record; records of one signature are a group
    inner: Ints  # for each block, the index of the innermost record around it, or -1
    outer: Ints  # likewise, of the outermost record
    group_count: int


def write_repetition_features(
    context: FeatureContext, paths: Ints, named_paths: Ints, records: Records, matrix: Matrix
) -> None:
    """Write how blocks are repeated: by path of tags, by path and class, in records."""
    for group, rows in ((paths, matrix[0:5]), (named_paths, matrix[5:10])):
        measure_groups(context.totals, group, np.zeros((6, len(context))), rows)
    inputs = context.totals, context.before, context.page.end, records.rows, records.group
    for around, rows in ((records.inner, matrix[10:20]), (records.outer, matrix[20:30])):
        measure_records(*inputs, around, np.zeros((10, records.group_count)), rows)
    measure_likeness(paths, matrix[30:])


def group_by_path(context: FeatureContext) -> tuple[Ints, Ints]:
    """Return the group of each block, by the tags above it, and by these and its classes."""
    page = context.page
    keys = np.empty(len(page), dtype=np.uint64)
    hash_paths(page.tag, page.parent, keys)
    path, named_path = np.empty((2, len(context)), dtype=np.uint64)
    node = np.ascontiguousarray(context.blocks.node)
    hash_blocks(keys, context.anchor, node, page.class_key, path, named_path)
    return group_equal(path)[0], group_equal(named_path)[0]


def find_records(context: FeatureContext) -> Records:
    """Return the records of a page."""
    page = context.page
    rows = np.empty(len(page), dtype=np.int64)
    keys = np.empty(len(page), dtype=np.uint64)
    size = find_makes(
        *(context.totals, context.before, page.end, page.tag, page.parent, page.class_key),
        tags.OTHER,
        rows,
        keys,
    )
    rows = rows[:size]
    group, group_count = group_equal(keys[:size])
    size = keep_makes(rows, group, np.zeros(group_count, dtype=np.int64), _MIN_RECORDS)
    rows, group = rows[:size], group[:size]
    inner, outer = np.empty((2, len(context)), dtype=np.int64)
    buffer = np.empty(len(rows) + 1, dtype=np.int64)
    find_around(rows, page.end, context.anchor, inner, outer, buffer)
    return Records(rows, group, inner, outer, group_count)

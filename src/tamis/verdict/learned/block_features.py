"""What a block holds itself: text, marks, links, elements, letters.

The blocks before and after a block.

The elements around a block: how much of the page's text each holds, and of what kind.

What a block's letters tell: digits, signs, how it ends, whether it is repeated.

Where a block stands: in which elements, how far from headings and landmarks.

Repetition: blocks on equal paths, and records, which are siblings of one make.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import group_equal
from tamis.page import freeze, tags
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
from tamis.verdict.learned.feature_context import COUNTED_TAGS, FeatureContext, Matrix, Numbers

# Elements that a block can be, in an order that a threshold can cut: running text first.
KINDS: Final = (
    "p blockquote pre dd td h1 h2 h3 h4 h5 h6 figcaption dt th li div article main section details "
    "figure address body html form header aside footer nav ul ol dl tr table hr"
).split()
TEXT_FEATURES: Final = (
    *"terms marks link_density marks_per_term share of_longest".split(),
    *"kind level whole depth hidden".split(),
    *(f"n_{group[0]}" for group in COUNTED_TAGS),
)

_KIND = np.full(256, len(KINDS))
for _kind_index, _name in enumerate(KINDS):
    _KIND[tags.CODE[_name]] = _kind_index
_LEVEL = np.full(256, 9)
for _kind_index, _name in enumerate(tags.HEADINGS, start=1):
    _LEVEL[tags.CODE[_name]] = _kind_index


def write_text_features(frame: FeatureContext, columns: Matrix) -> None:
    """Write what the blocks hold themselves."""
    first, node = (np.ascontiguousarray(rows) for rows in (frame.blocks.first, frame.blocks.node))
    measure_own(
        *(frame.sums, frame.elements, frame.tag, _KIND, _LEVEL),
        *(frame.page.depth, first, node, columns),
    )


def kind_table() -> NDArray[np.int64]:
    """Return the place of each tag code in `KINDS`."""
    return _KIND


def level_table() -> NDArray[np.int64]:
    """Return the level of each tag code as a heading, 9 for what is none."""
    return _LEVEL


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


def write_neighbour_features(frame: FeatureContext, columns: Matrix) -> None:
    """Write what stands before and after the blocks."""
    steps = columns[: 3 * len(STEPS)]
    measure_steps(frame.sums, frame.tag, kind_table(), _STEPS, steps)
    measure_windows(frame.totals, _WINDOWS, frame.all_long, columns[3 * len(STEPS) :])


_STEPS, _WINDOWS = np.array(STEPS), np.array(WINDOWS)


LEVELS: Final = 6
MEASURES: Final = (
    "long_share share blocks terms_per_block link_density marks_per_term kind headings part".split()
)
CONTAINER_FEATURES: Final = (
    *(f"{measure}_{level}" for measure in MEASURES for level in range(1, LEVELS + 1)),
    *"in_best around_best best_share side_of_best".split(),
)


def levels_above(frame: FeatureContext) -> Numbers:
    """Return the elements around each block, inside out, that hold more blocks than the last.

    A row a level; past the root it stays the root.
    """
    page = frame.page
    levels = np.empty((LEVELS, len(frame)), dtype=np.int64)
    find_levels(page.parent, page.end, frame.before, frame.anchor, levels)
    return levels


def write_container_features(frame: FeatureContext, levels: Numbers, columns: Matrix) -> None:
    """Write what the elements around the blocks hold."""
    page, totals, before = frame.page, frame.totals, frame.before
    measure_levels(totals, levels, before, page.end, page.tag, kind_table(), columns[:-4])
    room = np.zeros(len(page))
    measure_best(totals, page.parent, page.end, before, frame.anchor, room, columns[-4:])


LETTER_FEATURES: Final = (
    *"digits money asks signs stops ends_sentence ends_colon".split(),
    *"same first_of_same".split(),
)
TABLE_SIZE: Final = 0x20000
MAX_LETTERS: Final = 160  # letters of a block: more tell nothing new
# Classes of letters that are counted, then those that matter at the edges of a block.
COUNTED_CHARACTERS: Final = ("0123456789", "$€£¥₹₽元￥", "?？", "©®™|·•→›»←‹«×/", ".!?…。！？；;")
AT_END: Final = ('.!?…。！？"”»」』', ":：")


@functools.cache
def letter_classes() -> NDArray[np.uint8]:
    """Return the classes of each code point below `TABLE_SIZE`, as bits, made at first use."""
    table = np.zeros(TABLE_SIZE, dtype=np.uint8)
    for bit, chars in enumerate((*COUNTED_CHARACTERS, *AT_END)):
        table[[ord(char) for char in chars]] |= 1 << bit
    return freeze(table)


def write_letter_features(frame: FeatureContext, columns: Matrix) -> None:
    """Write what the blocks' letters tell."""
    start, stop = frame.written
    keys = np.empty(len(frame), dtype=np.uint64)
    told = columns[: len(COUNTED_CHARACTERS) + len(AT_END)]
    measure_letters(frame.text, letter_classes(), MAX_LETTERS, start, stop, keys, told)
    group, count = group_equal(keys)
    measure_repeats(group, np.zeros(count, dtype=np.int64), columns[len(told) :])


AROUND: Final = (
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
LANDMARKS: Final = 6  # the first of AROUND: distances to them count
FAR: Final = 300
POSITION_FEATURES: Final = (
    *(f"in_{group[0]}_element" for group in AROUND),
    *"place from_end text_before long_before long_after".split(),
    *(f"after_{group[0]}" for group in AROUND[:LANDMARKS]),
    *"after_heading after_long".split(),
    *(f"before_{group[0]}" for group in AROUND[:LANDMARKS]),
    *"before_heading before_long".split(),
    *"after_h1 heading_level next_level".split(),
    *"with_h1 with_h1_share with_longest with_longest_share".split(),
)


def write_position_features(frame: FeatureContext, columns: Matrix) -> None:
    """Write where the blocks stand; the first rows, the elements around them, are there already."""
    page, room = frame.page, np.empty(len(frame), dtype=np.uint8)
    order, after, before, levels, kinship = (columns[part] for part in _PARTS)
    measure_distances(columns, frame.totals, room, FAR, after, before)
    h1 = measure_order(frame.totals, frame.tag, level_table(), after[-2], order, levels)
    if h1 >= 0:
        measure_kinship(page.parent, page.end, frame.anchor, h1, kinship[:2])
    else:
        kinship[:2] = -1.0
    longest = longest_text(frame.totals)
    measure_kinship(page.parent, page.end, frame.anchor, longest, kinship[2:])


def element_groups(first: int) -> Numbers:
    """Return, for each tag, the group of `AROUND` that it is in, as a bit from the first one on."""
    return _GROUP << first


_GROUP = np.zeros(256, dtype=np.int64)
for _group_index, _names in enumerate(AROUND):
    _GROUP[[tags.CODE[_name] for _name in _names]] = 1 << _group_index
_ENDS = np.cumsum((len(AROUND), 5, LANDMARKS + 2, LANDMARKS + 2, 3, 4)).tolist()
_PARTS = tuple(slice(*ends) for ends in pairwise(_ENDS))


PATH_MEASURES: Final = "count terms share link_density long_share".split()
RECORD_MEASURES: Final = (
    "count share long_share terms_each blocks_each link_density headings_each objects_each "
    "number part".split()
)
REPETITION_FEATURES: Final = (
    *(f"path_{measure}" for measure in PATH_MEASURES),
    *(f"named_path_{measure}" for measure in PATH_MEASURES),
    *(f"record_{measure}" for measure in RECORD_MEASURES),
    *(f"outer_record_{measure}" for measure in RECORD_MEASURES),
    *"like_last like_next".split(),
)
MIN_RECORDS: Final = 3


def write_repetition_features(
    frame: FeatureContext, paths: Numbers, named: Numbers, records: Records, columns: Matrix
) -> None:
    """Write how blocks are repeated: by path of tags, by path of names, in records."""
    for group, part in ((paths, columns[0:5]), (named, columns[5:10])):
        measure_groups(frame.totals, group, np.zeros((6, len(frame))), part)
    where = frame.totals, frame.before, frame.page.end, records.rows, records.group
    for around, part in ((records.inner, columns[10:20]), (records.outer, columns[20:30])):
        measure_records(*where, around, np.zeros((10, records.makes)), part)
    measure_likeness(paths, columns[30:])


def path_keys(frame: FeatureContext) -> tuple[Numbers, Numbers]:
    """Return, for each block, its group by the tags above it, and by tags and its classes."""
    page = frame.page
    keys = np.empty(len(page), dtype=np.uint64)
    hash_paths(page.tag, page.parent, keys)
    path, named = np.empty((2, len(frame)), dtype=np.uint64)
    node = np.ascontiguousarray(frame.blocks.node)
    hash_blocks(keys, frame.anchor, node, page.class_key, path, named)
    return group_equal(path)[0], group_equal(named)[0]


@dataclass(frozen=True, eq=False)
class Records:
    """Records of a page: at least three siblings of one tag and class that hold text each."""

    rows: Numbers  # in document order
    group: Numbers  # of each record: those of one make
    inner: Numbers  # for each block the innermost record that it is in, or -1
    outer: Numbers  # and the outermost one
    makes: int  # number of groups


def records_of(frame: FeatureContext) -> Records:
    """Return the records of a page."""
    page = frame.page
    rows = np.empty(len(page), dtype=np.int64)
    keys = np.empty(len(page), dtype=np.uint64)
    size = find_makes(
        *(frame.totals, frame.before, page.end, page.tag, page.parent, page.class_key),
        tags.OTHER,
        rows,
        keys,
    )
    rows = rows[:size]
    group, count = group_equal(keys[:size])
    size = keep_makes(rows, group, np.zeros(count, dtype=np.int64), MIN_RECORDS)
    rows, group = rows[:size], group[:size]
    inner, outer = np.empty((2, len(frame)), dtype=np.int64)
    room = np.empty(len(rows) + 1, dtype=np.int64)
    find_around(rows, page.end, frame.anchor, inner, outer, room)
    return Records(rows, group, inner, outer, count)

"""Repetition: blocks on equal paths, and records, which are siblings of one make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.blocks.groups import groups_of
from tamis.page import tags
from tamis.verdict.evidence.frame import Frame, Matrix, Numbers
from tamis.verdict.kernel.measures import (
    measure_groups,
    measure_likeness,
    measure_records,
)
from tamis.verdict.kernel.passes import (
    find_around,
    find_makes,
    hash_blocks,
    hash_paths,
    keep_makes,
)

PATH_MEASURES: Final = "count terms share link_density long_share".split()
RECORD_MEASURES: Final = (
    "count share long_share terms_each blocks_each link_density headings_each objects_each "
    "number part".split()
)
NAMES: Final = (
    *(f"path_{measure}" for measure in PATH_MEASURES),
    *(f"named_path_{measure}" for measure in PATH_MEASURES),
    *(f"record_{measure}" for measure in RECORD_MEASURES),
    *(f"outer_record_{measure}" for measure in RECORD_MEASURES),
    *"like_last like_next".split(),
)
MIN_RECORDS: Final = 3


def repetition(
    frame: Frame, paths: Numbers, named: Numbers, records: Records, columns: Matrix
) -> None:
    """Write how blocks are repeated: by path of tags, by path of names, in records."""
    for group, part in ((paths, columns[0:5]), (named, columns[5:10])):
        measure_groups(frame.totals, group, np.zeros((6, len(frame))), part)
    where = frame.totals, frame.before, frame.page.end, records.rows, records.group
    for around, part in ((records.inner, columns[10:20]), (records.outer, columns[20:30])):
        measure_records(*where, around, np.zeros((10, records.makes)), part)
    measure_likeness(paths, columns[30:])


def path_keys(frame: Frame) -> tuple[Numbers, Numbers]:
    """Return, for each block, its group by the tags above it, and by tags and its classes."""
    page = frame.page
    keys = np.empty(len(page), dtype=np.uint64)
    hash_paths(page.tag, page.parent, keys)
    path, named = np.empty((2, len(frame)), dtype=np.uint64)
    node = np.ascontiguousarray(frame.blocks.node)
    hash_blocks(keys, frame.anchor, node, page.class_key, path, named)
    return groups_of(path)[0], groups_of(named)[0]


@dataclass(frozen=True, eq=False)
class Records:
    """Records of a page: at least three siblings of one tag and class that hold text each."""

    rows: Numbers  # in document order
    group: Numbers  # of each record: those of one make
    inner: Numbers  # for each block the innermost record that it is in, or -1
    outer: Numbers  # and the outermost one
    makes: int  # number of groups


def records_of(frame: Frame) -> Records:
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
    group, count = groups_of(keys[:size])
    size = keep_makes(rows, group, np.zeros(count, dtype=np.int64), MIN_RECORDS)
    rows, group = rows[:size], group[:size]
    inner, outer = np.empty((2, len(frame)), dtype=np.int64)
    room = np.empty(len(rows) + 1, dtype=np.int64)
    find_around(rows, page.end, frame.anchor, inner, outer, room)
    return Records(rows, group, inner, outer, count)

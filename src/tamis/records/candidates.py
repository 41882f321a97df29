"""Candidates: groups of elements that may each begin a record.

Elements are grouped by their path of tags, and by parent, tag and class. For each group an upper
bound of the score of its region is computed first, so that few candidates have to be built.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from tamis.page import Bools, Ints, tags
from tamis.records._align import find_stops, group_equal, list_members, sum_groups
from tamis.records.cells import Cells
from tamis.records.search_query import QUERY_WEIGHT, Query, QueryMatches
from tamis.records.signatures import (
    HASH_FACTOR,
    Floats,
    Int64s,
    Keys,
    PathKeys,
    build_path_keys,
    prefix_sums,
    table_cell_symbols,
    tag_symbols,
)

_MIN_RECORDS: Final = 2
_CELLS_POWER: Final = 1.5  # with which the number of cells per record enters the score
_MAX_RECORD_SHARE: Final = 0.8  # share of a group's weight that one record may have

_TR: Final = tags.CODE["tr"]
_IS_TABLE_CELL: Final = tags.tag_table(("td", "th"))
_IS_BOLD: Final = tags.tag_table(("b", "strong"))
_ROWSPAN: Final = b'rowspan="'
_PARENT_FACTOR: Final = np.uint64(0xA0761D6478BD642F)  # odd, with bits that look random
_ONE: Final = np.uint64(1)


class Candidate(NamedTuple):
    """Elements that may begin the records of a region.

    A record may reach from its element over siblings to the next one: at most to `stop`.
    """

    start: Int64s
    stop: Int64s


class _Groups(NamedTuple):
    """All candidates of a page before they are separated.

    `start` and `stop` are parallel: an element, and where its record ends at the latest. Group `i`
    has the `members` from `offset[i]` on, and `max_score` and `max_rank_score` have its bounds.
    """

    start: Int64s
    stop: Int64s
    members: Int64s
    offset: Int64s
    max_score: Floats
    max_rank_score: Floats


class CandidateBound(NamedTuple):
    """A candidate that is not built yet: the greatest scores that its region can have."""

    max_score: float
    max_rank_score: float
    groups: _Groups
    group: int


CandidateKeys = set[tuple[int, int, int, int]]  # of the candidates that were built


@dataclass(frozen=True, eq=False)
class SearchContext:
    """What all candidates of a page are computed from."""

    cells: Cells
    query_matches: QueryMatches
    paths: PathKeys  # of tags, classes and table cells
    tag_paths: PathKeys  # of tags alone
    tag_symbol: Keys
    class_symbol: Keys
    weight_before: Floats  # the weight of all cells before each cell, and of all cells

    def rank_candidates(self, *, include_single_cells: bool = False) -> Iterator[CandidateBound]:
        """Yield the candidates of a page, those with the greatest possible rank score first.

        Candidates whose records have one cell each, such as menus, have a greatest score of 0. They
        come last, and only on request.
        """
        groups = self._build_groups()
        is_possible = groups.max_score >= 0 if include_single_cells else groups.max_score > 0
        possible = np.flatnonzero(is_possible)
        order = possible[np.argsort(-groups.max_rank_score[possible], kind="stable")]
        for group in order.tolist():
            max_score, max_rank_score = groups.max_score[group], groups.max_rank_score[group]
            yield CandidateBound(float(max_score), float(max_rank_score), groups, group)

    def build_candidate(self, bound: CandidateBound, built: CandidateKeys) -> Candidate | None:
        """Return the candidate of a bound, or None if one with the same cells was built before.

        Such candidates are elements inside each other: the outer ones stand for both.
        """
        groups, cells_before = bound.groups, self.cells.cells_before
        members = groups.members[groups.offset[bound.group] : groups.offset[bound.group + 1]]
        start, stop = groups.start[members], groups.stop[members]
        before = cells_before[start]
        key = (len(start), int(before[0]), int(before.sum()), int(cells_before[stop].sum()))
        if key in built:
            return None
        built.add(key)
        return Candidate(start, stop)

    def _build_groups(self) -> _Groups:
        """Return the groups of elements with equal signatures.

        Each element is in two groups: with those on its path of tags, and with those of its parent,
        tag and class. Table rows without a class are distinguished by their cells: they may belong
        together in pairs. If cells span rows, the rows differ for another reason.
        """
        page, cells_before = self.cells.page, self.cells.cells_before
        has_cells = cells_before[page.end] > cells_before[:-1]
        rows = np.flatnonzero(has_cells & (page.tag != tags.TEXT))[1:]
        parents = page.parent[rows]
        is_alone = np.bincount(page.parent[has_cells][1:], minlength=len(page))[parents] == 1
        path = self.tag_paths.key[rows]
        class_symbol = self.class_symbol[rows]
        bare_rows = np.flatnonzero((page.tag[rows] == _TR) & (class_symbol == 0))
        if len(bare_rows) and _ROWSPAN not in page.source:
            class_symbol[bare_rows] = self._table_row_symbols(rows[bare_rows])
        parent_key = (parents.astype(np.uint64) + _ONE) * _PARENT_FACTOR
        sibling_key = path + parent_key + class_symbol * HASH_FACTOR
        keys = np.concatenate((path, sibling_key))
        # A record ends with its parent at the latest.
        ends = np.tile(page.end[parents], 2)
        return self._group_rows(np.tile(rows, 2), keys, ends, np.tile(is_alone, 2))

    def _table_row_symbols(self, rows: Int64s) -> Keys:
        """Return symbols for table rows: how many table cells they have, and which has text first.

        What is inside the cells, such as a link that some rows lack, does not count if several
        cells have text. A first row that is bold throughout and has no link is a header, which has
        a symbol of its own.
        """
        page, cells_before = self.cells.page, self.cells.cells_before
        table_cells = np.flatnonzero(_IS_TABLE_CELL[page.tag])
        full_cells = table_cells[cells_before[page.end[table_cells]] > cells_before[table_cells]]
        cell_count, full_count = (
            np.bincount(page.parent[cells], minlength=len(page))
            for cells in (table_cells, full_cells)
        )
        first_full_cell = np.zeros(len(page), dtype=np.int64)
        first_full_cell[page.parent[full_cells[::-1]]] = full_cells[::-1]  # the last write counts
        first_text = self.cells.first_row[cells_before[rows]]
        has_several = full_count[rows] > 1
        symbols = self.paths.below(np.where(has_several, first_full_cell[rows], first_text), rows)
        symbols += np.where(has_several, cell_count[rows], 0).astype(np.uint64) * _PARENT_FACTOR
        _, first_rows = np.unique(page.parent[rows], return_index=True)
        is_bold = page.within(np.flatnonzero(_IS_BOLD[page.tag]))[self.cells.first_row]
        bold_before = prefix_sums(is_bold)
        links_before = prefix_sums(page.in_link[self.cells.first_row])
        start, stop = cells_before[rows[first_rows]], cells_before[page.end[rows[first_rows]]]
        is_all_bold = bold_before[stop] - bold_before[start] == stop - start
        is_header = is_all_bold & (links_before[stop] == links_before[start])
        symbols[first_rows[is_header]] += _ONE
        return symbols

    def _group_rows(self, rows: Int64s, keys: Keys, ends: Ints, is_alone: Bools) -> _Groups:
        """Return rows grouped by their keys, with the bounds of each group's scores.

        A record ends where the next one begins, and at its row's `end` at the latest.
        """
        cells_before = self.cells.cells_before
        group, count = group_equal(keys)
        stop = find_stops(rows, group, count, ends, len(cells_before) - 1)
        first_cell, stop_cell = cells_before[rows], cells_before[stop]
        weight = self.weight_before[stop_cell] - self.weight_before[first_cell]
        size, total_weight, max_weight, cell_count, with_siblings = sum_groups(
            group, count, weight, stop_cell - first_cell, is_alone
        )
        is_balanced = max_weight <= _MAX_RECORD_SHARE * total_weight
        possible = np.flatnonzero((size >= _MIN_RECORDS) & (with_siblings > 0) & is_balanced)
        factor = scale_by_cells(cell_count[possible] / size[possible])
        max_score = np.full(count, -1.0)
        max_score[possible] = total_weight[possible] * factor
        max_rank_score = max_score
        if self.query_matches:
            max_rank_score = max_score.copy()
            matching = self.query_matches.weight_by_group(first_cell, stop_cell, group, count)
            max_rank_score[possible] += QUERY_WEIGHT * matching[possible] * factor
        return _Groups(rows, stop, *list_members(group, count), max_score, max_rank_score)


def scale_by_cells(cells_per_record: Floats | float) -> Floats:
    """Return the factor for the weight of records: 0 for one cell per record, near 1 for many."""
    factor: Floats = (1 - 1 / np.maximum(cells_per_record, 1.0)) ** _CELLS_POWER
    return factor


def build_search_context(cells: Cells, queries: Sequence[Query] = ()) -> SearchContext:
    """Return what candidates are computed from; `queries` are what the page was searched for."""
    page = cells.page
    cells_inside = cells.cells_before[page.end] - cells.cells_before[:-1]
    tag_symbol = tag_symbols(page)
    class_symbol = np.where(cells_inside, cells.classes.symbol, np.uint64(0))
    weight_before = np.zeros(len(cells) + 1)
    np.cumsum(cells.weight, out=weight_before[1:])
    name_symbol: Keys = np.where(class_symbol, class_symbol, table_cell_symbols(page, cells_inside))
    return SearchContext(
        cells=cells,
        query_matches=QueryMatches(cells, queries),
        paths=build_path_keys(page, tag_symbol + name_symbol * HASH_FACTOR),
        tag_paths=build_path_keys(page, tag_symbol),
        tag_symbol=tag_symbol,
        class_symbol=class_symbol,
        weight_before=weight_before,
    )

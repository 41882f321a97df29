"""Candidates: groups of elements that may each begin a record.

Elements are grouped by their path of tags, and by parent, tag and class. For each group an upper
bound of the score of its region is computed first, so that few candidates have to be built.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from tamis.page import tags
from tamis.records._align import Aligner, Groups
from tamis.records.cells import Cells
from tamis.records.search_query import QUERY_WEIGHT, Query, QueryMatches
from tamis.records.signatures import (
    TAG_SYMBOLS,
    Floats,
    Int64s,
    Keys,
    PathKeys,
    build_path_keys,
    name_rows,
    prefix_sums,
    tag_symbols,
)

_MIN_RECORDS: Final = 2
_MAX_RECORD_SHARE: Final = 0.8  # share of a group's weight that one record may have
# Cells that a record must have in common with others, on average.
_MIN_CELLS_PER_RECORD: Final = 0.6
_COMMON_FACTOR: Final = 3  # a cell that every third record has is as good as one that all have
# The weight of records counts less if they have few cells: by 1 - 1/cells to this power.
_CELLS_EXPONENT: Final = 1.5

_TR: Final = tags.CODE["tr"]
_IS_TABLE_CELL: Final = tags.tag_table(("td", "th"))
_IS_BOLD: Final = tags.tag_table(("b", "strong"))
_ROWSPAN: Final = b'rowspan="'
_COUNT_FACTOR: Final = np.uint64(0xA0761D6478BD642F)  # odd, with bits that look random
_ONE: Final = np.uint64(1)


class Candidate(NamedTuple):
    """Elements that may begin the records of a region.

    A record may reach from its element over siblings to the next one: at most to `stop`.
    """

    start: Int64s
    stop: Int64s


class CandidateBound(NamedTuple):
    """A candidate that is not built yet: the greatest scores that its region can have."""

    max_score: float
    max_rank_score: float
    groups: Groups
    group: int

    def build(self) -> Candidate:
        """Return the candidate."""
        groups = self.groups
        members = groups.members[groups.offset[self.group] : groups.offset[self.group + 1]]
        return Candidate(groups.row[members], groups.stop[members])


@dataclass(frozen=True, eq=False)
class SearchContext:
    """What all candidates of a page are computed from."""

    cells: Cells
    query_matches: QueryMatches
    paths: PathKeys  # of tags, classes and table cells
    class_symbol: Keys
    weight_before: Floats  # the weight of all cells before each cell, and of all cells
    aligner: Aligner

    @property
    def has_ranks(self) -> bool:
        """Whether regions are ranked by more than their score: by a query or by the layout."""
        return bool(self.query_matches) or self.cells.page.layout is not None

    def rank_candidates(self, *, include_single_cells: bool = False) -> Iterator[CandidateBound]:
        """Yield the candidates of a page, those with the greatest possible rank score first.

        Candidates whose records have one cell each, such as menus, have a greatest score of 0. They
        come last, and only on request.
        """
        groups = self._build_groups()
        max_score = groups.max_score
        max_rank_score = self._add_matches(groups) if self.query_matches else max_score
        is_possible = max_score >= 0 if include_single_cells else max_score > 0
        possible = np.flatnonzero(is_possible)
        order = possible[np.argsort(-max_rank_score[possible], kind="stable")]
        bounds = zip(
            max_score[order].tolist(), max_rank_score[order].tolist(), order.tolist(), strict=True
        )
        for score, rank_score, group in bounds:
            yield CandidateBound(score, rank_score, groups, group)

    def score(self, bound: CandidateBound) -> float:
        """Return the score of a candidate's region.

        It is negative if nothing repeats, or if a candidate with the same cells was scored before:
        one inside the other.
        """
        return self.aligner.score(bound.groups, bound.group)

    def _build_groups(self) -> Groups:
        """Return the groups of elements with equal signatures.

        Each element is in two groups: with those on its path of tags, and with those of its parent,
        tag and class. Table rows without a class are distinguished by their cells: they may belong
        together in pairs. If cells span rows, the rows differ for another reason.
        """
        page, cells_before = self.cells.page, self.cells.cells_before
        class_symbol = self.class_symbol
        bare_rows = np.flatnonzero((page.tag == _TR) & (class_symbol == 0))
        bare_rows = bare_rows[cells_before[page.end[bare_rows]] > cells_before[bare_rows]]
        if len(bare_rows) and _ROWSPAN not in page.source:
            class_symbol = class_symbol.copy()
            class_symbol[bare_rows] = self._table_row_symbols(bare_rows)
        tag_paths = build_path_keys(page, tag_symbols(page))
        return Groups(
            self.cells, page, tag_paths.key, class_symbol, self.weight_before, _search_rules()
        )

    def _add_matches(self, groups: Groups) -> Floats:
        """Return the greatest rank scores of groups: more for the words of the search query."""
        cells_before = self.cells.cells_before
        first_cell, stop_cell = cells_before[groups.row], cells_before[groups.stop]
        matching = self.query_matches.weight_by_group(
            first_cell, stop_cell, groups.number, groups.count
        )
        return groups.max_score + QUERY_WEIGHT * matching * groups.factor

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
        symbols += np.where(has_several, cell_count[rows], 0).astype(np.uint64) * _COUNT_FACTOR
        _, first_rows = np.unique(page.parent[rows], return_index=True)
        is_bold = page.within(np.flatnonzero(_IS_BOLD[page.tag]))[self.cells.first_row]
        bold_before = prefix_sums(is_bold)
        links_before = prefix_sums(page.in_link[self.cells.first_row])
        start, stop = cells_before[rows[first_rows]], cells_before[page.end[rows[first_rows]]]
        is_all_bold = bold_before[stop] - bold_before[start] == stop - start
        is_header = is_all_bold & (links_before[stop] == links_before[start])
        symbols[first_rows[is_header]] += _ONE
        return symbols


def build_search_context(cells: Cells, queries: Sequence[Query] = ()) -> SearchContext:
    """Return what candidates are computed from; `queries` are what the page was searched for."""
    page = cells.page
    class_symbol, symbol = name_rows(page, cells.cells_before, cells.classes)
    paths = build_path_keys(page, symbol)
    weight_before = np.zeros(len(cells) + 1)
    np.cumsum(cells.weight, out=weight_before[1:])
    return SearchContext(
        cells=cells,
        query_matches=QueryMatches(cells, queries),
        paths=paths,
        class_symbol=class_symbol,
        weight_before=weight_before,
        aligner=Aligner(cells, page, paths, TAG_SYMBOLS, _search_rules()),
    )


def _search_rules() -> dict[str, float]:
    """Return the parameters of candidates and regions."""
    return {
        "min_records": _MIN_RECORDS,
        "max_record_share": _MAX_RECORD_SHARE,
        "min_cells_per_record": _MIN_CELLS_PER_RECORD,
        "common_factor": _COMMON_FACTOR,
        "cells_exponent": _CELLS_EXPONENT,
    }

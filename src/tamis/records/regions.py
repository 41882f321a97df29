"""Regions: the parts of a page that hold records, with the cells of the records aligned.

A region is built from a candidate: its records are cut, their cells are put into columns by their
paths, and what repeats is scored (the tag-window paper §3.1, here without layout). All of it takes
near-linear time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import UNLIMITED, Bools, Budget, Page, tags
from tamis.records.candidates import Candidate, SearchContext, build_search_context
from tamis.records.cells import Cells, build_cells
from tamis.records.search_query import QUERY_WEIGHT, Query
from tamis.records.signatures import Floats, Int64s
from tamis.records.visual_score import compute_visual_score
from tamis.values import MIN_TYPE_SHARE, value_type

_MIN_COMMON_SHARE: Final = 0.5  # share of records that have a common column
_MAX_VALUE_WORDS: Final = 5  # mean number of words of a value in a list of names and values
_MAX_CANDIDATES: Final = 500  # that are examined; a real page has about fifty

_DT: Final = tags.CODE["dt"]
_DD: Final = tags.CODE["dd"]


@dataclass(frozen=True, eq=False)
class Region:
    """Records with equal signatures. Record `i` is in the rows `start[i]` to `stop[i]`.

    `cell`, `record` and `column` are parallel: the cells of the records in document order, the
    record of each, and the column that it belongs to by its path. `fill_rate` is the share of
    records that have each column. `score` is the weight of what repeats, `share` its share of the
    page.
    """

    cells: Cells
    start: Int64s
    cell: Int64s
    record: Int64s
    column: Int64s
    fill_rate: Floats
    cells_per_record: float  # that records have in common with others, on average
    score: float
    share: float
    query_share: float = 0.0  # share of the weight that has words of the search query

    def __len__(self) -> int:
        return len(self.start)

    @property
    def page(self) -> Page:
        """The page that the region is in."""
        return self.cells.page

    @cached_property
    def stop(self) -> Int64s:
        """Where records end: with their element, or after their last cell if that is later."""
        after_last_cell = np.zeros(len(self), dtype=np.int64)
        # Of several writes the last one counts.
        after_last_cell[self.record] = self.cells.last_row[self.cell] + 1
        return np.maximum(self.page.end[self.start], after_last_cell)

    @cached_property
    def rank_score(self) -> float:
        """What regions are compared by: the score, weighted by query matches and visual score."""
        score = self.score * (1 + QUERY_WEIGHT * self.query_share)
        layout = self.page.layout
        if layout is None:
            return score
        return score * compute_visual_score(layout, self.cells, self.cell, self.record)

    @cached_property
    def cell_texts(self) -> Mapping[int, str]:
        """The text of each cell, on one line; that of an image is empty."""
        return dict(zip(self.cell.tolist(), self.cells.texts(self.cell), strict=True))

    @cached_property
    def cell_rows(self) -> Mapping[int, int]:
        """The first row of each cell."""
        rows = self.cells.first_row[self.cell].tolist()
        return dict(zip(self.cell.tolist(), rows, strict=True))

    @cached_property
    def typical_row(self) -> int:
        """The element of the first record that is in the list and not detached from it."""
        return int(self.start[int(self.page.depth[self.start].argmax())])

    @cached_property
    def record_depth(self) -> int:
        """The depth of the records' elements."""
        return int(self.page.depth[self.typical_row])

    @property
    def container(self) -> int:
        """The innermost element around all records."""
        page = self.page
        row = int(page.parent[self.start[0]])
        last = int(self.start[-1])
        while row > 0 and page.end[row] <= last:
            row = int(page.parent[row])
        return row


# Finding regions --------------------------------------------------------------------------------


def find_best_region(
    page: Page,
    interest: NDArray[np.floating] | None = None,
    queries: Sequence[Query] = (),
    budget: Budget = UNLIMITED,
) -> Region | None:
    """Return the region of a page with the greatest rank score, if there is any.

    `interest` has a factor for each row of the page, such as its probability to be content: rows of
    no interest do not count. `queries` are what the page was searched for. Candidates that cannot
    be better than the best one so far are skipped.
    """
    cells = build_cells(page, interest, budget)
    if len(cells) == 0:
        return None
    context = build_search_context(cells, queries)
    best = _find_best_ranked(context) if context.has_ranks else _find_best_scored(context)
    return None if best is None else _add_detached_records(context, best)


def _find_best_scored(context: SearchContext) -> Region | None:
    """Return the region with the greatest score; only this one is built."""
    best: Candidate | None = None
    best_score = 0.0
    for bound in islice(context.rank_candidates(), _MAX_CANDIDATES):
        if bound.max_score <= best_score:
            break
        context.cells.budget.check()  # each candidate is a pass over many rows
        score = context.score(bound)
        if score > best_score and not _is_candidate_of_pairs(context, candidate := bound.build()):
            best, best_score = candidate, score
    return None if best is None else _build_region(context, best)


def _find_best_ranked(context: SearchContext) -> Region | None:
    """Return the region with the greatest rank score, cut into records as the score has it."""
    best: Region | None = None
    regions: list[Region] = []
    score = rank_score = 0.0
    for bound in islice(context.rank_candidates(), _MAX_CANDIDATES):
        if bound.max_rank_score <= min(score, rank_score):
            break
        if bound.max_rank_score <= rank_score and bound.max_score <= score:
            continue
        context.cells.budget.check()
        region = _build_region(context, bound.build()) if context.score(bound) > 0 else None
        if region is not None and not is_pair_list(region):
            regions.append(region)
            if region.rank_score > rank_score:
                best, score, rank_score = region, region.score, region.rank_score
    return None if best is None else _choose_best_cut(best, regions)


def candidate_regions(
    page: Page, interest: NDArray[np.floating] | None = None, queries: Sequence[Query] = ()
) -> list[Region]:
    """Return the regions that `find_best_region` chooses from, as if it skipped none.

    They overlap: coarser and finer cuts of one list are regions of their own.
    """
    cells = build_cells(page, interest)
    if len(cells) == 0:
        return []
    context = build_search_context(cells, queries)
    bounds = islice(context.rank_candidates(), _MAX_CANDIDATES)
    regions = (
        _build_region(context, bound.build()) for bound in bounds if context.score(bound) > 0
    )
    return [region for region in regions if region is not None and not is_pair_list(region)]


def find_regions(
    page: Page,
    interest: NDArray[np.floating] | None = None,
    queries: Sequence[Query] = (),
    budget: Budget = UNLIMITED,
) -> tuple[Region, ...]:
    """Return all regions of a page; no region has cells of one before it.

    The first one is that of `find_best_region`, the others follow by score.
    """
    return tuple(separate_regions(page, interest, queries, budget))


def separate_regions(
    page: Page,
    interest: NDArray[np.floating] | None = None,
    queries: Sequence[Query] = (),
    budget: Budget = UNLIMITED,
) -> Iterator[Region]:
    """Yield the regions of `find_regions`."""
    cells = build_cells(page, interest, budget)
    if len(cells) == 0:
        return
    context = build_search_context(cells, queries)
    regions: list[Region] = []
    for bound in islice(context.rank_candidates(include_single_cells=True), _MAX_CANDIDATES):
        budget.check()
        region = _build_region(context, bound.build()) if context.score(bound) >= 0 else None
        if region is not None:
            regions.append(region)
    regions.sort(key=_sort_key)
    lists = [region for region in regions if not is_pair_list(region)]
    if lists:
        first = _choose_best_cut(max(lists, key=lambda region: region.rank_score), lists)
        regions.sort(key=lambda region: region is not first)
    is_taken = np.zeros(len(cells), dtype=np.bool_)
    for region in regions:
        budget.check()
        if not is_taken[region.cell].any():
            extended = _add_detached_records(context, region)
            separate = region if is_taken[extended.cell].any() else extended
            is_taken[separate.cell] = True
            yield separate


def find_regions_at(page: Page, elements: Sequence[int]) -> tuple[Region, ...]:
    """Return the regions whose records begin with given elements of one depth, even a single one.

    The first region has all of them. If they have several parents, one region per parent follows,
    the largest first.
    """
    cells, rows = build_cells(page), np.array(elements, dtype=np.int64)
    rows = rows[cells.cells_before[page.end[rows]] > cells.cells_before[rows]]
    if len(rows) == 0:
        return ()
    context, row_parents = build_search_context(cells), page.parent[rows]
    parents, counts = np.unique(row_parents, return_counts=True)
    largest = parents[np.argsort(-counts, kind="stable")][:_MAX_CANDIDATES]
    groups = [rows, *(rows[row_parents == parent] for parent in largest if len(parents) > 1)]
    regions: list[Region] = []
    for start in groups:
        ends = page.end[page.parent[start]].astype(np.int64)
        stop = np.minimum(np.append(start[1:], len(page)), ends)
        region = _build_region(context, Candidate(start, stop))
        if region is not None:
            regions.append(_add_detached_records(context, region))
    return tuple(regions)


def _choose_best_cut(best: Region, regions: Sequence[Region]) -> Region:
    """Return the region with the best score among those that share cells with the best ranked one.

    The search query and the layout tell where on the page the records are. How they are cut into
    records is decided by the score alone, and of equal cuts the one with more cells is taken.
    """
    if best.query_share == 0 and best.page.layout is None:
        return best
    is_taken = np.zeros(len(best.cells), dtype=np.bool_)
    is_taken[best.cell] = True
    at_least_as_good = (
        region for region in regions if region.score >= best.score and is_taken[region.cell].any()
    )
    return min(at_least_as_good, key=_sort_key, default=best)


def _is_candidate_of_pairs(context: SearchContext, candidate: Candidate) -> bool:
    """Say whether the region of a candidate is a list of pairs, which is seldom built for it."""
    first = candidate.start[0]
    if context.cells.page.tag[first] not in (_DT, _DD):
        return False
    region = _build_region(context, candidate)
    return region is not None and is_pair_list(region)


def is_pair_list(region: Region) -> bool:
    """Say whether records are the names and values of one thing, such as its weight and size.

    They are the pairs of a definition list. Its values are short, and not all of one type as in a
    list of prices.
    """
    page, start_tags = region.page, region.page.tag[region.start]
    if not ((start_tags == _DT) | (start_tags == _DD)).all():
        return False
    in_value = page.within(np.flatnonzero(page.tag == _DD))[region.cells.element[region.cell]]
    values = [text for text in region.cells.texts(region.cell[in_value]) if text]
    if not values or sum(len(text.split()) for text in values) > _MAX_VALUE_WORDS * len(values):
        return False
    types = Counter(map(value_type, values))
    types.pop("text", None)
    return max(types.values(), default=0) < MIN_TYPE_SHARE * len(values)


def _sort_key(region: Region) -> tuple[float, float]:
    """Return the sort key of regions: by score, those of equal score, such as menus, by weight."""
    return -region.score, -float(region.cells.weight[region.cell].sum())


# Building a region ------------------------------------------------------------------------------


def _build_region(context: SearchContext, candidate: Candidate) -> Region | None:
    """Cut the records of a candidate and align their cells; None if nothing repeats.

    How is said in `_align.Aligner`.
    """
    cells = context.cells
    record, cell, column, record_count, cells_per_record, score = context.aligner.align(*candidate)
    if score < 0:
        return None
    page_weight = max(float(context.weight_before[-1]), 1e-9)  # it is 0 if nothing is of interest
    query_share = 0.0
    if context.query_matches:
        weight = float(cells.weight[cell].sum())
        query_share = context.query_matches.matched_share(cell, weight)
    return Region(
        cells=cells,
        start=candidate.start,
        cell=cell,
        record=record,
        column=column,
        fill_rate=record_count / len(candidate.start),
        cells_per_record=cells_per_record,
        score=score,
        share=score / page_weight,
        query_share=query_share,
    )


# Detached records -------------------------------------------------------------------------------


def _add_detached_records(context: SearchContext, region: Region) -> Region:
    """Return a region with the records that are beside or above its list.

    A list may show its first record larger, or the others in a part that can be collapsed. Such a
    record has the tag and class of the others and at least half of the columns that most have.
    """
    detached = _find_detached_elements(context, region)
    if len(detached) == 0:
        return region
    ends = context.cells.page.end[detached].astype(np.int64)
    start, stop = np.append(region.start, detached), np.append(region.stop, ends)
    order = np.argsort(start)
    extended = _build_region(context, Candidate(start[order], stop[order]))
    if extended is None:
        return region
    is_listed = order < len(region)
    is_included = _has_common_columns(extended) | is_listed
    if not is_included[~is_listed].any():
        return region
    included = order[is_included]
    return _build_region(context, Candidate(start[included], stop[included])) or region


def _find_detached_elements(context: SearchContext, region: Region) -> Int64s:
    """Return elements with the tag and class of all records, in an element around all of them."""
    page, cells_before, start = region.page, context.cells.cells_before, region.start
    none = np.zeros(0, dtype=np.int64)
    class_symbol = context.class_symbol[start[0]]
    rows = np.flatnonzero(context.class_symbol == class_symbol)
    if class_symbol == 0 or len(rows) <= len(region):
        return none
    if (context.class_symbol[start] != class_symbol).any():
        return none
    tag = page.tag[start[0]]
    rows = rows[(page.tag[rows] == tag) & (cells_before[page.end[rows]] > cells_before[rows])]
    if len(rows) <= len(region) or (page.tag[start] != tag).any():
        return none
    parents = page.parent[rows]
    rows = rows[(parents <= region.container) & (page.end[parents] > start[-1])]
    starts_before = np.searchsorted(start, rows, side="right")
    is_inside = (starts_before > 0) & (rows < region.stop[starts_before - 1])
    # An element that has a record inside is none itself.
    starts_before_end = np.searchsorted(start, page.end[rows], side="left")
    has_no_record = starts_before_end == starts_before
    detached: Int64s = page.outermost(rows[~is_inside & has_no_record])
    return detached


def _has_common_columns(region: Region) -> Bools:
    """Return which records have at least half of the columns that most records have."""
    is_common = region.fill_rate >= _MIN_COMMON_SHARE
    columns = len(is_common)
    pairs = np.unique(region.record * columns + region.column)
    counts = np.bincount(pairs // columns, is_common[pairs % columns], minlength=len(region))
    has_common: Bools = counts >= _MIN_COMMON_SHARE * is_common.sum()
    return has_common

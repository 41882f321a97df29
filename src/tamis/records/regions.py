"""Region: records that repeat each other, with their cells aligned.

Region → the same with records of its make that stand before or after its list, on their own.

Page → its regions of records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import group_equal
from tamis.blocks.kernel.aligned import count_columns, deal_cells, key_cells
from tamis.page import UNLIMITED, Bools, Budget, Page
from tamis.records.candidates import Candidate, Marks, SearchContext, build_search_context, richly
from tamis.records.cells import SPREAD, Cells, Numbers, build_cells
from tamis.records.search_query import QUERY_WEIGHT, Phrase
from tamis.records.visual_score import looks

LEAST_RICH: Final = 0.6  # cells that a record must usually have in common with others
USUAL: Final = 3  # a cell that every third record has is as good as one that all have


@dataclass(frozen=True, eq=False)
class Region:
    """Records of one make. Record `i` is in the rows `start[i]` to `stop[i]`.

    `cell`, `record` and `column` are parallel: the cells of the records in document order, the
    record of each, and the column that it belongs to by its path. `fill` is the share of records
    that have each column. `score` is the weight of what repeats, `share` its part of the page.
    """

    cells: Cells
    start: Numbers
    cell: Numbers
    record: Numbers
    column: Numbers
    fill: NDArray[np.float64]
    richness: float  # cells that a record usually has
    score: float
    share: float
    answered: float = 0.0  # share that has words which the page was asked for

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def stop(self) -> Numbers:
        """Where records end: with their element, or after their last cell where it is beyond."""
        last = np.zeros(len(self), dtype=np.int64)
        last[self.record] = self.cells.last[self.cell] + 1  # of several writes the last one counts
        return np.maximum(self.page.end[self.start], last)

    @cached_property
    def worth(self) -> float:
        """The score, more where records answer what the page was asked, less by their looks."""
        worth = self.score * (1 + QUERY_WEIGHT * self.answered)
        if self.page.layout is None:
            return worth
        return worth * looks(self.page.layout, self.cells, self.cell, self.record)

    @property
    def page(self) -> Page:
        """The page that the region is in."""
        return self.cells.page

    @cached_property
    def text_of(self) -> Mapping[int, str]:
        """The text of each cell, on one line; that of a picture is empty."""
        return dict(zip(self.cell.tolist(), self.cells.texts(self.cell), strict=True))

    @cached_property
    def row_of(self) -> Mapping[int, int]:
        """The first row of each cell."""
        rows = self.cells.first[self.cell].tolist()
        return dict(zip(self.cell.tolist(), rows, strict=True))

    @cached_property
    def typical(self) -> int:
        """The element of the first record that stands in the list, and not beside it."""
        return int(self.start[int(self.page.depth[self.start].argmax())])

    @cached_property
    def level(self) -> int:
        """The depth of the records' elements."""
        return int(self.page.depth[self.typical])

    @property
    def node(self) -> int:
        """The innermost element around all records."""
        page = self.page
        row = int(page.parent[self.start[0]])
        last = int(self.start[-1])
        while row > 0 and page.end[row] <= last:
            row = int(page.parent[row])
        return row


def build_region(ground: SearchContext, candidate: Candidate) -> Region | None:
    """Cut the records of a candidate and align their cells; None where it repeats nothing.

    The cells of siblings that follow a record's element belong to the record if at least half of
    the records have the like. The score is the weight of all cells, less where few records have the
    like, less where one record has several of the like (it is more than one record, then), and less
    where records have few cells.
    """
    cells, page = ground.cells, ground.cells.page
    start, stop = candidate.start, candidate.stop
    count = len(start)
    low, high = cells.before[start], cells.before[stop]
    ends = np.cumsum(high - low)
    record, cell = np.empty((2, ends[-1]), dtype=np.int64)
    deal_cells(low, high, record, cell)
    column, columns = columns_of(ground, candidate, cell, record)
    times = np.empty(len(column), dtype=np.int64)
    having, room = np.zeros((2, columns), dtype=np.int64)
    count_columns(record, column, times, having, room)
    kept = cell < cells.before[page.end[start]][record]
    beyond = np.flatnonzero(~kept)
    if len(beyond):
        kept[beyond] = regular(record[beyond], column[beyond], columns) >= count / 2
    kept[ends[cells.last[high - 1] >= stop] - 1] = False  # a line on into the next record
    record, cell, column, times = record[kept], cell[kept], column[kept], times[kept]
    alike = (having - 1) / (count - 1) if count > 1 else having  # a single one is like itself
    others = alike[column] / times
    richness = float(others.sum()) / count
    if richness < LEAST_RICH:
        return None
    weight = cells.weight[cell]
    likely = weight * np.minimum(1 / times, USUAL * others)
    score = float(likely.sum() * richly(richness))
    share = score / max(float(ground.weights[-1]), 1e-9)  # pictures alone weigh nothing
    answered = ground.asked.answered(cell, float(weight.sum())) if ground.asked else 0.0
    fill = having / count
    return Region(cells, start, cell, record, column, fill, richness, score, share, answered)


def regular(record: Numbers, column: Numbers, columns: int) -> Numbers:
    """Return for each cell how many records have one of its column, among these cells alone."""
    having, room = np.zeros((2, columns), dtype=np.int64)
    count_columns(record, column, np.empty(len(column), dtype=np.int64), having, room)
    return having[column]


def columns_of(
    ground: SearchContext, candidate: Candidate, cell: Numbers, record: Numbers
) -> tuple[Numbers, int]:
    """Return a column for each cell, and their number: the path below a child of the region.

    The class of that child does not count, only its tag: it often says no more than odd or even.
    Text beside the records' elements is a column of its own.
    """
    cells, page, paths = ground.cells, ground.cells.page, ground.paths
    level = page.depth[candidate.start][record]
    rows = cells.first[cell], cells.node[cell], level, page.parent, page.depth
    keys = np.empty(len(cell), dtype=np.uint64)
    key_cells(*rows, paths.key, paths.power, ground.tag, int(SPREAD), keys)
    return group_equal(keys)


COMMON: Final = 0.5  # share of records that have a column which others of their make have too


def add_detached_records(ground: SearchContext, region: Region) -> Region:
    """Return a region with the elements of its make that stand beside its list or above it.

    A list may show its first record larger, or only its others in a part that can be folded. Such
    a record has the tag and the class of the others, and at least half of what most of them have.
    """
    strays = find_detached_records(ground, region)
    if len(strays) == 0:
        return region
    ends = ground.cells.page.end[strays].astype(np.int64)
    start, stop = np.append(region.start, strays), np.append(region.stop, ends)
    order = np.argsort(start)
    whole = build_region(ground, Candidate(start[order], stop[order]))
    if whole is None:
        return region
    alike = like_most(whole) | (order < len(region))
    if not alike[order >= len(region)].any():
        return region
    kept = order[alike]
    return build_region(ground, Candidate(start[kept], stop[kept])) or region


def find_detached_records(ground: SearchContext, region: Region) -> Numbers:
    """Return elements of one tag and class with all records, in an element around them all."""
    page, before, start = region.page, ground.cells.before, region.start
    name = ground.name[start[0]]
    rows = np.flatnonzero(ground.name == name)
    if name == 0 or len(rows) <= len(region) or (ground.name[start] != name).any():
        return np.zeros(0, dtype=np.int64)
    tag = page.tag[start[0]]
    rows = rows[(page.tag[rows] == tag) & (before[page.end[rows]] > before[rows])]
    if len(rows) <= len(region) or (page.tag[start] != tag).any():
        return np.zeros(0, dtype=np.int64)
    around = (page.parent[rows] <= region.node) & (page.end[page.parent[rows]] > start[-1])
    rows = rows[around]
    held = np.searchsorted(start, rows, side="right")
    inside = (held > 0) & (rows < region.stop[held - 1])
    # What holds a record, or begins before the end of one, is none.
    upto = np.searchsorted(start, page.end[rows], side="left")
    strays: Numbers = page.outermost(rows[~inside & (upto == held)])
    return strays


def like_most(region: Region) -> Bools:
    """Return which records have at least half of the columns that most have."""
    common = region.fill >= COMMON
    pairs = np.unique(region.record * len(common) + region.column)
    having = np.bincount(pairs // len(common), common[pairs % len(common)], minlength=len(region))
    alike: Bools = having >= COMMON * common.sum()
    return alike


MOST: Final = 500  # candidates that are looked at; a real page has some fifty


def find_best_region(
    page: Page,
    interest: NDArray[np.floating] | None = None,
    phrases: Sequence[Phrase] = (),
    budget: Budget = UNLIMITED,
) -> Region | None:
    """Return the region of a page that is worth most, if there is any.

    `interest` is a number for each row of the page, such as its chance of being content: what is
    of no interest does not count. `phrases` is what the page was asked. Candidates that cannot be
    better than the best are not looked at.
    """
    cells = build_cells(page, interest, budget)
    if len(cells) == 0:
        return None
    ground, marks = build_search_context(cells, phrases), Marks()
    best: Region | None = None
    seen: list[Region] = []
    score = worth = 0.0
    for sketch in islice(ground.sketches(), MOST):
        if sketch.most <= min(score, worth):
            break
        if sketch.most <= worth and sketch.bound <= score:
            continue
        budget.check()  # each is a pass over many rows
        candidate = ground.candidate(sketch, marks)
        region = build_region(ground, candidate) if candidate else None
        if region is not None and region.score > 0:
            seen.append(region)
            if region.worth > worth:
                best, score, worth = region, region.score, region.worth
    return add_detached_records(ground, choose_best_cut(best, seen)) if best is not None else None


def choose_best_cut(best: Region, found: Sequence[Region]) -> Region:
    """Return the region that scores best of those that share cells with the one worth most.

    What was asked says where on the page the records are; how they are cut is told by the score.
    """
    if best.answered == 0 and best.page.layout is None:
        return best
    taken = np.zeros(len(best.cells), dtype=np.bool_)
    taken[best.cell] = True
    others = (one for one in found if one.score > best.score and taken[one.cell].any())
    return min(others, key=rank, default=best)


def find_regions(
    page: Page,
    interest: NDArray[np.floating] | None = None,
    phrases: Sequence[Phrase] = (),
    budget: Budget = UNLIMITED,
) -> tuple[Region, ...]:
    """Return all regions of a page; none has records that are part of one before it.

    The first one is `best_region`, others follow by their scores.
    """
    cells = build_cells(page, interest, budget)
    if len(cells) == 0:
        return ()
    ground, marks = build_search_context(cells, phrases), Marks()
    found: list[Region] = []
    for sketch in islice(ground.sketches(plain=True), MOST):
        budget.check()
        candidate = ground.candidate(sketch, marks)
        region = build_region(ground, candidate) if candidate is not None else None
        if region is not None:
            found.append(region)
    found.sort(key=rank)
    if found:
        first = choose_best_cut(max(found, key=lambda region: region.worth), found)
        found.sort(key=lambda region: region is not first)
    taken = np.zeros(len(cells), dtype=np.bool_)
    kept: list[Region] = []
    for region in found:
        budget.check()
        if not taken[region.cell].any():
            whole = add_detached_records(ground, region)
            kept.append(region if taken[whole.cell].any() else whole)
            taken[kept[-1].cell] = True
    return tuple(kept)


def find_regions_at(page: Page, elements: Sequence[int]) -> tuple[Region, ...]:
    """Return the regions whose records begin with given elements of one depth, even with one.

    The first one has all of them; where they have several parents, one for each follows, the
    largest first.
    """
    cells, rows = build_cells(page), np.array(elements, dtype=np.int64)
    rows = rows[cells.before[page.end[rows]] > cells.before[rows]]
    if len(rows) == 0:
        return ()
    ground, above = build_search_context(cells), page.parent[rows]
    parents, counts = np.unique(above, return_counts=True)
    largest = parents[np.argsort(-counts, kind="stable")][:MOST]
    groups = [rows, *(rows[above == parent] for parent in largest if len(parents) > 1)]
    found: list[Region] = []
    for start in groups:
        ends = page.end[page.parent[start]].astype(np.int64)
        stop = np.minimum(np.append(start[1:], len(page)), ends)
        region = build_region(ground, Candidate(start, stop))
        if region is not None:
            found.append(add_detached_records(ground, region))
    return tuple(found)


def rank(region: Region) -> tuple[float, float]:
    """Return what regions are sorted by: those of equal score, such as menus, by their size."""
    return -region.score, -float(region.cells.weight[region.cell].sum())

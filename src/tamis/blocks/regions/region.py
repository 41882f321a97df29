"""Region: records that repeat each other, with their cells aligned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.groups import groups_of
from tamis.blocks.kernel.aligned import count_columns, deal_cells, key_cells
from tamis.blocks.regions.asked import ASKED
from tamis.blocks.regions.candidates import Candidate, Ground, richly
from tamis.blocks.regions.cells import Cells, Numbers
from tamis.blocks.regions.looks import looks
from tamis.blocks.regions.paths import SPREAD
from tamis.page import Page

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
        worth = self.score * (1 + ASKED * self.answered)
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


def region_of(ground: Ground, candidate: Candidate) -> Region | None:
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
    ground: Ground, candidate: Candidate, cell: Numbers, record: Numbers
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
    return groups_of(keys)

"""Cells → candidates: groups of elements that may each begin a record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import group_equal
from tamis.blocks.kernel.groups import add_up, find_stops
from tamis.page import Bools, Ints, tags
from tamis.records.cells import (
    SPREAD,
    Cells,
    Keys,
    Numbers,
    Paths,
    build_paths,
    cell_numbers,
    counted,
    tag_symbols,
)
from tamis.records.search_query import QUERY_WEIGHT, Phrase, QueryMatches

LEAST: Final = 2  # records
MOST: Final = 0.8  # share of a group that one record may have

_TR: Final = tags.CODE["tr"]
_IS_CELL: Final = tags.tag_table(("td", "th"))
_IS_BOLD: Final = tags.tag_table(("b", "strong"))
_SPANS: Final = b'rowspan="'
_PARENT: Final = np.uint64(0xA0761D6478BD642F)  # odd numbers whose bits look like chance
_ONE: Final = np.uint64(1)

Floats = NDArray[np.float64]


class Candidate(NamedTuple):
    """Elements that may begin the records of a region.

    A record may reach from its element over siblings to the next one: at most to `stop`.
    """

    start: Numbers
    stop: Numbers


class Groups(NamedTuple):
    """Candidates before they are parted: `group` is the number of each row's, in `bound`."""

    start: Numbers
    stop: Numbers
    group: Numbers
    bound: Floats
    most: Floats


class CandidateBound(NamedTuple):
    """A candidate that is not made yet: the greatest score and worth that its region can have."""

    bound: float
    most: float
    groups: Groups
    number: int


Marks = set[tuple[int, int, int, int]]  # of candidates that were made


@dataclass(frozen=True, eq=False)
class SearchContext:
    """What all candidates of a page are made from."""

    cells: Cells
    asked: QueryMatches
    paths: Paths  # by tag and class
    tag_paths: Paths  # by tag
    tag: Keys
    name: Keys
    weights: Floats  # of all cells before each cell

    def sketches(self, *, plain: bool = False) -> Iterator[CandidateBound]:
        """Yield the candidates of a page, those that can be worth most first.

        Those whose records have one cell each, such as menus, have a bound of 0 and come last, if
        they are wanted.
        """
        groups = self._groups()
        some = np.flatnonzero(groups.bound >= 0 if plain else groups.bound > 0)
        some = some[np.argsort(-groups.most[some], kind="stable")]
        for number in some.tolist():
            yield CandidateBound(
                float(groups.bound[number]), float(groups.most[number]), groups, number
            )

    def candidate(self, sketch: CandidateBound, marks: Marks) -> Candidate | None:
        """Return the candidate of a sketch, unless one with the same cells was made.

        These are in an element inside another: the outer one stands for both.
        """
        groups, before = sketch.groups, self.cells.before
        own = np.flatnonzero(groups.group == sketch.number)
        start, stop = groups.start[own], groups.stop[own]
        held = before[start]
        mark = (len(start), int(held[0]), int(held.sum()), int(before[stop].sum()))
        if mark in marks:
            return None
        marks.add(mark)
        return Candidate(start, stop)

    def _groups(self) -> Groups:
        """Return the elements of like make: on one path of tags, or of one parent, tag and name.

        Each is in a group of both kinds. Table rows without a name are told apart by their cells:
        they may belong together in pairs. Where cells span rows they differ for another reason.
        """
        page, before = self.cells.page, self.cells.before
        some = before[page.end] > before[:-1]
        rows = np.flatnonzero(some & (page.tag != tags.TEXT))[1:]
        above = page.parent[rows]
        alone = np.bincount(page.parent[some][1:], minlength=len(page))[above] == 1
        path = self.tag_paths.key[rows]
        name = self.name[rows]
        bare = np.flatnonzero((page.tag[rows] == _TR) & (name == 0))
        if len(bare) and _SPANS not in page.source:
            name[bare] = self._row_names(rows[bare])
        family = path + (above.astype(np.uint64) + _ONE) * _PARENT + name * SPREAD
        keys = np.concatenate((path, family))
        # A record ends with its parent at the latest.
        return self._grouped(np.tile(rows, 2), keys, np.tile(page.end[above], 2), np.tile(alone, 2))

    def _row_names(self, rows: Numbers) -> Keys:
        """Return numbers for the make of table rows: how many cells they have, and which is first.

        What is inside, such as a link that some rows lack, does not count where further cells say
        something. A first row that is bold throughout and leads nowhere is a header.
        """
        page, before = self.cells.page, self.cells.before
        inner = np.flatnonzero(_IS_CELL[page.tag])
        full = inner[before[page.end[inner]] > before[inner]]
        wide, held = (np.bincount(page.parent[some], minlength=len(page)) for some in (inner, full))
        first = np.zeros(len(page), dtype=np.int64)
        first[page.parent[full[::-1]]] = full[::-1]
        deep = self.cells.first[before[rows]]
        rich = held[rows] > 1
        names = self.paths.below(np.where(rich, first[rows], deep), rows)
        names += np.where(rich, wide[rows], 0).astype(np.uint64) * _PARENT
        _, tops = np.unique(page.parent[rows], return_index=True)
        bold = counted(page.within(np.flatnonzero(_IS_BOLD[page.tag]))[self.cells.first])
        plain = counted(page.in_link[self.cells.first])
        low, high = before[rows[tops]], before[page.end[rows[tops]]]
        heads = (bold[high] - bold[low] == high - low) & (plain[high] == plain[low])
        names[tops[heads]] += _ONE
        return names

    def _grouped(self, rows: Numbers, keys: Keys, limit: Ints, alone: Bools) -> Groups:
        """Return rows by their keys, with what the records of each group can reach and score.

        A record ends where the next begins, and at its limit at the latest.
        """
        before = self.cells.before
        group, count = group_equal(keys)
        stop = np.empty(len(rows), dtype=np.int64)
        following = np.full(count, len(before) - 1, dtype=np.int64)
        find_stops(rows, group, limit, following, stop)
        low, high = before[rows], before[stop]
        sums = np.zeros((count, 5))
        weight = self.weights[high] - self.weights[low]
        add_up(group, weight, high - low, alone.view(np.uint8), sums)
        size, held, greatest, cells, company = sums.T
        able = np.flatnonzero((size >= LEAST) & (company > 0) & (greatest <= MOST * held))
        rich = richly(cells[able] / size[able])
        bound = np.full(count, -1.0)
        bound[able] = held[able] * rich
        most = bound
        if self.asked:
            most = bound.copy()
            most[able] += QUERY_WEIGHT * self.asked.by_group(low, high, group, count)[able] * rich
        return Groups(rows, stop, group, bound, most)


def richly(cells: Floats | float) -> Floats:
    """Return what records of so many cells count: nothing with one, all with very many."""
    part = 1 - 1 / np.maximum(cells, 1.0)
    return part * np.sqrt(part)


def build_search_context(cells: Cells, phrases: Sequence[Phrase] = ()) -> SearchContext:
    """Return what candidates are made from; `phrases` is what the page was asked."""
    page = cells.page
    held = cells.before[page.end] - cells.before[:-1]
    tag = tag_symbols(page)
    names = np.where(held, cells.classes.symbol, np.uint64(0))
    weights = np.zeros(len(cells) + 1)
    np.cumsum(cells.weight, out=weights[1:])
    numbers: Keys = np.where(names, names, cell_numbers(page, held))
    named = tag + numbers * SPREAD
    asked = QueryMatches(cells, phrases)
    return SearchContext(
        cells, asked, build_paths(page, named), build_paths(page, tag), tag, names, weights
    )

"""Cells → candidates: groups of elements that may each begin a record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.groups import groups_of
from tamis.blocks.kernel.groups import add_up, find_stops
from tamis.blocks.regions.cells import Cells, Numbers
from tamis.blocks.regions.paths import (
    Keys,
    Paths,
    cell_numbers,
    mixed,
    paths_of,
    tag_symbols,
)
from tamis.page import tags
from tamis.page.page import Bools

LEAST: Final = 2  # records
MOST: Final = 0.8  # share of a group that one record may have

_TR: Final = tags.CODE["tr"]
_SPANS: Final = b'rowspan="'

Floats = NDArray[np.float64]


class Candidate(NamedTuple):
    """Elements on one depth that may begin the records of a region.

    A record may reach from its element over siblings to the next one: at most to `stop`. `bound`
    is the greatest score that the region can have.
    """

    start: Numbers
    stop: Numbers
    bound: float


class Groups(NamedTuple):
    """Candidates before they are parted: `group` is the number of each row's, in `bound`."""

    start: Numbers
    stop: Numbers
    group: Numbers
    bound: Floats


@dataclass(frozen=True, eq=False)
class Ground:
    """What all candidates of a page are made from."""

    cells: Cells
    paths: Paths  # by tag and class
    tag_paths: Paths  # by tag
    tag: Keys
    name: Keys
    weights: Floats  # of all cells before each cell

    def candidates(self, *, plain: bool = False) -> Iterator[Candidate]:
        """Yield the candidates of a page, those of greatest bound first.

        Those whose records have one cell each, such as menus, have a bound of 0 and come last, if
        they are wanted.
        """
        groups = list(self._groups())
        bounds = np.concatenate([group.bound for group in groups])
        which = np.repeat(np.arange(len(groups)), [len(group.bound) for group in groups])
        some = np.flatnonzero(bounds >= 0 if plain else bounds > 0)
        some = some[np.argsort(-bounds[some], kind="stable")]
        seen: set[tuple[int, int, int, int]] = set()
        before = self.cells.before
        for number, index in zip(some.tolist(), which[some].tolist(), strict=True):
            group = groups[index]
            own = np.flatnonzero(group.group == number - index * len(groups[0].bound))
            start, stop = group.start[own], group.stop[own]
            # The same cells, in an element inside another: the outer one stands for both.
            held = before[start]
            mark = (len(start), int(held[0]), int(held.sum()), int(before[stop].sum()))
            if mark not in seen:
                seen.add(mark)
                yield Candidate(start, stop, float(bounds[number]))

    def _groups(self) -> Iterator[Groups]:
        """Yield the elements of like make: on one path of tags, or of one parent, tag and name.

        Table rows without a name are told apart by the path of their first cell: they may belong
        together in pairs. Where cells span rows they differ for another reason.
        """
        page, before = self.cells.page, self.cells.before
        some = before[page.end] > before[:-1]
        rows = np.flatnonzero(some & (page.tag != tags.TEXT))[1:]
        above = page.parent[rows]
        alone = np.bincount(page.parent[some][1:], minlength=len(page))[above] == 1
        path = self.tag_paths.key[rows]
        parent = mixed(above.astype(np.uint64) + np.uint64(1))
        name = self.name[rows]
        bare = np.flatnonzero((page.tag[rows] == _TR) & (name == 0))
        if len(bare) and _SPANS not in page.source:
            name[bare] = self.paths.below(self.cells.first[before[rows[bare]]], rows[bare])
        for keys in (path, (path ^ parent) + mixed(name)):
            yield self._grouped(rows, keys, alone)

    def _grouped(self, rows: Numbers, keys: Keys, alone: Bools) -> Groups:
        """Return rows by their keys, with what the records of each group can reach and score."""
        page, before = self.cells.page, self.cells.before
        group, count = groups_of(keys)
        # A record ends where the next begins, and with its parent at the latest.
        stop = np.empty(len(rows), dtype=np.int64)
        following = np.full(count, len(page), dtype=np.int64)
        find_stops(rows, group, page.end[page.parent[rows]], following, stop)
        low, high = before[rows], before[stop]
        sums = np.zeros((count, 5))
        weight = self.weights[high] - self.weights[low]
        add_up(group, weight, high - low, alone.view(np.uint8), sums)
        size, held, most, cells, company = sums.T
        able = (size >= LEAST) & (company > 0) & (most <= MOST * held)
        return Groups(rows, stop, group, np.where(able, held * richly(cells / size), -1.0))


def richly(cells: Floats | float) -> Floats:
    """Return what records of so many cells count: nothing with one, all with very many."""
    part = 1 - 1 / np.maximum(cells, 1.0)
    return part * np.sqrt(part)


def ground_of(cells: Cells) -> Ground:
    """Return what candidates are made from."""
    page = cells.page
    held = cells.before[page.end] - cells.before[:-1]
    tag = tag_symbols(page)
    names = np.where(held, cells.classes.symbol, np.uint64(0))
    weights = np.concatenate(([0.0], np.cumsum(cells.weight)))
    named = mixed(tag + np.where(names, names, cell_numbers(page, held)))
    return Ground(cells, paths_of(page, named), paths_of(page, tag), tag, names, weights)

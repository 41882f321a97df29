"""Cells → candidates: groups of elements that may each begin a record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from tamis.page.page import Bools, Ints

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
    """Candidates before they are parted: the group `i` is from `edge[i]` to `edge[i + 1]`."""

    start: Numbers
    stop: Numbers
    edge: Numbers
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
        place = np.concatenate([np.arange(len(group.bound)) for group in groups])
        order = np.argsort(-bounds, kind="stable")
        order = order[bounds[order] >= 0 if plain else bounds[order] > 0]
        seen: set[tuple[int, int, int, int]] = set()
        before = self.cells.before
        for index, number in zip(which[order].tolist(), place[order].tolist(), strict=True):
            group = groups[index]
            low, high = group.edge[number : number + 2]
            start, stop = group.start[low:high], group.stop[low:high]
            # The same cells, in an element inside another: the outer one stands for both.
            held = before[start]
            mark = (len(start), int(held[0]), int(held.sum()), int(before[stop].sum()))
            if mark not in seen:
                seen.add(mark)
                yield Candidate(start, stop, float(group.bound[number]))

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
        bare = np.flatnonzero((page.tag[rows] == _TR) & (name == 0) & (_SPANS not in page.source))
        name[bare] = self.paths.below(self.cells.first[before[rows[bare]]], rows[bare])
        for keys in (path, (path ^ parent) + mixed(name)):
            yield self._grouped(rows, keys, alone)

    def _grouped(self, rows: Ints, keys: Keys, alone: Bools) -> Groups:
        """Return rows by their keys, with what the records of each group can reach and score."""
        page, before = self.cells.page, self.cells.before
        order, keys = sorted_keys(keys)
        edge = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1], [True])))
        start = rows[order].astype(np.int64)
        # A record ends where the next begins, and with its parent at the latest.
        stop = page.end[page.parent[start]].astype(np.int64)
        inner = np.ones(len(start), dtype=np.bool_)
        inner[edge[1:] - 1] = False
        following = np.append(start[1:], 0)
        stop = np.where(inner & (following < stop), following, stop)
        low, high = before[start], before[stop]
        begins = edge[:-1]
        weight = self.weights[high] - self.weights[low]
        held = np.add.reduceat(weight, begins)
        balanced = np.maximum.reduceat(weight, begins) <= MOST * held
        size = np.diff(edge)
        cells = np.add.reduceat(high - low, begins)
        accompanied = np.add.reduceat(~alone[order], begins) > 0
        bound = np.where(
            (size >= LEAST) & accompanied & balanced, held * richly(cells / size), -1.0
        )
        return Groups(start, stop, edge, bound)


def sorted_keys(keys: Keys) -> tuple[Numbers, Keys]:
    """Return the order that puts equal keys together, and the keys in it.

    The place of a key takes that of its last bits: sorting numbers is many times faster than
    sorting places by them, and what remains of a hash tells the paths of any page apart.
    """
    bits = np.uint64(len(keys).bit_length())
    both = np.sort((keys >> bits << bits) | np.arange(len(keys), dtype=np.uint64))
    return (both & ~(~np.uint64(0) << bits)).astype(np.int64), both >> bits


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

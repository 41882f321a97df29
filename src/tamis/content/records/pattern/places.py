"""Rows of a page → their paths: names and classes of the elements around them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tamis.blocks.regions import Region
from tamis.page import Page, tags

_NOT_KEPT: Final = str.maketrans("", "", "0123456789/")

Spot = tuple[str, int]  # the path of a cell below its record, and its number on this path


@dataclass(frozen=True, eq=False)
class Paths:
    """The paths of a page's elements. A step is a name with its first class, digits aside."""

    page: Page
    _known: dict[tuple[int, int], str] = field(default_factory=dict)
    _steps: dict[tuple[str, int], str] = field(default_factory=dict)

    def of(self, row: int, depth: int = 0) -> str:
        """Return the path from a depth down to a row; of the record itself only the name counts.

        Its class often says no more than odd or even.
        """
        key = row, depth
        if key in self._known:
            return self._known[key]
        page = self.page
        steps: list[str] = []
        while row >= 0 and page.depth[row] >= depth:
            if page.tag[row] != tags.TEXT:
                bare = depth > 0 and page.depth[row] == depth
                steps.append(page.name(row) if bare else self._step(row))
            row = int(page.parent[row])
        self._known[key] = "/".join(reversed(steps))
        return self._known[key]

    def _step(self, row: int) -> str:
        page, name = self.page, self.page.name(row)
        key = name, int(page.class_key[row])
        if key not in self._steps:
            said = page.source[page.class_start[row] : page.class_stop[row]].split()
            first = said[0].decode("utf-8", "replace").translate(_NOT_KEPT) if said else ""
            self._steps[key] = f"{name}.{first}" if said else name
        return self._steps[key]

    def record_paths(self, region: Region) -> tuple[str, ...]:
        """Return the paths of the records in a list, the most frequent first."""
        listed = region.start[self.page.depth[region.start] == region.level]
        found = Counter(self.of(row) for row in listed.tolist())
        return tuple(path for path, _ in found.most_common())

    def below(self, row: int) -> set[str]:
        """Return the paths of an element and of all in it, below what it is in."""
        page, depth = self.page, int(self.page.depth[row])
        inside = range(row, int(page.end[row]))
        return {self.of(one, depth) for one in inside if page.tag[one] != tags.TEXT}

    def on(self, paths: tuple[str, ...]) -> list[int]:
        """Return the elements on some paths, all of one depth."""
        page, steps = self.page, paths[0].count("/")
        ends = {path.rpartition("/")[2].partition(".")[0] for path in paths}
        codes = [tags.CODE.get(end, tags.OTHER) for end in ends]
        able = np.isin(page.tag, codes) & (page.depth == steps)
        return [row for row in np.flatnonzero(able).tolist() if self.of(row) in paths]

    def spots(self, region: Region, *, table: bool) -> dict[int, Spot]:
        """Return the spot of each cell of a region, by its first row; in a table cell, if in one.

        What is on one path is told apart by its number in the record.
        """
        found: dict[int, Spot] = {}
        times: defaultdict[tuple[int, str, int], int] = defaultdict(int)
        depth = self.page.depth[region.start].tolist()
        nodes = region.cells.node[region.cell].tolist()
        rows = region.cells.first[region.cell].tolist()
        for record, node, row in zip(region.record.tolist(), nodes, rows, strict=True):
            path = self.of(node, depth[record])
            key = record, path, self.inside(node, depth[record] + 1) if table else 0
            found[row] = path, times[key]
            times[key] += 1
        return found

    def inside(self, row: int, depth: int) -> int:
        """Return the element of a depth that a row is in."""
        while self.page.depth[row] > depth:
            row = int(self.page.parent[row])
        return row

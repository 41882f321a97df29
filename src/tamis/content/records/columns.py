"""Region → columns: its cells aligned, so that a missing value never shifts another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.blocks.regions import Region
from tamis.content.records.values import typed
from tamis.page import tags

MOST_REPEATS: Final = 12  # columns that one path can have; what is beyond joins the last
ECHO: Final = 0.9  # share of texts that another column has as well
REGULAR: Final = 0.5  # share of records that must have as many of a path as most have

_IMG: Final = tags.CODE["img"]


@dataclass(frozen=True, eq=False)
class Column:
    """Cells of like make: those of each record, none where a record has none."""

    cells: tuple[tuple[int, ...], ...]  # a tuple a record
    texts: tuple[str, ...]
    is_picture: bool

    @property
    def fill(self) -> int:
        """How many records have it."""
        return sum(map(bool, self.cells))

    @property
    def first(self) -> int:
        """The first of its cells."""
        return next(cells[0] for cells in self.cells if cells)


def columns_of(region: Region) -> list[Column]:
    """Return the columns of a region in the order that its records have them."""
    found: defaultdict[int, list[list[int]]] = defaultdict(lambda: [[] for _ in range(len(region))])
    lists = region.column.tolist(), region.record.tolist(), region.cell.tolist()
    for key, record, cell in zip(*lists, strict=True):
        found[key][record].append(cell)
    parted = [part for cells in found.values() for part in parts(region, cells)]
    place = places(region, parted)
    ordered = [parted[index] for index in sorted(range(len(parted)), key=place.__getitem__)]
    return list(without_echoes(ordered))


def parts(region: Region, cells: list[list[int]]) -> Iterator[Column]:
    """Yield one column for the cells of a path, or several where records have several of them."""
    most = max(map(len, cells))
    if most == 1:
        yield column(region, cells)
        return
    times = Counter(len(some) for some in cells if some)
    usual, how_often = max(times.items(), key=lambda pair: (pair[1], pair[0]))
    if how_often >= REGULAR * times.total() and usual == most:
        yield from by_place(region, cells, most)
        return
    kinds: defaultdict[str, list[list[int]]] = defaultdict(lambda: [[] for _ in cells])
    for record, some in enumerate(cells):
        for cell in some:
            kinds[kind(region.cells.text(cell))][record].append(cell)
    for alike in kinds.values():
        yield from by_place(region, alike, max(map(len, alike)))


def by_place(region: Region, cells: list[list[int]], most: int) -> Iterator[Column]:
    """Yield a column for the first cells of all records, one for the second ones, and so on."""
    for place in range(min(most, MOST_REPEATS)):
        stop = None if place == MOST_REPEATS - 1 else place + 1
        yield column(region, [some[place:stop] for some in cells])


def kind(text: str) -> str:
    """Return the type of a single text."""
    found = typed([text])
    return f"{found.type} {found.note}" if found.type == "count" else found.type


def column(region: Region, cells: Sequence[Sequence[int]]) -> Column:
    """Return a column of cells."""
    text = region.cells.text
    texts = tuple(" ".join(filter(None, map(text, some))) if some else "" for some in cells)
    first = next(some[0] for some in cells if some)
    is_picture = bool(region.page.tag[region.cells.first[first]] == _IMG)
    return Column(tuple(map(tuple, cells)), texts, is_picture)


def without_echoes(found: Sequence[Column]) -> Iterator[Column]:
    """Yield columns but for those that only say once more what one before them says."""
    said: set[tuple[int, str]] = set()
    for one in found:
        values = {(record, text) for record, text in enumerate(one.texts) if text}
        if not values or len(values & said) < ECHO * len(values):
            said |= values
            yield one


def places(region: Region, found: Sequence[Column]) -> list[float]:
    """Return where in a record each column stands, on average."""
    low = region.cells.before[region.start].tolist()
    return [
        float(np.mean([some[0] - low[record] for record, some in enumerate(one.cells) if some]))
        for one in found
    ]

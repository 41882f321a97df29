"""Column: cells of like make, one or none of each record as a rule."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

import numpy as np

from tamis.blocks.regions import Region
from tamis.page import tags

MANY: Final = 5  # records from which on what a single one has is no column
MAX_VALUES: Final = 1_000_000  # of all columns: each has one for every record, empty or not

_IMG: Final = tags.CODE["img"]
_HEADING: Final = tags.tag_table(tags.HEADINGS)

Texts = Mapping[int, str]
Key = TypeVar("Key", bound=Hashable)
Held = TypeVar("Held", bound=Sized)


@dataclass(frozen=True, eq=False)
class Column:
    """Cells of like make: those of each record, none where a record has none."""

    cells: tuple[tuple[int, ...], ...]  # a tuple a record
    texts: tuple[str, ...]
    is_picture: bool
    records: int  # those that have it, as bits
    grid: int | None = None  # number of the table column that it is in

    @property
    def fill(self) -> int:
        """How many records have it."""
        return self.records.bit_count()

    @cached_property
    def first(self) -> int:
        """The first of its cells."""
        return next(cells[0] for cells in self.cells if cells)


def apart(one: Column, other: Column) -> bool:
    """Say whether no record has both columns."""
    return not one.records & other.records


def within_budget(found: Mapping[Key, Held], records: int) -> Mapping[Key, Held]:
    """Return what may become columns of so many records: where it is too much, the fullest."""
    most = max(1, MAX_VALUES // max(records, 1))
    if len(found) <= most:
        return found
    fullest = set(sorted(found, key=lambda key: -len(found[key]))[:most])
    return {key: held for key, held in found.items() if key in fullest}


def is_single(one: Column) -> bool:
    """Say whether of many records only one has a column."""
    return one.fill == 1 and len(one.cells) >= MANY


def first_text(one: Column) -> str:
    """Return the first text of a column."""
    return next(filter(None, one.texts), "")


def both(one: Column, other: Column) -> Column:
    """Return a column with the cells of two."""
    cells = tuple(a or b for a, b in zip(one.cells, other.cells, strict=True))
    texts = tuple(a or b for a, b in zip(one.texts, other.texts, strict=True))
    return Column(cells, texts, one.is_picture, one.records | other.records, one.grid)


def in_heading(region: Region, one: Column) -> bool:
    """Say whether a column is in headings of the records."""
    page, row = region.page, int(region.cells.first[one.first])
    while row >= 0 and page.depth[row] >= region.level:
        if _HEADING[page.tag[row]]:
            return True
        row = int(page.parent[row])
    return False


def single(region: Region, records: list[int], cells: list[int], text: Texts) -> Column:
    """Return a column of which each of some records has one cell."""
    held: list[tuple[int, ...]] = [()] * len(region)
    texts = [""] * len(region)
    having = bytearray(len(region))
    for record, cell in zip(records, cells, strict=True):
        held[record] = (cell,)
        texts[record] = text[cell]
        having[record] = 1
    bits = np.packbits(np.frombuffer(having, dtype=np.uint8), bitorder="little")
    is_picture = bool(region.page.tag[region.row_of[cells[0]]] == _IMG)
    whole = int.from_bytes(bits.tobytes(), "little")
    return Column(tuple(held), tuple(texts), is_picture, whole)


def column(region: Region, cells: Sequence[Sequence[int]], text: Texts) -> Column:
    """Return a column of cells."""
    texts = [""] * len(cells)
    records, first = 0, -1
    for record, some in enumerate(cells):
        if some:
            texts[record] = text[some[0]] if len(some) == 1 else " ".join([text[n] for n in some])
            records |= 1 << record
            first = some[0] if first < 0 else first
    is_picture = bool(region.page.tag[region.row_of[first]] == _IMG)
    return Column(tuple(map(tuple, cells)), tuple(texts), is_picture, records)

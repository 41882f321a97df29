"""Column: cells of like make, one or none of each record as a rule.

Cells on one path → columns: which of several like cells of a record is which.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

import numpy as np

from tamis.page import tags
from tamis.records.regions import Region
from tamis.values import value_type

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


MOST_REPEATS: Final = 12  # columns that one path can have; what is beyond joins the last
REGULAR: Final = 0.95  # share of records that must have as many of a path as most have
AGAIN: Final = 2  # records that have a text in one place from which on it is at home there
PROSE: Final = 80  # characters that texts have on average from which on they are paragraphs

Cells = list[list[int]]  # those of each record


def parts(region: Region, cells: Cells, text: Texts) -> Iterator[Column]:
    """Yield one column for the cells of a path, or several where records have several of them.

    Where their number varies, texts are told apart by type, and prose is paragraphs of one text.
    """
    most = max(map(len, cells))
    if most == 1:
        yield column(region, cells, text)
        return
    times = Counter(len(some) for some in cells if some)
    if times[most] >= REGULAR * times.total():
        yield from by_place(region, cells, text)
        return
    kinds: defaultdict[str, list[list[int]]] = defaultdict(lambda: [[] for _ in cells])
    known = {said: value_type(said) for said in {text[cell] for some in cells for cell in some}}
    for record, some in enumerate(cells):
        for cell in some:
            kinds[known[text[cell]]][record].append(cell)
    for alike in kinds.values():
        lengths = [len(text[cell]) for some in alike for cell in some]
        if sum(lengths) > PROSE * len(lengths):
            yield column(region, alike, text)
        else:
            yield from by_place(region, alike, text)


def by_place(region: Region, cells: Cells, text: Texts) -> Iterator[Column]:
    """Yield a column for the first cells of all records, one for the second ones, and so on.

    What is beyond the last column joins it. A record that lacks some cells has the others where
    whole records have the same texts, else from the first place on.
    """
    most = max(map(len, cells))
    if most <= MOST_REPEATS and any(0 < len(some) < most for some in cells):
        for one in zip(*at_home(cells, text, most), strict=True):
            yield column(region, one, text)
        return
    for number in range(min(most, MOST_REPEATS)):
        stop = None if number == MOST_REPEATS - 1 else number + 1
        yield column(region, [some[number:stop] for some in cells], text)


def at_home(cells: Cells, text: Texts, most: int) -> Iterator[list[list[int]]]:
    """Yield the cells of each record by their places."""
    homes = homes_of([[text[cell] for cell in some] for some in cells if len(some) == most])
    for some in cells:
        row: list[list[int]] = [[] for _ in range(most)]
        whole = len(some) in (0, most) or not homes
        places = () if whole else places_of([homes.get(text[cell]) for cell in some], most)
        for place, cell in zip(range(len(some)) if whole else places, some, strict=True):
            row[place].append(cell)
        yield row


def homes_of(whole: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the place of texts that several records have there, and more often than elsewhere."""
    times = Counter((text, place) for texts in whole for place, text in enumerate(texts))
    every = Counter(text for texts in whole for text in texts)
    return {
        text: place
        for (text, place), number in times.items()
        if number >= AGAIN and 2 * number > every[text]
    }


def places_of(homes: Sequence[int | None], most: int) -> tuple[int, ...]:
    """Return places for cells in their order, so that as many as can be are at home.

    Of several ways it is the one with the first places.
    """
    free = most - len(homes)  # places that stay empty
    best: list[tuple[int, tuple[int, ...]]] = [(0, ())] * (free + 1)  # by those passed at most
    for number, home in enumerate(homes):
        ways: list[tuple[int, tuple[int, ...]]] = []
        for passed in range(free + 1):
            before, places = best[passed]
            way = (before + (home == number + passed), (*places, number + passed))
            ways.append(way if not ways or way[0] > ways[-1][0] else ways[-1])
        best = ways
    return best[-1][1]

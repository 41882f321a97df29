"""Region → columns: its cells aligned, so that a missing value never shifts another."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from tamis.blocks.regions import Region
from tamis.content.records.values import SLACK, kind_of
from tamis.page import tags

MANY: Final = 5  # records from which on what a single one has is no column
MOST_REPEATS: Final = 12  # columns that one path can have; what is beyond joins the last
ECHO: Final = 0.9  # share of texts that another column has as well
BEGINNING: Final = 15  # characters that texts have on average which others may begin with
MOST_LONG: Final = 20  # columns of such texts that are looked at
CUT: Final = " .…"  # what a text may end with that is cut
MARKS: Final = ("…", "...")
REGULAR: Final = 0.95  # share of records that must have as many of a path as most have

SHORT: Final = 40  # characters of a price
SEPARATORS: Final = " ,;:.|/\\()[]{}<>·•‧∙-–—…›»«‹"

PROSE: Final = 80  # characters that texts have on average from which on they are paragraphs

_SMALL: Final = re.compile(r"[^\d\s]{1,4}\s?\d[\d,]{0,8}\s?(?P<cents>\d\d)(?:\D.{0,20})?")
_IMG: Final = tags.CODE["img"]

Cells = list[list[int]]  # those of each record
Texts = Mapping[int, str]


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


def columns_of(region: Region) -> list[Column]:
    """Return the columns of a region in the order that its records have them."""
    text = cell_texts(region)
    order = np.argsort(region.column, kind="stable")
    edges = np.flatnonzero(np.diff(region.column[order], prepend=-1, append=-1)).tolist()
    records, cells = region.record[order].tolist(), region.cell[order].tolist()
    found: list[Column] = []
    for start, stop in pairwise(edges):
        owners, own = records[start:stop], cells[start:stop]
        if len(set(owners)) == len(owners):
            found.append(single(region, owners, own, text))
            continue
        held: list[list[int]] = [[] for _ in range(len(region))]
        for record, cell in zip(owners, own, strict=True):
            held[record].append(cell)
        found += parts(region, held, text)
    least = 1 + (len(region) >= MANY)
    found = [one for one in joined(region, found) if one.fill >= least and not only_parts(one)]
    low = region.cells.before[region.start].tolist()
    return list(without_echoes(sorted(found, key=lambda one: place(one, low))))


def joined(region: Region, found: Sequence[Column]) -> list[Column]:
    """Join columns that no record has both of, and that differ in what is around them only.

    They are on one path of tags, or in elements of one class that are in elements of one class.
    """
    kept: list[Column] = []
    alike: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for one in sorted(found, key=lambda one: -one.fill):
        if one.fill == len(region):
            kept.append(one)
            continue
        marks = [mark for mark in (tag_path(region, one), class_path(region, one)) if mark]
        places = dict.fromkeys(place for mark in marks for place in alike[mark])
        said = kind_of(first_text(one)) if places else ""
        for place in places:
            if apart(one, kept[place]) and kind_of(first_text(kept[place])) == said:
                kept[place] = both(kept[place], one)
                break
        else:
            place = len(kept)
            kept.append(one)
        for mark in marks:
            alike[mark].append(place)
    return kept


def only_parts(one: Column) -> bool:
    """Say whether a column holds nothing but signs that stand between others, such as a bracket."""
    if one.is_picture or first_text(one).strip(SEPARATORS):
        return False
    return not any(text.strip(SEPARATORS) for text in one.texts)


def apart(one: Column, other: Column) -> bool:
    """Say whether no record has both columns."""
    return not one.records & other.records


def first_text(one: Column) -> str:
    """Return the first text of a column."""
    return next(filter(None, one.texts), "")


def both(one: Column, other: Column) -> Column:
    """Return a column with the cells of two."""
    cells = tuple(a or b for a, b in zip(one.cells, other.cells, strict=True))
    texts = tuple(a or b for a, b in zip(one.texts, other.texts, strict=True))
    return Column(cells, texts, one.is_picture, one.records | other.records, one.grid)


def tag_path(region: Region, one: Column) -> tuple[int, ...]:
    """Return the tags from a column's cells up to the child of the region that they are in.

    Empty for a column of a table: all of them are on one path.
    """
    if one.grid is not None:
        return ()
    page = region.page
    depth = region.level
    row = int(region.cells.node[one.first])
    path: list[int] = []
    while row >= 0 and page.depth[row] >= depth:
        path.append(int(page.tag[row]))
        row = int(page.parent[row])
    return tuple(path)


def class_path(region: Region, one: Column) -> tuple[int, ...]:
    """Return tag and class of the element around a column's cells, or around that.

    Of several names the most frequent one counts. Empty where neither has a class.
    """
    page, names = region.page, region.cells.classes.symbol
    row = int(region.cells.node[one.first])
    if names[row]:
        return int(page.tag[row]), int(names[row])
    above = int(page.parent[row])
    if above < 0 or not names[above]:
        return ()
    return int(page.tag[row]), 0, int(page.tag[above]), int(names[above])


def cell_texts(region: Region) -> Texts:
    """Return the texts of a region's cells; an amount has a point before small cents."""
    several = region.cell[region.cells.last[region.cell] - region.cells.first[region.cell] > 1]
    text = region.text_of
    small = [cell for cell in several.tolist() if len(text[cell]) < SHORT]
    pointed = {cell: with_point(region, cell) for cell in small if _SMALL.fullmatch(text[cell])}
    return {**text, **pointed} if pointed else text


def with_point(region: Region, cell: int) -> str:
    """Return an amount with a point before its cents, if these stand in an element of their own."""
    page, cells, text = region.page, region.cells, region.text_of[cell]
    rows = range(int(cells.first[cell]), int(cells.last[cell]) + 1)
    said = [page.text[page.text_start[row] : page.text_stop[row]].strip() for row in rows]
    pieces = [piece for row, piece in zip(rows, said, strict=True) if page.visible[row]]
    found = _SMALL.fullmatch(text)
    if found is None or found["cents"] not in pieces[1:]:
        return text
    return f"{text[: found.start('cents')].rstrip()}.{text[found.start('cents') :]}"


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
    known = {said: kind_of(said) for said in {text[cell] for some in cells for cell in some}}
    for record, some in enumerate(cells):
        for cell in some:
            kinds[known[text[cell]]][record].append(cell)
    for alike in kinds.values():
        lengths = [len(text[cell]) for some in alike for cell in some]
        if sum(lengths) > PROSE * len(lengths):
            yield column(region, alike, text)
        else:
            yield from by_place(region, alike, text)


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


def by_place(region: Region, cells: Cells, text: Texts) -> Iterator[Column]:
    """Yield a column for the first cells of all records, one for the second ones, and so on."""
    for number in range(min(max(map(len, cells)), MOST_REPEATS)):
        stop = None if number == MOST_REPEATS - 1 else number + 1
        yield column(region, [some[number:stop] for some in cells], text)


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


def without_echoes(found: Sequence[Column]) -> Iterator[Column]:
    """Yield columns but for those that only say once more what another says.

    That is one before them with the same texts, or any with longer ones that begin so.
    """
    said: set[tuple[int, str]] = set()
    long = [one for one in found if long_enough(one)]
    cut = [one for one in long if any(begins(one, other) for other in long[:MOST_LONG])]
    found = [one for one in found if one not in cut] if cut else found
    for one in found:
        values = {pair for pair in enumerate(one.texts) if pair[1]}
        if not values or len(values & said) < ECHO * len(values):
            said |= values
            yield one


def begins(one: Column, other: Column) -> bool:
    """Say whether the texts of a column are the beginnings of another's, cut for less room.

    A title that a text begins with is none: both are prose, or neither is, or the cut is marked.
    """
    if one is other or one.records & ~other.records:
        return False
    left = (1 - ECHO) * one.fill + SLACK
    for a, b in zip(one.texts, other.texts, strict=True):
        if a and not b.startswith(a.rstrip(CUT)):
            left -= 1
            if left < 0:
                return False
    if sum(map(len, other.texts)) <= sum(map(len, one.texts)):
        return False
    marked = sum(text.endswith(MARKS) for text in one.texts)
    return 2 * marked > one.fill or is_prose(one) == is_prose(other)


def is_prose(one: Column) -> bool:
    """Say whether a column's texts are paragraphs, on average."""
    return sum(map(len, one.texts)) > PROSE * one.fill


def long_enough(one: Column) -> bool:
    """Say whether a column's texts are so long that others do not begin so by chance."""
    return not one.is_picture and sum(map(len, one.texts)) >= BEGINNING * one.fill


def place(one: Column, low: Sequence[int]) -> float:
    """Return where in a record a column stands, on average."""
    places = [some[0] - low[record] for record, some in enumerate(one.cells) if some]
    return sum(places) / len(places)

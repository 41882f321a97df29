"""Rows of a page → their paths: names and classes of the elements around them.

Fields of a pattern ↔ fields of a page: which is which, and its values by the pattern's type.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np

from tamis.page import Page, tags
from tamis.records import column_names
from tamis.records.fields import Field
from tamis.records.links import alternatives, pictures
from tamis.records.records import Records
from tamis.records.regions import Region
from tamis.records.tables import header_names, is_table
from tamis.values import MIN_TYPE_SHARE, Type, Value, parse_column

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


Kind = Literal["column", "currency", "url", "sponsored"]

ON_PATH: Final = 0.5  # share of a field's values that must be on the paths of the pattern's field

_DERIVED: Final[dict[Type, Kind]] = {"text": "currency", "url": "url", "flag": "sponsored"}
_IMG: Final = tags.CODE["img"]


@dataclass(frozen=True)
class FieldPattern:
    """A field: its name and type, and where its values are in a record.

    `paths` are those of its values below the record, the most frequent first; `place` is which of
    the cells on one path it is, in the record or in the table cell of the column `grid`. `kind` is
    what is made from others: a currency, an address, the mark of an advertisement. `head` is what
    the page calls it by a header or a label, `lead` what all its texts begin with, `word` what a
    flag says.
    """

    name: str
    type: Type
    paths: tuple[str, ...]
    place: int = 0
    kind: Kind = "column"
    grid: int | None = None
    head: str | None = None
    lead: str | None = None
    word: str | None = None

    def likeness(self, other: Seen) -> int:
        """Return how surely a field of a page is this one; 0 if it is not.

        What the page calls it tells most. Which column of a table it is in is known; elsewhere a
        value that is missing moves those after it, so that its type tells more than its place.
        """
        if self.kind != other.kind:
            return 0
        near = self._is_on_path(other)
        if self._is_called(other) and (near or self.grid is not None):
            return 6 if near else 5
        if self.kind != "column":
            return 2 if near else 1
        if not near or (self.head and other.head):
            return 0
        typed = self.type == other.field.type
        at_place = (self.grid, self.place) == (other.field.grid, other.place)
        if typed and (at_place or self.grid is None):
            return 4 if at_place else 3
        return 2 if at_place else 0

    def _is_on_path(self, other: Seen) -> bool:
        near = sum(other.paths[path] for path in self.paths)
        return near >= ON_PATH * max(1, other.paths.total())

    def _is_called(self, other: Seen) -> bool:
        if self.lead is not None and other.lead is None:
            known = [text for text in other.field.texts if text]
            return bool(known) and all(text.startswith(self.lead) for text in known)
        return self.head is not None and self.head == other.head

    def read(self, seen: Seen, page: Page) -> Field:
        """Return a field of a page by the name and, where its texts allow, the type of this one."""
        field = replace(seen.field, name=self.name)
        if self.type == field.type and self.lead == seen.lead and self.word == seen.word:
            return field
        if not any(page.tag[row] == _IMG for row in field.rows if row >= 0):
            return self._typed(field, field.texts)
        if self.type == "image":
            return replace(field, type="image", values=pictures(page, field.rows))
        return self._typed(field, alternatives(page, field.rows))

    def _typed(self, field: Field, texts: tuple[str, ...]) -> Field:
        """Return a field with its texts read as this one's are, or as it is where they cannot be.

        A flag that says another word is a text.
        """
        if self.lead:
            texts = tuple(text.removeprefix(self.lead).strip() for text in texts)
        if not any(texts):
            return field
        if self.type == "flag" and self.word:
            word = self.word.casefold()
            said = tuple(text.casefold() == word for text in texts)
            if sum(said) >= MIN_TYPE_SHARE * sum(map(bool, texts)):
                return replace(field, type="flag", values=said)
        found = parse_column("text" if field.type == "flag" else self.type, texts)
        return replace(field, type=found.type, values=found.values) if found else field

    def of_cells(self, cells: Sequence[int | None], region: Region) -> Field:
        """Return the field that cells make up, one or none a record."""
        rows = tuple(-1 if cell is None else region.row_of[cell] for cell in cells)
        texts = tuple("" if cell is None else region.text_of[cell] for cell in cells)
        if any(texts) and self.type != "image":
            plain = Field(self.name, "text", tuple(text or None for text in texts), texts, rows)
            return self._typed(plain, texts)
        if self.type == "image" and not any(texts):
            return Field(self.name, "image", pictures(region.page, rows), texts, rows)
        missing: Value = False if self.type == "flag" else None
        none = ("",) * len(cells), (-1,) * len(cells)
        return Field(self.name, self.type, (missing,) * len(cells), *none)


@dataclass(frozen=True, eq=False)
class Seen:
    """A field of a page, and what tells which of the pattern's it is."""

    field: Field
    kind: Kind
    paths: Counter[str]
    place: int
    head: str | None
    lead: str | None

    @property
    def word(self) -> str | None:
        """What a flag says."""
        return next(filter(None, self.field.texts), None) if self.field.type == "flag" else None

    @property
    def pattern(self) -> FieldPattern:
        """What is to be known of the field on other pages."""
        field, paths = self.field, tuple(path for path, _ in self.paths.most_common())
        place, said = (self.place, self.kind, field.grid), (self.head, self.lead, self.word)
        return FieldPattern(field.name, field.type, paths, *place, *said)


@dataclass(frozen=True, eq=False)
class Places:
    """A region and the spots of its cells, to find the fields of a pattern in."""

    region: Region
    paths: Paths
    spots: dict[int, Spot]  # by the first row of a cell

    @staticmethod
    def of(region: Region, paths: Paths) -> Places:
        """Return the places of a region's cells."""
        return Places(region, paths, paths.spots(region, table=is_table(region)))

    def seen(self, fields: Sequence[Field]) -> list[Seen]:
        """Return the fields of the region with what tells them from each other."""
        heads = header_names(self.region) if is_table(self.region) else {}
        depth = self.region.page.depth[self.region.start].tolist()
        found = []
        for column in fields:
            kind = "column" if any(column.texts) else _DERIVED.get(column.type, "column")
            rows = [(row, depth[n]) for n, row in enumerate(column.rows) if row >= 0]
            spots = [self.spots.get(row) or (self.paths.of(row, above), 0) for row, above in rows]
            places = Counter(place for _, place in spots)
            place = min(places, key=lambda place: (-places[place], place), default=0)
            said = column.label if column.grid is None else heads.get(column.grid)
            lead = None if said else column_names.shared_label(column.texts)
            head = column_names.slug(said or lead or "") or None
            paths = Counter(path for path, _ in spots)
            found.append(Seen(column, kind, paths, place, head, f"{lead}:" if lead else None))
        return found

    def rest(self, used: AbstractSet[int]) -> dict[Spot, dict[int, int]]:
        """Return the cell of each record in each spot, but for those whose rows are used."""
        region = self.region
        found: defaultdict[Spot, dict[int, int]] = defaultdict(dict)
        for record, cell in zip(region.record.tolist(), region.cell.tolist(), strict=True):
            row = region.row_of[cell]
            if row not in used:
                found[self.spots[row]][record] = cell
        return found


def matched(wanted: Sequence[FieldPattern], seen: Sequence[Seen]) -> dict[int, Seen]:
    """Return which field of a page each of the pattern's is, by its number; each is used once."""
    pairs = [
        (-likeness, number, place)
        for number, one in enumerate(wanted)
        for place, other in enumerate(seen)
        if (likeness := one.likeness(other))
    ]
    found: dict[int, Seen] = {}
    used: set[int] = set()
    for _, number, place in sorted(pairs):
        if number not in found and place not in used:
            found[number] = seen[place]
            used.add(place)
    return found


def fitted(wanted: Sequence[FieldPattern], records: Records, paths: Paths) -> tuple[Field, ...]:
    """Return the fields of a pattern on a page, in its order; what the page lacks has no rows.

    A page may have in place what it gives no column of its own, such as what another says as well.
    """
    region = records.region
    if region is None:
        return ()
    places = Places.of(region, paths)
    found = matched(wanted, places.seen(records.fields))
    rest = places.rest({row for seen in found.values() for row in seen.field.rows})
    fields = []
    for number, one in enumerate(wanted):
        if number in found:
            fields.append(one.read(found[number], paths.page))
            continue
        cells: dict[int, int] = {}
        if one.kind == "column" and one.grid is None and one.head is None:
            for path in one.paths:
                cells |= rest.get((path, one.place), {})
        fields.append(one.of_cells([cells.get(n) for n in range(len(region))], region))
    return tuple(fields)

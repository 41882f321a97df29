"""What evidence on blocks is computed from, looked up literally: sets of rows and of blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tamis.blocks import Blocks
from tamis.page import tags
from tamis.verdict.learned import COUNTED_TAGS, NAME_GROUPS

Rows = list[int]
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@dataclass(frozen=True)
class Sums:
    """What some blocks hold together."""

    count: int
    terms: float
    linked: float
    chars: float
    marks: float
    long: float
    headings: float
    objects: float

    @property
    def link_density(self) -> float:
        return self.linked / max(self.chars, 1)


@dataclass(frozen=True)
class Oracle:
    """Looks everything up, again and again."""

    blocks: Blocks

    @cached_property
    def size(self) -> int:
        return len(self.blocks)

    @cached_property
    def anchors(self) -> Rows:
        return [int(row) for row in self.blocks.first]

    @cached_property
    def names(self) -> list[str]:
        return [tags.TAGS[code] for code in self.blocks.page.tag.tolist()]

    @cached_property
    def parents(self) -> Rows:
        return [int(row) for row in self.blocks.page.parent]

    @cached_property
    def ends(self) -> Rows:
        return [int(row) for row in self.blocks.page.end]

    def tag(self, block: int) -> str:
        return self.names[int(self.blocks.node[block])]

    def around(self, row: int) -> Rows:
        """The row and those above it, inside out."""
        return [row, *(self.around(self.parents[row]) if row else [])]

    def holds(self, row: int, block: int) -> bool:
        return row <= self.anchors[block] < self.ends[row]

    def held(self, row: int) -> Rows:
        return [block for block in range(self.size) if self.holds(row, block)]

    @cached_property
    def rows(self) -> list[Rows]:
        rows: list[Rows] = [[] for _ in range(self.size)]
        for row, block in enumerate(self.blocks.owner.tolist()):
            if block >= 0:
                rows[block].append(row)
        return rows

    def elements(self, block: int, group: Iterable[str]) -> int:
        return sum(self.names[row] in group for row in self.rows[block])

    def chars(self, block: int, flag: int) -> float:
        page = self.blocks.page
        return sum(float(page.chars[row]) for row in self.rows[block] if page.flags[row] & flag)

    @cached_property
    def each(self) -> list[Sums]:
        page = self.blocks.page
        found = []
        for block, rows in enumerate(self.rows):
            shown = [row for row in rows if page.chars[row]]
            terms, chars, marks = (
                float(sum(int(column[row]) for row in shown))
                for column in (page.terms, page.chars, page.marks)
            )
            linked = self.chars(block, tags.LINK)
            long = terms if terms >= 15 and linked / max(chars, 1) < 0.5 else 0.0
            objects = [g for g in COUNTED_TAGS if {"img", "svg", "video"} & set(g)]
            count = sum(self.elements(block, group) for group in objects)
            heading = float(self.tag(block) in _HEADINGS)
            found.append(Sums(1, terms, linked, chars, marks, long, heading, float(count)))
        return found

    def sums(self, some: Iterable[int]) -> Sums:
        chosen = [self.each[block] for block in some]
        parts = Sums.__dataclass_fields__
        return Sums(*(sum(getattr(sums, part) for sums in chosen) for part in parts))

    @cached_property
    def all(self) -> Sums:
        return self.sums(range(self.size))

    @cached_property
    def levels(self) -> list[Rows]:
        """For each block, the rows around it that hold more blocks than those within."""
        found = []
        for row in self.anchors:
            levels = []
            count = len(self.held(row))
            for above in self.around(row):
                if len(self.held(above)) > count:
                    count = len(self.held(above))
                    levels.append(above)
            found.append((levels + [0] * 6)[:6])
        return found

    @cached_property
    def paths(self) -> list[tuple[int, ...]]:
        page = self.blocks.page
        return [tuple(int(page.tag[row]) for row in self.around(at)) for at in self.anchors]

    @cached_property
    def records(self) -> dict[int, tuple[int, int, int]]:
        """The make of each record: parent, tag and class."""
        page = self.blocks.page
        makes: dict[tuple[int, int, int], Rows] = {}
        for row in range(len(page)):
            if page.tag[row] > tags.OTHER and self.sums(self.held(row)).terms > 0:
                make = (self.parents[row], int(page.tag[row]), int(page.class_key[row]))
                makes.setdefault(make, []).append(row)
        kept = {make: rows for make, rows in makes.items() if len(rows) >= 3}
        return {row: make for make, rows in kept.items() for row in rows}

    def record_around(self, block: int, place: int) -> int | None:
        found = [row for row in self.around(self.anchors[block]) if row in self.records]
        return found[place] if found else None

    def word_groups(self, row: int) -> list[int]:
        """Which groups of words the class and id of a row have words of, as zeros and ones."""
        page = self.blocks.page
        value = page.source[page.class_start[row] : page.class_stop[row]] + b" "
        value += page.source[page.id_start[row] : page.id_stop[row]]
        found = {word.lower() for word in re.findall("[A-Z]+[a-z]*|[a-z]+", value.decode("latin1"))}
        return [int(not found.isdisjoint(words.split())) for words in NAME_GROUPS.values()]

    def written(self, block: int) -> str:
        page = self.blocks.page
        start = int(page.text_start[self.blocks.first[block]])
        stop = int(page.text_stop[self.blocks.stop[block] - 1])
        return page.text[start : max(start, stop)].lstrip()

"""Units of a Markdown document, and the parts that a unit is cut into where it is too long.

A unit is what a reader sees as one: a paragraph, a heading, a list, a table, a quote, code. Every
unit, and every part of one down to a single line, covers whole lines of the document.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from tamis.content._render import Block
from tamis.content.markdown_blocks import LISTS, Rows, covered_rows, follows_closely
from tamis.errors import InputError

# Boundaries by how well a document can be cut there, best first: 1 to 6 are headings of that level.
_UNIT: Final = 7
_LINE: Final = 8
_SENTENCE: Final = 9
_WORD: Final = 10
_CHARACTER: Final = 11

_SENTENCE_START: Final = re.compile(
    r"(?<=[.!?…।۔؟])[\"'”’»)\]*_]*\s+(?=\S)"
    r"|(?<=[。！？])[」』”’）*_]*(?=[^\s。！？」』”’）*_])"
)
_LINE_OR_SENTENCE_START: Final = re.compile(rf"(?<=\n)(?=[^\n])|{_SENTENCE_START.pattern}")
_WORD_START: Final = re.compile(r"(?<=\s)(?=\S)")
_MIN_TAIL: Final = 32  # characters


@dataclass(frozen=True, slots=True)
class Unit:
    """A range of lines with the page's rows that it is from; `parts` cover the same lines."""

    lines: int
    rows: Rows
    level: int = 0  # of a heading
    parts: tuple[Unit, ...] = ()


@dataclass(frozen=True, slots=True)
class Atom:
    """A part of a document that fits into a chunk: its text is not cut any further."""

    start: int
    stop: int
    tokens: int
    rows: Rows
    boundary: int  # how well the document can be cut before it
    level: int = 0  # of a heading


def build_units(blocks: Iterable[Block], *, tight: bool = False) -> tuple[Unit, ...]:
    """Return the units of blocks; a blank line belongs to the unit before it.

    The lines are those that `join_blocks` writes.
    """
    units: list[Unit] = []
    previous: Block | None = None
    for block in blocks:
        if previous is not None and not follows_closely(block, previous, tight=tight):
            units[-1] = _add_blank_line(units[-1])
        units.append(_build_unit(block))
        previous = block
    return tuple(units)


def _add_blank_line(unit: Unit) -> Unit:
    """Return a unit with one more line, which belongs to its last part."""
    parts = (*unit.parts[:-1], _add_blank_line(unit.parts[-1])) if unit.parts else ()
    return Unit(unit.lines + 1, unit.rows, unit.level, parts)


def _build_unit(block: Block) -> Unit:
    """Return the unit of a block."""
    if block.kind in LISTS:
        items = [build_units(item.blocks, tight=True) for item in block.blocks]
        parts = tuple(_join_units(item) for item in items)
    elif block.kind in ("quote", "definition"):
        parts = build_units(block.blocks)
    elif block.kind == "table":
        parts = _table_rows(block)
    else:
        fences = 2 if block.kind == "code" else 0
        level = block.number if block.kind == "heading" else 0
        return Unit(block.text.count("\n") + 1 + fences, block.rows, level)
    return _join_units(parts)


def _join_units(parts: tuple[Unit, ...]) -> Unit:
    """Return the unit that parts make up."""
    rows = [part.rows for part in parts if part.rows[0] >= 0] or [(-1, -1)]
    return Unit(sum(part.lines for part in parts), (rows[0][0], rows[-1][1]), parts=parts)


def _table_rows(table: Block) -> tuple[Unit, ...]:
    """Return a unit for each row of a table; the lines above its body belong to its first row."""
    above = table.text.count("\n") + 1 - len(table.blocks)  # a rule, perhaps an empty header
    rows = [covered_rows(row.blocks) for row in table.blocks]
    if not 1 <= above <= 2:  # a table whose rows do not have a line each
        return (Unit(table.text.count("\n") + 1, (rows[0][0], rows[-1][1])),)
    return (Unit(above + 1, rows[0]), *(Unit(1, pair) for pair in rows[1:]))


@dataclass(frozen=True, slots=True)
class Splitter:
    """Cuts units into atoms of at most `max_tokens`: at parts, lines, sentences, words."""

    text: str
    count: Callable[[str], int]
    max_tokens: int

    def split(self, units: Iterable[Unit]) -> Iterator[Atom]:
        """Yield the atoms of units, which cover the text in their order."""
        line_ends = [match.end() for match in re.finditer(r"\n", self.text)] + [len(self.text)]
        yield from self._split_parts(units, [0, *line_ends], 0, _UNIT)

    def _split_parts(
        self, units: Iterable[Unit], lines: list[int], line: int, boundary: int
    ) -> Iterator[Atom]:
        """Yield the atoms of units from a line on, with what is before each."""
        for unit in units:
            start, stop = lines[line], lines[line + unit.lines]
            before = unit.level or boundary
            tokens = self.count(self.text[start:stop])
            if tokens <= self.max_tokens:
                yield Atom(start, stop, tokens, unit.rows, before, unit.level)
            elif unit.parts:
                yield from _with_first(self._split_parts(unit.parts, lines, line, _LINE), before)
            else:
                cuts = self._line_starts(lines[line : line + unit.lines + 1])
                atoms = _with_first(self._split_text(cuts, _LINE, unit.rows), before)
                yield from (replace(atom, level=unit.level) for atom in atoms)
            line += unit.lines

    def _line_starts(self, lines: list[int]) -> list[int]:
        """Return the starts of lines without those of blank ones, and the end of the last line."""
        first, *others, end = lines
        return [first, *(start for start in others if self.text[start] != "\n"), end]

    def _split_text(self, cuts: Iterable[int], boundary: int, rows: Rows) -> Iterator[Atom]:
        """Yield the atoms of a text that is cut at offsets, of what is too long by finer cuts."""
        for start, stop in pairwise(cuts):
            tokens = self.count(self.text[start:stop])
            if tokens <= self.max_tokens:
                yield Atom(start, stop, tokens, rows, boundary)
            elif boundary >= _WORD:
                yield from _with_first(self._split_word(start, stop, rows), boundary)
            else:
                pattern = _SENTENCE_START if boundary == _LINE else _WORD_START
                finer = [start, *find_cuts(pattern, self.text, start, stop), stop]
                yield from _with_first(self._split_text(finer, boundary + 1, rows), boundary)

    def _split_word(self, start: int, stop: int, rows: Rows) -> Iterator[Atom]:
        """Yield the atoms of a word that is too long, or of a text without spaces."""
        size = stop - start
        while start < stop:
            end = _before_marks(self.text, start, min(start + size, stop))
            tokens = self.count(self.text[start:end])
            while tokens > self.max_tokens:
                if end - start == 1:
                    raise InputError(
                        f"max_tokens is {self.max_tokens}, and {self.text[start:end]!r} alone has "
                        f"{tokens} tokens: raise max_tokens"
                    )
                size = max(1, (end - start) * self.max_tokens // (tokens + 1))
                end = _before_marks(self.text, start, start + size)
                tokens = self.count(self.text[start:end])
            yield Atom(start, end, tokens, rows, _CHARACTER)
            start = end


def find_cuts(pattern: re.Pattern[str], text: str, start: int, stop: int) -> list[int]:
    """Return the offsets inside a range after which a match of a pattern begins anew."""
    ends = (match.end() for match in pattern.finditer(text, start, stop))
    return [end for end in ends if start < end < stop]


def find_tail(text: str, count: Callable[[str], int], max_tokens: int) -> int:
    """Return where the longest end of a text with at most so many tokens begins.

    It begins with a line or a sentence, or if the last one is too long with a word. It is not the
    whole text.
    """
    size = _MIN_TAIL
    while size < len(text) and count(text[-size:]) <= max_tokens:
        size *= 2
    tail = max(len(text) - size, 0)
    for pattern in (_LINE_OR_SENTENCE_START, _WORD_START):
        cuts = find_cuts(pattern, text, tail, len(text))
        first = _first_fitting(cuts, lambda cut: count(text[cut:]) <= max_tokens)
        if first is not None:
            return first
    return len(text)


def _first_fitting(cuts: list[int], fits: Callable[[int], bool]) -> int | None:
    """Return the first offset that fits, if all after it do as well; None if none does."""
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(cuts[middle]) else (middle + 1, high)
    return cuts[low] if low < len(cuts) else None


def _before_marks(text: str, start: int, end: int) -> int:
    """Return an end before which no letter is torn from its accents, or the end as it is."""
    moved = end
    while start + 1 < moved < len(text) and _is_shown_as_one(text[moved - 1 : moved + 1]):
        moved -= 1
    return moved if moved > start + 1 else end


def _is_shown_as_one(pair: str) -> bool:
    """Return whether two characters are shown as one."""
    return "\u200d" in pair or unicodedata.category(pair[-1]) in ("Mn", "Me", "Mc", "Sk")


def _with_first(atoms: Iterator[Atom], boundary: int) -> Iterator[Atom]:
    """Yield atoms, the first of them with another boundary before it."""
    yield replace(next(atoms), boundary=boundary)
    yield from atoms

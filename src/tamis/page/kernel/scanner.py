"""The parsed page, serialised → columns: one row an element or shown text node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tamis.page.characters import IGNORED, PUNCTUATION, SINGLE, SPACE, WORD
from tamis.page.kernel.traits import (
    BREAK,
    BREAK_LINE,
    BREAK_PARAGRAPH,
    FLAGS,
    FLAGS_SHIFT,
    HTML_POINT,
    MATH_POINT,
    RAW,
    VOID,
    parsing_traits,
)
from tamis.page.kernel.writer import Writer
from tamis.page.tags import CODE, HIDDEN, INVISIBLE, MATH, PREFORMATTED, SVG

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

if not cython.compiled:  # scanner.pxd has the same in C

    def as_ints(table: bytes) -> memoryview:
        """Return a table as C integers."""
        return memoryview(table).cast("i")

    def cells_of(block: NDArray[np.intc]) -> memoryview:
        """Return the memory of all columns."""
        return block.reshape(-1).data

    def column(cells: memoryview, number: int, room: int) -> memoryview:
        """Return the memory of one column."""
        return cells[number * room : (number + 1) * room]


ANNOTATION_TAG = CODE["annotation-xml"]
BR_TAG = CODE["br"]
DIALOG_TAG = CODE["dialog"]
PLAINTEXT_TAG = CODE["plaintext"]
SCRIPT_TAG = CODE["script"]
SVG_TAG = CODE["svg"]
TEMPLATE_TAG = CODE["template"]

COLUMNS = (
    "tag flags depth parent end start head stop text_start text_stop class_start class_stop "
    "class_key id_start id_stop chars terms marks"
).split()
SEED32 = 2166136261
PRIME32 = 16777619


class Scanner(Writer):
    """One pass over the serialised page, which is perfectly nested.

    Text goes into one buffer, white space folded as a browser does (but for preformatted text),
    with a line break, a paragraph break or a tab between texts where block elements or cells
    stand between them: a slice of the buffer reads like the page. Text nodes that are white space
    only, or never shown, get no row.
    """

    def __init__(self, source: bytes, classes: bytes) -> None:
        super().__init__(source, classes)
        self.points_kept = parsing_traits()
        self.points = as_ints(self.points_kept)
        self.rows = 0
        self.current = -1
        self.hides = self.shows = self.opens = self.in_word = False
        self.room = self.n // 32 + 64  # twice what most pages need
        self.block = np.empty((len(COLUMNS), self.room), dtype=np.intc)
        self.point()

    def point(self) -> None:
        """Let each column point into the block of all columns."""
        self.cells = cells_of(self.block)
        self.tag = column(self.cells, 0, self.room)
        self.flags = column(self.cells, 1, self.room)
        self.depth = column(self.cells, 2, self.room)
        self.parent = column(self.cells, 3, self.room)
        self.end = column(self.cells, 4, self.room)
        self.start = column(self.cells, 5, self.room)
        self.head = column(self.cells, 6, self.room)
        self.stop = column(self.cells, 7, self.room)
        self.text_start = column(self.cells, 8, self.room)
        self.text_stop = column(self.cells, 9, self.room)
        self.class_start = column(self.cells, 10, self.room)
        self.class_stop = column(self.cells, 11, self.room)
        self.class_key = column(self.cells, 12, self.room)
        self.id_start = column(self.cells, 13, self.room)
        self.id_stop = column(self.cells, 14, self.room)
        self.chars = column(self.cells, 15, self.room)
        self.terms = column(self.cells, 16, self.room)
        self.marks = column(self.cells, 17, self.room)

    def grow(self) -> None:
        """Make room for more rows."""
        self.room *= 2
        block = np.empty((len(COLUMNS), self.room), dtype=np.intc)
        block[:, : self.rows] = self.block[:, : self.rows]
        self.block = block
        self.point()

    def run(self) -> tuple[dict[str, NDArray[Any]], str]:
        """Return the columns, each by its name, and the text."""
        while self.pos < self.n:
            with cython.nogil:
                self.read()
            if self.pos < self.n:
                self.grow()
        while self.current >= 0:
            self.close(self.current)
        block = self.block[:, : self.rows].copy()
        columns: dict[str, NDArray[Any]] = dict(zip(COLUMNS, block, strict=True))
        for name in ("tag", "flags"):
            columns[name] = columns[name].astype(np.uint8)
        columns["class_key"] = columns["class_key"].view(np.uint32)
        return columns, self.written_text()

    def read(self) -> None:
        """Go through the source, token by token, to its end or until there is no room left."""
        while self.pos < self.n and self.rows + 1 < self.room:  # a tag may make two rows
            if self.src[self.pos] != ord("<"):
                self.text(self.find(ord("<"), self.pos), False)
                continue
            c = self.src[self.pos + 1] if self.pos + 1 < self.n else 0
            if c == ord("/"):
                self.end_tag()
            elif c in b"!?":
                self.declaration()
            else:
                self.start_tag()

    def declaration(self) -> None:
        """Pass over a comment, a doctype or a processing instruction."""
        pos = self.find(ord(">"), self.pos)
        if pos - self.pos > 3 and self.src[self.pos + 2] == ord("-"):
            while pos < self.n:
                if pos - self.pos > 5 and self.src[pos - 1] == ord("-") == self.src[pos - 2]:
                    break
                pos = self.find(ord(">"), pos + 1)
        self.pos = min(pos + 1, self.n)

    def add_row(self, code: int, flags: int) -> int:
        """Append a row below the current element and return its number."""
        row = self.rows
        self.rows += 1
        self.tag[row] = code
        self.flags[row] = flags
        self.parent[row] = self.current
        self.depth[row] = self.depth[self.current] + 1 if self.current >= 0 else 0
        self.end[row] = row + 1
        self.start[row] = self.head[row] = self.stop[row] = self.pos
        self.text_start[row] = self.text_stop[row] = self.written
        self.class_start[row] = self.class_stop[row] = self.class_key[row] = 0
        self.id_start[row] = self.id_stop[row] = 0
        self.chars[row] = self.terms[row] = self.marks[row] = 0
        return row

    def separate(self, code: int) -> None:
        """Remember that this tag stands between two texts; two line breaks are a paragraph's."""
        level = self.traits[code] & BREAK
        if code == BR_TAG and self.pending == BREAK_LINE:
            level = BREAK_PARAGRAPH
        if level > self.pending:
            self.pending = level

    def start_tag(self) -> None:
        """Read a start tag into a row; pass over the text of raw elements."""
        begin = self.pos + 1
        code = self.read_name(begin)
        name = self.name_stop
        traits = self.traits[code]
        above = self.flags[self.current] if self.current >= 0 else 0
        row = self.add_row(code, 0)
        if not above & INVISIBLE:
            self.separate(code)
        self.pos = name
        self.hides = self.shows = self.opens = False
        while self.next_attribute():
            self.attribute(row)
        self.flags[row] = self.own_flags(code, above)
        self.head[row] = self.stop[row] = self.pos
        foreign = above & (SVG | MATH)
        if traits & VOID and not foreign:
            return
        self.current = row
        if traits & RAW:
            if code == PLAINTEXT_TAG and not foreign:
                stop = self.last_end(begin, name)
            else:
                stop = self.raw_end(self.pos, begin, name, code == SCRIPT_TAG)
            self.text(stop, True)

    def own_flags(self, code: int, above: int) -> int:
        """Return the flags of an element from those above it, its name and its attributes."""
        own = (self.traits[code] >> FLAGS_SHIFT) & FLAGS
        language = above & (SVG | MATH)
        if self.shows:
            own &= ~(HIDDEN | INVISIBLE)
        if self.hides:
            own |= HIDDEN
        if language:
            # Names mean nothing here but where HTML may stand again ("integration points").
            own &= ~(SVG | MATH)
            if self.points[code] & (HTML_POINT if language == SVG else MATH_POINT) or self.opens:
                language = 0
            elif code == SVG_TAG and self.tag[self.current] == ANNOTATION_TAG:
                language = SVG
        return above & ~(SVG | MATH) | language | own

    def attribute(self, row: int) -> None:
        """Note what an attribute says about its row: class, id, whether it is hidden."""
        a, b = self.name_start, self.name_stop
        size = b - a
        if size == 5:
            if self.is_word(a, b, b"class", 5):
                self.class_start[row] = self.value_start
                self.class_stop[row] = self.value_stop
                self.class_key[row] = self.value_key()
            elif self.is_word(a, b, b"style", 5):
                self.hides = (
                    self.hides
                    or self.value_holds(b"display:none", 12)
                    or self.value_holds(b"visibility:hidden", 17)
                )
        elif size == 2:
            if self.is_word(a, b, b"id", 2):
                self.id_start[row] = self.value_start
                self.id_stop[row] = self.value_stop
        elif size == 6:
            self.hides = self.hides or self.is_word(a, b, b"hidden", 6)
        elif size == 11:
            if self.is_word(a, b, b"aria-hidden", 11):
                self.hides = self.hides or self.value_holds(b"true", 4)
        else:
            self.odd_attribute(self.tag[row])

    def odd_attribute(self, code: int) -> None:
        """Note what shows a dialog or a template, and what opens MathML to HTML."""
        a, b = self.name_start, self.name_stop
        if code == DIALOG_TAG:
            self.shows = self.shows or self.is_word(a, b, b"open", 4)
        elif code == TEMPLATE_TAG:  # a declarative shadow root
            self.shows = self.shows or self.is_word(a, b, b"shadowrootmode", 14)
        elif code == ANNOTATION_TAG and self.is_word(a, b, b"encoding", 8):
            self.opens = self.value_is(b"text/html", 9) or self.value_is(
                b"application/xhtml+xml", 21
            )

    def value_is(self, word: bytes, length: int) -> bool:
        """Say whether the attribute read last has this value."""
        return self.is_word(self.value_start, self.value_stop, word, length)

    def value_holds(self, word: bytes, length: int) -> bool:
        """Say whether the attribute read last holds a word."""
        return self.holds_word(self.value_start, self.value_stop, word, length)

    def value_key(self) -> int:
        """Return a hash of the attribute's value that is never 0.

        Of every other byte and of the rest, because a processor does two at once.
        """
        src = self.src
        stop = self.value_stop
        key = SEED32
        other = stop - self.value_start
        for i in range(self.value_start, stop - 1, 2):
            key = (key ^ src[i]) * PRIME32 & 0x7FFFFFFF
            other = (other ^ src[i + 1]) * PRIME32 & 0x7FFFFFFF
        if (stop - self.value_start) & 1:
            key = (key ^ src[stop - 1]) * PRIME32 & 0x7FFFFFFF
        key = (key ^ other * 31) & 0x7FFFFFFF
        return max(key, 1)

    def last_end(self, start: int, stop: int) -> int:
        """Return where the last end tag of a name stands: plaintext holds all there is to come."""
        pos = self.n - 1
        while pos > stop:
            if self.is_word(pos - 1, pos + 1, b"</", 2) and self.is_name(pos + 1, start, stop):
                return pos - 1
            pos -= 1
        return self.n

    def end_tag(self) -> None:
        """Close the element that an end tag names; one that closes nothing is passed over."""
        name = self.pos + 2
        stop = self.find(ord(">"), name)
        row = self.current
        self.pos = min(stop + 1, self.n)
        while row >= 0 and not self.is_name(self.start[row] + 1, name, stop):
            row = self.parent[row]
        if row >= 0:
            while self.current > row:
                self.close(self.current)
            self.close(row)

    def close(self, row: int) -> None:
        """End an element's row at this position."""
        self.end[row] = self.rows
        self.stop[row] = self.pos
        self.text_stop[row] = self.written
        self.current = self.parent[row]
        if self.current < 0 or not self.flags[self.current] & INVISIBLE:
            self.separate(self.tag[row])

    def text(self, stop: int, raw: bool) -> None:
        """Read a text node up to its end: its row, its text, and its counts."""
        begin = self.pos
        flags = self.flags[self.current] if self.current >= 0 else 0
        row = -1
        self.in_word = False
        if flags & INVISIBLE:
            self.pos = stop
            return
        while self.pos < stop:
            self.code = self.src[self.pos]
            self.width = 1
            if self.code < 128 and (raw or self.code != ord("&")):
                kind = self.classes[self.code]
            else:
                kind = self.read_character()
            if kind & SPACE:
                self.in_word = False
                self.space(flags & PREFORMATTED)
            elif not kind & IGNORED:
                if self.pending:
                    self.write_pending()
                if row < 0:
                    row = self.add_row(0, flags)
                    self.start[row] = begin
                if kind == WORD and self.width == 1 and self.code < 128:  # or it would not go on
                    self.words(row)
                    continue
                self.count(row, kind)
                self.write_character()
                self.text_stop[row] = self.written
            self.pos += self.width
        if row >= 0:
            self.stop[row] = self.head[row] = self.pos

    def words(self, row: int) -> None:
        """Write and count a run of ASCII words."""
        before = self.written
        spaces = self.write_words()
        self.terms[row] += spaces if self.in_word else spaces + 1
        self.chars[row] += self.written - before - spaces
        self.text_stop[row] = self.written
        self.in_word = True

    def count(self, row: int, kind: int) -> None:
        """Count a character, and the term that it begins."""
        self.chars[row] += 1
        if kind & WORD:
            if kind & SINGLE or not self.in_word:
                self.terms[row] += 1
            self.in_word = not kind & SINGLE
        else:
            self.in_word = False
            if kind & PUNCTUATION:
                self.marks[row] += 1

"""Text as a reader sees it: characters read from the source and written to one buffer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.page.characters import IDEOGRAPHS_END, SINGLE, TABLE_SIZE, WORD
from tamis.page.kernel.lexer import Lexer
from tamis.page.kernel.traits import (
    BREAK_CELL,
    BREAK_LINE,
    BREAK_PARAGRAPH,
    BREAK_SPACE,
    reading_traits,
)

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

if not cython.compiled:  # writer.pxd has the same in C

    def memory(array: NDArray[np.uint8]) -> memoryview:
        """Return an array's memory."""
        return array.data


class Writer(Lexer):
    """The text buffer, and what is to separate the next text from the one before.

    White space is folded as a browser does. `code` and `width` are the character read last and
    its length in the source, `written` the number of characters in the buffer, `size` its bytes.
    """

    def __init__(self, source: bytes, classes: bytes) -> None:
        super().__init__(source, reading_traits())
        self.classes_kept = classes
        self.classes = self.classes_kept
        # A separator of two bytes stands for a tag of at least three.
        self.buffer = np.empty(self.n + 4, dtype=np.uint8)
        self.out = memory(self.buffer)
        self.size = self.written = self.pending = self.code = self.width = 0

    def written_text(self) -> str:
        """Return what was written."""
        return self.buffer[: self.size].tobytes().decode("utf-8", "replace")

    def read_character(self) -> int:
        """Read a reference or a character of several bytes; return its class."""
        c = self.code
        p = self.pos
        if c == ord("&"):
            self.read_entity()
        elif c >= 240 and p + 3 < self.n:
            self.width = 4
            self.code = (c & 7) << 18 | (self.src[p + 1] & 63) << 12
            self.code |= (self.src[p + 2] & 63) << 6 | (self.src[p + 3] & 63)
        elif c >= 224 and p + 2 < self.n:
            self.width = 3
            self.code = (c & 15) << 12 | (self.src[p + 1] & 63) << 6 | (self.src[p + 2] & 63)
        elif c >= 128 and p + 1 < self.n:
            self.width = 2
            self.code = (c & 31) << 6 | (self.src[p + 1] & 63)
        if self.code >= TABLE_SIZE:
            return WORD | SINGLE if self.code < IDEOGRAPHS_END else 0
        return self.classes[self.code]

    def read_entity(self) -> None:
        """Read one of the four references that serialised text may hold; all else is text.

        A source that was kept may have been changed since: nothing is taken on trust here.
        """
        p = self.pos
        if self.is_word(p, min(p + 5, self.n), b"&amp;", 5):
            self.width = 5
        elif self.is_word(p, min(p + 6, self.n), b"&nbsp;", 6):
            self.code = 160
            self.width = 6
        elif self.is_word(p, min(p + 4, self.n), b"&lt;", 4):
            self.code = ord("<")
            self.width = 4
        elif self.is_word(p, min(p + 4, self.n), b"&gt;", 4):
            self.code = ord(">")
            self.width = 4

    def space(self, preformatted: int) -> None:
        """Fold white space into one pending space, or write it as it is."""
        if not preformatted:
            self.pending = max(self.pending, BREAK_SPACE)
            return
        self.write_pending()
        self.write_byte(self.code if self.code == 9 or self.code == 10 else 32)

    def write_pending(self) -> None:
        """Write what separates the next text from the one before."""
        if self.written:
            if self.pending == BREAK_SPACE:
                self.write_byte(32)
            elif self.pending == BREAK_CELL:
                self.write_byte(9)
            elif self.pending >= BREAK_LINE:
                self.write_byte(10)
                if self.pending == BREAK_PARAGRAPH:
                    self.write_byte(10)
        self.pending = 0

    def write_byte(self, byte: int) -> None:
        """Write one ASCII character to the text buffer."""
        self.out[self.size] = byte
        self.size += 1
        self.written += 1

    def write_character(self) -> None:
        """Write the character read last to the text buffer."""
        if self.code < 128:
            self.write_byte(self.code)
            return
        for i in range(self.width):
            self.out[self.size + i] = self.src[self.pos + i]
        self.size += self.width
        self.written += 1

    def write_words(self) -> int:
        """Write ASCII words that are one space apart, most of most texts; count the spaces."""
        src = self.src
        out = self.out
        pos = self.pos
        size = begin = self.size
        spaces = 0
        while True:
            while pos < self.n and src[pos] < 128 and self.classes[src[pos]] == WORD:
                out[size] = src[pos]
                size += 1
                pos += 1
            if pos + 1 >= self.n or src[pos] != ord(" ") or src[pos + 1] >= 128:
                break
            if self.classes[src[pos + 1]] != WORD:
                break
            out[size] = ord(" ")
            size += 1
            pos += 1
            spaces += 1
        self.pos = pos
        self.size = size
        self.written += size - begin
        return spaces

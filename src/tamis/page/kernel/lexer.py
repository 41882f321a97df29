"""What both loops share: the bytes, a position in them, tag names and attributes.

All of this follows the tokenizer of the HTML standard (13.2.5), on bytes.
"""

from __future__ import annotations

from tamis.page.kernel.traits import MASK, PRIME, SEED, name_slots
from tamis.page.tags import OTHER

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

COMPILED: bool = cython.compiled

if not cython.compiled:  # lexer.pxd has the same in C

    def find_byte(src: bytes, byte: int, start: int, stop: int) -> int:
        """Return the place of the first such byte between two positions, or the last of them."""
        found = src.find(byte, start, stop)
        return stop if found < 0 else found

    def as_ints(table: bytes) -> memoryview:
        """Return a table as C integers."""
        return memoryview(table).cast("i")

    def as_keys(table: bytes) -> memoryview:
        """Return a table as hashes of 64 bits."""
        return memoryview(table).cast("Q")


class Lexer:
    """Bytes, and how to read names and attributes in them."""

    def __init__(self, source: bytes, traits: bytes) -> None:
        self.source = source
        self.src = source
        self.n = len(source)
        self.pos = 0
        self.tables = (*name_slots(), traits)  # what the pointers point into
        self.slots = self.tables[0]
        self.keys = as_keys(self.tables[1])
        self.traits = as_ints(self.tables[2])
        self.key = 0
        self.name_start = self.name_stop = self.value_start = self.value_stop = 0
        self.self_closing = False

    def find(self, byte: int, pos: int) -> int:
        """Return the position of the next such byte, or the end."""
        return find_byte(self.src, byte, pos, self.n)

    def read_name(self, pos: int) -> int:
        """Read the tag name at `pos` up to `name_stop` and return its code; `key` is its hash."""
        src = self.src
        key = SEED
        while pos < self.n:
            c = src[pos]
            if c in b"> /\n\t\f\r":
                break
            key = (key ^ (c + 32 if 65 <= c <= 90 else c)) * PRIME & MASK
            pos += 1
        self.key = key
        self.name_stop = pos
        slot = key & 1023
        while self.slots[slot]:
            if self.keys[self.slots[slot]] == key:
                return self.slots[slot]
            slot = (slot + 1) & 1023
        return OTHER

    def hash(self, key: int, start: int, stop: int) -> int:
        """Return the hash of the bytes between two positions, begun with `key`."""
        for i in range(start, stop):
            key = (key ^ self.src[i]) * PRIME & MASK
        return key

    def next_attribute(self) -> bool:
        """Read one attribute of a tag; False after the last, with `pos` behind the `>`."""
        src = self.src
        pos = self.pos
        c = before = 0
        while pos < self.n:  # spaces and stray slashes
            before = c
            c = src[pos]
            if c not in b" /\n\t\f\r":
                break
            pos += 1
        self.pos = pos
        if pos >= self.n:
            return False
        if c == ord(">"):
            self.self_closing = before == ord("/")
            self.pos += 1
            return False
        self.name_start = pos
        pos += 1  # the first byte belongs to the name, even if it is an equals sign
        while pos < self.n and src[pos] not in b"=> /\n\t\f\r":
            pos += 1
        self.name_stop = self.value_start = self.value_stop = pos
        while pos < self.n and src[pos] in b" \n\t\f\r":
            pos += 1
        self.pos = pos
        if pos < self.n and src[pos] == ord("="):
            self.read_value(pos + 1)
        return True

    def read_value(self, pos: int) -> None:
        """Read an attribute's value, quoted or not, at the position after the equals sign."""
        src = self.src
        while pos < self.n and src[pos] in b" \n\t\f\r":
            pos += 1
        if pos < self.n and src[pos] in b"\"'":
            self.value_start = pos + 1
            self.value_stop = find_byte(src, src[pos], pos + 1, self.n)
            self.pos = min(self.value_stop + 1, self.n)
            return
        self.value_start = pos
        while pos < self.n and src[pos] not in b"> \n\t\f\r":
            pos += 1
        self.value_stop = self.pos = pos

    def is_word(self, start: int, stop: int, word: bytes, length: int) -> bool:
        """Say whether the bytes between two positions are this lower-case word."""
        if stop - start != length:
            return False
        for i in range(length):
            c = self.src[start + i]
            if (c + 32 if 65 <= c <= 90 else c) != word[i]:
                return False
        return True

    def holds_word(self, start: int, stop: int, word: bytes, length: int) -> bool:
        """Say whether this lower-case word stands between two positions; spaces are passed over."""
        for i in range(start, stop - length + 1):
            j = i
            k = 0
            while j < stop and k < length:
                c = self.src[j]
                if (c + 32 if 65 <= c <= 90 else c) == word[k]:
                    k += 1
                elif c != ord(" ") or k == 0:
                    break
                j += 1
            if k == length:
                return True
        return False

    def is_name(self, pos: int, start: int, stop: int) -> bool:
        """Say whether the tag name of `start:stop` stands at `pos` and ends there."""
        end = pos + stop - start
        if end >= self.n or self.src[end] not in b"> /\n\t\f\r":
            return False
        for i in range(stop - start):
            a = self.src[pos + i]
            b = self.src[start + i]
            if (a + 32 if 65 <= a <= 90 else a) != (b + 32 if 65 <= b <= 90 else b):
                return False
        return True

    def raw_end(self, pos: int, start: int, stop: int, script: bool) -> int:
        """Return where the raw text of the element named at `start:stop` ends.

        In a script, `<!--` followed by `<script` hides the next end tag (the "double escaped"
        states of the standard, 13.2.5.26 to 13.2.5.31).
        """
        escaped = hidden = False
        while True:
            if escaped:
                while pos < self.n and self.src[pos] not in b"<-":
                    pos += 1
            else:
                pos = self.find(ord("<"), pos)
            if pos + 1 >= self.n:
                return self.n
            if self.src[pos] == ord("-"):
                if self.is_word(pos + 1, min(pos + 3, self.n), b"->", 2):
                    escaped = hidden = False
            elif self.src[pos + 1] == ord("/"):
                if self.is_name(pos + 2, start, stop):
                    if not hidden:
                        return pos
                    hidden = False
            elif escaped:
                hidden = hidden or self.is_name(pos + 1, start, stop)
            elif script and self.is_word(pos + 1, min(pos + 4, self.n), b"!--", 3):
                escaped = True
                pos += 1  # so that `<!-->` closes at once, its dashes being shared
            pos += 1

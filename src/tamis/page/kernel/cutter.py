"""What is left out of the input: bytes, attributes, names; and what text costs the parser."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tamis.page.kernel.rules import Rules
from tamis.page.kernel.traits import BODY, NAMES, SEED, TEMPLATE
from tamis.page.tags import CODE

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

if not cython.compiled:  # cutter.pxd has the same in C

    def memory(array: NDArray[np.uint8]) -> memoryview:
        """Return an array's memory."""
        return array.data

    def copy_bytes(target: memoryview, at: int, source: bytes, start: int, stop: int) -> None:
        """Copy the bytes between two positions."""
        target[at : at + stop - start] = source[start:stop]


ANNOTATION_TAG = CODE["annotation-xml"]
FONT_TAG = CODE["font"]
INPUT_TAG = CODE["input"]

ATTRIBUTES = 8192  # before this many the names of attributes are not looked at
APPENDS = 1 << 20  # bytes that the parser may copy for appending text to text
SHORT = 64  # bytes that are always cheap to copy
OUTLINE = 16  # bytes of a drawing's outline that are not worth a cut
LARGE = 1 << 22  # bytes of a page whose growth is foretold


class Cutter(Rules):
    """The output: all of the input but for what is cut."""

    def __init__(self, source: bytes, room: int, max_attributes: int, max_names: int) -> None:
        super().__init__(source, room)
        self.max_attributes = max_attributes
        self.max_names = min(max_names, NAMES // 2)
        # A break of six bytes comes after at least SHORT bytes.
        self.light = np.empty(self.n + self.n // 8 + 8, dtype=np.uint8)
        self.out = memory(self.light)
        self.size = self.copied = self.text_end = 0
        if not cython.compiled:  # in C it is there already
            self.known = [0] * NAMES
        self.known_count = 0
        self.large = self.n > LARGE
        self.attributes_seen = self.appended = self.growth = 0
        self.crowded = self.strange = self.broken = 0

    def cut(self, start: int, stop: int) -> None:
        """Leave out the bytes between two positions: copy what stands before, go on after."""
        copy_bytes(self.out, self.size, self.src, self.copied, start)
        self.size += start - self.copied
        self.copied = stop
        if stop > start and self.size and self.out[self.size - 1] == ord("<"):
            self.out[self.size] = ord(" ")  # lest it begin a tag with what follows
            self.size += 1

    def cut_again(self, size: int, copied: int, start: int, stop: int) -> None:
        """Leave out bytes after something among them was left out, from the state before that."""
        self.size = size
        self.copied = copied
        self.cut(start, stop)

    def cut_tag(self, size: int, copied: int, start: int) -> None:
        """Leave out the tag that was just read; the texts around it become one."""
        self.cut_again(size, copied, start, self.pos)
        if self.text_end == start:
            self.text_end = self.pos

    def attributes(self, code: int) -> int:
        """Pass over the attributes of a tag, leave out those beyond the limits, count the rest."""
        count = 0
        surplus = -1
        self.marked = self.self_closing = False
        while self.next_attribute():
            if count == self.max_attributes:
                if surplus < 0:
                    surplus = self.name_start
            elif self.is_outline():
                self.cut(self.name_start, self.pos)
            elif self.attributes_seen > ATTRIBUTES and not self.is_known(
                self.hash(SEED, self.name_start, self.name_stop)
            ):
                self.strange += 1
                self.cut(self.name_start, self.pos)
            else:
                count += 1
                self.attributes_seen += 1
                if self.large:
                    self.foretell(self.value_start, self.value_stop)
                if code in (FONT_TAG, INPUT_TAG, ANNOTATION_TAG):
                    self.look_at(code)
        if surplus >= 0 and self.src[self.pos - 1] == ord(">"):
            self.cut(surplus, self.pos - 1)
            self.crowded += 1
        return count

    def is_outline(self) -> bool:
        """Say whether an attribute is the outline of a drawing: `d`, and more than a few bytes."""
        return (
            self.name_stop - self.name_start == 1
            and self.src[self.name_start] | 32 == ord("d")
            and self.value_stop - self.value_start > OUTLINE
        )

    def is_known(self, key: int) -> bool:
        """Say whether a name was seen before, or is one of the first so many."""
        slot = key & (NAMES - 1)
        while self.known[slot]:
            if self.known[slot] == key:
                return True
            slot = (slot + 1) & (NAMES - 1)
        if self.known_count >= self.max_names:
            return False
        self.known[slot] = key
        self.known_count += 1
        return True

    def look_at(self, code: int) -> None:
        """Note what rules ask of an attribute: a font's look, a hidden input, HTML in MathML."""
        a, b = self.name_start, self.name_stop
        c, d = self.value_start, self.value_stop
        if code == FONT_TAG:
            if (
                self.is_word(a, b, b"color", 5)
                or self.is_word(a, b, b"face", 4)
                or self.is_word(a, b, b"size", 4)
            ):
                self.marked = True
        elif code == INPUT_TAG:
            if self.is_word(a, b, b"type", 4):
                self.marked = self.is_word(c, d, b"hidden", 6)
        elif self.is_word(a, b, b"encoding", 8):
            self.marked = self.is_word(c, d, b"text/html", 9) or self.is_word(
                c, d, b"application/xhtml+xml", 21
            )

    def append(self, lengths: list[int], place: int, start: int, stop: int, blank: bool) -> None:
        """Count what it costs to append text to the text before it; if it is too much, break it.

        Where the text before is not the last one that was made, the parser copies it.
        """
        cost = 0 if self.text_end == start else lengths[place]
        self.text_end = stop
        self.appended += cost
        if cost >= SHORT and self.appended > APPENDS:
            self.broken += 1
            if blank:
                self.cut(start, stop)
                return
            self.cut(start, start)
            copy_bytes(self.out, self.size, b"<wbr/>", 0, 6)
            self.size += 6
            self.nodes += 1
            lengths[place] = 0
            if self.modes[self.depth] == TEMPLATE:
                self.set_mode(BODY)
        lengths[place] += stop - start

    def foretell(self, start: int, stop: int) -> None:
        """Count how many bytes longer some text gets when it is serialised."""
        for i in range(start, stop):
            c = self.src[i]
            if c == ord("&") or c == 0xA0:
                self.growth += 4
            elif c in b"<>":
                self.growth += 3
            elif c in b'\0"':
                self.growth += 5

"""The parser's list of formatting elements, and how it mends misnesting (13.2.4.3, 13.2.6.4.7)."""

from __future__ import annotations

from tamis.page.kernel.stack import Stack
from tamis.page.kernel.traits import FOREIGN, FORMATS, FOSTERING, MASK, SCOPE, SEED, SPECIAL

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython


class Formatting(Stack):
    """Formatting elements: those that the parser opens again where others closed them.

    Of each are kept: its code, 0 for a marker, which keeps what follows apart from what there is;
    the place where it is open, 0 if it is not (`format_places`); where its tag stands; a hash of
    its attributes, 0 until it is asked for; and how many nodes a copy of it is worth.
    """

    def __init__(self, source: bytes, room: int) -> None:
        super().__init__(source, room)
        if not cython.compiled:  # in C they are there already
            self.format_codes = [0] * FORMATS
            self.format_tags = [0] * FORMATS
            self.format_signs = [0] * FORMATS
            self.format_sizes = [0] * FORMATS
        self.format_count = self.format_mark = self.nodes = 0

    def mark(self) -> None:
        """Keep the formatting that follows apart from what there is."""
        if self.format_count < FORMATS:
            self.format_codes[self.format_count] = 0
            self.format_count += 1
            self.format_mark = self.format_count

    def clear_to_mark(self) -> None:
        """Forget the formatting since the last mark, and the mark."""
        while self.format_count > self.format_mark:
            self.forget(self.format_count - 1)
        self.format_count = max(0, self.format_mark - 1)
        self.format_mark = self.format_count
        while self.format_mark and self.format_codes[self.format_mark - 1]:
            self.format_mark -= 1

    def remember(self, code: int, tag: int, size: int) -> None:
        """Note that the innermost element is a formatting element, whose tag stands at `tag`.

        Of more than three alike, the parser forgets the first (the "Noah's Ark clause").
        """
        i = self.format_count
        self.format_codes[i] = code
        self.format_places[i] = self.depth
        self.format_tags[i] = tag
        self.format_signs[i] = 0
        self.format_sizes[i] = size
        self.formats[self.depth] = i
        self.format_count += 1
        alike = 0
        for i in range(self.format_mark, self.format_count):
            if self.format_codes[i] == code:
                alike += 1
        if alike > 3:
            self.forget_like_last()

    def forget_like_last(self) -> None:
        """Forget the first of four formatting elements that are like the last."""
        last = self.format_count - 1
        alike = 0
        for i in range(last, self.format_mark - 1, -1):
            if self.format_codes[i] == self.format_codes[last] and self.sign(i) == self.sign(last):
                alike += 1
                if alike > 3:
                    self.forget(i)
                    return

    def sign(self, format: int) -> int:
        """Return a hash of the attributes of a formatting element, whatever their order."""
        if self.format_signs[format]:
            return self.format_signs[format]
        here = self.pos
        self.read_name(self.format_tags[format] + 1)
        self.pos = self.name_stop
        total = SEED
        while self.next_attribute():
            key = self.hash(SEED, self.name_start, self.name_stop)
            total = (total + self.hash(key, self.value_start, self.value_stop)) & MASK
        self.pos = here
        self.format_signs[format] = total
        return total

    def forget(self, format: int) -> None:
        """Take an element out of the list of formatting elements; it may stay open."""
        if self.format_places[format]:
            self.formats[self.format_places[format]] = -1
        self.format_count -= 1
        for i in range(format, self.format_count):
            self.shift(i + 1, i)
        if format < self.format_mark:
            self.format_mark -= 1

    def shift(self, source: int, target: int) -> None:
        """Move an element to another place in the list."""
        self.format_codes[target] = self.format_codes[source]
        self.format_tags[target] = self.format_tags[source]
        self.format_signs[target] = self.format_signs[source]
        self.format_sizes[target] = self.format_sizes[source]
        self.format_places[target] = self.format_places[source]
        if self.format_codes[target] and self.format_places[target]:
            self.formats[self.format_places[target]] = target

    def last_format(self, code: int) -> int:
        """Return the last formatting element of a code since the last mark, or -1."""
        for i in range(self.format_count - 1, self.format_mark - 1, -1):
            if self.format_codes[i] == code:
                return i
        return -1

    def reopen(self) -> None:
        """Open the formatting elements again that were closed by another's end."""
        first = self.format_count
        while first > self.format_mark and not self.format_places[first - 1]:
            first -= 1
        for i in range(first, self.format_count):
            code = self.format_codes[i]
            if not self.kinds[self.depth] & FOSTERING:
                self.runs[self.depth] = 0
            if self.push(code, self.keys[code], self.traits[code]):
                self.formats[self.depth] = i
                self.format_places[i] = self.depth
                self.nodes += self.format_sizes[i]

    def insert(self, place: int, code: int, format: int) -> None:
        """Open a formatting element in the midst of the others."""
        if self.depth + 1 >= self.room:
            return
        for i in range(self.depth, place - 1, -1):
            self.copy(i, i + 1)
        self.depth += 1
        self.codes[place] = code
        self.names[place] = self.keys[code]
        self.kinds[place] = self.traits[code]
        self.formats[place] = format
        self.format_places[format] = place
        self.runs[place] = self.fosters[place] = 0
        for i in range(place, self.depth + 1):
            self.inherit(i)

    def adopt(self, code: int) -> None:
        """Close a formatting element, as its end tag does (the "adoption agency algorithm")."""
        top = self.depth
        if self.codes[top] == code and self.formats[top] < 0 and not self.kinds[top] & FOREIGN:
            self.pop_to(top)
            return
        for _ in range(8):
            format = self.last_format(code)
            if format < 0:
                self.close_other(self.keys[code])
                return
            place = self.format_places[format]
            if not place:
                self.forget(format)
                return
            for i in range(self.depth, place, -1):
                if self.kinds[i] & SCOPE:
                    return
            block = place + 1
            while block <= self.depth and not self.kinds[block] & SPECIAL:
                block += 1
            if block > self.depth:
                self.pop_to(place)
                self.forget(format)
                return
            self.adopt_block(format, block)

    def adopt_block(self, format: int, block: int) -> None:
        """Move a block out of a formatting element that ends, and format it from inside.

        Between the two, other elements are closed but for the three formatting elements nearest
        to the block, which are cloned around it.
        """
        place = self.format_places[format]
        code = self.format_codes[format]
        tag = self.format_tags[format]
        size = self.format_sizes[format]
        bookmark = -1
        nearest = block - 3
        for i in range(block - 1, place, -1):
            inner = self.formats[i]
            if i < nearest and inner >= 0:
                self.forget(inner)
                if inner < format:
                    format -= 1
                if inner < bookmark:
                    bookmark -= 1
                inner = -1
            if inner < 0:
                self.remove(i)
                block -= 1
            else:
                self.nodes += self.format_sizes[inner]
                if bookmark < 0:
                    bookmark = inner + 1
        self.nodes += size
        self.remove(place)
        self.forget(format)
        if bookmark < 0:
            bookmark = format
        elif bookmark > format:
            bookmark -= 1
        self.enlist(bookmark, code, tag, size)
        self.insert(block, code, bookmark)

    def enlist(self, format: int, code: int, tag: int, size: int) -> None:
        """Put a formatting element into the list; there is room, since another has left it."""
        for i in range(self.format_count, format, -1):
            self.shift(i - 1, i)
        self.format_codes[format] = code
        self.format_tags[format] = tag
        self.format_signs[format] = 0
        self.format_sizes[format] = size
        self.format_places[format] = 0
        self.format_count += 1

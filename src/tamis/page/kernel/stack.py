"""The parser's stack of open elements, followed without building a tree (HTML standard, 13.2.4.2).

What is popped is gone; what is open is enough to know how deep the parser's tree gets.
"""

from __future__ import annotations

from tamis.page.kernel.lexer import Lexer
from tamis.page.kernel.traits import (
    BODY,
    BUTTON_SCOPE,
    FOREIGN,
    FORMATS,
    IMPLIED,
    MODE,
    ROOM,
    SCOPE,
    SPECIAL,
    parsing_traits,
)
from tamis.page.tags import CODE

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

P_TAG = CODE["p"]
TEMPLATE_TAG = CODE["template"]


class Stack(Lexer):
    """Open elements, places 1 to `depth`; place 0 stands for html and body.

    Of each are kept: its name (`codes`, and `names`, a hash, for names of no code), its traits
    (`kinds`), the insertion mode inside it and the place of the element that brought it (`modes`,
    `anchors`), the place of the paragraph that a block in it would close (`paragraphs`), its
    place in the list of formatting elements or -1 (`formats`), and how long the text is that
    further text would be appended to, in it (`runs`) or in front of it, if it is a table
    (`fosters`).
    """

    def __init__(self, source: bytes, room: int) -> None:
        super().__init__(source, parsing_traits())
        self.room = min(room, ROOM)
        self.depth = self.form = self.templates = 0
        if not cython.compiled:  # in C they are there already
            self.codes, self.kinds, self.modes, self.anchors = ([0] * ROOM for _ in range(4))
            self.paragraphs, self.formats, self.runs = ([0] * ROOM for _ in range(3))
            self.fosters, self.names = ([0] * ROOM for _ in range(2))
            self.format_places = [0] * FORMATS
        self.modes[0] = BODY
        self.formats[0] = -1
        self.kinds[0] = SPECIAL | SCOPE

    def push(self, code: int, key: int, kind: int) -> bool:
        """Open an element; False if there is no room left."""
        place = self.depth + 1
        if place >= self.room:
            return False
        self.depth = place
        self.codes[place] = code
        self.names[place] = key
        self.kinds[place] = kind
        self.formats[place] = -1
        self.runs[place] = self.fosters[place] = 0
        self.inherit(place)
        return True

    def inherit(self, place: int) -> None:
        """Work out what an element takes over from the one around it."""
        kind = self.kinds[place]
        if kind & MODE:
            self.modes[place] = kind & MODE
            self.anchors[place] = place
        else:
            self.modes[place] = self.modes[place - 1]
            self.anchors[place] = self.anchors[place - 1]
        if self.codes[place] == P_TAG:
            self.paragraphs[place] = place
        else:
            wall = kind & (SCOPE | BUTTON_SCOPE)
            self.paragraphs[place] = 0 if wall else self.paragraphs[place - 1]

    def pop_to(self, place: int) -> None:
        """Close all elements from the innermost one out to the one at a place."""
        while self.depth >= place:
            if self.formats[self.depth] >= 0:
                self.format_places[self.formats[self.depth]] = 0
            if self.form == self.depth:
                self.form = -1  # the parser still remembers the form, and refuses another
            if self.codes[self.depth] == TEMPLATE_TAG and not self.kinds[self.depth] & FOREIGN:
                self.templates -= 1
            self.depth -= 1

    def remove(self, place: int) -> None:
        """Close one element and leave those inside it open."""
        if self.formats[place] >= 0:
            self.format_places[self.formats[place]] = 0
        for i in range(place, self.depth):
            self.copy(i + 1, i)
        self.depth -= 1
        for i in range(place, self.depth + 1):
            self.inherit(i)

    def copy(self, source: int, target: int) -> None:
        """Move an element to another place."""
        self.codes[target] = self.codes[source]
        self.names[target] = self.names[source]
        self.kinds[target] = self.kinds[source]
        self.runs[target] = self.runs[source]
        self.fosters[target] = self.fosters[source]
        self.formats[target] = self.formats[source]
        if self.formats[target] >= 0:
            self.format_places[self.formats[target]] = target
        if self.form == source:
            self.form = target

    def find_open(self, code: int, walls: int) -> int:
        """Return the place of the innermost open element of a code, 0 if a wall comes first."""
        for place in range(self.depth, 0, -1):
            kind = self.kinds[place]
            if self.codes[place] == code and not kind & FOREIGN:
                return place
            if kind & walls:
                return 0
        return 0

    def imply_ends(self, but: int) -> None:
        """Close what needs no end tag of its own, but for elements of one code."""
        while self.kinds[self.depth] & IMPLIED and self.codes[self.depth] != but:
            self.pop_to(self.depth)

    def close_other(self, key: int) -> None:
        """Close the element of an end tag of no special meaning, within special elements."""
        for place in range(self.depth, 0, -1):
            kind = self.kinds[place]
            if self.names[place] == key and not kind & FOREIGN:
                self.pop_to(place)
                return
            if kind & SPECIAL:
                return

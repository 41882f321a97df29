# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""The two hot loops: `Guard` reads raw HTML before the parser, `Scanner` the parsed page after it.

Written in Cython's pure Python mode: compiled by the normal build, it runs without the GIL; where
there is no compiler the same file runs as plain Python, some hundred times slower.

Bytes are compared as numbers because that is what both modes understand; the names below say which.
"""

from __future__ import annotations

import functools

try:
    import cython
except ImportError:
    from tamis.page import uncompiled as cython

import numpy as np

from tamis.page import characters, tags

if cython.compiled:
    from cython.cimports.libc.string import memchr, memcpy

COMPILED: bool = cython.compiled

# Constants as C integers: the loops below run without the GIL and may touch no Python object.
MAX_OPEN = cython.declare(cython.int, 512)  # depth at which browsers stop nesting
MAX_ATTRIBUTES = cython.declare(cython.int, 256)  # the parser compares each with all before it
MAX_GHOSTS = cython.declare(cython.int, 16)  # formatting that the parser reopens in every block
MAX_STYLES = cython.declare(cython.int, 1024)
HASH_MASK = cython.declare(cython.longlong, 0xFFFFFFFF)

VOID = cython.declare(cython.int, tags.VOID)
RAW = cython.declare(cython.int, tags.RAW)
BREAK_SHIFT = cython.declare(cython.int, tags.BREAK_SHIFT)
BREAK_SPACE = cython.declare(cython.int, tags.BREAK_SPACE)
BREAK_CELL = cython.declare(cython.int, tags.BREAK_CELL)
BREAK_LINE = cython.declare(cython.int, tags.BREAK_LINE)
BREAK_PARAGRAPH = cython.declare(cython.int, tags.BREAK_PARAGRAPH)
FLAG_SHIFT = cython.declare(cython.int, tags.FLAG_SHIFT)
INVISIBLE = cython.declare(cython.int, tags.INVISIBLE)
HIDDEN = cython.declare(cython.int, tags.HIDDEN)
PREFORMATTED = cython.declare(cython.int, tags.PREFORMATTED)
FORMATTING = cython.declare(cython.int, tags.FORMATTING)
SPECIAL = cython.declare(cython.int, tags.SPECIAL)
SCOPE = cython.declare(cython.int, tags.SCOPE)
TABLE_SCOPE = cython.declare(cython.int, tags.TABLE_SCOPE)
CLOSES_P = cython.declare(cython.int, tags.CLOSES_P)
TABLE_PART = cython.declare(cython.int, tags.TABLE_PART)
ESCAPABLE = cython.declare(cython.int, tags.ESCAPABLE)
FOREIGN = cython.declare(cython.int, tags.FOREIGN)
SCRIPT = cython.declare(cython.int, tags.SCRIPT)
STYLE = cython.declare(cython.int, tags.STYLE)
LIST_ITEM = cython.declare(cython.int, tags.LIST_ITEM)
LIST = cython.declare(cython.int, tags.LIST)
IMPLIED = cython.declare(cython.int, tags.IMPLIED)

P_TAG = cython.declare(cython.int, tags.CODE["p"])
A_TAG = cython.declare(cython.int, tags.CODE["a"])
BR_TAG = cython.declare(cython.int, tags.CODE["br"])
TABLE_TAG = cython.declare(cython.int, tags.CODE["table"])
TD_TAG = cython.declare(cython.int, tags.CODE["td"])
TH_TAG = cython.declare(cython.int, tags.CODE["th"])
OPTION_TAG = cython.declare(cython.int, tags.CODE["option"])
BUTTON_TAG = cython.declare(cython.int, tags.CODE["button"])
TEMPLATE_TAG = cython.declare(cython.int, tags.CODE["template"])
DIALOG_TAG = cython.declare(cython.int, tags.CODE["dialog"])

WORD = cython.declare(cython.int, characters.WORD)
SPACE = cython.declare(cython.int, characters.SPACE)
PUNCTUATION = cython.declare(cython.int, characters.PUNCTUATION)
SINGLE = cython.declare(cython.int, characters.SINGLE)
IGNORED = cython.declare(cython.int, characters.IGNORED)
CLASSES_END = cython.declare(cython.int, characters.TABLE_SIZE)
IDEOGRAPHS_END = cython.declare(cython.int, characters.IDEOGRAPHS_END)


@functools.cache
def tag_slots() -> tuple[object, object, bytes, object]:
    """Return a hash table of the tag names (slot → code, code → place in the names) and traits."""
    slots = np.zeros(1024, dtype=np.uint8)
    places = np.zeros(257, dtype=np.int32)
    for code, name in enumerate(tags.TAGS):
        key = 0
        for char in name.encode():
            key = (key * 31 + char) & 0xFFFFFFFF
        slot = key & 1023
        while slots[slot]:
            slot = (slot + 1) & 1023
        if code > tags.OTHER:
            slots[slot] = code
        places[code + 1] = places[code] + len(name)
    return slots, places, "".join(tags.TAGS).encode(), tags.tag_traits()


@cython.cclass
class Lexer:
    """What both loops share: the bytes, a position, tag names and attributes."""

    source: object
    src: cython.p_const_uchar
    n: cython.Py_ssize_t
    pos: cython.Py_ssize_t
    slots: cython.uchar[::1]
    places: cython.int[::1]
    names: cython.p_const_uchar
    names_kept: object
    traits: cython.int[::1]
    # The attribute that next_attribute() found last.
    name_start: cython.Py_ssize_t
    name_stop: cython.Py_ssize_t
    value_start: cython.Py_ssize_t
    value_stop: cython.Py_ssize_t
    self_closing: cython.int

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.src = source
        self.n = len(source)
        self.pos = 0
        self.slots, self.places, self.names_kept, self.traits = tag_slots()
        self.names = self.names_kept

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def find(self, byte: cython.int, pos: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the position of the next such byte, or the end."""
        if cython.compiled:
            found: cython.p_const_uchar = cython.cast(
                cython.p_const_uchar, memchr(self.src + pos, byte, self.n - pos)
            )
            return self.n if found == cython.NULL else found - self.src
        while pos < self.n and self.src[pos] != byte:
            pos += 1
        return pos

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def lower(self, pos: cython.Py_ssize_t) -> cython.int:
        """Return the byte at a position in lower case, 0 beyond the end."""
        c: cython.int
        if pos >= self.n:
            return 0
        c = self.src[pos]
        return c + 32 if 65 <= c <= 90 else c

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def name_end(self, pos: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return where the tag name at `pos` ends: at a space, a slash or `>`."""
        c: cython.int
        while pos < self.n:
            c = self.src[pos]
            if c == 62 or c == 47 or c == 32 or 9 <= c <= 13:
                break
            pos += 1
        return pos

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def tag_code(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Return the code of the tag name between two positions, 1 if it is in no vocabulary."""
        key: cython.longlong = 0
        slot: cython.Py_ssize_t
        i: cython.Py_ssize_t
        code: cython.int
        place: cython.int
        if stop - start > 16:
            return 1
        for i in range(start, stop):
            key = (key * 31 + self.lower(i)) & HASH_MASK
        slot = key & 1023
        while self.slots[slot]:
            code = self.slots[slot]
            place = self.places[code]
            if self.places[code + 1] - place == stop - start:
                i = start
                while i < stop and self.lower(i) == self.names[place + i - start]:
                    i += 1
                if i == stop:
                    return code
            slot = (slot + 1) & 1023
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def next_attribute(self) -> cython.int:
        """Read one attribute of a start tag; 0 after the last, with `pos` behind the `>`."""
        c: cython.int = 0
        before: cython.int = 0
        while self.pos < self.n:  # spaces and stray slashes
            before = c
            c = self.src[self.pos]
            if c != 47 and c != 32 and not 9 <= c <= 13:
                break
            self.pos += 1
        if self.pos >= self.n:
            return 0
        if c == 62:
            self.self_closing = before == 47
            self.pos += 1
            return 0
        self.name_start = self.pos
        self.pos += 1  # the first byte belongs to the name, even if it is an equals sign
        while self.pos < self.n:
            c = self.src[self.pos]
            if c == 61 or c == 62 or c == 47 or c == 32 or 9 <= c <= 13:
                break
            self.pos += 1
        self.name_stop = self.value_start = self.value_stop = self.pos
        self.skip_spaces()
        if self.pos < self.n and self.src[self.pos] == 61:
            self.pos += 1
            self.skip_spaces()
            self.read_value()
        return 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def skip_spaces(self) -> cython.void:
        """Move to the next byte that is no space."""
        while self.pos < self.n and (self.src[self.pos] == 32 or 9 <= self.src[self.pos] <= 13):
            self.pos += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_value(self) -> cython.void:
        """Read an attribute's value, quoted or not, at the position after the equals sign."""
        c: cython.int
        if self.pos >= self.n:
            return
        c = self.src[self.pos]
        if c == 34 or c == 39:
            self.value_start = self.pos + 1
            self.value_stop = self.find(c, self.pos + 1)
            self.pos = min(self.value_stop + 1, self.n)
            return
        self.value_start = self.pos
        while self.pos < self.n:
            c = self.src[self.pos]
            if c == 62 or c == 32 or 9 <= c <= 13:
                break
            self.pos += 1
        self.value_stop = self.pos

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def is_word(
        self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t, word: cython.p_const_char
    ) -> cython.int:
        """Say whether the bytes between two positions are this lower-case word."""
        i: cython.Py_ssize_t
        for i in range(start, stop):
            if self.lower(i) != word[i - start]:
                return 0
        return 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def holds_word(
        self,
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        word: cython.p_const_char,
        length: cython.Py_ssize_t,
    ) -> cython.int:
        """Say whether this lower-case word stands between two positions; spaces are passed over."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for i in range(start, stop - length + 1):
            j = i
            k = 0
            while j < stop and k < length:
                if self.lower(j) == word[k]:
                    k += 1
                elif self.src[j] != 32 or k == 0:
                    break
                j += 1
            if k == length:
                return 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def ends_here(
        self, pos: cython.Py_ssize_t, start: cython.Py_ssize_t, stop: cython.Py_ssize_t
    ) -> cython.int:
        """Say whether the tag name of `start:stop` stands at `pos` and ends there."""
        i: cython.Py_ssize_t
        c: cython.int
        for i in range(stop - start):
            if self.lower(pos + i) != self.lower(start + i):
                return 0
        c = self.lower(pos + stop - start)
        return c == 0 or c == 62 or c == 47 or c == 32 or 9 <= c <= 13

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def raw_end(
        self,
        pos: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        code: cython.int,
    ) -> cython.Py_ssize_t:
        """Return where the raw text of the element named at `start:stop` ends.

        In a script, `<!--` followed by `<script` hides the next end tag (the "double escaped"
        state of the HTML standard, 13.2.5.27).
        """
        script: cython.int = self.traits[code] & SCRIPT
        escaped: cython.int = 0
        hidden: cython.int = 0
        while True:
            if escaped:
                while pos < self.n and self.src[pos] != 60 and self.src[pos] != 45:
                    pos += 1
            else:
                pos = self.find(60, pos)
            if pos >= self.n:
                return self.n
            if self.src[pos] == 45:
                if self.lower(pos + 1) == 45 and self.lower(pos + 2) == 62:
                    escaped = hidden = 0
            elif self.lower(pos + 1) == 47:
                if self.ends_here(pos + 2, start, stop):
                    if not hidden:
                        return pos
                    hidden = 0
            elif script and not escaped:
                if self.lower(pos + 1) == 33 and self.lower(pos + 2) == 45:
                    if self.lower(pos + 3) == 45:
                        escaped = 1
                        pos += 1  # so that `<!-->` closes at once, its dashes being shared
            elif escaped and self.ends_here(pos + 1, start, stop):
                hidden = 1
            pos += 1


@cython.cclass
class Guard(Lexer):
    """Raw HTML → HTML that the parser reads in linear time and without ballast.

    lexbor is quadratic in depth, in the attributes of one tag and in misnested formatting. One
    pass follows the open elements about as the HTML standard does and leaves out start tags (and
    their end tags) beyond `MAX_OPEN`, attributes beyond `MAX_ATTRIBUTES` and formatting tags
    beyond `MAX_GHOSTS`; all text stays. The bodies of scripts (but for JSON-LD) and style sheets,
    half of an average page, are left out as well: nobody reads them as text. The style sheets'
    places are kept for whoever looks for hiding rules.
    """

    out: cython.uchar[::1]
    out_kept: object
    size: cython.Py_ssize_t
    copied: cython.Py_ssize_t
    stack: cython.uchar[::1]
    depth: cython.int
    left_out: cython.int[::1]
    paragraphs: cython.int
    foreign: cython.int
    ghosts: cython.int
    nodes: cython.longlong
    styles: cython.longlong[::1]
    styles_kept: object
    style_count: cython.int
    deep: cython.longlong
    many: cython.longlong
    misnested: cython.longlong

    def __init__(self, source: bytes) -> None:
        Lexer.__init__(self, source)
        self.out_kept = np.empty(max(1, self.n), dtype=np.uint8)
        self.out = self.out_kept
        self.size = self.copied = 0
        self.stack = np.zeros(MAX_OPEN + 1, dtype=np.uint8)
        self.left_out = np.zeros(256, dtype=np.int32)
        self.depth = self.paragraphs = self.foreign = self.ghosts = self.style_count = 0
        self.styles_kept = np.zeros(2 * MAX_STYLES, dtype=np.int64)
        self.styles = self.styles_kept
        self.nodes = self.deep = self.many = self.misnested = 0

    def run(self) -> dict[str, object]:
        """Return the lightened HTML, an estimate of its nodes, the style sheets and the cuts."""
        with cython.nogil:
            self.read()
            if self.size or self.copied:
                self.cut(self.n, self.n)
        light = self.out_kept[: self.size].tobytes() if self.copied else self.source
        bounds = self.styles_kept[: 2 * self.style_count].tolist()
        return {
            "html": light,
            "nodes": self.nodes,
            "styles": [(bounds[i], bounds[i + 1]) for i in range(0, len(bounds), 2)],
            "deep": self.deep,
            "attributes": self.many,
            "formatting": self.misnested,
        }

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cut(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.void:
        """Leave out the bytes between two positions: copy what stands before, go on after."""
        i: cython.Py_ssize_t
        shift: cython.Py_ssize_t = self.size - self.copied
        if cython.compiled:
            if start > self.copied:
                memcpy(cython.address(self.out[self.size]), self.src + self.copied, start - self.copied)
        else:
            for i in range(self.copied, start):
                self.out[i + shift] = self.src[i]
        self.size += start - self.copied
        self.copied = stop

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read(self) -> cython.void:
        """Go through the whole input, token by token."""
        start: cython.Py_ssize_t
        c: cython.int
        while self.pos < self.n:
            start = self.find(60, self.pos)
            if start > self.pos:
                self.nodes += 1 + self.ghosts
            c = self.lower(start + 1)
            self.pos = start
            if 97 <= c <= 122:
                self.start_tag()
            elif c == 47 and 97 <= self.lower(start + 2) <= 122:
                self.end_tag()
            elif c == 47 or c == 63:
                self.pos = self.find(62, start) + 1
            elif c == 33:
                self.declaration()
            else:
                self.pos = start + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def declaration(self) -> cython.void:
        """Pass over a comment, a doctype or a CDATA section."""
        pos: cython.Py_ssize_t = self.pos + 2
        self.nodes += 1
        if self.lower(pos) == 45 and self.lower(pos + 1) == 45:
            pos += 2
            if self.lower(pos) == 45 and self.lower(pos + 1) == 62:
                pos += 1
            while pos < self.n:
                pos = self.find(62, pos)
                if pos >= self.n or pos < self.pos + 5:
                    break
                if self.src[pos - 1] == 45 and self.src[pos - 2] == 45:
                    break
                if self.src[pos - 1] == 33 and self.src[pos - 2] == 45 and self.src[pos - 3] == 45:
                    break
                pos += 1
        elif self.foreign and self.lower(pos) == 91:
            while pos < self.n and (self.src[pos] != 62 or self.src[pos - 1] != 93):
                pos += 1
        else:
            pos = self.find(62, pos)
        self.pos = min(pos + 1, self.n)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def attributes(self) -> cython.void:
        """Pass over the attributes of a tag; leave out those beyond the limit."""
        count: cython.int = 0
        surplus: cython.Py_ssize_t = -1
        self.self_closing = 0
        while self.next_attribute():
            count += 1
            if count == MAX_ATTRIBUTES + 1:
                surplus = self.name_start
        if surplus >= 0 and self.pos <= self.n and self.src[self.pos - 1] == 62:
            self.cut(surplus, self.pos - 1)
            self.many += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_tag(self) -> cython.void:
        """Read a start tag and what it does to the open elements."""
        start: cython.Py_ssize_t = self.pos
        name: cython.Py_ssize_t = self.name_end(start + 1)
        code: cython.int = self.tag_code(start + 1, name)
        traits: cython.int = self.traits[code]
        self.nodes += 1
        self.pos = name
        self.attributes()
        if traits & IMPLIED:
            return
        if self.foreign:
            if not self.self_closing and not traits & VOID:
                self.push(code, start)
            return
        if traits & (RAW | ESCAPABLE):
            self.raw_text(start, name, code)
            return
        self.close_implied(code, traits)
        if traits & VOID:
            return
        if traits & FORMATTING and self.ghosts >= MAX_GHOSTS:
            self.misnested += 1
            self.cut(start, self.pos)
            return
        self.push(code, start)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def raw_text(
        self, start: cython.Py_ssize_t, name: cython.Py_ssize_t, code: cython.int
    ) -> cython.void:
        """Pass over the text of an element without tags inside; leave out scripts and styles."""
        body: cython.Py_ssize_t = self.pos
        stop: cython.Py_ssize_t = self.raw_end(body, start + 1, name, code)
        traits: cython.int = self.traits[code]
        self.nodes += 1
        if traits & STYLE and self.style_count < MAX_STYLES:
            self.styles[2 * self.style_count] = body
            self.styles[2 * self.style_count + 1] = stop
            self.style_count += 1
        if traits & (SCRIPT | STYLE) and stop > body:
            if not self.holds_word(start, body, b"ld+json", 7):
                self.cut(body, stop)
        self.pos = stop
        if stop < self.n:
            self.pos = self.name_end(stop + 2)
            self.attributes()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def push(self, code: cython.int, start: cython.Py_ssize_t) -> cython.void:
        """Open an element, or leave its start tag out where the stack is full."""
        if self.depth >= MAX_OPEN:
            self.left_out[code] += 1
            self.deep += 1
            self.cut(start, self.pos)
            return
        self.stack[self.depth] = code
        self.depth += 1
        self.count_open(code, 1)

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def count_open(self, code: cython.int, change: cython.int) -> cython.void:
        """Keep the number of open paragraphs and of open SVG and MathML elements."""
        if code == P_TAG:
            self.paragraphs += change
        elif self.traits[code] & FOREIGN:
            self.foreign += change

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def pop_to(self, place: cython.int) -> cython.void:
        """Close the elements from the top of the stack down to a place."""
        code: cython.int
        while self.depth > place:
            self.depth -= 1
            code = self.stack[self.depth]
            self.count_open(code, -1)
            if self.traits[code] & FORMATTING and self.depth > place and self.ghosts < MAX_GHOSTS:
                self.ghosts += 1  # closed by another's end tag: the parser opens it again

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def open_place(self, code: cython.int, walls: cython.int) -> cython.int:
        """Return the place of the innermost open element of a code, or -1 behind a wall."""
        place: cython.int = self.depth - 1
        while place >= 0:
            if self.stack[place] == code:
                return place
            if self.traits[self.stack[place]] & walls:
                return -1
            place -= 1
        return -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def close_implied(self, code: cython.int, traits: cython.int) -> cython.void:
        """Close what a start tag closes: an open paragraph, list item, row, cell, heading, link."""
        place: cython.int
        top: cython.int
        if traits & CLOSES_P and self.paragraphs:
            place = self.open_place(P_TAG, SCOPE)
            if place >= 0:
                self.pop_to(place)
        if self.depth == 0:
            return
        top = self.stack[self.depth - 1]
        if traits & LIST_ITEM:
            place = self.open_place(code, SCOPE | LIST)
            if place >= 0:
                self.pop_to(place)
        elif traits & TABLE_PART and code != TABLE_TAG:
            place = self.open_place(code, TABLE_SCOPE)
            if place < 0 and (code == TD_TAG or code == TH_TAG):
                place = self.open_place(TD_TAG + TH_TAG - code, TABLE_SCOPE)
            if place >= 0:
                self.pop_to(place)
        elif top == code and (code == OPTION_TAG or code == BUTTON_TAG):
            self.pop_to(self.depth - 1)
        elif code == A_TAG:
            self.close_formatting(code)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_tag(self) -> cython.void:
        """Read an end tag and close what it closes."""
        start: cython.Py_ssize_t = self.pos
        name: cython.Py_ssize_t = self.name_end(start + 2)
        code: cython.int = self.tag_code(start + 2, name)
        traits: cython.int = self.traits[code]
        place: cython.int
        self.pos = name
        self.attributes()
        if self.left_out[code]:
            self.left_out[code] -= 1
            self.cut(start, self.pos)
        elif traits & FORMATTING and not self.foreign:
            self.close_formatting(code)
        else:
            if traits & TABLE_PART:
                place = self.open_place(code, TABLE_SCOPE)
            elif traits & SPECIAL:
                place = self.open_place(code, SCOPE)
            else:
                place = self.open_place(code, SPECIAL)
            if place >= 0:
                self.pop_to(place)
                if traits & SCOPE:
                    self.ghosts = 0  # formatting inside a cell ends with the cell

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def close_formatting(self, code: cython.int) -> cython.void:
        """Close a formatting element; blocks opened inside it stay open ("adoption agency")."""
        place: cython.int = self.open_place(code, SCOPE)
        i: cython.int
        blocks: cython.int = 0
        if place < 0:
            if self.ghosts:
                self.ghosts -= 1
            return
        for i in range(place + 1, self.depth):
            blocks += (self.traits[self.stack[i]] & SPECIAL) != 0
        if not blocks:
            self.pop_to(place)
            return
        for i in range(place, self.depth - 1):
            self.stack[i] = self.stack[i + 1]
        self.depth -= 1
        self.nodes += self.depth - place  # the parser clones what stands in between


@cython.cclass
class Scanner(Lexer):
    """The parsed page, serialised, → columns: one row an element or shown text node.

    The serialised page is perfectly nested, so one pass suffices. Text goes into one buffer, white
    space folded as a browser does (but for preformatted text), with a line break, a paragraph
    break or a tab between texts where block elements or cells stand between them: a slice of the
    buffer reads like the page. Text nodes that are white space only, or never shown, get no row.
    """

    classes: cython.p_const_uchar
    classes_kept: object
    columns: dict[str, object]
    tag: cython.uchar[::1]
    flags: cython.uchar[::1]
    depth: cython.int[::1]
    parent: cython.int[::1]
    end: cython.int[::1]
    start: cython.int[::1]
    head: cython.int[::1]
    stop: cython.int[::1]
    text_start: cython.int[::1]
    text_stop: cython.int[::1]
    class_start: cython.int[::1]
    class_stop: cython.int[::1]
    class_key: cython.uint[::1]
    id_start: cython.int[::1]
    id_stop: cython.int[::1]
    chars: cython.int[::1]
    terms: cython.int[::1]
    marks: cython.int[::1]
    rows: cython.int
    current: cython.int
    out: cython.uchar[::1]
    out_kept: object
    size: cython.Py_ssize_t
    written: cython.int
    pending: cython.int
    code: cython.int
    width: cython.int

    def __init__(self, source: bytes, classes: bytes) -> None:
        Lexer.__init__(self, source)
        self.classes_kept = classes
        self.classes = classes
        capacity = 2 * source.count(b"<") + 1
        self.columns = {}
        self.tag = self.column("tag", np.uint8, capacity)
        self.flags = self.column("flags", np.uint8, capacity)
        self.depth = self.column("depth", np.int32, capacity)
        self.parent = self.column("parent", np.int32, capacity)
        self.end = self.column("end", np.int32, capacity)
        self.start = self.column("start", np.int32, capacity)
        self.head = self.column("head", np.int32, capacity)
        self.stop = self.column("stop", np.int32, capacity)
        self.text_start = self.column("text_start", np.int32, capacity)
        self.text_stop = self.column("text_stop", np.int32, capacity)
        self.class_start = self.column("class_start", np.int32, capacity)
        self.class_stop = self.column("class_stop", np.int32, capacity)
        self.class_key = self.column("class_key", np.uint32, capacity)
        self.id_start = self.column("id_start", np.int32, capacity)
        self.id_stop = self.column("id_stop", np.int32, capacity)
        self.chars = self.column("chars", np.int32, capacity)
        self.terms = self.column("terms", np.int32, capacity)
        self.marks = self.column("marks", np.int32, capacity)
        # A separator of two bytes stands for a tag of at least three.
        self.out_kept = np.empty(self.n + 4, dtype=np.uint8)
        self.out = self.out_kept
        self.rows = self.written = self.pending = 0
        self.size = 0
        self.current = -1

    def column(self, name: str, dtype: object, capacity: int) -> object:
        """Return a new, still empty column."""
        self.columns[name] = np.empty(capacity, dtype=dtype)
        return self.columns[name]

    def run(self) -> tuple[dict[str, object], str]:
        """Return the columns and the text buffer."""
        with cython.nogil:
            self.read()
        rows = self.rows
        columns = {name: column[:rows].copy() for name, column in self.columns.items()}
        return columns, self.out_kept[: self.size].tobytes().decode("utf-8", "replace")

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read(self) -> cython.void:
        """Go through the whole source, token by token, and close what is open at its end."""
        c: cython.int
        while self.pos < self.n:
            if self.src[self.pos] != 60:
                self.text()
                continue
            c = self.lower(self.pos + 1)
            if c == 47:
                self.end_tag()
            elif c == 33:
                self.declaration()
            elif c == 63:
                self.pos = self.find(62, self.pos) + 1
            else:
                self.start_tag()
        self.pos = self.n
        while self.current >= 0:
            self.close(self.current)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def declaration(self) -> cython.void:
        """Pass over a comment or a doctype."""
        pos: cython.Py_ssize_t = self.pos + 4
        if self.lower(self.pos + 2) != 45:
            self.pos = self.find(62, self.pos) + 1
            return
        while pos < self.n:
            pos = self.find(62, pos)
            if self.src[pos - 1] == 45 and self.src[pos - 2] == 45:
                break
            pos += 1
        self.pos = pos + 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add_row(self, code: cython.int, flags: cython.int) -> cython.int:
        """Append a row below the current element and return its number."""
        row: cython.int = self.rows
        self.rows += 1
        self.tag[row] = code
        self.flags[row] = flags
        self.parent[row] = self.current
        self.depth[row] = self.depth[self.current] + 1 if self.current >= 0 else 0
        self.end[row] = row + 1
        self.start[row] = self.head[row] = self.stop[row] = self.pos
        self.text_start[row] = self.text_stop[row] = self.written
        self.class_start[row] = self.class_stop[row] = 0
        self.id_start[row] = self.id_stop[row] = 0
        self.class_key[row] = 0
        self.chars[row] = self.terms[row] = self.marks[row] = 0
        return row

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def separate(self, code: cython.int) -> cython.void:
        """Remember that this tag stands between two texts; two line breaks are a paragraph's."""
        level: cython.int = (self.traits[code] >> BREAK_SHIFT) & 7
        if code == BR_TAG and self.pending == BREAK_LINE:
            level = BREAK_PARAGRAPH
        if level > self.pending:
            self.pending = level

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def start_tag(self) -> cython.void:
        """Read a start tag into a row; pass over the text of raw elements."""
        name: cython.Py_ssize_t = self.name_end(self.pos + 1)
        begin: cython.Py_ssize_t = self.pos + 1
        code: cython.int = self.tag_code(begin, name)
        traits: cython.int = self.traits[code]
        flags: cython.int = (traits >> FLAG_SHIFT) & 255
        row: cython.int
        if self.current >= 0:
            flags |= self.flags[self.current]
        row = self.add_row(code, flags)
        self.separate(code)
        self.pos = name
        while self.next_attribute():
            self.attribute(row)
        self.head[row] = self.stop[row] = self.pos
        if traits & VOID:
            return
        self.current = row
        if traits & RAW:
            self.pos = self.raw_end(self.pos, begin, name, code)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def attribute(self, row: cython.int) -> cython.void:
        """Note what an attribute says about its row: class, id, whether it is hidden."""
        a: cython.Py_ssize_t = self.name_start
        b: cython.Py_ssize_t = self.name_stop
        size: cython.Py_ssize_t = b - a
        if size == 5 and self.is_word(a, b, b"class"):
            self.class_start[row] = self.value_start
            self.class_stop[row] = self.value_stop
            self.class_key[row] = self.value_key()
        elif size == 2 and self.is_word(a, b, b"id"):
            self.id_start[row] = self.value_start
            self.id_stop[row] = self.value_stop
        elif size == 5 and self.is_word(a, b, b"style"):
            if self.value_holds(b"display:none", 12) or self.value_holds(b"visibility:hidden", 17):
                self.flags[row] |= HIDDEN
        elif (size == 6 and self.is_word(a, b, b"hidden")) or (
            size == 11 and self.is_word(a, b, b"aria-hidden") and self.value_holds(b"true", 4)
        ):
            self.flags[row] |= HIDDEN
        elif size == 4 and self.tag[row] == DIALOG_TAG and self.is_word(a, b, b"open"):
            self.flags[row] = self.flags[self.parent[row]]
        elif size == 14 and self.tag[row] == TEMPLATE_TAG and self.is_word(a, b, b"shadowrootmode"):
            self.flags[row] = self.flags[self.parent[row]]  # a declarative shadow root is shown

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def value_holds(self, word: cython.p_const_char, length: cython.Py_ssize_t) -> cython.int:
        """Say whether the attribute read last holds a word."""
        return self.holds_word(self.value_start, self.value_stop, word, length)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def value_key(self) -> cython.uint:
        """Return a hash of the attribute's value that is never 0."""
        key: cython.longlong = 17
        i: cython.Py_ssize_t
        for i in range(self.value_start, self.value_stop):
            key = (key * 16777619 + self.src[i]) & HASH_MASK
        return key | 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def end_tag(self) -> cython.void:
        """Close the element that an end tag names; one that closes nothing is passed over."""
        name: cython.Py_ssize_t = self.pos + 2
        row: cython.int = self.current
        code: cython.int
        self.pos = self.name_end(name) + 1
        if row >= 0 and self.ends_here(self.start[row] + 1, name, self.pos - 1):
            self.close(row)
            return
        code = self.tag_code(name, self.pos - 1)
        while row >= 0 and self.tag[row] != code:
            row = self.parent[row]
        if row < 0:
            return
        while self.current > row:
            self.close(self.current)
        self.close(row)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def close(self, row: cython.int) -> cython.void:
        """End an element's row at this position."""
        self.end[row] = self.rows
        self.stop[row] = self.pos
        self.text_stop[row] = self.written
        self.separate(self.tag[row])
        self.current = self.parent[row]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def text(self) -> cython.void:
        """Read a text node: its row, its text, and its counts."""
        begin: cython.Py_ssize_t = self.pos
        flags: cython.int = self.flags[self.current] if self.current >= 0 else 0
        row: cython.int = -1
        kind: cython.int
        in_word: cython.int = 0
        if flags & INVISIBLE:
            self.pos = self.find(60, self.pos)
            return
        while self.pos < self.n and self.src[self.pos] != 60:
            self.code = self.src[self.pos]
            self.width = 1
            if self.code < 128 and self.code != 38:
                kind = self.classes[self.code]
            else:
                kind = self.read_character()
            if kind & SPACE:
                in_word = 0
                self.space(flags & PREFORMATTED)
            elif not kind & IGNORED:
                if row < 0:
                    self.write_pending()
                    row = self.add_row(0, flags)
                    self.start[row] = begin
                elif self.pending:
                    self.write_pending()
                if kind & WORD:
                    self.terms[row] += 1 if kind & SINGLE or not in_word else 0
                    in_word = not kind & SINGLE
                else:
                    in_word = 0
                    self.marks[row] += (kind & PUNCTUATION) != 0
                self.chars[row] += self.write_characters()
                self.text_stop[row] = self.written
            self.pos += self.width
        if row >= 0:
            self.stop[row] = self.head[row] = self.pos

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_character(self) -> cython.int:
        """Read a reference or a character of several bytes; return its class."""
        c: cython.int = self.code
        p: cython.Py_ssize_t = self.pos
        if c == 38:
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
        if self.code >= CLASSES_END:
            return WORD | SINGLE if self.code < IDEOGRAPHS_END else 0
        return self.classes[self.code]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def read_entity(self) -> cython.void:
        """Read one of the four references that serialised text may hold."""
        p: cython.Py_ssize_t = self.pos
        if self.lower(p + 1) == 97 and self.lower(p + 4) == 59:
            self.width = 5  # &amp;
        elif self.lower(p + 1) == 108 and self.lower(p + 3) == 59:
            self.code = 60
            self.width = 4  # &lt;
        elif self.lower(p + 1) == 103 and self.lower(p + 3) == 59:
            self.code = 62
            self.width = 4  # &gt;
        elif self.lower(p + 1) == 110 and self.lower(p + 5) == 59:
            self.code = 160
            self.width = 6  # &nbsp;

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def space(self, preformatted: cython.int) -> cython.void:
        """Fold white space into one pending space, or write it as it is."""
        if not preformatted:
            self.pending = max(self.pending, BREAK_SPACE)
            return
        self.write_pending()
        self.write_byte(self.code if self.code == 9 or self.code == 10 else 32)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def write_pending(self) -> cython.void:
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

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def write_byte(self, byte: cython.int) -> cython.void:
        """Write one ASCII character to the text buffer."""
        self.out[self.size] = byte
        self.size += 1
        self.written += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def write_characters(self) -> cython.int:
        """Write the character read last, and the rest of its word if that is ASCII; count them."""
        out: cython.uchar[::1] = self.out
        pos: cython.Py_ssize_t = self.pos
        size: cython.Py_ssize_t = self.size
        count: cython.int = 1
        i: cython.int
        if self.code < 128:
            out[size] = self.code
            size += 1
            if self.width == 1 and self.classes[self.code] == WORD:
                pos += 1
                while pos < self.n and self.classes[self.src[pos]] == WORD and self.src[pos] < 128:
                    out[size] = self.src[pos]
                    size += 1
                    pos += 1
                count = pos - self.pos
                self.width = count
        else:
            for i in range(self.width):
                out[size] = self.src[pos + i]
                size += 1
        self.size = size
        self.written += count
        return count

"""Raw HTML → HTML that the parser reads in linear time and without ballast."""

from __future__ import annotations

from typing import NamedTuple

from tamis.page.kernel.cutter import Cutter
from tamis.page.kernel.traits import (
    BODY,
    BREAKOUT,
    CELL,
    COLUMNS,
    FOREIGN,
    FORMATS,
    FORMATTING,
    FOSTERING,
    FRAMESET,
    PRUNED,
    RAW,
    ROOM,
    STYLES,
    TEMPLATE,
    VOID,
)
from tamis.page.tags import CODE, OTHER

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

BODY_TAG = CODE["body"]
COLGROUP_TAG = CODE["colgroup"]
FONT_TAG = CODE["font"]
HEAD_TAG = CODE["head"]
HTML_TAG = CODE["html"]
IFRAME_TAG = CODE["iframe"]
NOSCRIPT_TAG = CODE["noscript"]
PLAINTEXT_TAG = CODE["plaintext"]
SCRIPT_TAG = CODE["script"]
STYLE_TAG = CODE["style"]
TEXTAREA_TAG = CODE["textarea"]

NEARBY = 2000  # bytes in which an iframe of a noscript is to be closed
SPARE = 16  # places for elements that the parser opens by itself


class Guarded(NamedTuple):
    """What the guard hands on: lighter HTML, and what it saw and left out."""

    html: bytes
    nodes: int  # at least as many as the parser will make, attributes included
    growth: int  # bytes that references add when a large page is serialised
    styles: list[tuple[int, int]]  # places of style sheets in the input
    deep: int  # elements beyond the depth limit
    crowded: int  # tags with too many attributes
    formatting: int  # formatting elements beyond the limit
    strange: int  # tags and attributes of ever new names
    broken: int  # texts that were broken in two


class Guard(Cutter):
    """Follows the parser's rules through the input and leaves out what would overwhelm it.

    lexbor takes quadratic time in the depth, in the attributes of a tag, in the formatting that
    misnesting makes it open again, in the number of different unknown names, and in text that it
    appends to text elsewhere in the tree. The limits leave all ordinary pages as they are. Where
    they are passed, start tags are left out together with their end tags, attributes are left
    out, and text is broken by `<wbr/>`; all text stays. The bodies of scripts (but for JSON-LD)
    and style sheets, half of an average page, are left out always, and so are the outlines of
    drawings (`<path d="…">`): nobody reads them as text.
    """

    def __init__(
        self,
        source: bytes,
        max_open: int = 512,
        max_attributes: int = 256,
        max_formatting: int = 64,
        max_names: int = 2048,
    ) -> None:
        self.max_formatting = min(max_formatting, ROOM // 4)
        self.max_open = min(max_open, ROOM - self.max_formatting - SPARE)
        super().__init__(
            source, self.max_open + self.max_formatting + SPARE, max_attributes, max_names
        )
        if not cython.compiled:  # in C they are there already
            self.left_out = [0] * 256
            self.styles = [0] * (2 * STYLES)
        self.leaving_out = self.begun = False
        self.style_count = self.root_attributes = self.deep = self.misnested = 0
        self.nodes = 8  # html, head, body and the spaces around them

    def run(self) -> Guarded:
        """Read the input and return what the parser is to read."""
        with cython.nogil:
            self.read()
            if self.copied:
                self.cut(self.n, self.n)
        html = self.light[: self.size].tobytes() if self.copied else self.source
        styles = [(self.styles[2 * i], self.styles[2 * i + 1]) for i in range(self.style_count)]
        cuts = (self.deep, self.crowded, self.misnested, self.strange, self.broken)
        return Guarded(html, self.nodes, self.growth, styles, *cuts)

    def read(self) -> None:
        """Go through the whole input, token by token."""
        while self.pos < self.n:
            start = self.next_markup(self.pos)
            if start > self.pos:
                self.text(self.pos, start)
            self.pos = start
            if start >= self.n:
                return
            c = self.src[start + 1]
            if c in b"!?":
                self.declaration()
            elif c != ord("/"):
                self.start_tag()
            elif start + 2 < self.n and 97 <= self.src[start + 2] | 32 <= 122:
                self.end_tag()
            else:
                self.declaration()

    def next_markup(self, pos: int) -> int:
        """Return where the next tag, comment or declaration begins, or the end."""
        while True:
            pos = self.find(ord("<"), pos)
            if pos + 1 >= self.n:
                return self.n
            c = self.src[pos + 1]
            if 97 <= c | 32 <= 122 or c in b"/!?":
                return pos
            pos += 1

    def declaration(self) -> None:
        """Pass over a comment, a doctype, a CDATA section or what is read as a comment."""
        start = self.pos
        pos = start + 2
        if self.is_word(start, min(start + 4, self.n), b"<!--", 4):
            self.pos = self.comment_end(pos + 2)
        elif self.kinds[self.depth] & FOREIGN and self.is_word(
            start, min(start + 9, self.n), b"<![cdata[", 9
        ):
            self.pos = self.section_end(start + 9)
            self.text(start, self.pos)
            return
        else:
            self.pos = min(self.find(ord(">"), pos) + 1, self.n)
            if not self.begun:
                self.doctype(pos, self.pos - 1)
        self.nodes += 1
        if not self.after and (self.depth or self.body):
            self.runs[self.depth] = 0

    def comment_end(self, start: int) -> int:
        """Return where the comment ends whose text begins at a position."""
        pos = start
        if pos < self.n and self.src[pos] == ord(">"):
            return pos + 1
        while pos < self.n:
            pos = self.find(ord(">"), pos)
            if pos >= self.n:
                break
            if self.is_word(pos - 2, pos, b"--", 2):
                return pos + 1
            if pos - 3 >= start and self.is_word(pos - 3, pos, b"--!", 3):
                return pos + 1
            pos += 1
        return self.n

    def section_end(self, pos: int) -> int:
        """Return where the CDATA section ends whose text begins at a position."""
        start = pos
        while pos < self.n:
            pos = self.find(ord(">"), pos)
            if pos - 2 >= start and pos < self.n and self.is_word(pos - 2, pos, b"]]", 2):
                return pos + 1
            pos += 1
        return self.n

    def doctype(self, pos: int, stop: int) -> None:
        """See whether a doctype is the short one of today, which puts a parser on its best."""
        if self.is_word(pos, min(pos + 7, self.n), b"doctype", 7):
            pos += 7
            while pos < stop and self.src[pos] in b" \n\t\f\r":
                pos += 1
            self.standards = self.is_word(pos, stop, b"html", 4)

    def start_tag(self) -> None:
        """Read a start tag and what it does to the open elements."""
        start, size, copied = self.pos, self.size, self.copied
        code = self.read_name(start + 1)
        key, name = self.key, self.name_stop
        kind = self.traits[code]
        self.pos = name
        count = self.attributes(code)
        if self.is_too_much(code, key, kind):
            self.cut_tag(size, copied, start)
            return
        if code == IFRAME_TAG and self.codes[self.depth] == NOSCRIPT_TAG and self.swallows(name):
            self.cut_tag(size, copied, start)
            return
        self.nodes += 1 + count + (self.depth >> 8)  # deep down everything takes longer
        if not self.in_html(code):
            if not (kind & BREAKOUT or (code == FONT_TAG and self.marked)):
                self.open_foreign(code, key, self.kinds[self.depth] & FOREIGN)
                return
            self.break_out()
        self.after = False
        self.begun = True
        if code in (HTML_TAG, HEAD_TAG, BODY_TAG):
            self.root_attributes += count
            if count and self.root_attributes > self.max_attributes:
                self.crowded += 1
                self.cut_again(size, copied, name, self.pos - 1)
            self.open_root(code)
            return
        worth = 2 * (1 + count) + (self.pos - start) // 32
        if self.open_html(code, key, kind, start, worth) and kind & RAW:
            self.raw_text(start, name, code, kind)

    def open_root(self, code: int) -> None:
        """Follow a start tag of html, head or body, of which there is one each."""
        if self.modes[self.depth] == TEMPLATE:
            self.set_mode(BODY)
        elif code == BODY_TAG and not self.templates:
            self.open_body()
            self.frames = False

    def is_too_much(self, code: int, key: int, kind: int) -> bool:
        """Say whether a start tag is to be left out; its end tag is then left out as well."""
        if code == OTHER and not self.is_known(key):
            self.strange += 1
            return True
        html = self.in_html(code)
        listed = self.format_count - self.format_mark
        if (
            html
            and kind & FORMATTING
            and (listed >= self.max_formatting or self.format_count >= FORMATS - SPARE)
        ):
            self.misnested += 1
        elif (
            self.depth < self.max_open
            or (html and kind & (VOID | RAW))
            or (not html and self.self_closing)
        ):
            return False
        else:
            self.deep += 1
        self.left_out[code] += 1
        self.leaving_out = True
        return True

    def swallows(self, name: int) -> bool:
        """Say whether an iframe, whose name ends at `name`, is not closed in its noscript.

        To a browser that runs scripts a noscript ends at its end tag whatever is in it; by the
        rules for one that does not, such an iframe would take the rest of the page as its text.
        """
        pos = self.pos
        stop = min(self.n - 10, pos + NEARBY)
        while pos < stop:
            if self.src[pos] == ord("<") and self.src[pos + 1] == ord("/"):
                if self.is_name(pos + 2, name - 6, name):
                    return False
                if self.is_word(pos + 2, pos + 10, b"noscript", 8):
                    return True
            pos += 1
        return False

    def raw_text(self, start: int, name: int, code: int, kind: int) -> None:
        """Pass over the text of an element without tags inside; leave out scripts and styles."""
        body = self.pos
        stop = self.n
        if code != PLAINTEXT_TAG:
            stop = self.raw_end(body, start + 1, name, code == SCRIPT_TAG)
        self.nodes += 1
        if code == STYLE_TAG and self.style_count < STYLES:
            self.styles[2 * self.style_count] = body
            self.styles[2 * self.style_count + 1] = stop
            self.style_count += 1
        elif code in (PLAINTEXT_TAG, TEXTAREA_TAG):
            depth = self.depth
            self.reopen()  # by the standard for the one, by the parser's mistake for the other
            self.pop_to(depth + 1)
        if kind & PRUNED and not self.holds_word(start, body, b"ld+json", 7):
            if stop > body:
                self.cut(body, stop)
        elif self.large:
            self.foretell(body, stop)
        self.pos = stop
        if stop < self.n:
            self.read_name(stop + 2)
            self.pos = self.name_stop
            self.attributes(code)

    def end_tag(self) -> None:
        """Read an end tag and what it closes."""
        start, size, copied = self.pos, self.size, self.copied
        code = self.read_name(start + 2)
        key = self.key
        self.pos = self.name_stop
        self.attributes(code)
        if code == OTHER and not self.is_known(key):
            self.strange += 1
            self.cut_tag(size, copied, start)
            return
        if self.leaving_out and self.left_out[code]:
            self.left_out[code] -= 1
            self.cut_tag(size, copied, start)
            return
        depth = self.depth
        self.close_tag(code, key, self.traits[code])
        if self.depth == depth:
            self.nodes += 1 + (depth >> 8)  # it may have done nothing, but that is work
        if self.leaving_out and self.depth < self.max_open // 2:
            self.leaving_out = False
            for i in range(256):
                self.left_out[i] = 0

    def text(self, start: int, stop: int) -> None:
        """Follow a run of text: where the parser puts it and what it opens before."""
        self.nodes += 1
        if self.large:
            self.foretell(start, stop)
        if (
            self.modes[self.depth] in (BODY, CELL)
            and not self.kinds[self.depth] & FOREIGN
            and self.body
            and not self.frames
            and not self.after
        ):
            self.reopen()
            self.append(self.runs, self.depth, start, stop, False)
        else:
            self.odd_text(start, stop)

    def odd_text(self, start: int, stop: int) -> None:
        """Follow a run of text where it matters whether it is blank, or in foreign content."""
        blank = self.is_blank(start, stop)
        if not self.in_html(0):
            self.frames = self.frames and blank
            self.append(self.runs, self.depth, start, stop, False)
            return
        if not blank:
            self.open_body()
            self.after = False
            self.begun = True
        elif not self.body and not self.templates:
            self.append(self.runs, self.depth, start, stop, True)
            return
        mode = self.modes[self.depth]
        if mode == FRAMESET:
            return
        if mode == COLUMNS and not blank:
            if self.codes[self.depth] != COLGROUP_TAG:
                return
            self.pop_to(self.depth)
        if blank and (mode == COLUMNS or self.kinds[self.depth] & FOSTERING):
            self.append(self.runs, self.depth, start, stop, True)
            return
        self.frames = self.frames and blank
        self.reopen()
        if self.kinds[self.depth] & FOSTERING:
            self.append(self.fosters, self.foster_place(), start, stop, False)
        else:
            self.append(self.runs, self.depth, start, stop, False)

    def is_blank(self, start: int, stop: int) -> bool:
        """Say whether the text between two positions is white space (or nothing, after all)."""
        pos = start
        while pos < stop:
            c = self.src[pos]
            if c == ord("&"):
                pos = self.space_end(pos + 1, stop)
                if pos < 0:
                    return False
            elif c in b" \n\t\f\r\0":
                pos += 1
            else:
                return False
        return True

    def space_end(self, pos: int, stop: int) -> int:
        """Return where a numeric reference to a space ends, -1 if none stands at a position."""
        base = 10
        value = 0
        if pos + 1 >= stop or self.src[pos] != ord("#"):
            return -1
        pos += 1
        if self.src[pos] | 32 == ord("x"):
            base = 16
            pos += 1
        while pos < stop and value < 256:
            c = self.src[pos] | 32
            if ord("0") <= c <= ord("9"):
                value = value * base + c - ord("0")
            elif base == 16 and ord("a") <= c <= ord("f"):
                value = value * base + c - ord("a") + 10
            else:
                break
            pos += 1
        if pos < stop and self.src[pos] == ord(";"):
            pos += 1
        return pos if value in b" \n\t\f\r" else -1

"""What tags do to the open elements (HTML standard, 13.2.6.4.7 and 13.2.6.5).

Left out is what changes neither the depth nor, but for a few, the number of nodes: the modes
before the body, and where exactly a node goes.
"""

from __future__ import annotations

from tamis.page.kernel.tables import Tables
from tamis.page.kernel.traits import (
    BLOCK_END,
    BODY,
    CAPTION,
    CELL,
    CLOSES_P,
    COLUMNS,
    ENDS_FRAMES,
    FOREIGN,
    FORMATTING,
    FOSTERING,
    FRAMESET,
    HEAD,
    HEADING,
    HTML_POINT,
    IMPLIED,
    LIST_SCOPE,
    MARKER,
    MATH,
    MATH_POINT,
    ODD,
    RAW,
    REOPENS,
    SCOPE,
    SPECIAL,
    SVG,
    TABLE_PART,
    TABLE_SCOPE,
    TEMPLATE,
    VOID,
)
from tamis.page.tags import CODE

A_TAG = CODE["a"]
ADDRESS_TAG = CODE["address"]
ANNOTATION_TAG = CODE["annotation-xml"]
BODY_TAG = CODE["body"]
BR_TAG = CODE["br"]
BUTTON_TAG = CODE["button"]
COLGROUP_TAG = CODE["colgroup"]
DD_TAG = CODE["dd"]
DIV_TAG = CODE["div"]
DT_TAG = CODE["dt"]
FORM_TAG = CODE["form"]
FRAMESET_TAG = CODE["frameset"]
HR_TAG = CODE["hr"]
HTML_TAG = CODE["html"]
INPUT_TAG = CODE["input"]
LI_TAG = CODE["li"]
MALIGNMARK_TAG = CODE["malignmark"]
MGLYPH_TAG = CODE["mglyph"]
NOBR_TAG = CODE["nobr"]
OPTGROUP_TAG = CODE["optgroup"]
OPTION_TAG = CODE["option"]
P_TAG = CODE["p"]
RB_TAG = CODE["rb"]
RTC_TAG = CODE["rtc"]
RUBY_TAG = CODE["ruby"]
SELECT_TAG = CODE["select"]
SVG_TAG = CODE["svg"]
TABLE_TAG = CODE["table"]
TEMPLATE_TAG = CODE["template"]


class Rules(Tables):
    """Start and end tags, one method a rule.

    `frames` says that a frameset may still come, `standards` that a table closes a paragraph,
    `after` that the end of the body was seen; `marked` is what the rules ask of a tag's
    attributes.
    """

    def __init__(self, source: bytes, room: int) -> None:
        super().__init__(source, room)
        self.standards = self.after = self.marked = False
        self.frames = True

    def in_html(self, code: int) -> bool:
        """Say whether a start tag, or text for code 0, is read by the rules of HTML here."""
        kind = self.kinds[self.depth]
        if not kind & FOREIGN or kind & HTML_POINT:
            return True
        if kind & MATH_POINT:
            return code not in (MGLYPH_TAG, MALIGNMARK_TAG)
        return code == SVG_TAG and kind & MATH != 0 and self.codes[self.depth] == ANNOTATION_TAG

    def open_foreign(self, code: int, key: int, language: int) -> None:
        """Open an element of SVG or MathML."""
        kind = language
        traits = self.traits[code]
        if language == SVG and traits & HTML_POINT:
            kind |= HTML_POINT | SPECIAL | SCOPE
        elif language == MATH and traits & MATH_POINT:
            kind |= MATH_POINT | SPECIAL | SCOPE
        elif language == MATH and code == ANNOTATION_TAG:
            kind |= SPECIAL | SCOPE | (HTML_POINT if self.marked else 0)
        self.separate(code, 0)
        if not self.self_closing:
            self.push(code, key, kind)

    def break_out(self) -> None:
        """Close SVG and MathML up to where HTML may stand."""
        while self.kinds[self.depth] & FOREIGN:
            if self.kinds[self.depth] & (HTML_POINT | MATH_POINT):
                return
            self.pop_to(self.depth)

    def open_body(self) -> None:
        """Open the body, which ends what stands in the head."""
        if not self.body and not self.templates:
            self.pop_to(1)
            self.body = True

    def open_html(self, code: int, key: int, kind: int, tag: int, size: int) -> bool:
        """Open the element of a start tag; False if the tag is to be ignored."""
        if not kind & HEAD:
            self.open_body()
        mode = self.modes[self.depth]
        plain = mode in (BODY, CELL, CAPTION) and not kind & TABLE_PART
        if not plain and not self.fit_table(code, kind):
            return False
        if kind & ODD and not self.open_odd(code, kind):
            return False
        if kind & CLOSES_P and (self.standards or code != TABLE_TAG):
            self.close_to(self.paragraphs[self.depth], kind)
        if kind & HEADING and self.kinds[self.depth] & HEADING:
            self.pop_to(self.depth)
        if kind & ENDS_FRAMES and not (code == INPUT_TAG and self.marked):
            self.frames = False
        if kind & REOPENS:
            self.reopen()
        if kind & FOREIGN:
            self.open_foreign(code, key, kind & FOREIGN)
            return True
        self.separate(code, kind)
        if not kind & (VOID | RAW) and self.push(code, key, kind):
            self.opened(code, kind, tag, size)
        return True

    def opened(self, code: int, kind: int, tag: int, size: int) -> None:
        """Note what is to be remembered of an element that was just opened."""
        if kind & FORMATTING:
            self.remember(code, tag, size)
        elif kind & MARKER:
            self.mark()
        if code == TEMPLATE_TAG:
            self.templates += 1
        elif code == FORM_TAG and not self.templates:
            self.form = self.depth
            if self.kinds[self.depth - 1] & FOSTERING:
                self.pop_to(self.depth)  # in a table a form stays empty

    def open_odd(self, code: int, kind: int) -> bool:
        """Do what comes before an element of a rule of its own; False if its tag is ignored."""
        if code == A_TAG:
            self.close_link()
        elif kind & IMPLIED:
            self.open_implied(code)
        elif code == BUTTON_TAG:
            self.close_to(self.find_open(BUTTON_TAG, SCOPE), 0)
        elif code == NOBR_TAG:
            self.reopen()
            if self.find_open(NOBR_TAG, SCOPE):
                self.adopt(NOBR_TAG)
        elif code == FORM_TAG:
            return not self.form or self.templates != 0
        elif code == FRAMESET_TAG:
            return self.open_frameset()
        elif code == HR_TAG:
            self.close_to(self.paragraphs[self.depth], 0)
            if self.find_open(SELECT_TAG, SCOPE):
                self.imply_ends(0)
        else:  # input, select: one closes a select, and a second select does nothing else
            place = self.find_open(SELECT_TAG, SCOPE)
            self.close_to(place, 0)
            return not place or code == INPUT_TAG
        return True

    def open_implied(self, code: int) -> None:
        """Close what a list item, an option or a part of a ruby closes."""
        if code in (LI_TAG, DD_TAG, DT_TAG):
            self.close_item(code)
        elif code in (OPTION_TAG, OPTGROUP_TAG):
            if self.find_open(SELECT_TAG, SCOPE):
                self.imply_ends(OPTGROUP_TAG if code == OPTION_TAG else 0)
            elif self.codes[self.depth] == OPTION_TAG:
                self.pop_to(self.depth)
        elif self.find_open(RUBY_TAG, SCOPE):
            self.imply_ends(0 if code in (RB_TAG, RTC_TAG) else RTC_TAG)

    def close_item(self, code: int) -> None:
        """Close the item of the same list, which may hold divisions and paragraphs only."""
        for place in range(self.depth, 0, -1):
            other = self.codes[place]
            kind = self.kinds[place]
            if not kind & FOREIGN and (
                other == code or (code != LI_TAG and other in (DD_TAG, DT_TAG))
            ):
                self.pop_to(place)
                return
            if kind & SPECIAL and other not in (ADDRESS_TAG, DIV_TAG, P_TAG):
                return

    def open_frameset(self) -> bool:
        """Open a frameset, in place of the body if there is nothing in it yet."""
        if self.modes[self.depth] == FRAMESET:
            return True
        if self.templates or (self.body and not self.frames):
            return False
        self.pop_to(1)
        self.body = True
        self.modes[0] = FRAMESET
        return True

    def close_link(self) -> None:
        """Close an open link, for a link cannot stand in a link."""
        format = self.last_format(A_TAG)
        if format < 0:
            return
        place = self.format_places[format]
        self.adopt(A_TAG)
        if place and self.last_format(A_TAG) == format and self.format_places[format] == place:
            self.remove(place)  # it stood outside of what an end tag reaches
            self.forget(format)

    def close_tag(self, code: int, key: int, kind: int) -> None:
        """Close what an end tag closes."""
        if self.kinds[self.depth] & FOREIGN:
            if code in (BR_TAG, P_TAG):
                self.break_out()
            place = self.depth
            while self.kinds[place] & FOREIGN:
                if self.names[place] == key:
                    self.pop_to(place)
                    return
                place -= 1
        mode = self.modes[self.depth]
        if mode == FRAMESET:
            if code == FRAMESET_TAG and self.depth:
                self.pop_to(self.depth)
        elif code == TEMPLATE_TAG:
            if self.templates:
                self.pop_to(self.find_open(TEMPLATE_TAG, 0))
                self.clear_to_mark()
        elif mode != TEMPLATE:
            if mode == COLUMNS and not kind & TABLE_PART:
                if self.codes[self.depth] != COLGROUP_TAG:
                    return
                self.pop_to(self.depth)
            self.close_html(code, key, kind)

    def close_html(self, code: int, key: int, kind: int) -> None:
        """Close what an end tag closes by the rules of HTML."""
        if kind & FORMATTING:
            self.adopt(code)
        elif code in (P_TAG, BR_TAG):
            self.close_or_add(code)
        elif kind & TABLE_PART or code == TABLE_TAG:
            mode = self.modes[self.depth]
            self.close_to(
                self.find_open(code, TABLE_SCOPE), MARKER if mode in (CELL, CAPTION) else 0
            )
        elif kind & HEADING:
            self.close_heading()
        elif code == FORM_TAG:
            self.close_form()
        elif code == LI_TAG:
            self.close_to(self.find_open(code, SCOPE | LIST_SCOPE), kind)
        elif kind & BLOCK_END or code in (DD_TAG, DT_TAG):
            self.close_to(self.find_open(code, SCOPE), kind)
        elif code in (BODY_TAG, HTML_TAG):
            self.after = True
        else:
            self.close_other(key)

    def close_to(self, place: int, kind: int) -> None:
        """Close the element at a place, if it is one, and all inside it."""
        if place:
            self.pop_to(place)
            if kind & MARKER:
                self.clear_to_mark()

    def close_or_add(self, code: int) -> None:
        """Close a paragraph; where none is open the end tag makes an empty one, or a line break."""
        if code == P_TAG and self.paragraphs[self.depth]:
            self.pop_to(self.paragraphs[self.depth])
        elif self.body or self.templates or code == BR_TAG:
            self.open_body()
            if code == BR_TAG:
                self.frames = False
                self.reopen()
            self.separate(code, 0)
            self.nodes += 1

    def close_heading(self) -> None:
        """Close the innermost heading, of whatever level."""
        for place in range(self.depth, 0, -1):
            if self.kinds[place] & HEADING:
                self.pop_to(place)
                return
            if self.kinds[place] & SCOPE:
                return

    def close_form(self) -> None:
        """Close the form and leave open what was opened in it."""
        if self.templates:
            self.close_to(self.find_open(FORM_TAG, SCOPE), 0)
            return
        place = self.form
        self.form = 0
        if place > 0 and self.find_open(FORM_TAG, SCOPE) == place:
            self.imply_ends(0)
            self.remove(place)

"""Tables: what opens and closes around their parts, and where misplaced content goes.

HTML standard, 13.2.6.4.9 to 13.2.6.4.18, with templates, which may hold parts of tables.
"""

from __future__ import annotations

from tamis.page.kernel.formatting import Formatting
from tamis.page.kernel.traits import (
    BODY,
    CAPTION,
    CELL,
    COLUMNS,
    FOSTERING,
    FRAMESET,
    HEAD,
    MODE,
    PRUNED,
    ROW,
    TABLE,
    TABLE_BODY,
    TABLE_PART,
    TABLE_SCOPE,
    TEMPLATE,
)
from tamis.page.tags import CODE

COLGROUP_TAG = CODE["colgroup"]
FORM_TAG = CODE["form"]
FRAME_TAG = CODE["frame"]
FRAMESET_TAG = CODE["frameset"]
INPUT_TAG = CODE["input"]
NOFRAMES_TAG = CODE["noframes"]
NOSCRIPT_TAG = CODE["noscript"]
TABLE_TAG = CODE["table"]
TBODY_TAG = CODE["tbody"]
TEMPLATE_TAG = CODE["template"]
TR_TAG = CODE["tr"]


class Tables(Formatting):
    """The insertion modes of tables, templates and framesets.

    `body` says that the body is open: before that, nothing is known of where text goes.
    """

    def __init__(self, source: bytes, room: int) -> None:
        super().__init__(source, room)
        self.body = False

    def fit_table(self, code: int, kind: int) -> bool:
        """Make room in a table, a template or a frameset; False if a tag is out of place there."""
        mode = self.modes[self.depth]
        if mode == FRAMESET:
            return code in (FRAMESET_TAG, FRAME_TAG, NOFRAMES_TAG)
        if kind & TABLE_PART:
            return self.fit_part(kind & MODE)
        if mode == TEMPLATE:
            if not kind & HEAD or code in (NOSCRIPT_TAG, FRAMESET_TAG):
                self.set_mode(BODY)
        elif mode == COLUMNS:
            if code == TEMPLATE_TAG:
                return True
            if self.codes[self.depth] != COLGROUP_TAG:
                return False
            self.pop_to(self.depth)
            return self.fit_table(code, kind)
        elif code == TABLE_TAG:
            place = self.find_open(TABLE_TAG, TABLE_SCOPE)
            if place:
                self.pop_to(place)
            return place != 0
        elif code == FORM_TAG:
            return not self.form and not self.templates
        return True

    def fit_part(self, inside: int) -> bool:
        """Open and close parts of a table so that another part fits in; False if none can.

        The part is known by the mode inside it, which is 0 for `col`.
        """
        while True:
            mode = self.modes[self.depth]
            anchor = self.anchors[self.depth]
            if mode in (BODY, FRAMESET):
                return False
            if mode == TEMPLATE:
                self.set_mode(template_mode(inside))
            elif mode in (CELL, CAPTION):
                self.pop_to(anchor)
                self.clear_to_mark()
            elif mode == COLUMNS:
                if not inside:
                    return True
                if self.codes[self.depth] != COLGROUP_TAG:
                    return False
                self.pop_to(self.depth)
            elif self.codes[anchor] == TEMPLATE_TAG and not fits_template(mode, inside):
                return False
            else:
                self.pop_to(anchor + 1)
                if fits(mode, inside):
                    return True
                if mode == TABLE:
                    self.imply(TBODY_TAG if inside else COLGROUP_TAG)
                elif mode == TABLE_BODY and inside == CELL:
                    self.imply(TR_TAG)
                else:
                    self.pop_to(anchor)

    def set_mode(self, mode: int) -> None:
        """Settle what a template holds by the first tag in it."""
        place = self.anchors[self.depth]
        self.kinds[place] = self.kinds[place] & ~MODE | mode
        for i in range(place, self.depth + 1):
            self.inherit(i)

    def imply(self, code: int) -> None:
        """Open an element whose tag goes without saying."""
        self.nodes += 1
        self.runs[self.depth] = 0
        self.push(code, self.keys[code], self.traits[code])

    def separate(self, code: int, kind: int) -> None:
        """Note that a node comes between the texts before and after it."""
        if not self.kinds[self.depth] & FOSTERING or kind & (TABLE_PART | PRUNED):
            if self.body or self.depth:
                self.runs[self.depth] = 0
        elif code not in (INPUT_TAG, FORM_TAG, TEMPLATE_TAG):  # these stay in the table, or may
            self.fosters[self.foster_place()] = 0

    def foster_place(self) -> int:
        """Return the place of the table in front of which content goes that fits nowhere in it."""
        place = self.depth
        while place and self.codes[place] not in (TABLE_TAG, TEMPLATE_TAG):
            place -= 1
        return place


def fits(mode: int, inside: int) -> bool:
    """Say whether a part stands directly in a table, a table body or a row."""
    if mode == TABLE:
        return inside not in (0, CELL, ROW)
    return inside == (ROW if mode == TABLE_BODY else CELL)


def fits_template(mode: int, inside: int) -> bool:
    """Say whether a part can stand in a template that began with a part of a table."""
    return mode == TABLE or inside == CELL or (mode == TABLE_BODY and inside == ROW)


def template_mode(inside: int) -> int:
    """Return the mode of a template that begins with a part of a table."""
    if inside == CELL:
        return ROW
    if inside == ROW:
        return TABLE_BODY
    return TABLE if inside else COLUMNS

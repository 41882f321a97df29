"""What the kernel knows of each tag name, packed into one integer a tag.

`PARSING` says how the HTML standard's tree construction treats a name (for the guard), `READING`
how a reader sees it (for the scanner). Names are found by their hash, in lower case.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import tags

SEED: Final = 14695981039346656037  # FNV-1a, 64 bits
PRIME: Final = 1099511628211
MASK: Final = 0xFFFFFFFFFFFFFFFF
SLOTS: Final = 1024

# Sizes of arrays, which the .pxd files repeat.
ROOM: Final = 640  # open elements
FORMATS: Final = 1024  # formatting elements, and markers between them
STYLES: Final = 1024  # style sheets whose places are kept
NAMES: Final = 4096  # slots for unknown names

# The insertion modes that matter (HTML standard, 13.2.6.4). A mode belongs to an open element and
# holds for what stands in it, up to the next element that has its own.
MODE: Final = 15
BODY: Final = 1
TABLE: Final = 2
TABLE_BODY: Final = 3
ROW: Final = 4
COLUMNS: Final = 5
CELL: Final = 6
CAPTION: Final = 7
TEMPLATE: Final = 8
FRAMESET: Final = 9

VOID: Final = 1 << 4
RAW: Final = 1 << 5  # its content is text up to its own end tag
SPECIAL: Final = 1 << 6  # an end tag of no special meaning does not reach beyond it
SCOPE: Final = 1 << 7  # no end tag reaches beyond it
LIST_SCOPE: Final = 1 << 8
BUTTON_SCOPE: Final = 1 << 9
TABLE_SCOPE: Final = 1 << 10
CLOSES_P: Final = 1 << 11
HEADING: Final = 1 << 12
FORMATTING: Final = 1 << 13  # opened again after misnesting (13.2.4.3)
REOPENS: Final = 1 << 14  # its start tag opens lost formatting again
IMPLIED: Final = 1 << 15  # its end may go without saying (13.2.6.3)
TABLE_PART: Final = 1 << 16  # means something in tables only
FOSTERING: Final = 1 << 17  # content in it goes in front of the table instead
MARKER: Final = 1 << 18  # formatting inside stays inside
HEAD: Final = 1 << 19  # does not open the body
ENDS_FRAMES: Final = 1 << 20  # no frameset may come after it
BREAKOUT: Final = 1 << 21  # ends SVG and MathML
HTML_POINT: Final = 1 << 22  # holds HTML inside SVG
MATH_POINT: Final = 1 << 23  # holds HTML inside MathML
BLOCK_END: Final = 1 << 24  # its end tag closes all down to it, if it is in scope
ODD: Final = 1 << 25  # its start tag has a rule of its own
SVG: Final = 1 << 26
MATH: Final = 1 << 27
FOREIGN: Final = SVG | MATH
PRUNED: Final = 1 << 28  # nobody reads its text: script, style

_HEADINGS: Final = "h1 h2 h3 h4 h5 h6 "
_BLOCKS: Final = (
    "address article aside blockquote center details dir div dl fieldset figcaption figure footer "
    "header hgroup listing main menu nav ol pre search section summary ul "
)
_FORMATTING: Final = "a b big code em font i nobr s small strike strong tt u "
_TABLE_PARTS: Final = "caption col colgroup tbody td tfoot th thead tr "
_VOID: Final = (
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source "
    "track wbr "
)
_HEAD: Final = "base basefont bgsound link meta noframes script style template title head "
_RAW: Final = "script style xmp iframe noembed noframes plaintext "

PARSING: Final[dict[int, str]] = {
    TABLE: "table",
    TABLE_BODY: "tbody tfoot thead",
    ROW: "tr",
    COLUMNS: "colgroup",
    CELL: "td th",
    CAPTION: "caption",
    TEMPLATE: "template",
    FRAMESET: "frameset",
    VOID: _VOID + "image",
    RAW: _RAW + "title textarea",
    SPECIAL: _BLOCKS + _HEADINGS + _TABLE_PARTS + _HEAD + _VOID + _RAW + "applet body button dd dt "
    "form frameset html li marquee noscript object p select table textarea",
    SCOPE: "applet caption html table td th marquee object select template",
    LIST_SCOPE: "ol ul",
    BUTTON_SCOPE: "button",
    TABLE_SCOPE: "html table template",
    CLOSES_P: _BLOCKS + _HEADINGS + "dialog p form table hr xmp plaintext li dd dt",
    HEADING: _HEADINGS,
    FORMATTING: _FORMATTING,
    IMPLIED: "dd dt li optgroup option p rb rp rt rtc",
    TABLE_PART: _TABLE_PARTS,
    FOSTERING: "table tbody tfoot thead tr",
    MARKER: "applet marquee object template td th caption",
    HEAD: _HEAD + "noscript html frameset",
    ENDS_FRAMES: "body pre listing li dd dt button applet marquee object table area br embed img "
    "image keygen wbr input hr textarea xmp iframe select template",
    BREAKOUT: _HEADINGS
    + "b big blockquote body br center code dd div dl dt em embed head hr i img "
    "li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var",
    HTML_POINT: "foreignObject desc title",
    MATH_POINT: "mi mn mo ms mtext",
    BLOCK_END: _BLOCKS + "dialog button applet marquee object select",
    ODD: "a button dd dt form frameset hr input li nobr optgroup option rb rp rt rtc select",
    SVG: "svg",
    MATH: "math",
    PRUNED: "script style",
}
# Every start tag but these opens lost formatting again.
_KEEPS_LOST: Final = (
    _BLOCKS + _HEADINGS + _TABLE_PARTS + _HEAD + "html body frame frameset table dialog p form li "
    "dd dt plaintext hr textarea iframe noembed rb rp rt rtc param source track"
)

# How a reader sees a tag: how strongly it separates text, and the row flags of its subtree.
BREAK: Final = 7
BREAK_SPACE: Final = 1
BREAK_CELL: Final = 2
BREAK_LINE: Final = 3
BREAK_PARAGRAPH: Final = 4
FLAGS: Final = 255  # at FLAGS_SHIFT; VOID and RAW are as above
FLAGS_SHIFT: Final = 8

READING: Final[dict[int, str]] = {
    VOID: _VOID,
    RAW: _RAW,
    BREAK_SPACE: "#other img input select button textarea iframe svg video audio object canvas "
    "picture slot math label rt rp rb rtc foreignObject mi mn mo ms mtext mglyph malignmark",
    BREAK_CELL: "td th",
    BREAK_LINE: "div li tr dt br legend option optgroup caption summary html body center thead "
    "tbody tfoot figcaption address",
    BREAK_PARAGRAPH: _HEADINGS + "p ul ol dl dd menu dir pre listing xmp plaintext blockquote "
    "figure details dialog table form fieldset hr section article aside nav header footer main "
    "hgroup search marquee frameset",
    tags.INVISIBLE << FLAGS_SHIFT: "head title style script template noframes noembed iframe video "
    "audio canvas datalist desc annotation annotation-xml rp selectedcontent object applet",
    tags.NOSCRIPT << FLAGS_SHIFT: "noscript",
    tags.HIDDEN << FLAGS_SHIFT: "dialog",
    tags.LINK << FLAGS_SHIFT: "a",
    tags.PREFORMATTED << FLAGS_SHIFT: "pre textarea listing xmp plaintext",
    tags.SVG << FLAGS_SHIFT: "svg",
    tags.MATH << FLAGS_SHIFT: "math",
}


@functools.cache
def parsing_traits() -> bytes:
    """Return the traits of every tag code for the guard, as C integers."""
    traits = packed(PARSING) | REOPENS
    traits[[tags.CODE[name] for name in _KEEPS_LOST.split()]] &= ~REOPENS
    return traits.tobytes()


@functools.cache
def reading_traits() -> bytes:
    """Return the traits of every tag code for the scanner, as C integers."""
    return packed(READING).tobytes()


def packed(groups: dict[int, str]) -> NDArray[np.intc]:
    """Return, for every tag code, the bits of all groups that name it."""
    traits = np.zeros(256, dtype=np.intc)
    for bits, names in groups.items():
        traits[[tags.CODE[name] for name in names.split()]] |= bits
    return traits


@functools.cache
def name_slots() -> tuple[bytes, bytes]:
    """Return a hash table of the tag names: slot → code, and code → hash (64 bits each)."""
    slots = bytearray(SLOTS)
    keys = np.zeros(256, dtype=np.uint64)
    for code, name in enumerate(tags.TAGS[tags.OTHER + 1 :], tags.OTHER + 1):
        key = SEED
        for char in name.lower().encode():
            key = (key ^ char) * PRIME & MASK
        keys[code] = key
        slot = key % SLOTS
        while slots[slot]:
            slot = (slot + 1) % SLOTS
        slots[slot] = code
    return bytes(slots), keys.tobytes()

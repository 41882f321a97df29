"""The tag vocabulary: one small integer per HTML element name, and what each name implies.

Codes index `TAGS`; code 0 is a text node, code 1 any element that is not in the vocabulary
(custom elements, the inside of SVG). Groups of tags are boolean tables indexed by code, so that
`IS_LIST[page.tag]` is a column.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

TEXT: Final = 0
OTHER: Final = 1

_NAMES = """
html head body title base link meta style script noscript template slot
section article aside nav header footer main hgroup search address h1 h2 h3 h4 h5 h6
p div span a b i u s em strong small big font tt strike center nobr sub sup mark q cite dfn abbr
code kbd samp var time data ruby rt rp bdi bdo ins del acronym blink wbr br hr
ul ol li dl dt dd menu dir pre listing xmp plaintext blockquote figure figcaption details summary dialog
table caption colgroup col thead tbody tfoot tr td th
form fieldset legend label input button select optgroup option textarea datalist output progress
meter keygen selectedcontent
img picture source svg math video audio track object param embed canvas applet map area iframe
frame frameset noframes noembed marquee bgsound basefont desc annotation annotation-xml image
""".split()

TAGS: Final[tuple[str, ...]] = ("#text", "#other", *_NAMES)
CODE: Final[dict[str, int]] = {name: code for code, name in enumerate(TAGS)}


def tag_table(names: Iterable[str]) -> NDArray[np.bool_]:
    """Return the boolean table, indexed by tag code, of a set of tag names."""
    table = np.zeros(256, dtype=np.bool_)
    table[[CODE[name] for name in names]] = True
    table.setflags(write=False)
    return table


# The groups of 004 §3.1 and §5.1, brought up to the HTML standard of today.
HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
TEXT_LEVEL: Final = tuple(
    "b i u s em strong small big font tt strike center nobr sub sup mark q cite dfn abbr code kbd "
    "samp var time data ruby rt rp bdi bdo ins del acronym blink span br wbr".split()
)
LISTS: Final = ("ul", "ol", "li", "dl", "dt", "dd", "menu", "dir")
TABLES: Final = tuple("table caption colgroup col thead tbody tfoot tr td th".split())
OBJECTS: Final = tuple("img picture svg video audio object embed canvas applet".split())
FRAMES: Final = ("iframe", "frame", "frameset")
FORMS: Final = tuple(
    "form fieldset legend label input button select optgroup option textarea datalist output "
    "progress meter keygen".split()
)
CONTROLS: Final = ("input", "button", "select", "textarea")

# What the kernel needs to know of a tag, packed into one integer a tag ------------------------

VOID: Final = 1
RAW: Final = 2  # its content is serialised without escapes and ends at its own end tag
BREAK_SHIFT: Final = 2  # two bits and one: how strongly the tag separates text
BREAK_SPACE: Final = 1
BREAK_CELL: Final = 2
BREAK_LINE: Final = 3
BREAK_PARAGRAPH: Final = 4
FLAG_SHIFT: Final = 8  # eight bits: the flags that the whole subtree of the tag gets
FORMATTING: Final = 1 << 16  # reopened after misnesting (HTML standard, 13.2.4.3)
SPECIAL: Final = 1 << 17
SCOPE: Final = 1 << 18  # an end tag does not reach beyond it
CLOSES_P: Final = 1 << 19
TABLE_PART: Final = 1 << 20
ESCAPABLE: Final = 1 << 21  # RCDATA: no tags inside
FOREIGN: Final = 1 << 22
SCRIPT: Final = 1 << 23
STYLE: Final = 1 << 24
LIST_ITEM: Final = 1 << 25  # closes an open sibling of its kind: li, dd, dt
LIST: Final = 1 << 26
IMPLIED: Final = 1 << 27  # html, head, body: never nested
TABLE_SCOPE: Final = 1 << 28  # the wall of table parts

# Flags of a row, inherited from its ancestors.
INVISIBLE: Final = 1  # never shown: script, title, template, fallback of video, …
NOSCRIPT: Final = 2
HIDDEN: Final = 4  # shown only after a script says so: hidden, display:none, aria-hidden
LINK: Final = 8
PREFORMATTED: Final = 16

_TRAITS: Final[dict[int, str]] = {
    VOID: "area base br col embed hr img input link meta source track wbr basefont bgsound frame "
    "keygen param",
    RAW: "script style xmp iframe noembed noframes plaintext",
    BREAK_SPACE << BREAK_SHIFT: "#other img input select button textarea iframe svg video audio "
    "object canvas picture slot math label rt rp",
    BREAK_CELL << BREAK_SHIFT: "td th",
    BREAK_LINE << BREAK_SHIFT: "div li tr dt br legend option optgroup caption summary "
    "html body center thead tbody tfoot figcaption address",
    BREAK_PARAGRAPH << BREAK_SHIFT: "p h1 h2 h3 h4 h5 h6 ul ol dl dd menu dir pre listing xmp "
    "plaintext blockquote figure details dialog table form fieldset hr section article aside nav "
    "header footer main hgroup search marquee frameset",
    INVISIBLE << FLAG_SHIFT: "head title style script template noframes noembed iframe video audio "
    "canvas datalist desc annotation annotation-xml rp selectedcontent object applet",
    NOSCRIPT << FLAG_SHIFT: "noscript",
    HIDDEN << FLAG_SHIFT: "dialog",
    LINK << FLAG_SHIFT: "a",
    PREFORMATTED << FLAG_SHIFT: "pre textarea listing xmp plaintext",
    FORMATTING: "a b big code em font i nobr s small strike strong tt u",
    SPECIAL: "address applet area article aside base basefont bgsound blockquote body br button "
    "caption center col colgroup dd details dir div dl dt embed fieldset figcaption figure footer "
    "form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input keygen li "
    "link listing main marquee menu meta nav noembed noframes noscript object ol optgroup option p "
    "param plaintext pre script search section select source style summary table tbody td template "
    "textarea tfoot th thead title tr track ul wbr xmp",
    SCOPE: "applet caption html table td th marquee object template",
    CLOSES_P: "address article aside blockquote center details dialog dir div dl fieldset "
    "figcaption figure footer header hgroup main menu nav ol p search section summary ul h1 h2 h3 "
    "h4 h5 h6 pre listing form table hr xmp plaintext li dd dt",
    TABLE_PART: "table caption colgroup thead tbody tfoot tr td th",
    ESCAPABLE: "title textarea",
    FOREIGN: "svg math",
    SCRIPT: "script",
    STYLE: "style",
    LIST_ITEM: "li dd dt",
    LIST: "ul ol dl menu dir",
    IMPLIED: "html head body frameset",
    TABLE_SCOPE: "html table template",
}


def tag_traits() -> NDArray[np.int32]:
    """Return the packed traits of every tag code, as the kernel reads them."""
    traits = np.zeros(256, dtype=np.int32)
    for bits, names in _TRAITS.items():
        traits[[CODE[name] for name in names.split()]] |= bits
    return traits

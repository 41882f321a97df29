"""The tag vocabulary: one small integer per HTML element name, and what each name implies.

Codes index `TAGS`; code 0 is a text node, code 1 any element that is not in the vocabulary
(custom elements, the inside of SVG). `tag_table` makes a boolean table indexed by code of a group
of tags, so that `tag_table(LISTS)[page.tag]` is a column.
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
code kbd samp var time data ruby rt rp rb rtc bdi bdo ins del acronym blink wbr br hr
ul ol li dl dt dd menu dir pre listing xmp plaintext blockquote
figure figcaption details summary dialog
table caption colgroup col thead tbody tfoot tr td th
form fieldset legend label input button select optgroup option textarea datalist output progress
meter keygen selectedcontent
img picture source svg math video audio track object param embed canvas applet map area iframe
frame frameset noframes noembed marquee bgsound basefont desc annotation annotation-xml image
foreignObject mi mn mo ms mtext mglyph malignmark
""".split()

TAGS: Final[tuple[str, ...]] = ("#text", "#other", *_NAMES)
CODE: Final[dict[str, int]] = {name: code for code, name in enumerate(TAGS)}
FOREIGN_OBJECT: Final = CODE["foreignObject"]


def tag_table(names: Iterable[str]) -> NDArray[np.bool_]:
    """Return the boolean table, indexed by tag code, of a set of tag names."""
    table = np.zeros(256, dtype=np.bool_)
    table[[CODE[name] for name in names]] = True
    table.setflags(write=False)
    return table


# Groups of tags after Debnath et al. 2005 §3.1 and §5.1, extended to today's HTML standard.
HTML5_SECTIONS: Final = tuple(
    "nav header footer main article section aside figure figcaption".split()
)
HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
TEXT_LEVEL: Final = tuple(
    "b i u s em strong small big font tt strike center nobr sub sup mark q cite dfn abbr code kbd "
    "samp var time data ruby rt rp rb rtc bdi bdo ins del acronym blink span br wbr".split()
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

# Flags of a row, inherited from its ancestors.
INVISIBLE: Final = 1  # never shown: script, title, template, fallback of video, …
NOSCRIPT: Final = 2
HIDDEN: Final = 4  # not shown until a script shows it: hidden, display:none, aria-hidden
LINK: Final = 8
PREFORMATTED: Final = 16
SVG: Final = 32  # in SVG and MathML no element is void or raw text because of its name
MATH: Final = 64

"""Where a block stands: in which elements, how far from headings and landmarks."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, tags
from tamis.verdict.evidence.frame import Frame, Matrix, Numbers
from tamis.verdict.evidence.own import levels
from tamis.verdict.kernel.measures import measure_distances, measure_kinship, measure_order

AROUND: Final = (
    ("nav",),
    ("header",),
    ("footer",),
    ("aside",),
    ("main",),
    ("article",),
    ("form", "fieldset"),
    ("table",),
    ("ul", "ol", "menu"),
    ("li",),
    ("section",),
    ("figure",),
    ("dl",),
    ("blockquote",),
    ("details",),
    ("a",),
    ("button", "select", "label"),
    ("td", "th"),
    ("dialog",),
)
LANDMARKS: Final = 6  # the first of AROUND: distances to them count
FAR: Final = 300
NAMES: Final = (
    *"place from_end text_before long_before long_after".split(),
    *(f"in_{group[0]}_element" for group in AROUND),
    *(f"after_{group[0]}" for group in AROUND[:LANDMARKS]),
    *"after_heading after_long".split(),
    *(f"before_{group[0]}" for group in AROUND[:LANDMARKS]),
    *"before_heading before_long".split(),
    *"after_h1 heading_level next_level".split(),
    *"with_h1 with_h1_share with_longest with_longest_share".split(),
)


def places(frame: Frame, around: NDArray[np.int32], columns: Matrix) -> None:
    """Write where the blocks stand; `around` are the numbers of elements around them."""
    columns[5 : 5 + len(AROUND)] = np.minimum(around, 5)
    marked = np.empty((LANDMARKS + 2, len(frame)), dtype=np.uint8)
    marked[:LANDMARKS] = around[:LANDMARKS] > 0
    marked[-2], marked[-1] = frame.heading, frame.long > 0
    at, last = 5 + len(AROUND), 5 + len(AROUND) + len(marked)
    measure_distances(marked, FAR, columns[at:last], columns[last : last + len(marked)])
    measure_order(frame.totals, levels(frame.tag), columns[last - 2], columns[:5], columns[-7:-4])
    page, longest = frame.page, int(np.argmax(frame.long))
    h1 = np.flatnonzero(frame.tag == tags.CODE["h1"])
    if len(h1):
        measure_kinship(page.parent, page.end, frame.anchor, int(h1[0]), columns[-4:-2])
    else:
        columns[-4:-2] = -1.0
    measure_kinship(page.parent, page.end, frame.anchor, longest, columns[-2:])


def element_groups(page: Page) -> Numbers:
    """Return, for each row, the group of `AROUND` that its element is in, as a bit."""
    return _GROUP[page.tag]


_GROUP = np.zeros(256, dtype=np.int64)
for _place, _names in enumerate(AROUND):
    _GROUP[[tags.CODE[_name] for _name in _names]] = 1 << _place

"""Where a block stands: in which elements, how far from headings and landmarks."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from tamis.page import tags
from tamis.verdict.evidence.frame import Frame, Matrix, Numbers
from tamis.verdict.evidence.own import level_table
from tamis.verdict.kernel.measures import (
    longest_text,
    measure_distances,
    measure_kinship,
    measure_order,
)

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
    *(f"in_{group[0]}_element" for group in AROUND),
    *"place from_end text_before long_before long_after".split(),
    *(f"after_{group[0]}" for group in AROUND[:LANDMARKS]),
    *"after_heading after_long".split(),
    *(f"before_{group[0]}" for group in AROUND[:LANDMARKS]),
    *"before_heading before_long".split(),
    *"after_h1 heading_level next_level".split(),
    *"with_h1 with_h1_share with_longest with_longest_share".split(),
)


def places(frame: Frame, columns: Matrix) -> None:
    """Write where the blocks stand; the first rows, the elements around them, are there already."""
    page, room = frame.page, np.empty(len(frame), dtype=np.uint8)
    order, after, before, levels, kinship = (columns[part] for part in _PARTS)
    measure_distances(columns, frame.totals, room, FAR, after, before)
    h1 = measure_order(frame.totals, frame.tag, level_table(), after[-2], order, levels)
    if h1 >= 0:
        measure_kinship(page.parent, page.end, frame.anchor, h1, kinship[:2])
    else:
        kinship[:2] = -1.0
    longest = longest_text(frame.totals)
    measure_kinship(page.parent, page.end, frame.anchor, longest, kinship[2:])


def element_groups(first: int) -> Numbers:
    """Return, for each tag, the group of `AROUND` that it is in, as a bit from the first one on."""
    return _GROUP << first


_GROUP = np.zeros(256, dtype=np.int64)
for _place, _names in enumerate(AROUND):
    _GROUP[[tags.CODE[_name] for _name in _names]] = 1 << _place
_ENDS = np.cumsum((len(AROUND), 5, LANDMARKS + 2, LANDMARKS + 2, 3, 4)).tolist()
_PARTS = tuple(slice(*ends) for ends in pairwise(_ENDS))

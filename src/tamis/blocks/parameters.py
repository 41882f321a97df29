"""The general parameters of blocks: what a reader sees of them (003 §5.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.blocks import Blocks
from tamis.blocks.sight import sight
from tamis.page import tags

_INTERACTIVE = tags.tag_table(tags.CONTROLS)
_IMAGES = tags.tag_table(("img", "picture", "svg", "canvas", "video"))

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Parameters:
    """Per block, with all that it holds: counts of what is seen, and its place on the page."""

    terms: Numbers
    plain: Numbers  # letters outside links
    linked: Numbers  # letters in links
    marks: Numbers  # of punctuation
    links: Numbers
    images: Numbers
    interactive: Numbers
    area: Numbers  # share of the page
    offset: Numbers  # of its centre from the page's centre line, in widths of the page
    first_screen: Numbers  # share of its area that is seen without scrolling

    @property
    def link_density(self) -> Numbers:
        """The share of letters that are in links; 1 of a block without letters."""
        total = self.plain + self.linked
        return np.where(total > 0, self.linked / np.maximum(total, 1), 1.0)


def general_parameters(blocks: Blocks, wanted_by: str) -> Parameters:
    """Return the general parameters of blocks of a page with layout; only what is seen counts."""
    page = blocks.page
    seen = sight(page, wanted_by)
    chars, link = page.chars * seen.leaf, page.in_link
    width, height = (max(side, 1.0) for side in seen.layout.size)
    x, y, wide, high = blocks.boxes.T
    above_fold = np.clip(np.minimum(y + high, seen.layout.screen[1]) - np.maximum(y, 0), 0, None)
    return Parameters(
        blocks.inside(page.terms * seen.leaf),
        blocks.inside(chars * ~link),
        blocks.inside(chars * link),
        blocks.inside(page.marks * seen.leaf),
        blocks.inside((page.tag == tags.CODE["a"]) & seen.valid),
        blocks.inside(_IMAGES[page.tag] & seen.leaf),
        blocks.inside(_INTERACTIVE[page.tag] & seen.leaf),
        wide * high / (width * height),
        np.abs(x + wide / 2 - width / 2) / width,
        above_fold / np.maximum(high, 1.0),
    )

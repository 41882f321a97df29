"""chunks: the raw chunks of the tag-window method, 002 §3.3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.blocks.blocks import Blocks, leaves, nested_blocks
from tamis.page import Page, tags

CHUNK_TAGS: Final = tuple(
    "table div ul tr p "  # 002's own
    "ol dl section article aside nav header footer main form fieldset blockquote figure details "
    "pre".split()
)


@dataclass(frozen=True)
class Chunks:
    """Takes every table, div, ul, tr, p (and their html5 kin) that shows something as a chunk.

    Chunks nest as their elements do and are numbered B-1, B-1-1, … (`Blocks.label`); B-1 is the
    body of the page.
    """

    tags: tuple[str, ...] = CHUNK_TAGS

    def segment(self, page: Page) -> Blocks:
        """Return the chunks of a page."""
        shown = page.below(leaves(page)) > 0
        chunk = tags.tag_table((*self.tags, "body", "frameset"))[page.tag] & shown
        node = np.flatnonzero(chunk)
        return nested_blocks(page, node, node, page.end[node])

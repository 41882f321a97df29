"""tables: blocks by table only, the segmenter of Lin and Ho (004 §6.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tamis.blocks.blocks import Blocks
from tamis.blocks.tagset import TagSet
from tamis.page import Page

_CUT: Final = TagSet(("table",))


@dataclass(frozen=True)
class Tables:
    """Cuts a page at its tables and nowhere else: one without tables is one block.

    That was how pages were laid out when the method was made, and is its weakness today.
    """

    def segment(self, page: Page) -> Blocks:
        """Return the runs of content in, between and around the tables of a page."""
        return _CUT.segment(page)

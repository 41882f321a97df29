"""Unseen: blocks that a browser does not show, on a page with layout."""

from __future__ import annotations

from typing import Final

from tamis.blocks import Blocks
from tamis.page.page import Bools
from tamis.verdict.cut import Floats, Views

NEARLY_ALL: Final = 0.95  # share of the expected content that only a script can show


def unseen_blocks(blocks: Blocks, views: Views, terms: Floats) -> Bools | None:
    """Return the blocks of which nothing is shown: menus that open, tabs, what waits for a click.

    None on a page without layout, and no block where they hold nearly all of the content: such a
    page shows it only after its scripts have run.
    """
    layout = blocks.page.layout
    if layout is None:
        return None
    chars = blocks.page.chars
    unseen: Bools = (blocks.owned(chars * layout.shown) == 0) & (blocks.owned(chars) > 0)
    expected = views.score * terms
    hides_content = float(expected[unseen].sum()) > NEARLY_ALL * float(expected.sum())
    return unseen & (not hides_content)

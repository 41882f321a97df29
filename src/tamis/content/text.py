"""A selection as plain text."""

from __future__ import annotations

from typing import Final

import numpy as np

from tamis.content._render import join_slices
from tamis.content.selection import Selection
from tamis.page import tags

_ITEM: Final = tags.CODE["li"]
_IS_LIST: Final = tags.tag_table(("ul", "ol", "menu", "dir")).view(np.uint8)


def render_text(selection: Selection) -> str:
    """Return the selected text: blank lines between paragraphs, tabs between cells, list dashes."""
    return join_slices(selection.page, selection.text_rows, _IS_LIST, _ITEM, selection.budget)

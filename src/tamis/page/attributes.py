"""A row → its attributes."""

from __future__ import annotations

import re
from html import unescape
from typing import Final

from tamis.page.page import Page

_ATTRIBUTE: Final = re.compile(rb'\s([^\s>][^\s=>]*)="([^"]*)"')


def attributes(page: Page, row: int) -> dict[str, str]:
    """Return the attributes of an element, names in lower case, values unescaped."""
    head = page.source[page.start[row] : page.head[row]]
    return {
        name.decode("utf-8", "replace").lower(): unescape(value.decode("utf-8", "replace"))
        for name, value in _ATTRIBUTE.findall(head)
    }

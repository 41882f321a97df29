"""A row → its attributes, and attributes → the rows that have them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import islice
from typing import Final, TypeVar

import numpy as np

from tamis.page import tags
from tamis.page.page import Page

Text = TypeVar("Text", str, bytes)

_HTML: Final = tags.CODE["html"]
_ATTRIBUTE: Final = re.compile(rb'\s([^\s>][^\s=>]*)="([^"]*)"')


def attributes(page: Page, row: int) -> dict[str, str]:
    """Return the attributes of an element, names in lower case, values unescaped."""
    head = page.source[page.start[row] : page.head[row]]
    return {
        name.decode("utf-8", "replace").lower(): unescape(value.decode("utf-8", "replace"))
        for name, value in _ATTRIBUTE.findall(head)
    }


def declared_language(page: Page) -> str:
    """Return what a page declares as its language, as it is written; empty where it does not."""
    if not len(page) or page.tag[0] != _HTML:
        return ""
    found = attributes(page, 0)
    return (found.get("lang") or found.get("xml:lang") or "").strip()


def rows_with(
    page: Page, needle: bytes, start: int = 0, stop: int | None = None, most: int | None = None
) -> list[int]:
    """Return the elements whose start tag holds some bytes, in a stretch of the source."""
    places = list(islice(places_in(page.source, needle, start, stop), most))
    if not places:
        return []
    rows = np.searchsorted(page.start, places, side="right") - 1
    inside = (page.head[rows] > places) & (page.tag[rows] != tags.TEXT)
    return list(dict.fromkeys(rows[inside].tolist()))


def places_in(text: Text, wanted: Text, start: int = 0, stop: int | None = None) -> Iterator[int]:
    """Yield where something stands in a text: many times faster than to match a pattern."""
    place = text.find(wanted, start, stop)
    while place >= 0:
        yield place
        place = text.find(wanted, place + len(wanted), stop)

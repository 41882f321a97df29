"""Column → its values: of a type, or a badge that some records have."""

from __future__ import annotations

from typing import Final

from tamis.blocks.regions import Region
from tamis.content.home import Home
from tamis.content.records.column import Column, in_heading
from tamis.content.records.values.typed import Typed, typed

FULL: Final = 0.9  # share of records that have what all of them have
LONG: Final = 3  # words of a badge

_SAID_WITH_WORDS: Final = ("money", "date", "rating")  # words may stand beside these


def typed_column(region: Region, column: Column, home: Home, *, named: bool = False) -> Typed:
    """Return the values of a column.

    A text that some records have and others lack is a badge: it says all, unless the column has a
    name. A heading with a price or a day in it stays a heading.
    """
    if column.is_picture:
        return Typed("image", (None,) * len(column.cells))
    texts = set(filter(None, column.texts))
    alone = len(texts) == 1 and column.fill < FULL * len(column.cells)
    if alone and not named and is_badge(next(iter(texts))):
        return Typed("flag", tuple(bool(text) for text in column.texts), next(iter(texts)))
    found = typed(column.texts, home)
    if found.type in _SAID_WITH_WORDS and in_heading(region, column):
        return typed(column.texts, home, rests=0)
    return found


def is_badge(text: str) -> bool:
    """Say whether a text is a few words without a number."""
    return len(text.split()) <= LONG and not any(map(str.isdigit, text))

"""Kinds of rows, as lines of text see them."""

from __future__ import annotations

from typing import Final

ENDS: Final = 0  # a line
TEXT: Final = 1
FORMAT: Final = 2  # an element that may mark up a part of a line
DAY: Final = 3  # the same, and a line that it begins goes on with something else
LINK: Final = 4
OBJECT: Final = 5

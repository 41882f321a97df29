"""Style sheets → the classes and ids that they hide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tamis.page._reader import find_bytes, find_hiding_rules

_SIMPLE_SELECTOR: Final = re.compile(rb"[.#][A-Za-z_][\w-]{0,99}")
_MAX_BYTES: Final = 2 * 1024 * 1024


def find_hiding_selectors(sheets: Iterable[bytes]) -> set[bytes]:
    """Return the simple selectors (`.class`, `#id`) of rules that hide what they select.

    Rules inside @media and the like do not count: most of them are for print or small screens. Nor
    do compound selectors, which would need the cascade. Only the first two million bytes of all
    sheets together are read.
    """
    selectors: set[bytes] = set()
    left = _MAX_BYTES
    for sheet in sheets:
        # A cheap test: many sheets hide nothing.
        if find_bytes(sheet, b"none") >= 0 or find_bytes(sheet, b"hidden") >= 0:
            selectors.update(_find_in_sheet(_strip_comments(sheet[:left])))
        left -= min(left, len(sheet))
    return selectors


def _find_in_sheet(css: bytes) -> Iterator[bytes]:
    """Yield the simple selectors of the rules of one sheet that hide."""
    for selectors in find_hiding_rules(css):
        for selector in selectors.split(b","):
            name = selector.strip()
            if _SIMPLE_SELECTOR.fullmatch(name):
                yield name


def _strip_comments(css: bytes) -> bytes:
    """Return a style sheet without its comments."""
    if find_bytes(css, b"/*") < 0:
        return css
    first, *others = css.split(b"/*")
    return first + b" ".join(part.partition(b"*/")[2] for part in others)

"""Style sheets → the classes and ids that they hide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_SIMPLE_SELECTOR: Final = re.compile(rb"[.#][A-Za-z_][\w-]{0,99}")
# A declaration is located by its property: a search for one word is many times faster than a
# regular expression over the whole sheet, and style sheets are long.
_DECLARATIONS: Final = (
    (b"display", re.compile(rb"\s{0,3}:\s{0,3}none")),
    (b"visibility", re.compile(rb"\s{0,3}:\s{0,3}hidden")),
)
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
        if b"none" in sheet or b"hidden" in sheet:  # a cheap test: many sheets hide nothing
            selectors.update(_find_in_sheet(_strip_comments(sheet[:left])))
        left -= min(left, len(sheet))
    return selectors


def _find_in_sheet(css: bytes) -> Iterator[bytes]:
    """Yield the simple selectors of the rules of one sheet that hide."""
    depth = counted = last = 0  # braces are counted up to the offset `counted`
    for offset in sorted(_find_hiding_declarations(css)):
        brace = css.rfind(b"{", last, offset)
        last = offset
        if brace < 0:
            continue  # a second declaration of the same rule
        depth += css.count(b"{", counted, brace) - css.count(b"}", counted, brace)
        if depth <= 0:
            before = max(css.rfind(sign, counted, brace) for sign in (b"}", b"{", b";"))
            names = (name.strip() for name in css[max(before + 1, counted) : brace].split(b","))
            yield from (name for name in names if _SIMPLE_SELECTOR.fullmatch(name))
        depth = max(0, depth) + 1
        counted = brace + 1


def _find_hiding_declarations(css: bytes) -> Iterator[int]:
    """Yield the offsets of declarations that hide: display: none, visibility: hidden."""
    for name, value in _DECLARATIONS:
        offset = css.find(name)
        while offset >= 0:
            after = offset + len(name)
            if value.match(css, after):
                yield offset
            offset = css.find(name, after)


def _strip_comments(css: bytes) -> bytes:
    """Return a style sheet without its comments."""
    first, *others = css.split(b"/*")
    if not others:
        return css
    return first + b" ".join(part.partition(b"*/")[2] for part in others)

"""Style sheets → the classes and ids that they hide."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_SIMPLE: Final = re.compile(rb"[.#][A-Za-z_][\w-]{0,99}")
# A declaration is found by its value: a search for one word is many times faster than a regular
# expression over the whole sheet, and style sheets are long.
_DECLARATIONS: Final = (
    (b"none", re.compile(rb"display\s{0,3}:\s{0,3}")),
    (b"hidden", re.compile(rb"visibility\s{0,3}:\s{0,3}")),
)
_REACH: Final = 16  # how far before its value a property can begin


def hiding_selectors(css: bytes) -> set[bytes]:
    """Return the simple selectors (`.class`, `#id`) of rules that hide what they select.

    Rules inside @media and the like do not count: most are for print or small screens. Nor do
    compound selectors, which would need the cascade.
    """
    found: set[bytes] = set()
    depth, counted = 0, 0
    for place in sorted(hiding_declarations(css)):
        brace = css.rfind(b"{", counted, place)
        if brace < 0:
            continue  # a second declaration of the same rule
        depth += css.count(b"{", counted, brace) - css.count(b"}", counted, brace)
        before = max(css.rfind(sign, counted, brace) for sign in (b"}", b"{", b"/"))
        if depth <= 0:
            selectors = css[max(before + 1, counted) : brace].split(b",")
            found.update(s.strip() for s in selectors if _SIMPLE.fullmatch(s.strip()))
        depth += 1
        counted = brace + 1
    return found


def hiding_declarations(css: bytes) -> Iterator[int]:
    """Yield the places of declarations that hide: display: none, visibility: hidden."""
    for value, before in _DECLARATIONS:
        place = css.find(value)
        while place >= 0:
            match = before.search(css, max(0, place - _REACH), place)
            if match and match.end() == place:
                yield place
            place = css.find(value, place + len(value))

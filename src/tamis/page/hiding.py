"""Style sheets → the classes and ids that they hide."""

from __future__ import annotations

import re
from typing import Final

_HIDES: Final = re.compile(rb"(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden)", re.I)
_SIMPLE: Final = re.compile(rb"[.#][A-Za-z_][\w-]{0,99}")


def hiding_selectors(css: bytes) -> set[bytes]:
    """Return the simple selectors (`.class`, `#id`) of rules that hide what they select.

    Rules inside @media and the like do not count: most are for print or small screens. Nor do
    compound selectors, which would need the cascade.
    """
    found: set[bytes] = set()
    depth, counted = 0, 0
    for match in _HIDES.finditer(css):
        brace = css.rfind(b"{", counted, match.start())
        if brace < 0:
            continue  # a second declaration of the same rule
        depth += css.count(b"{", counted, brace) - css.count(b"}", counted, brace)
        before = max(css.rfind(b"}", counted, brace), css.rfind(b"{", counted, brace))
        if depth <= 0:
            selectors = css[max(before + 1, counted) : brace].split(b",")
            found.update(s.strip() for s in selectors if _SIMPLE.fullmatch(s.strip()))
        depth += 1
        counted = brace + 1
    return found

"""A code element → its language."""

from __future__ import annotations

import re
from typing import Final

from tamis.content.kept import Kept

# Elements whose white space is the author's; HTML knows them under several names.
PREFORMATTED: Final = frozenset(("pre", "listing", "xmp", "plaintext", "textarea"))

_NAMED: Final = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight)-|(?:brush:|sourceCode)\s*)"
    r"([\w+#.-]{1,30})(?=$|[\s;])"
)
_LANGUAGE: Final = re.compile(r"[\w+#.-]{1,30}")
_AROUND: Final = frozenset(("div", "figure", "code", *PREFORMATTED))


def code_language(kept: Kept, row: int) -> str | None:
    """Return the language that a code element or one close around it declares."""
    for _ in range(3):
        found = kept.attributes(row)
        match = _NAMED.search(found.get("class", ""))
        language = match[1] if match else found.get("data-lang") or found.get("data-language")
        if language and _LANGUAGE.fullmatch(language):
            return language.lower()
        row = int(kept.page.parent[row])
        if row < 0 or kept.page.name(row) not in _AROUND:
            return None
    return None

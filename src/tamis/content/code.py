"""A code element → its language."""

from __future__ import annotations

import re
from typing import Final

from tamis.content.kept import Kept

_NAMED: Final = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight|brush:)[-\s]?([\w+#.-]{1,30})")


def code_language(kept: Kept, row: int) -> str | None:
    """Return the language that a code element or one close around it declares."""
    for _ in range(3):
        found = kept.attributes(row)
        match = _NAMED.search(found.get("class", ""))
        language = match[1] if match else found.get("data-lang") or found.get("data-language")
        if language and re.fullmatch(r"[\w+#.-]{1,30}", language):
            return language.lower()
        row = int(kept.page.parent[row])
        if row < 0 or kept.page.name(row) not in ("pre", "div", "figure", "code"):
            return None
    return None

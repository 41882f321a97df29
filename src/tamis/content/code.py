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
_NO_LANGUAGE: Final = frozenset(("default", "none", "notranslate", "undefined", "nohighlight"))
_HIGHLIGHTED: Final = re.compile(r"\s*hljs\s+([a-z][a-z0-9+#]*)\s*")
# An attribute `lang` may also name the language of people, most of which have two letters.
_PROGRAMMED: Final = re.compile(r"c|r|js|ts|py|rb|go|sh|rs|kt|[a-z+#][a-z0-9+#]{2,}")
_AROUND: Final = frozenset(("div", "figure", "code", *PREFORMATTED))


def code_language(kept: Kept, row: int) -> str | None:
    """Return the language that a code element or one close around it declares."""
    for _ in range(3):
        found = kept.attributes(row)
        declared: list[str] = [*_NAMED.findall(found.get("class", "")), found.get("data-lang", "")]
        declared += [found.get("data-language", ""), *bare_names(kept.page.name(row), found)]
        for language in declared:
            if language.lower() not in _NO_LANGUAGE and _LANGUAGE.fullmatch(language):
                return language.lower()
        row = int(kept.page.parent[row])
        if row < 0 or kept.page.name(row) not in _AROUND:
            return None
    return None


def bare_names(name: str, found: dict[str, str]) -> list[str]:
    """Return the languages that an element names without saying what they are."""
    if name not in ("code", "pre"):
        return []
    matches = (
        _HIGHLIGHTED.fullmatch(found.get("class", "")),
        _PROGRAMMED.fullmatch(found.get("lang", "").lower()),
    )
    return [match[match.lastindex or 0] for match in matches if match]

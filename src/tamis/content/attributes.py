"""What the attributes of elements declare: the language of code, the numbers of list items."""

from __future__ import annotations

import re
from typing import Final

from tamis.content.selection import Selection
from tamis.page import tags

# Elements whose white space is preserved; HTML has several names for them.
PREFORMATTED: Final = frozenset(("pre", "listing", "xmp", "plaintext"))

_MAX_LEVELS: Final = 3  # a code element and those around it that may declare its language
_LANGUAGE_CLASS: Final = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight)-|(?:brush:|sourceCode)\s*)"
    r"([\w+#.-]{1,30})(?=$|[\s;])"
)
_LANGUAGE: Final = re.compile(r"[\w+#.-]{1,30}")
_NO_LANGUAGE: Final = frozenset(("default", "none", "notranslate", "undefined", "nohighlight"))
_HLJS_CLASS: Final = re.compile(r"\s*hljs\s+([a-z][a-z0-9+#]*)\s*")
# An attribute `lang` may also name a natural language; most of those have two letters.
_LANG_ATTRIBUTE: Final = re.compile(r"c|r|js|ts|py|rb|go|sh|rs|kt|[a-z+#][a-z0-9+#]{2,}")
_CODE_WRAPPERS: Final = frozenset(("div", "figure", "code", *PREFORMATTED))

_LI: Final = tags.CODE["li"]
_INTEGER: Final = re.compile(r"\s*([+-]?[0-9]{1,8})(?![0-9])")
_MAX_NUMBER: Final = 999_999_999  # CommonMark reads nine digits, and no sign


def code_language(selection: Selection, row: int) -> str | None:
    """Return the language that a code element, or an element close around it, declares."""
    for _ in range(_MAX_LEVELS):
        name, attributes = selection.page.name(row), selection.attributes(row)
        declared: list[str] = [
            *_LANGUAGE_CLASS.findall(attributes.get("class", "")),
            attributes.get("data-lang", ""),
            attributes.get("data-language", ""),
            *_bare_languages(name, attributes),
        ]
        for language in declared:
            if language.lower() not in _NO_LANGUAGE and _LANGUAGE.fullmatch(language):
                return language.lower()
        row = int(selection.page.parent[row])
        if row < 0 or selection.page.name(row) not in _CODE_WRAPPERS:
            return None
    return None


def _bare_languages(name: str, attributes: dict[str, str]) -> list[str]:
    """Return the languages in attributes that may have other meanings on other elements."""
    if name not in ("code", "pre"):
        return []
    matches = (
        _HLJS_CLASS.fullmatch(attributes.get("class", "")),
        _LANG_ATTRIBUTE.fullmatch(attributes.get("lang", "").lower()),
    )
    return [match[match.lastindex or 0] for match in matches if match]


def item_numbers(selection: Selection, row: int) -> dict[int, int]:
    """Return the numbers that a browser shows beside the items of an ordered list, by their rows.

    Items that are not selected count as well. If Markdown cannot write one of the numbers, items
    are counted from 1.
    """
    page, attributes = selection.page, selection.attributes(row)
    items: list[int] = []
    child, end = row + 1, page.end.item(row)
    while child < end:
        if page.tag[child] == _LI:
            items.append(child)
        child = page.end.item(child)
    step = -1 if "reversed" in attributes else 1
    number = _parse_integer(attributes.get("start"), len(items) if step < 0 else 1)
    numbers: dict[int, int] = {}
    for item in items:
        number = _parse_integer(selection.attributes(item).get("value"), number)
        numbers[item] = number
        number += step
    writable = all(0 <= number <= _MAX_NUMBER for number in numbers.values())
    return numbers if writable else {item: count for count, item in enumerate(items, 1)}


def _parse_integer(value: str | None, default: int) -> int:
    """Return the integer that the value of an attribute begins with."""
    match = _INTEGER.match(value) if value else None
    return int(match[1]) if match else default

"""An ordered list → the numbers of its items."""

from __future__ import annotations

import re
from typing import Final

from tamis.content.kept import Kept
from tamis.page import tags

_LI: Final = tags.CODE["li"]
_NUMBER: Final = re.compile(r"\s*([+-]?[0-9]{1,8})(?![0-9])")
_LAST: Final = 999_999_999  # CommonMark reads nine digits, and no sign


def item_numbers(kept: Kept, row: int) -> dict[int, int]:
    """Return the numbers that a browser shows beside the items of a list, by their rows.

    Items that are not kept count as well. Where Markdown cannot write a number, all are counted
    from 1.
    """
    page, found = kept.page, kept.attributes(row)
    items: list[int] = []
    child, end = row + 1, page.end.item(row)
    while child < end:
        if page.tag[child] == _LI:
            items.append(child)
        child = page.end.item(child)
    step = -1 if "reversed" in found else 1
    number = whole(found.get("start"), len(items) if step < 0 else 1)
    numbers: dict[int, int] = {}
    for item in items:
        number = whole(kept.attributes(item).get("value"), number)
        numbers[item] = number
        number += step
    writable = all(0 <= number <= _LAST for number in numbers.values())
    return numbers if writable else {item: place for place, item in enumerate(items, 1)}


def whole(value: str | None, default: int) -> int:
    """Return the whole number that the value of an attribute begins with."""
    match = _NUMBER.match(value) if value else None
    return int(match[1]) if match else default

"""Two addresses → whether one is the other with a further page."""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from urllib.parse import urlsplit

ALIKE: Final = 3  # the same but for the number of the page
COUNTED: Final = 2  # the same but for some number
AWAY: Final = -1  # of another site, or above the page
NEAR: Final = 1  # the same path, or one below it

_NAMES: Final = (
    r"page|paged|pages|pageno|pagenum|pagenumber|pageindex|currentpage|resultpage|pagenr|pg|pgno|"
    r"pn|p|start|startindex|startrow|startat|offset|from|skip|first|seite|pagina|página|strana|"
    r"strona|sayfa|sivu"
)
_ITEM: Final = re.compile(
    rf"(?i)((?!comment|rev|facet)(?:[a-z\d]+-)*(?:{_NAMES})(?:-[a-z\d]+)?)=(\d{{1,6}})"
)
_STEP: Final = re.compile(r"(?i)[/_-](page|p|pg|seite|pagina|strana)[/_=-]?(\d{1,6})(?=/?$|\.\w+$)")
_PLAIN: Final = str.maketrans("", "", "_[]")
_ENDS: Final = re.compile(r"/(?:index\.\w{2,5})?$")
_DIGITS: Final = re.compile(r"\d+")


class Parts(NamedTuple):
    """An address, and apart from it the number of a page."""

    host: str
    path: str
    items: frozenset[str]
    name: str
    number: int | None


def parts(address: str) -> Parts | None:
    """Return the parts of an address, or None if it is none."""
    try:
        split = urlsplit(address)
    except ValueError:
        return None
    name, number = "", None
    if step := _STEP.search(split.path):
        name, number = step[1].lower(), int(step[2])
    items = set()
    for item in split.query.replace(";", "&").split("&"):
        if found := _ITEM.fullmatch(item.translate(_PLAIN)):
            if number is None:
                name, number = found[1].lower(), int(found[2])
        elif item:
            items.add(item)
    path = _ENDS.sub("", _STEP.sub("", split.path))
    return Parts(split.netloc.lower().removeprefix("www."), path, frozenset(items), name, number)


def likeness(address: str, own: Parts | None) -> int:
    """Return how like the page's own address another is; if that is unknown, whether it counts."""
    found = parts(address)
    if found is None:
        return AWAY
    if own is None:
        return ALIKE if found.number is not None else 0
    if found.host.split(".")[-2:] != own.host.split(".")[-2:]:
        return AWAY
    if found.host != own.host:
        return 0
    if found.number is None and not found.items and own.path.startswith(found.path + "/"):
        return AWAY
    if is_same(found, own):
        return ALIKE if found.number is not None else 0
    if counted(found) == counted(own):
        return COUNTED
    return NEAR if found.path == own.path or found.path.startswith(own.path + "/") else 0


def is_same(found: Parts, own: Parts) -> bool:
    """Say whether an address is the page's own but for the number; it may ask for less."""
    return found[:2] == own[:2] and found.items <= own.items


def counted(some: Parts) -> tuple[str, frozenset[str]]:
    """Return the path and the items of an address, all numbers alike."""
    return _DIGITS.sub("0", some.path), frozenset(_DIGITS.sub("0", item) for item in some.items)


def goes_back(address: str, own: Parts | None) -> bool:
    """Say whether an address is this page or one before it, by the number, or no address at all."""
    found = parts(address)
    if found is None or own is None or own.number is None or not is_same(found, own):
        return found is None
    return found.number is None or (found.name == own.name and found.number <= own.number)

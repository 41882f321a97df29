"""The attributes of a picture → the addresses that it may be loaded from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_ONE: Final = ("src", "data-src", "data-original", "data-lazy-src")
_SEVERAL: Final = ("srcset", "data-srcset")
_KEEPS_ROOM: Final = re.compile(
    r"(?:blank|placeholder|spacer|transparent|lazy-?load|loading|(?<!\d)1x1(?!\d)|pixel)[^/]*"
    r"\.(?:gif|png|svg|jpe?g|webp)(?:[?#]|$)",
    re.IGNORECASE,
)


def sources(picture: dict[str, str], beside: Iterable[dict[str, str]]) -> Iterator[str]:
    """Yield the addresses of a picture, those of several sizes and of sources beside it last."""
    yield from own_sources(picture)
    for found in (picture, *beside):
        for name in _SEVERAL:
            yield from candidates(found.get(name, ""))


def own_sources(picture: dict[str, str]) -> list[str]:
    """Return the addresses that a picture has in no list of sizes."""
    return [picture[name] for name in _ONE if picture.get(name)]


def candidates(srcset: str) -> Iterator[str]:
    """Yield the addresses of a list of sizes."""
    begins = True
    for word in srcset.split():
        if begins and (address := word.strip(",")):
            yield address
        begins = word.endswith(",")


def preferred(addresses: list[str]) -> str | None:
    """Return the first address that does not look as if it only kept room for another."""
    shown = (address for address in addresses if not _KEEPS_ROOM.search(address))
    return next(shown, addresses[0] if addresses else None)

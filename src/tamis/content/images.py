"""The attributes of a picture → the addresses that it may be loaded from.

Pictures that stand alone, in a block without text, and are kept with the texts around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import Bools, Ints, Page, tags

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


def is_between_texts(blocks: Blocks, informative: Bools, pictures: Ints) -> Bools:
    """Say which pictures stand between two informative texts of one element.

    The texts are the last one before and the first one after the picture, or before and after its
    figure: a caption that is noise does not take its picture away.
    """
    page = blocks.page
    texts = np.flatnonzero(page.visible & (page.terms > 0))
    if not len(texts):
        return np.zeros(len(pictures), dtype=np.bool_)
    start, stop = figures_around(page, pictures)
    before, after = np.searchsorted(texts, start) - 1, np.searchsorted(texts, stop)
    inner = (before >= 0) & (after < len(texts))
    above, below = texts[np.maximum(before, 0)], texts[np.minimum(after, len(texts) - 1)]
    first, second = blocks.owner[above], blocks.owner[below]
    kept = informative[first] & informative[second]
    parent = page.parent[blocks.node]
    shared = (parts(page, above) == parts(page, below)) | (parent[first] == parent[second])
    return np.asarray(inner & kept & shared)


def figures_around(page: Page, rows: Ints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the outermost figure around each row, or the row itself, begins and ends."""
    figures = page.outermost(np.flatnonzero(page.tag == tags.CODE["figure"]))
    if not len(figures):
        return rows.astype(np.int64), page.end[rows].astype(np.int64)
    place = np.searchsorted(figures, rows, side="right") - 1
    figure = figures[np.maximum(place, 0)]
    end = page.end[figure].astype(np.int64)
    inside = (place >= 0) & (rows < end)
    return np.where(inside, figure, rows), np.where(inside, end, page.end[rows])


def parts(page: Page, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of the child of the body that each row is in."""
    body = np.flatnonzero(page.tag == tags.CODE["body"])[:1]
    children = np.flatnonzero(np.isin(page.parent, body))
    return np.searchsorted(children, rows, side="right")

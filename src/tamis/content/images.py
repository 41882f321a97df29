"""Images: the URLs that they may be loaded from, and whether they stand between selected texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import Bools, Ints, Page, tags

_URL_ATTRIBUTES: Final = ("src", "data-src", "data-original", "data-lazy-src")
_SRCSET_ATTRIBUTES: Final = ("srcset", "data-srcset")
_PLACEHOLDER: Final = re.compile(
    r"(?:blank|placeholder|spacer|transparent|lazy-?load|loading|(?<!\d)1x1(?!\d)|pixel)[^/]*"
    r"\.(?:gif|png|svg|jpe?g|webp)(?:[?#]|$)",
    re.IGNORECASE,
)


class Image(NamedTuple):
    """An image that a document shows."""

    url: str
    alternative: str  # the text that stands for it


def image_urls(image: dict[str, str], sources: Iterable[dict[str, str]]) -> Iterator[str]:
    """Yield the URLs of an image, given its attributes and those of the `<source>`s beside it.

    URLs from lists of sizes come last.
    """
    yield from plain_urls(image)
    for attributes in (image, *sources):
        for name in _SRCSET_ATTRIBUTES:
            yield from _srcset_urls(attributes.get(name, ""))


def plain_urls(image: dict[str, str]) -> list[str]:
    """Return the URLs of an image that are in no list of sizes, given its attributes."""
    return [image[name] for name in _URL_ATTRIBUTES if image.get(name)]


def _srcset_urls(srcset: str) -> Iterator[str]:
    """Yield the URLs of a list of sizes."""
    begins = True
    for word in srcset.split():
        if begins and (url := word.strip(",")):
            yield url
        begins = word.endswith(",")


def choose_url(urls: Iterable[str]) -> str | None:
    """Return the first URL that does not look like a placeholder, or else the first one."""
    first = None
    for url in urls:
        if not _PLACEHOLDER.search(url):
            return url
        first = first or url
    return first


def is_between_texts(blocks: Blocks, informative: Bools, images: Ints) -> Bools:
    """Return for each image whether it stands between two informative texts of one element.

    The texts are the last one before and the first one after the image, or before and after its
    figure: an image stays even if its caption is noise.
    """
    page = blocks.page
    texts = np.flatnonzero(page.visible & (page.terms > 0))
    if not len(texts):
        return np.zeros(len(images), dtype=np.bool_)
    start, stop = _outermost_figures(page, images)
    before, after = np.searchsorted(texts, start) - 1, np.searchsorted(texts, stop)
    inner = (before >= 0) & (after < len(texts))
    above, below = texts[np.maximum(before, 0)], texts[np.minimum(after, len(texts) - 1)]
    first, second = blocks.owner[above], blocks.owner[below]
    both_informative = informative[first] & informative[second]
    parent = page.parent[blocks.node]
    same_child = _body_children(page, above) == _body_children(page, below)
    return np.asarray(inner & both_informative & (same_child | (parent[first] == parent[second])))


def _outermost_figures(page: Page, rows: Ints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the outermost figure around each row, or the row itself, begins and ends."""
    figures = page.outermost(np.flatnonzero(page.tag == tags.CODE["figure"]))
    if not len(figures):
        return rows.astype(np.int64), page.end[rows].astype(np.int64)
    index = np.searchsorted(figures, rows, side="right") - 1
    figure = figures[np.maximum(index, 0)]
    end = page.end[figure].astype(np.int64)
    inside = (index >= 0) & (rows < end)
    return np.where(inside, figure, rows), np.where(inside, end, page.end[rows])


def _body_children(page: Page, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of the child of the body that each row is in."""
    body = np.flatnonzero(page.tag == tags.CODE["body"])[:1]
    children = np.flatnonzero(np.isin(page.parent, body))
    return np.searchsorted(children, rows, side="right")

"""Ratings that a page does not say in words of their own: empty elements, and `4.5 (12)`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from tamis.blocks.regions import Region
from tamis.content.records.links import plain
from tamis.content.records.values.readers import number, rating
from tamis.content.records.values.typed import AGREED, Typed

if TYPE_CHECKING:
    from tamis.content.records.fields import Draft

COMMON: Final = 0.5  # share of records that must have a rating
FIRST: Final = 2  # records of which one must have a rating for others to be looked at

_SAID: Final = [
    re.compile(rb'%b="([^"\d]{0,40}\d[^"]{0,40})"' % name) for name in (b"title", b"aria-label")
]
_BOTH: Final = re.compile(
    r"(?P<rating>[0-4](?:[.,]\d{1,2})?|5(?:[.,]0{1,2})?)\s?(?P<count>\(.{1,9}\))"
)

Star = tuple[float | None, int]  # a rating, and the row that has it


def empty_stars(region: Region) -> list[Star]:
    """Return the ratings that empty elements have as their label, a star for each record."""
    starts = region.start.tolist()
    last = max(int(region.page.end[starts[-1]]), int(region.cells.last[region.cell[-1]]) + 1)
    found: list[Star] = []
    for start, stop in pairwise([*starts, last]):
        found.append(star_of(region, start, stop))
        if len(found) == FIRST and not any(row >= 0 for _, row in found):
            return []
    having = sum(row >= 0 for _, row in found)
    return found if having >= COMMON * len(found) else []


def star_of(region: Region, start: int, stop: int) -> Star:
    """Return the rating that empty elements in some rows have as their label.

    Several of them are for readers to choose from.
    """
    page, before = region.page, region.cells.before
    end = int(page.start[stop]) if stop < len(page) else len(page.source)
    found: dict[float, int] = {}
    for said in chain(*(one.finditer(page.source, int(page.start[start]), end) for one in _SAID)):
        value = rating(" ".join(plain(said[1]).split()))
        if value is None:
            continue
        row = int(np.searchsorted(page.start, said.start(), side="right")) - 1
        if before[page.end[row]] == before[row]:
            found.setdefault(float(value.value), row)
    return next(iter(found.items())) if len(found) == 1 else (None, -1)


def parted_ratings(drafts: Sequence[Draft]) -> list[Draft]:
    """Return columns with those of ratings, and how many there are in brackets, parted in two."""
    found: list[Draft] = []
    for draft in drafts:
        texts = draft.column.texts if draft.is_text and not draft.given else ()
        if not any(map(_BOTH.fullmatch, islice(filter(None, texts), FIRST))):
            found.append(draft)
            continue
        pairs = [_BOTH.fullmatch(text) for text in texts]
        known = sum(map(bool, texts))
        if sum(pair is not None for pair in pairs) >= AGREED * known:
            stars = [float(pair["rating"].replace(",", ".")) if pair else None for pair in pairs]
            counts = [number(pair["count"]) if pair else None for pair in pairs]
            numbers = tuple(one.value() if one else None for one in counts)
            found += [
                replace(draft, typed=Typed("rating", tuple(stars)), name="rating"),
                replace(draft, typed=Typed("number", numbers), name="reviews"),
            ]
        else:
            found.append(draft)
    return found

"""Ratings that are not a text of their own: labels of empty elements, and `4.5 (12)`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Final

import numpy as np

from tamis.records.column import ColumnCandidate
from tamis.records.links import decode_attribute
from tamis.records.regions import Region
from tamis.values import MIN_TYPE_SHARE, TypedColumn, parse_count, parse_rating

_MIN_RATED_SHARE: Final = 0.5  # share of records that must have a rating
_SAMPLE: Final = 2  # records of which one must have a rating for others to be read

_LABELS: Final = [
    re.compile(rb'%b="([^"\d]{0,40}\d[^"]{0,40})"' % name) for name in (b"title", b"aria-label")
]
_RATING_AND_COUNT: Final = re.compile(
    r"(?P<rating>[0-4](?:[.,]\d{1,2})?|5(?:[.,]0{1,2})?)\s?(?P<count>\(.{1,9}\))"
)

_LabelRating = tuple[float | None, int]  # a rating, and the row that has it, or -1


def find_label_ratings(region: Region) -> list[_LabelRating]:
    """Return the ratings that empty elements have as their label, one for each record.

    The list is empty if fewer than half of the records have one.
    """
    starts = region.start.tolist()
    after_last_cell = int(region.cells.last_row[region.cell[-1]]) + 1
    last_stop = max(int(region.page.end[starts[-1]]), after_last_cell)
    ratings: list[_LabelRating] = []
    for start, stop in pairwise([*starts, last_stop]):
        ratings.append(_find_label_rating(region, start, stop))
        if len(ratings) == _SAMPLE and not any(row >= 0 for _, row in ratings):
            return []
    rated_count = sum(row >= 0 for _, row in ratings)
    return ratings if rated_count >= _MIN_RATED_SHARE * len(ratings) else []


def _find_label_rating(region: Region, start: int, stop: int) -> _LabelRating:
    """Return the rating that empty elements in a range of rows have as their label.

    If there are several, readers can choose from them: then they are no rating.
    """
    page, cells_before = region.page, region.cells.cells_before
    first_offset = int(page.start[start])
    end_offset = int(page.start[stop]) if stop < len(page) else len(page.source)
    ratings: dict[float, int] = {}
    for pattern in _LABELS:
        for label in pattern.finditer(page.source, first_offset, end_offset):
            rating = parse_rating(" ".join(decode_attribute(label[1]).split()))
            if rating is None:
                continue
            row = int(np.searchsorted(page.start, label.start(), side="right")) - 1
            if cells_before[page.end[row]] == cells_before[row]:
                ratings.setdefault(float(rating.value), row)
    return next(iter(ratings.items())) if len(ratings) == 1 else (None, -1)


def split_ratings(candidates: Sequence[ColumnCandidate]) -> list[ColumnCandidate]:
    """Split columns of ratings with the number of reviews in brackets into two columns."""
    split: list[ColumnCandidate] = []
    for candidate in candidates:
        split += _split_rating(candidate) or [candidate]
    return split


def _split_rating(candidate: ColumnCandidate) -> list[ColumnCandidate]:
    """Return the rating and the number of reviews of a column, or nothing if it is another one."""
    texts = candidate.column.texts if candidate.is_text and not candidate.is_name_given else ()
    if not any(map(_RATING_AND_COUNT.fullmatch, islice(filter(None, texts), _SAMPLE))):
        return []
    matches = [_RATING_AND_COUNT.fullmatch(text) for text in texts]
    text_count = sum(map(bool, texts))
    if sum(match is not None for match in matches) < MIN_TYPE_SHARE * text_count:
        return []
    ratings = [float(match["rating"].replace(",", ".")) if match else None for match in matches]
    counts = [parse_count(match["count"]) if match else None for match in matches]
    numbers = tuple(count.value() if count else None for count in counts)
    return [
        replace(candidate, typed=TypedColumn("rating", tuple(ratings)), name="rating"),
        replace(candidate, typed=TypedColumn("number", numbers), name="reviews"),
    ]

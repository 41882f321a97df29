"""Date marks: the short texts and elements of a page that state a date or a time of day.

Each post, comment, and many an entry of a list has one. They are found in one pass over the text
and one over the attributes of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.page import UNLIMITED, Budget, Page, find_offsets, tags
from tamis.records.signatures import Int64s
from tamis.values import find_dates, find_relative_dates

MAX_DATE_CHARS: Final = 120  # of a text that states the date of something; longer ones are prose
_MAX_TIME_CHARS: Final = 40  # of a text that states a time of day without a date
_MAX_MARKS: Final = 50_000

_CLOCK: Final = re.compile(r"(?<![\d:.])[012]?\d:[0-5]\d(?![\d:]*[\d-])")
_STAMP_ATTRIBUTES: Final = (b' datetime="', b' title="', b' data-time="', b' data-timestamp="')
_STAMP: Final = re.compile(
    rb'[^"]{0,40}?(?:19|20)\d\d[^"]{0,40}"|[^"]{0,20}?\d{1,2}[:.]\d\d[^"]{0,9}"|1\d{9}(?:\d{3})?"'
)
_IS_STAMPED: Final = tags.tag_table(("time", "abbr", "span", "a", "div", "p", "small", "i", "b"))
_TIME: Final = tags.CODE["time"]


@dataclass(frozen=True, eq=False)
class DateMarks:
    """The elements of a page that state a date, in document order.

    `text_row` is the row of the text that states it, -1 where only an attribute does.
    """

    element: Int64s
    text_row: Int64s

    def __len__(self) -> int:
        return len(self.element)


def find_date_marks(page: Page, readable: Int64s, budget: Budget = UNLIMITED) -> DateMarks:
    """Return the date marks in the readable rows of a page; of several in one element the first."""
    text_rows = _find_dated_rows(page, readable, budget)
    stamped = list(_find_stamped_elements(page, budget))
    elements = np.concatenate(
        (page.parent[text_rows].astype(np.int64), np.array(stamped, dtype=np.int64))
    )
    rows = np.concatenate((text_rows, np.full(len(stamped), -1, dtype=np.int64)))
    # Of several marks of one element the one with text comes first, and only the first stays.
    order = np.lexsort((np.where(rows < 0, len(page), rows), elements))
    elements, rows = elements[order], rows[order]
    is_first = np.ones(len(elements), dtype=np.bool_)
    is_first[1:] = elements[1:] != elements[:-1]
    # An element around the text that has its own mark states the same date.
    elements, rows = elements[is_first][:_MAX_MARKS], rows[is_first][:_MAX_MARKS]
    covered = np.zeros(len(elements), dtype=np.bool_)
    covered[:-1] = (rows[:-1] < 0) & (elements[1:] < page.end[elements[:-1]])
    return DateMarks(elements[~covered], rows[~covered])


def find_readable_rows(page: Page) -> Int64s:
    """Return the text rows that a reader sees; those in `<noscript>` where most of the text is."""
    visible = np.flatnonzero(page.visible)
    is_fallback = (page.tag == tags.TEXT) & ((page.flags & tags.NOSCRIPT) != 0)
    fallback = np.flatnonzero(is_fallback & ~page.visible)
    lengths = page.text_stop - page.text_start
    if lengths[fallback].sum() > lengths[visible].sum():
        visible = np.union1d(visible, fallback[lengths[fallback] > 0])
    return visible.astype(np.int64)


def _find_dated_rows(page: Page, rows: Int64s, budget: Budget) -> Int64s:
    """Return the short text rows that have a date, or little but a time of day.

    All of them are searched at once, each on a line of its own.
    """
    lengths = page.text_stop[rows] - page.text_start[rows]
    rows = rows[lengths <= MAX_DATE_CHARS]
    spans = zip(page.text_start[rows].tolist(), page.text_stop[rows].tolist(), strict=True)
    lines = [page.text[start:stop].replace("\n", " ") for start, stop in budget.watch(spans)]
    text = "\n".join(lines)
    starts = np.cumsum([0, *map(len, lines)])[:-1] + np.arange(len(lines))
    offsets = np.array(list(budget.watch(_date_offsets(text))), dtype=np.int64)
    clocks = [match.start() for match in budget.watch(_CLOCK.finditer(text))]
    dated = np.searchsorted(starts, offsets, side="right") - 1
    timed = np.searchsorted(starts, np.array(clocks, dtype=np.int64), side="right") - 1
    timed = timed[
        np.array([len(lines[index]) for index in timed], dtype=np.int64) <= _MAX_TIME_CHARS
    ]
    return rows[np.union1d(dated, timed)]


def _date_offsets(text: str) -> Iterator[int]:
    """Yield where the dates of a text begin, relative ones included."""
    for _, start, _ in find_dates(text):
        yield start
    yield from find_relative_dates(text)


def _find_stamped_elements(page: Page, budget: Budget) -> Iterator[int]:
    """Yield the elements that state a date in an attribute."""
    for name in _STAMP_ATTRIBUTES:
        for offset in budget.watch(find_offsets(page.source, name)):
            if not _STAMP.match(page.source, offset + len(name)):
                continue
            row = int(np.searchsorted(page.start, offset, side="right")) - 1
            is_in_tag = page.head[row] > offset and page.tag[row] != tags.TEXT
            if is_in_tag and _IS_STAMPED[page.tag[row]] and not page.flags[row] & tags.INVISIBLE:
                yield row

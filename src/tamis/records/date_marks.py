"""Date marks: the short texts and elements of a page that state a date or a time of day.

Each post, comment, and many an entry of a list has one. They are found in one pass over the text
and one over the attributes of the page.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import numpy as np

from tamis.page import UNLIMITED, Budget, Page, tags
from tamis.records._align import (
    find_attributes,
    find_date_digits,
    find_surroundings,
    find_times,
    find_words,
)
from tamis.records.signatures import Int64s, prefix_sums
from tamis.values import RELATIVE_DATE_WORDS, find_dates, find_relative_dates

MAX_DATE_CHARS: Final = 120  # of a text that states the date of something; longer ones are prose
_MAX_TIME_CHARS: Final = 40  # of a text that states a time of day without a date
_MAX_MARKS: Final = 50_000

_MARGIN: Final = 44  # characters around a digit or a word that its date may reach to, or more
_BREAK: Final = "\0"  # between parts of a text: pages have no such character, and no date has
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
    lines = [page.text[start:stop] for start, stop in budget.watch(spans)]
    sizes = np.array([len(line) for line in lines], dtype=np.int64)
    starts = prefix_sums(sizes + 1)[:-1]
    text = _BREAK.join(lines).replace("\n", " ").replace(_BREAK, "\n")
    dated = np.searchsorted(starts, list(budget.watch(_date_offsets(text))), side="right") - 1
    timed = np.searchsorted(starts, find_times(text), side="right") - 1
    timed = timed[sizes[timed] <= _MAX_TIME_CHARS]
    is_marked = np.zeros(len(rows), dtype=np.bool_)
    is_marked[dated] = is_marked[timed] = True
    return rows[is_marked]


def _date_offsets(text: str) -> Iterator[int]:
    """Yield where the dates of a text begin, relative ones included."""
    yield from _find_around(text, find_date_digits(text), _find_calendar_dates)
    lowered = text.lower()
    if len(lowered) == len(text):
        words = find_words(lowered, RELATIVE_DATE_WORDS)
        yield from _find_around(text, words, find_relative_dates)
    else:  # few letters have two in lower case, but then offsets differ
        yield from find_relative_dates(text)


def _find_calendar_dates(text: str) -> Iterator[int]:
    """Yield where the dates of a text begin, without relative ones."""
    for _, start, _ in find_dates(text):
        yield start


def _find_around(
    text: str, offsets: list[int], find: Callable[[str], Iterator[int]]
) -> Iterator[int]:
    """Yield the offsets of what is near other offsets in a text; only that much is searched."""
    spans = find_surroundings(text, offsets, _MARGIN)
    if not spans:
        return
    parts = [text[start:stop] for start, stop in spans]
    if spans[-1][1] < len(text):
        parts.append("")  # what is at the end of a part is not at the end of the text
    begins = [0, *accumulate(len(part) + len(_BREAK) for part in parts)]
    for offset in find(_BREAK.join(parts)):
        part = bisect_right(begins, offset) - 1
        yield spans[part][0] + offset - begins[part]


def _find_stamped_elements(page: Page, budget: Budget) -> Iterator[int]:
    """Yield the elements that state a date in an attribute."""
    may_be_stamped = _IS_STAMPED[page.tag] & ((page.flags & tags.INVISIBLE) == 0)
    stamped = find_attributes(
        page.source, page.start, page.head, may_be_stamped.view(np.uint8), _STAMP_ATTRIBUTES
    )
    for row, offset in budget.watch(stamped):
        if _STAMP.match(page.source, offset):
            yield row

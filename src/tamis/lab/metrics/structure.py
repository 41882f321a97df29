"""Measures of structure: whether tables, lists, sections and code come out whole.

The words of a page are aligned with those of an output, so that outputs of all systems are measured
alike. What is counted are the parts of the page as its markup has them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.lab.gold import mark_common_words, words
from tamis.page import Bools, Page, tags

_MIN_SHARE: Final = 0.5  # of the words of a part, for the part to be in an output
_WHOLE_SHARE: Final = 0.95
_GOLD_SHARE: Final = 0.8  # of the words of code, for it to be in the gold
_MIN_SECTION_WORDS: Final = 20  # that are kept of a section, for the section to be
_MIN_TEXT_WORDS: Final = 3  # below a heading of a page, for it to have text
_MIN_ITEMS: Final = 3  # of a list
_MIN_LINE_WORDS: Final = 5  # of a line that is not to be repeated
_MAX_CELL_WORDS: Final = 25  # on average, in a table of data
_IS_CELL: Final = tags.tag_table(("td", "th"))
_IS_LIST: Final = tags.tag_table(("ul", "ol"))
_IS_ITEM: Final = tags.tag_table(("li",))
_IS_HEADING: Final = tags.tag_table(tags.HEADINGS)
_TABLE, _TR = tags.CODE["table"], tags.CODE["tr"]
_PRE, _H1 = tags.CODE["pre"], tags.CODE["h1"]

_Rows = NDArray[np.int64]


@dataclass(frozen=True)
class StructureCounts:
    """How many parts of pages are in outputs, and how many of these are not whole."""

    tables: int = 0  # of data, with at least half of the cells in the output
    cells: int = 0  # with text, of these tables
    missing_cells: int = 0
    sections: int = 0  # with twenty words or more in the output
    without_heading: int = 0
    pre: int = 0  # whose text is in the gold
    lost_pre: int = 0
    cut_pre: int = 0
    lists: int = 0  # with at least half of the items in the output
    broken_lists: int = 0
    headings: int = 0  # of the output
    empty_headings: int = 0
    torn_headings: int = 0  # of these, those with text below them on the page
    lines: int = 0  # of the output, of five words or more
    repeated_lines: int = 0

    def __add__(self, other: StructureCounts) -> StructureCounts:
        sums = (getattr(self, f.name) + getattr(other, f.name) for f in fields(self))
        return StructureCounts(*sums)


def count_structure(page: Page, output: Page, gold: str) -> StructureCounts:
    """Return the counts for one page and the output that a system gave for it, both parsed."""
    parts = _PageWords(page)
    output_words = words(output.text)
    kept = parts.share_below(mark_common_words(parts.words, output_words))
    wanted = parts.share_below(mark_common_words(parts.words, words(gold)))
    lines = _count_lines(output.text)
    return StructureCounts(
        *_count_cells(parts, kept),
        *_count_sections(parts, kept),
        *_count_pre(parts, kept, wanted),
        *_count_lists(parts, kept),
        *_count_headings(parts, output),
        *lines,
    )


class _PageWords:
    """The words of a page, and for each row the number of words in it and below it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.words: list[str] = []
        counts = np.zeros(len(page), dtype=np.int64)
        rows = np.flatnonzero(page.visible)
        spans = zip(page.text_start[rows].tolist(), page.text_stop[rows].tolist(), strict=True)
        for row, (start, stop) in zip(rows.tolist(), spans, strict=True):
            row_words = words(page.text[start:stop])
            self.words += row_words
            counts[row] = len(row_words)
        self._rows = np.repeat(np.arange(len(page)), counts)
        self.own = counts
        self.below = page.below(counts)

    def share_below(self, matched: Bools) -> _Matched:
        """Return how many of the words in and below each row are matched."""
        counts = np.bincount(self._rows[matched], minlength=len(self.page))
        return _Matched(np.concatenate(([0], np.cumsum(counts))), self.page, self.below)


@dataclass(frozen=True, eq=False)
class _Matched:
    """Sums of matched words over rows."""

    sums: _Rows
    page: Page
    below: _Rows

    def count(self, start: int, stop: int) -> int:
        """Return the number of matched words in a range of rows."""
        return int(self.sums[stop] - self.sums[start])

    def share(self, row: int) -> float:
        """Return the share of the words in and below a row that is matched."""
        return self.count(row, int(self.page.end[row])) / max(int(self.below[row]), 1)


def _rows_below(page: Page, row: int, codes: NDArray[np.bool_]) -> list[int]:
    """Return the rows below one whose tags are in a table."""
    return (np.flatnonzero(codes[page.tag[row : page.end[row]]]) + row).tolist()


def find_data_tables(page: Page, terms_below: _Rows) -> list[int]:
    """Return the tables that hold data: rows and columns of short texts, no table in a cell."""
    is_table = page.tag == _TABLE
    tables = np.flatnonzero(is_table & (page.below(is_table) == 1))
    cells, rows = page.below(_IS_CELL[page.tag])[tables], page.below(page.tag == _TR)[tables]
    is_data = (rows >= 2) & (cells >= 2 * rows) & (terms_below[tables] <= _MAX_CELL_WORDS * cells)
    return [int(row) for row in tables[is_data]]


def _count_cells(parts: _PageWords, kept: _Matched) -> tuple[int, int, int]:
    """Return the tables in the output, their cells with text, and those that are missing."""
    counts = [0, 0, 0]
    for table in find_data_tables(parts.page, parts.below):
        cells = [cell for cell in _rows_below(parts.page, table, _IS_CELL) if parts.below[cell]]
        present = sum(kept.share(cell) >= _MIN_SHARE for cell in cells)
        if cells and present >= _MIN_SHARE * len(cells):
            counts = [counts[0] + 1, counts[1] + len(cells), counts[2] + len(cells) - present]
    return counts[0], counts[1], counts[2]


def _count_sections(parts: _PageWords, kept: _Matched) -> tuple[int, int]:
    """Return the sections in the output, and those without their heading.

    A section goes from its heading to the next one, as far as the element around the heading goes
    that holds more than it. The first h1 is the document's title, and counts as no heading.
    """
    sections = without = 0
    for heading, stop in _iterate_sections(parts):
        end = int(parts.page.end[heading])
        if kept.count(end, stop) >= _MIN_SECTION_WORDS:
            sections += 1
            without += kept.share(heading) < _MIN_SHARE
    return sections, without


def _iterate_sections(parts: _PageWords) -> Iterator[tuple[int, int]]:
    """Yield each heading with the end of its section, but for the first h1."""
    page, below = parts.page, parts.below
    headings = np.flatnonzero(_IS_HEADING[page.tag] & (below > 0)).tolist()
    titles = [row for row in headings if page.tag[row] == _H1][:1]
    for heading, following in zip(headings, [*headings, len(page)][1:], strict=True):
        container = int(page.parent[heading])
        while container > 0 and below[container] == below[heading]:
            container = int(page.parent[container])
        if heading not in titles:
            yield heading, min(following, int(page.end[container]))


def _count_pre(parts: _PageWords, kept: _Matched, wanted: _Matched) -> tuple[int, int, int]:
    """Return the `pre` elements of the gold, those that are lost, and those that are cut."""
    rows = np.flatnonzero((parts.page.tag == _PRE) & (parts.below > 0)).tolist()
    shares = [kept.share(row) for row in rows if wanted.share(row) >= _GOLD_SHARE]
    lost = sum(share < _MIN_SHARE for share in shares)
    return len(shares), lost, sum(share < _WHOLE_SHARE for share in shares) - lost


def _count_lists(parts: _PageWords, kept: _Matched) -> tuple[int, int]:
    """Return the lists in the output, and those of which items are missing."""
    page, lists, broken = parts.page, 0, 0
    for row in np.flatnonzero(_IS_LIST[page.tag]).tolist():
        items = [
            item
            for item in _rows_below(page, row, _IS_ITEM)
            if page.parent[item] == row and parts.below[item]
        ]
        present = sum(kept.share(item) >= _MIN_SHARE for item in items)
        if len(items) >= _MIN_ITEMS and present >= _MIN_SHARE * len(items):
            lists += 1
            broken += present < len(items)
    return lists, broken


def _count_headings(parts: _PageWords, output: Page) -> tuple[int, int, int]:
    """Return the headings of an output, those with nothing below them, and those that are torn.

    A heading has something below it if text or an image comes before the next heading, or if that
    one is of a lower level. It is torn if it has nothing, but text on the page: many pages have
    headings that stand alone, such as names on cards.
    """
    filled = _find_filled_headings(parts)
    is_heading = _IS_HEADING[output.tag] & (output.below(output.chars) > 0)
    headings = np.flatnonzero(is_heading).tolist()
    content = (output.chars > 0) | (output.tag == tags.CODE["img"])
    empty = torn = 0
    for heading, following in zip(headings, [*headings, -1][1:], strict=True):
        stop = len(output) if following < 0 else following
        has_text = content[output.end[heading] : stop].any()
        has_part = following >= 0 and output.tag[following] > output.tag[heading]
        if not has_text and not has_part:
            empty += 1
            torn += _read_words(output, heading) in filled
    return len(headings), empty, torn


def _find_filled_headings(parts: _PageWords) -> set[tuple[str, ...]]:
    """Return the texts of the headings of a page that all have text below them."""
    page = parts.page
    total = np.concatenate(([0], np.cumsum(parts.own)))
    filled: dict[tuple[str, ...], bool] = {}
    for heading, stop in _iterate_sections(parts):
        text = _read_words(page, heading)
        has_text = total[stop] - total[page.end[heading]] >= _MIN_TEXT_WORDS
        filled[text] = filled.get(text, True) and bool(has_text)
    return {text for text, has_text in filled.items() if has_text}


def _read_words(page: Page, row: int) -> tuple[str, ...]:
    """Return the words of an element."""
    return tuple(words(page.text[page.text_start[row] : page.text_stop[row]]))


def _count_lines(text: str) -> tuple[int, int]:
    """Return the lines of a text, and how many of them stand there again."""
    lines = Counter(
        tuple(line_words)
        for line in text.splitlines()
        if len(line_words := words(line)) >= _MIN_LINE_WORDS
    )
    return lines.total(), lines.total() - len(lines)

"""Units: what a reader sees as one, and what is therefore content as a whole or not at all.

A data table, a list, a description list, `pre`, a figure and `details` are units: each has one
probability, the mean over its words, so that no cell, item or line is torn out of it. Code and
headings belong to a section: code is as probable as the text around it, and a heading stays if its
section does, and goes with it. A button that opens a panel of text is that panel's heading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import Bools, Ints, Page, rows_with_bytes, tags
from tamis.verdict.verdict import Floats

_MAX_SHORT_TERMS: Final = 25  # of a cell or an item, on average
_ARTICLE: Final = tags.CODE["article"]
_MIN_ARTICLE_TERMS: Final = 80
_MIN_TITLE_SHARE: Final = 0.6  # of the words of a heading that the title of the page has
_WORD: Final = re.compile(r"\w+")
_H1: Final = tags.CODE["h1"]
_PRE: Final = tags.CODE["pre"]
_TABLE: Final = tags.CODE["table"]
_TR: Final = tags.CODE["tr"]
_IS_CELL: Final = tags.tag_table(("td", "th"))
_IS_HEADING: Final = tags.tag_table(tags.HEADINGS)
_IS_WHOLE: Final = tags.tag_table(("pre", "details"))
_IS_LIST: Final = tags.tag_table(("ul", "ol", "dl", "figure"))
_IS_ITEM: Final = tags.tag_table(("li", "dd", "figcaption"))
_IS_CONTAINER: Final = tags.tag_table(("div", "blockquote"))
_OPENS: Final = b' aria-expanded="'
_IS_OPENER: Final = tags.tag_table(("button", "a", "div", "span"))
_MAX_OPENER_TERMS: Final = 40  # of a question that opens its answer
_OPENER_LEVEL: Final = tags.CODE["h6"] + 1
# A list of these is a list of sections, cards or comments, parts of which may be noise.
_IS_PART: Final = tags.tag_table(
    (
        *tags.HEADINGS,
        *("table", "form", "article", "section", "aside", "nav", "button", "iframe"),
        *("header", "footer"),
    )
)


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a page; a block that is in none of them is a unit of its own."""

    number: Ints  # the unit of each block
    terms: Floats  # of each unit

    def average(self, values: Floats, terms: Floats) -> Floats:
        """Return the mean of values of blocks over the terms of each unit."""
        sums = np.bincount(self.number, weights=values * terms, minlength=len(self.terms))
        return np.asarray(sums / np.maximum(self.terms, 1.0))

    def level(self, by_expert: Floats, terms: Floats) -> Floats:
        """Return values of blocks by expert, each that of the unit of its block."""
        return np.stack([self.average(row, terms)[self.number] for row in by_expert])


def find_units(blocks: Blocks, terms: Floats) -> Units | None:
    """Return the units of a page; None if every block is one of its own."""
    page = blocks.page
    roots = _find_unit_elements(page)
    if not len(roots):
        return None
    root = np.searchsorted(roots, blocks.first, side="right") - 1
    inside = (root >= 0) & (blocks.first < page.end[roots[root]])
    # Blocks of one unit follow one another, so a unit begins where its root changes.
    same = np.zeros(len(blocks), dtype=np.bool_)
    same[1:] = inside[1:] & inside[:-1] & (root[1:] == root[:-1])
    number = np.cumsum(~same) - 1
    return Units(number, np.asarray(np.bincount(number, weights=terms), dtype=np.float64))


def _find_unit_elements(page: Page) -> Ints:
    """Return the elements that are units and in no other one."""
    tag = page.tag
    is_unit = _IS_WHOLE[tag]
    lists = np.flatnonzero(_IS_LIST[tag])
    if len(lists):
        is_unit[_find_plain_lists(page, lists)] = True
    is_table = tag == _TABLE
    if is_table.any():
        is_unit[_find_data_tables(page, is_table)] = True
    return page.outermost(np.flatnonzero(is_unit))


def _find_plain_lists(page: Page, lists: Ints) -> Ints:
    """Return the lists of texts: those that are no list of sections, posts or other containers."""
    items, texts = _sum_below(page, _IS_ITEM[page.tag], lists), _sum_below(page, page.terms, lists)
    is_short = texts <= _MAX_SHORT_TERMS * items
    has_containers = _sum_below(page, _IS_CONTAINER[page.tag], lists) > 0
    is_plain = _sum_below(page, _IS_PART[page.tag], lists) == 0
    return np.asarray(lists[is_plain & (is_short | ~has_containers)])


def _find_data_tables(page: Page, is_table: Bools) -> Ints:
    """Return the tables that hold data: rows and columns of short texts, no table in a cell."""
    tables = np.flatnonzero(is_table)
    tables = tables[_sum_below(page, is_table, tables) == 1]
    cells, rows = (_sum_below(page, mask, tables) for mask in (_IS_CELL[page.tag], page.tag == _TR))
    is_short = _sum_below(page, page.terms, tables) <= _MAX_SHORT_TERMS * cells
    return np.asarray(tables[(rows >= 2) & (cells >= 2 * rows) & is_short])


def _sum_below(page: Page, values: NDArray[Any], rows: Ints) -> Ints:
    """Return the sums of values over some rows and all that is below each of them."""
    sums = np.zeros(len(page) + 1, dtype=np.int64)
    np.cumsum(values, out=sums[1:])
    return np.asarray(sums[page.end[rows]] - sums[rows])


def bind_sections(
    blocks: Blocks, by_expert: Floats, terms: Floats, units: Units | None = None
) -> Floats:
    """Return probabilities with code and headings bound to the sections that they stand in.

    There is one row of probabilities per expert. Units count with their mean, so that a heading is
    not more probable than the list or table that is all of its section.
    """
    outline = _Outline(blocks, terms)
    bound = by_expert.copy() if units is None else units.level(by_expert, terms)
    if len(outline.code):
        for probability in bound:
            _bind_code(outline, probability)
    if len(outline.headings):
        _bind_headings(outline, bound)
    return bound


def _bind_code(outline: _Outline, probability: Floats) -> None:
    """Make code as probable as the most probable text between the headings around it."""
    texts = np.where(outline.is_code, 0.0, probability)
    edges = np.concatenate(([0], outline.headings))
    best = np.maximum.reduceat(texts, edges[edges < len(texts)])
    part = np.searchsorted(edges, outline.code, side="right") - 1
    # A heading at the very beginning makes an empty part, which `reduceat` gives its own value.
    probability[outline.code] = np.maximum(probability[outline.code], best[part])


def _bind_headings(outline: _Outline, by_expert: Floats) -> None:
    """Make a heading as probable as its section: no less than it is on average, no more than the
    most probable part of it. A heading without text below it keeps its own probability.

    No heading is more probable than the most probable text of its section, so the headings of
    subsections can be left out in looking for that.
    """
    heading, following, stop = outline.sections
    if not len(heading):
        return
    parts = np.zeros((len(by_expert), by_expert.shape[1] + 1))
    parts[:, :-1] = by_expert
    parts[:, heading] = 0.0
    edges = np.stack((heading + 1, stop), axis=1).ravel()
    greatest = np.maximum.reduceat(parts, edges, axis=1)[:, ::2]
    expected = np.zeros_like(parts)
    np.cumsum(by_expert * outline.terms, axis=1, out=expected[:, 1:])
    count = outline.sums[following] - outline.sums[heading + 1]
    mean = (expected[:, following] - expected[:, heading + 1]) / np.maximum(count, 1.0)
    least = np.where(count > 0, mean, greatest)
    by_expert[:, heading] = np.minimum(np.maximum(by_expert[:, heading], least), greatest)


@dataclass(frozen=True, eq=False)
class _Outline:
    """The headings, sections and code of a page, as blocks."""

    blocks: Blocks
    terms: Floats

    @cached_property
    def sums(self) -> Floats:
        """The number of terms before each block, and at the end that of all."""
        return np.concatenate(([0.0], np.cumsum(self.terms)))

    @cached_property
    def headings(self) -> Ints:
        """The blocks that are headings with text, or buttons that open a panel."""
        tag = self.blocks.page.tag[self.blocks.node]
        headings = np.flatnonzero(_IS_HEADING[tag] & (self.terms > 0))
        openers = [block for block in self._openers if not _IS_HEADING[tag[block]]]
        return np.union1d(headings, openers).astype(np.int64) if openers else headings

    @cached_property
    def _openers(self) -> dict[int, int]:
        """The blocks whose text is that of an element which opens a panel, with the element."""
        blocks, page = self.blocks, self.blocks.page
        openers: dict[int, int] = {}
        for row in sorted(set(rows_with_bytes(page, _OPENS))):
            if not _IS_OPENER[page.tag[row]]:
                continue
            terms = page.terms[row : page.end[row]]
            block = int(blocks.owner[row + int(np.argmax(terms > 0))]) if terms.any() else -1
            if block >= 0 and terms.sum() == self.terms[block] <= _MAX_OPENER_TERMS:
                openers.setdefault(block, row)
        return openers

    @cached_property
    def is_code(self) -> Bools:
        """Which blocks are in `pre`."""
        page = self.blocks.page
        return page.within(np.flatnonzero(page.tag == _PRE))[self.blocks.first]

    @cached_property
    def code(self) -> Ints:
        """The blocks of code with text."""
        if _PRE not in self.blocks.page.tag.tobytes():
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self.is_code & (self.terms > 0))

    @cached_property
    def sections(self) -> tuple[Ints, Ints, Ints]:
        """The heading, the next heading and the stop of each section with text, as blocks.

        The section of the first h1 is left out, which is the title of the document.
        """
        blocks, heading = self.blocks, self.headings
        tag = blocks.page.tag[blocks.node[heading]]
        level = np.where(_IS_HEADING[tag], tag, _OPENER_LEVEL).tolist()
        next_heading = np.append(heading[1:], len(blocks))
        container_stop = np.array(self._find_container_stops())
        following = np.minimum(next_heading, container_stop)
        stop = np.minimum(_find_next_levels(level, heading.tolist(), len(blocks)), container_stop)
        has_text = self.sums[stop] > self.sums[heading + 1]
        if _H1 in level:
            has_text[level.index(_H1)] = False
        return heading[has_text], following[has_text], stop[has_text]

    def _find_container_stops(self) -> list[int]:
        """Return for each heading the block after the element that holds more than the heading."""
        page, blocks = self.blocks.page, self.blocks
        below = page.below(page.terms)
        ends = []
        for block in self.headings.tolist():
            node = self._openers.get(block, int(blocks.node[block]))
            container = int(page.parent[node])
            while container > 0 and below[container] == below[node]:
                container = int(page.parent[container])
            ends.append(int(page.end[container]))
        stops: list[int] = np.searchsorted(blocks.first, ends).tolist()
        return stops


def _find_next_levels(level: list[int], headings: list[int], end: int) -> list[int]:
    """Return for each heading the next one of its level or a higher one, or the end."""
    stops = [end] * len(level)
    pending: list[int] = []
    for index, rank in enumerate(level):
        while pending and level[pending[-1]] >= rank:
            stops[pending.pop()] = headings[index]
        pending.append(index)
    return stops


# What follows the document --------------------------------------------------------------------


def find_further_articles(blocks: Blocks, title: str) -> Bools | None:
    """Return the blocks of the articles after the one that the page is about; None without any.

    Such pages load the next article below the first. Each is an `article` with an h1 of its own,
    and the title of the page is that of the first one.
    """
    page = blocks.page
    articles = page.outermost(np.flatnonzero(page.tag == _ARTICLE))
    if len(articles) < 2:
        return None
    headings = np.flatnonzero(page.tag == _H1)
    first = np.searchsorted(headings, articles)
    has_heading = first < np.searchsorted(headings, page.end[articles])
    is_long = _sum_below(page, page.terms, articles) >= _MIN_ARTICLE_TERMS
    first, articles = first[has_heading & is_long], articles[has_heading & is_long]
    if len(articles) < 2:
        return None
    words = set(_WORD.findall(title.lower()))
    shares = [_share_in(words, _heading_words(page, int(row))) for row in headings[first]]
    if shares[0] < _MIN_TITLE_SHARE or max(shares[1:]) >= _MIN_TITLE_SHARE:
        return None
    return page.within(articles[1:])[blocks.first]


def _heading_words(page: Page, row: int) -> list[str]:
    """Return the words of a heading."""
    return _WORD.findall(page.text[page.text_start[row] : page.text_stop[row]].lower())


def _share_in(words: set[str], others: list[str]) -> float:
    """Return the share of words that are in a set."""
    return sum(word in words for word in others) / max(len(others), 1)

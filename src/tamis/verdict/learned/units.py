"""Units: what a reader sees as one, and what is therefore content as a whole or not at all.

A data table, a list, a description list, `pre`, a figure and `details` are units: each has one
probability, the mean over its words, so that no cell, item or line is torn out of it. Code and
headings belong to a section: code is as probable as the text around it, and a heading stays if its
section does, and goes with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools, Ints, Page, tags
from tamis.verdict.verdict import Floats

_MAX_SHORT_TERMS: Final = 25  # of a cell or an item, on average
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
    items, texts = page.below(_IS_ITEM[page.tag])[lists], page.below(page.terms)[lists]
    is_short = texts <= _MAX_SHORT_TERMS * items
    has_containers = page.below(_IS_CONTAINER[page.tag])[lists] > 0
    is_plain = page.below(_IS_PART[page.tag])[lists] == 0
    return np.asarray(lists[is_plain & (is_short | ~has_containers)])


def _find_data_tables(page: Page, is_table: Bools) -> Ints:
    """Return the tables that hold data: rows and columns of short texts, no table in a cell."""
    tables = np.flatnonzero(is_table & (page.below(is_table) == 1))
    cells, rows = page.below(_IS_CELL[page.tag])[tables], page.below(page.tag == _TR)[tables]
    is_short = page.below(page.terms)[tables] <= _MAX_SHORT_TERMS * cells
    return tables[(rows >= 2) & (cells >= 2 * rows) & is_short]


class _Section(NamedTuple):
    """A heading and its text, as blocks: up to the next heading, and with all subsections."""

    heading: int
    next_heading: int
    stop: int


def bind_sections(blocks: Blocks, by_expert: Floats, terms: Floats) -> Floats:
    """Return probabilities with code and headings bound to the sections that they stand in.

    There is one row of probabilities per expert.
    """
    outline = _Outline(blocks, terms)
    bound = by_expert.copy()
    for probability in bound:
        _bind_code(outline, probability)
        _bind_headings(outline, probability)
    return bound


def _bind_code(outline: _Outline, probability: Floats) -> None:
    """Make code as probable as the most probable text between the headings around it."""
    if not len(outline.code):
        return
    texts = np.where(outline.is_code, 0.0, probability)
    edges = np.concatenate(([0], outline.headings))
    best = np.maximum.reduceat(texts, edges[edges < len(texts)])
    part = np.searchsorted(edges, outline.code, side="right") - 1
    # A heading at the very beginning makes an empty part, which `reduceat` gives its own value.
    probability[outline.code] = np.maximum(probability[outline.code], best[part])


def _bind_headings(outline: _Outline, probability: Floats) -> None:
    """Make a heading as probable as its section: no less than it is on average, no more than the
    most probable part of it. A heading without text below it keeps its own probability.
    """
    expected = np.concatenate(([0.0], np.cumsum(probability * outline.terms)))
    for heading, following, stop in reversed(outline.sections):
        count = outline.sums[following] - outline.sums[heading + 1]
        if count:
            least = (expected[following] - expected[heading + 1]) / count
        elif outline.sums[stop] > outline.sums[heading + 1]:
            least = float(probability[heading + 1 : stop].max())
        else:
            continue
        most = float(probability[heading + 1 : stop].max())
        probability[heading] = min(max(probability[heading], least), most)


@dataclass(frozen=True, eq=False)
class _Outline:
    """The headings, sections and code of a page, as blocks."""

    blocks: Blocks
    terms: Floats

    @cached_property
    def sums(self) -> list[float]:
        """The number of terms before each block, and at the end that of all."""
        return [0.0, *np.cumsum(self.terms).tolist()]

    @cached_property
    def headings(self) -> Ints:
        """The blocks that are headings with text."""
        tag = self.blocks.page.tag[self.blocks.node]
        return np.flatnonzero(_IS_HEADING[tag] & (self.terms > 0))

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
    def sections(self) -> list[_Section]:
        """All sections but that of the first h1, which is the title of the document."""
        return list(self._iterate())

    def _iterate(self) -> Iterator[_Section]:
        blocks, headings = self.blocks, self.headings.tolist()
        if not headings:
            return
        level = blocks.page.tag[blocks.node[self.headings]].tolist()
        container_stop = self._find_container_stops()
        title = level.index(_H1) if _H1 in level else -1
        following = [*headings, len(blocks)]
        stops = _find_next_levels(level, following)
        for index, heading in enumerate(headings):
            if index != title:
                end = container_stop[index]
                yield _Section(heading, min(following[index + 1], end), min(stops[index], end))

    def _find_container_stops(self) -> list[int]:
        """Return for each heading the block after the element that holds more than the heading."""
        page, blocks = self.blocks.page, self.blocks
        below = page.below(page.terms)
        ends = []
        for node in blocks.node[self.headings].tolist():
            container = int(page.parent[node])
            while container > 0 and below[container] == below[node]:
                container = int(page.parent[container])
            ends.append(int(page.end[container]))
        stops: list[int] = np.searchsorted(blocks.first, ends).tolist()
        return stops


def _find_next_levels(level: list[int], following: list[int]) -> list[int]:
    """Return for each heading the next one of its level or a higher one, or the end."""
    stops = [following[-1]] * len(level)
    pending: list[int] = []
    for index, rank in enumerate(level):
        while pending and level[pending[-1]] >= rank:
            stops[pending.pop()] = following[index]
        pending.append(index)
    return stops

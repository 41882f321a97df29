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
from typing import Final

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools, Ints, Page, rows_with_bytes, tags
from tamis.verdict.learned import _answers
from tamis.verdict.verdict import Floats

_ARTICLE: Final = tags.CODE["article"]
_MIN_ARTICLE_TERMS: Final = 80
_MIN_TITLE_SHARE: Final = 0.6  # of the words of a heading that the title of the page has
_WORD: Final = re.compile(r"\w+")
_H1: Final = tags.CODE["h1"]
_PRE: Final = tags.CODE["pre"]
_IS_HEADING: Final = tags.tag_table(tags.HEADINGS)
_OPENS: Final = b' aria-expanded="'
_IS_OPENER: Final = tags.tag_table(("button", "a", "div", "span"))
_OPENER_LEVEL: Final = tags.CODE["h6"] + 1
_TAGS_OF_TRAIT: Final = {
    _answers.TRAIT_WHOLE: ("pre", "details"),
    _answers.TRAIT_LIST: ("ul", "ol", "dl", "figure"),
    _answers.TRAIT_ITEM: ("li", "dd", "figcaption"),
    # A list of these is a list of sections, cards or comments, parts of which may be noise.
    _answers.TRAIT_PART: (
        *tags.HEADINGS,
        *("table", "form", "article", "section", "aside", "nav", "button", "iframe"),
        *("header", "footer"),
    ),
    _answers.TRAIT_CONTAINER: ("div", "blockquote"),
    _answers.TRAIT_TABLE: ("table",),
    _answers.TRAIT_ROW: ("tr",),
    _answers.TRAIT_CELL: ("td", "th"),
}
_TRAITS: Final = sum(
    (tags.tag_table(names) * np.uint8(trait) for trait, names in _TAGS_OF_TRAIT.items()),
    start=np.zeros(256, dtype=np.uint8),
)


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a page; a block that is in none of them is a unit of its own."""

    number: Ints  # the unit of each block
    terms: Floats  # of each unit

    def average(self, by_expert: Floats, terms: Floats) -> Floats:
        """Return the means of values of blocks over the terms of each unit, by expert."""
        return _answers.average_units(self.number, by_expert, terms, self.terms)

    def level(self, by_expert: Floats, terms: Floats) -> Floats:
        """Return values of blocks by expert, each that of the unit of its block."""
        return self.average(by_expert, terms).take(self.number, axis=1)


def find_units(blocks: Blocks, terms: Floats) -> Units | None:
    """Return the units of a page; None if every block is one of its own.

    Lists of sections, posts or other containers are none, nor are tables that make a layout.
    """
    page = blocks.page
    rows = _answers.find_unit_rows(page.tag, page.end, page.terms, _TRAITS)
    if not len(rows):
        return None
    number = _answers.number_units(rows, page.end, blocks.first)
    return Units(number, np.asarray(np.bincount(number, weights=terms), dtype=np.float64))


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
    _answers.bind_headings(outline.sections, outline.sums, outline.terms, by_expert)


@dataclass(frozen=True, eq=False)
class _Outline:
    """The headings, sections and code of a page, as blocks."""

    blocks: Blocks
    terms: Floats

    @cached_property
    def sums(self) -> Floats:
        """The number of terms before each block, and at the end that of all."""
        sums = np.zeros(len(self.terms) + 1)
        self.terms.cumsum(out=sums[1:])
        return sums

    @cached_property
    def headings(self) -> Ints:
        """The blocks that are headings with text, or buttons that open a panel."""
        is_heading = _IS_HEADING[self.blocks.page.tag[self.blocks.node]] & (self.terms > 0)
        if self._opened_rows is not None:
            is_heading |= self._opened_rows >= 0
        return np.asarray(is_heading.nonzero()[0])

    @cached_property
    def _opened_rows(self) -> Ints | None:
        """For each block whose text is that of an element which opens a panel that element, for
        others -1; None if the page has no such element.
        """
        blocks, page = self.blocks, self.blocks.page
        rows = rows_with_bytes(page, _OPENS)
        if not rows:
            return None
        return _answers.find_opened_rows(
            sorted(rows), _IS_OPENER, page.tag, page.end, page.terms, blocks.owner, self.terms
        )

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
    def sections(self) -> Ints:
        """The heading, the next heading and the stop of each section with text, as blocks.

        The section of the first h1 is left out, which is the title of the document.
        """
        blocks, page, headings = self.blocks, self.blocks.page, self.headings
        nodes = blocks.node[headings]
        tag = page.tag[nodes]
        level = np.where(_IS_HEADING[tag], tag, np.uint8(_OPENER_LEVEL))
        if self._opened_rows is not None:
            opened = self._opened_rows[headings]
            nodes = np.where(opened < 0, nodes, opened)
        return _answers.find_sections(
            headings,
            nodes,
            level,
            _H1,
            blocks.first,
            page.end,
            page.parent,
            page.terms,
            self.sums,
        )


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
    is_long = page.below(page.terms)[articles] >= _MIN_ARTICLE_TERMS
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

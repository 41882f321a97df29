"""Units: what a reader sees as one, and what is therefore content as a whole or not at all.

A data table, a list, a description list, `pre`, a figure and `details` are units: each has one
probability, the mean over its words, so that no cell, item or line is torn out of it. Code and
headings belong to a section: code is as probable as the text around it, and a heading stays if its
section does, and goes with it. A button that opens a panel of text is that panel's heading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools, Ints, Page, tags
from tamis.verdict.learned import _answers
from tamis.verdict.verdict import Floats

_ARTICLE: Final = tags.CODE["article"]
_MIN_ARTICLE_TERMS: Final = 80
_MIN_TITLE_SHARE: Final = 0.6  # of the words of a heading that the title of the page has
_WORD: Final = re.compile(r"\w+")
_H1: Final = tags.CODE["h1"]
_OPENS: Final = b' aria-expanded="'
_IS_OPENER: Final = tags.tag_table(("button", "a", "div", "span"))
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
    bound = by_expert.copy() if units is None else units.level(by_expert, terms)
    openers = _answers.find_openers(blocks, terms, _OPENS, _IS_OPENER)
    _answers.bind_to_sections(blocks, terms, openers, bound)
    return bound


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

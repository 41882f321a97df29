"""coreex: CoreEx (Prasad & Paepcke 2008): the node whose children hold much text and few links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.errors import check_number
from tamis.page import Bools, Page, tags
from tamis.verdict.verdict import Floats, Verdict, build_verdict, escape_template

_A = tags.CODE["a"]

_Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TextLinkCounts:
    """The words and links of each row with all rows below it, and of its set of children."""

    text: _Ints  # textCnt
    links: _Ints  # linkCnt
    in_set: Bools  # whether the row is in the set of its parent
    set_text: _Ints  # setTextCnt
    set_links: _Ints  # setLinkCnt


@dataclass(frozen=True)
class CoreEx:
    """Takes the set of children of the node with the greatest score.

    A child whose ratio (words − links) / words is above `min_ratio` is in the set of its parent.
    The score of a node is w·(words − links of its set) / words of its set + (1 − w)·words of its
    set / words of the page, with w = `ratio_weight`. Of equal nodes the outermost is taken. Links
    and what is in them cannot be the node.
    """

    min_ratio: float = 0.9
    ratio_weight: float = 0.99

    def __post_init__(self) -> None:
        check_number("min_ratio", self.min_ratio, 0, 1)
        check_number("ratio_weight", self.ratio_weight, 0, 1)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks inside the set of the best node as informative."""
        page = blocks.page
        if not len(blocks):
            return build_verdict(*np.zeros((4, 0)), "")
        counts = count_text_and_links(page, self.min_ratio)
        node = int(np.argmax(self.node_scores(page, counts)))
        inside = page.within(np.flatnonzero(counts.in_set & (page.parent == node)))
        chars_inside, chars = blocks.owned(page.chars * inside), blocks.owned(page.chars)
        informative = chars_inside > chars / 2
        if not informative.any():  # the set is a small part of a block
            informative = (chars_inside > 0) & (chars_inside == chars_inside.max())
        words = blocks.owned(page.terms)
        ratio = np.maximum(words - blocks.owned(_begins_link(page)), 0) / np.maximum(words, 1)
        return build_verdict(
            ratio,
            informative,
            np.where(informative, 0, np.where(words > 0, 1, 2)),
            ratio,
            f"in the set of {escape_template(page.name(node))}, text ratio {{:.2f}}",
            "outside the set, text ratio {:.2f}",
            "no text",
        )

    def node_scores(self, page: Page, counts: TextLinkCounts) -> Floats:
        """Return the score of each row; that of rows without a set is 0."""
        ratio = (counts.set_text - counts.set_links) / np.maximum(counts.set_text, 1)
        share = counts.set_text / max(int(counts.text[0]), 1)
        score = self.ratio_weight * ratio + (1 - self.ratio_weight) * share
        return np.where((counts.set_text > 0) & ~page.in_link, score, 0.0)


def count_text_and_links(page: Page, min_ratio: float) -> TextLinkCounts:
    """Return the counts of all rows; links without words count as links."""
    text, links = page.below(page.terms), page.below(_begins_link(page))
    in_set = (text > 0) & (text - links > min_ratio * text) & (page.parent >= 0)
    parent = page.parent[in_set]
    set_text, set_links = (
        np.bincount(parent, weights=column[in_set], minlength=len(page)).astype(np.int64)
        for column in (text, links)
    )
    return TextLinkCounts(text, links, in_set, set_text, set_links)


def _begins_link(page: Page) -> Bools:
    """Return which rows are links that are not inside another link."""
    begins: Bools = (page.tag == _A) & ((page.flags & tags.INVISIBLE) == 0)
    inner = np.flatnonzero(begins & (page.parent >= 0))
    begins[inner] &= ~page.in_link[page.parent[inner]]
    return begins

"""Feature context: the sums over blocks and rows that the features of a page are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import Ints, Page, tags
from tamis.verdict.kernel.passes import find_text
from tamis.verdict.kernel.sums import (
    count_before,
    count_elements,
    count_tags,
    sum_before,
    sum_blocks,
)
from tamis.verdict.verdict import Floats

Matrix = NDArray[np.float32]  # one row per feature, one column per block

IS_HEADING: Final = tags.tag_table(tags.HEADINGS).view(np.uint8)  # by tag code
# Groups of elements that are counted in each block.
COUNTED_TAGS: Final = (
    ("a",),
    ("b", "strong"),
    ("i", "em"),
    ("br",),
    ("img", "picture"),
    ("svg",),
    ("input", "textarea"),
    ("button",),
    ("select", "option"),
    ("label",),
    ("span", "font"),
    ("time",),
    ("code", "kbd", "samp", "tt"),
    ("iframe", "video", "audio", "object", "embed"),
    ("small", "sup", "sub"),
)

_MIN_LONG_TERMS: Final = 15  # of a block of running text
_FLAGS = np.arange(256)
_LINK_AND_HIDDEN_BITS = (((_FLAGS & tags.LINK) != 0) | ((_FLAGS & tags.HIDDEN) != 0) * 2).astype(
    np.uint8
)
_GROUP_BY_TAG = np.full(256, len(COUNTED_TAGS))
for _index, _names in enumerate(COUNTED_TAGS):
    _GROUP_BY_TAG[[tags.CODE[_name] for _name in _names]] = _index
_IS_OBJECT_GROUP = np.array(
    [bool({"img", "svg", "video"} & set(group)) for group in COUNTED_TAGS], np.uint8
)


@dataclass(frozen=True, eq=False)
class FeatureContext:
    """The blocks of a page with the sums that most features need. Each is computed once."""

    blocks: Blocks

    @property
    def page(self) -> Page:
        """The page of the blocks."""
        return self.blocks.page

    @cached_property
    def size(self) -> int:
        """The number of blocks."""
        return len(self.blocks)

    def __len__(self) -> int:
        return self.size

    @cached_property
    def anchor(self) -> NDArray[np.int64]:
        """The row that represents a block: its element, or the first row that it owns there."""
        return self.blocks.first.astype(np.int64)

    @cached_property
    def tag(self) -> NDArray[np.uint8]:
        """The tag code of the element that a block is or lies in."""
        return self.page.tag[self.blocks.node]

    @cached_property
    def sums(self) -> Floats:
        """Sums over the rows of each block; `sum_blocks` of the kernel lists them."""
        page = self.page
        sums = np.zeros((5, len(self)))
        columns = page.terms, page.chars, page.marks, page.flags
        sum_blocks(self.blocks.owner, *columns, _LINK_AND_HIDDEN_BITS, sums)
        return sums

    @cached_property
    def elements(self) -> NDArray[np.int32]:
        """Number of elements that a block owns; one row per group of `COUNTED_TAGS`."""
        elements = np.zeros((len(COUNTED_TAGS), len(self)), dtype=np.int32)
        count_elements(self.blocks.owner, self.page.tag, _GROUP_BY_TAG, elements)
        return elements

    @property
    def terms(self) -> Floats:
        """Number of terms of each block."""
        return np.asarray(self.sums[0])

    @property
    def linked(self) -> Floats:
        """Number of characters of each block that are in links."""
        return np.asarray(self.sums[1])

    @property
    def chars(self) -> Floats:
        """Number of characters of each block."""
        return np.asarray(self.sums[2])

    @property
    def marks(self) -> Floats:
        """Number of punctuation marks of each block."""
        return np.asarray(self.sums[3])

    @cached_property
    def text(self) -> NDArray[np.uint32]:
        """The code points of the page's text."""
        return code_points(self.page.text)

    @cached_property
    def text_span(self) -> tuple[Ints, Ints]:
        """The offsets of the start of each block's text, after white space, and of its end."""
        page = self.page
        firsts = np.ascontiguousarray(self.blocks.first)
        ends = np.ascontiguousarray(self.blocks.stop)
        start, stop = np.empty((2, len(self)), dtype=np.int64)
        find_text(self.text, page.text_start, page.text_stop, firsts, ends, start, stop)
        return start, stop

    @cached_property
    def totals(self) -> Floats:
        """Sums over the blocks before each block, and over all; differences give any range."""
        totals = np.empty((7, len(self) + 1))
        sum_before(
            *(self.sums, self.elements, self.tag, IS_HEADING, _IS_OBJECT_GROUP),
            _MIN_LONG_TERMS,
            totals,
        )
        return totals

    @cached_property
    def before(self) -> Ints:
        """Number of blocks before each row of the page, and of all blocks."""
        before = np.empty(len(self.page) + 1, dtype=np.int64)
        count_before(self.anchor, before)
        return before

    @cached_property
    def rows_by_tag(self) -> Floats:
        """Number of the page's rows with each tag."""
        counts = np.zeros(256)
        count_tags(self.page.tag, counts)
        return counts

    @cached_property
    def link_density(self) -> Floats:
        """Share of each block's characters that is in links."""
        return self.linked / np.maximum(self.chars, 1.0)

    @cached_property
    def all_terms(self) -> float:
        """Number of terms of the page, at least 1."""
        return max(float(self.totals[0, -1]), 1.0)

    @cached_property
    def all_long(self) -> float:
        """Number of terms of the page's running text, at least 1."""
        return max(float(self.totals[4, -1]), 1.0)


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text."""
    # This takes half the time of encoding the text.
    return np.array([text]).view(np.uint32)[: len(text)]

"""Segmenters that make blocks of elements by their tags.

- tagset: GetBlockSet of Debnath et al. 2005 §3, §4.1 and §4.2
- tables: blocks by table only, the segmenter of Lin & Ho 2002
- chunks: the raw chunks of the tag-window paper §3.3
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from tamis.blocks._runs import find_blocks
from tamis.blocks.blocks import Blocks, build_blocks, build_nested_blocks, leaf_rows
from tamis.errors import InputError, UnknownName, check_argument, check_not_empty
from tamis.page import Bools, Page, tags

CLASSIC: Final = ("table", "tr", "td", "th", "p", "hr", "ul", "div", "span")
HTML5: Final = tuple(tag for tag in CLASSIC if tag != "span") + tuple(
    "section article aside nav header footer main li ol dl dt dd blockquote pre h1 h2 h3 h4 h5 h6 "
    "form figure figcaption details address".split()
)
_TAG_SETS: Final = {"classic": CLASSIC, "html5": HTML5}
_TAG_TABLES: Final = {name: tags.tag_table(names) for name, names in _TAG_SETS.items()}
_CHUNK_TAGS: Final = tuple(
    "table div ul tr p "  # those of the paper
    "ol dl section article aside nav header footer main form fieldset blockquote figure details "
    "pre".split()
)


@dataclass(frozen=True)
class TagSet:
    """Divides a page at every element of a tag set until no block contains one (GetBlockSet).

    The paper divides by one tag after the other; the outcome does not depend on the order. An
    atomic block is a run of leaves without a boundary of a tag of the set between them, so that
    one pass over the boundaries is enough.

    `tags` is "html5", "classic" (the paper's set) or a tuple of names. `tables="whole"` keeps a
    table that contains no other table as one block (Debnath et al. 2005 §5.1, "in the highest depth
    of table tree").
    """

    tags: str | tuple[str, ...] = "html5"
    tables: Literal["cut", "whole"] = "cut"

    def __post_init__(self) -> None:
        check_argument("tags", self.tags, (str, Iterable), "the name of a set, or a tuple of names")
        if self.tables not in ("cut", "whole"):
            raise UnknownName(f"no way to treat tables {self.tables!r}: take cut or whole")
        if not self.tags:
            raise InputError("tags is empty: name a set, or at least one tag")
        self._tag_table()

    def segment(self, page: Page) -> Blocks:
        """Return the atomic blocks of a page; none is inside another."""
        node, first, stop, owner = find_blocks(self._boundaries(page), page.end, leaf_rows(page))
        return build_blocks(page, node, first, stop, np.full(len(node), -1), owner)

    def _boundaries(self, page: Page) -> Bools:
        """Return which rows are elements that divide the page."""
        boundary = self._tag_table()[page.tag]
        if self.tables == "whole":
            table = page.tag == tags.CODE["table"]
            innermost = np.flatnonzero(table & (page.below(table) == 1))
            edges = np.zeros(len(page) + 1, dtype=np.int32)
            edges[innermost + 1] += 1
            np.subtract.at(edges, page.end[innermost], 1)
            boundary &= np.cumsum(edges)[:-1] == 0
        return boundary

    def _tag_table(self) -> Bools:
        """Return which tag codes are in the tag set."""
        if isinstance(self.tags, str):
            if self.tags not in _TAG_TABLES:
                names = ", ".join(_TAG_TABLES)
                raise UnknownName(f"no tag set {self.tags!r}: take {names} or a tuple")
            return _TAG_TABLES[self.tags]
        _check_tags(self.tags)
        return tags.tag_table(self.tags)


def _check_tags(names: Iterable[str]) -> None:
    """Raise UnknownName for a name that is no tag."""
    for name in names:
        if name not in tags.CODE:
            examples = ", ".join(_CHUNK_TAGS[:5])
            raise UnknownName(f"no tag {name!r}: take names of HTML elements, such as {examples}")


_BY_TABLE: Final = TagSet(("table",))


@dataclass(frozen=True)
class Tables:
    """Divides a page at its tables only: a page without tables is one block.

    Pages were laid out with tables when the method was published; it is weak on pages of today.
    """

    def segment(self, page: Page) -> Blocks:
        """Return the runs of content in, between and around the tables of a page."""
        return _BY_TABLE.segment(page)


@dataclass(frozen=True)
class Chunks:
    """Makes a raw chunk of every table, div, ul, tr, p and similar element that shows something.

    Chunks nest as their elements do and have the labels B-1, B-1-1, … (`Blocks.labels`); B-1 is the
    body of the page.
    """

    tags: tuple[str, ...] = _CHUNK_TAGS

    def __post_init__(self) -> None:
        check_not_empty("tags", self.tags, "names of HTML elements")
        _check_tags(self.tags)

    def segment(self, page: Page) -> Blocks:
        """Return the raw chunks of a page."""
        has_leaves = page.below(leaf_rows(page)) > 0
        is_chunk = tags.tag_table((*self.tags, "body", "frameset"))[page.tag] & has_leaves
        node = np.flatnonzero(is_chunk)
        return build_nested_blocks(page, node, node, page.end[node])

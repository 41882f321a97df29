"""tagset: GetBlockSet, the segmenter of 004 §3, §4.1 and §4.2.

tables: blocks by table only, the segmenter of Lin and Ho (004 §6.1).

chunks: the raw chunks of the tag-window method, 002 §3.3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from tamis.blocks.blocks import Blocks, build_blocks, build_nested_blocks, leaf_rows
from tamis.blocks.kernel.runs import find_blocks, number_runs, own_rows
from tamis.errors import UnknownName, check_argument
from tamis.page import Bools, Page, tags

CLASSIC: Final = ("table", "tr", "td", "th", "p", "hr", "ul", "div", "span")
HTML5: Final = tuple(tag for tag in CLASSIC if tag != "span") + tuple(
    "section article aside nav header footer main li ol dl dt dd blockquote pre h1 h2 h3 h4 h5 h6 "
    "form figure figcaption details address".split()
)
TAG_SETS: Final = {"classic": CLASSIC, "html5": HTML5}
_TABLES: Final = {name: tags.tag_table(names) for name, names in TAG_SETS.items()}


@dataclass(frozen=True)
class TagSet:
    """Cuts a page at every element of a tag set until no block holds one (004, GetBlockSet).

    The paper cuts by one tag after the other; what remains does not depend on the order. An
    atomic block is a run of leaves with no boundary of a tag of the set between them, so one pass
    over the boundaries does it.

    `tags` is "html5", "classic" (the paper's set) or a tuple of names. `tables="whole"` keeps a
    table that holds no other table as one block (004 §5.1, "in the highest depth of table tree").
    """

    tags: str | tuple[str, ...] = "html5"
    tables: Literal["cut", "whole"] = "cut"

    def __post_init__(self) -> None:
        check_argument("tags", self.tags, (str, Iterable), "the name of a set, or a tuple of names")
        if self.tables not in ("cut", "whole"):
            raise UnknownName(f"no way to treat tables {self.tables!r}: take cut or whole")
        self._table()

    def segment(self, page: Page) -> Blocks:
        """Return the atomic blocks of a page, a forest without edges."""
        cut, shown = self._cuts(page).view(np.uint8), leaf_rows(page).view(np.uint8)
        run, inner, opened, owner = np.empty((4, len(page)), dtype=np.int32)
        before, blocks = np.empty(len(page) + 1, np.int32), np.empty((3, len(page)), np.int32)
        number_runs(cut, page.end, opened, run, inner)
        blocks = blocks[:, : find_blocks(run, inner, page.end, shown, before, blocks)]
        own_rows(run, cut, page.end, shown, before, blocks, owner)
        node, first, stop = blocks.copy()
        return build_blocks(page, node, first, stop, np.full(len(node), -1), owner)

    def _cuts(self, page: Page) -> Bools:
        """Return which rows are elements that cut."""
        cut = self._table()[page.tag]
        if self.tables == "whole":
            table = page.tag == tags.CODE["table"]
            innermost = np.flatnonzero(table & (page.below(table) == 1))
            edges = np.zeros(len(page) + 1, dtype=np.int32)
            edges[innermost + 1] += 1
            np.subtract.at(edges, page.end[innermost], 1)
            cut &= np.cumsum(edges)[:-1] == 0
        return cut

    def _table(self) -> Bools:
        """Return the tags that cut, as a table by tag code."""
        if isinstance(self.tags, str):
            if self.tags not in _TABLES:
                raise UnknownName(f"no tag set {self.tags!r}: take {', '.join(_TABLES)} or a tuple")
            return _TABLES[self.tags]
        unknown = [name for name in self.tags if name not in tags.CODE]
        if unknown:
            raise UnknownName(f"no tag {unknown[0]!r}: take names of HTML elements")
        return tags.tag_table(self.tags)


_CUT: Final = TagSet(("table",))


@dataclass(frozen=True)
class Tables:
    """Cuts a page at its tables and nowhere else: one without tables is one block.

    That was how pages were laid out when the method was made, and is its weakness today.
    """

    def segment(self, page: Page) -> Blocks:
        """Return the runs of content in, between and around the tables of a page."""
        return _CUT.segment(page)


CHUNK_TAGS: Final = tuple(
    "table div ul tr p "  # 002's own
    "ol dl section article aside nav header footer main form fieldset blockquote figure details "
    "pre".split()
)


@dataclass(frozen=True)
class Chunks:
    """Takes every table, div, ul, tr, p (and their html5 kin) that shows something as a chunk.

    Chunks nest as their elements do and are numbered B-1, B-1-1, … (`Blocks.label`); B-1 is the
    body of the page.
    """

    tags: tuple[str, ...] = CHUNK_TAGS

    def segment(self, page: Page) -> Blocks:
        """Return the chunks of a page."""
        shown = page.below(leaf_rows(page)) > 0
        chunk = tags.tag_table((*self.tags, "body", "frameset"))[page.tag] & shown
        node = np.flatnonzero(chunk)
        return build_nested_blocks(page, node, node, page.end[node])

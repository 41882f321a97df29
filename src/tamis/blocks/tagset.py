"""tagset: GetBlockSet, the segmenter of 004 §3, §4.1 and §4.2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from tamis.blocks.blocks import Blocks, leaves, made_blocks
from tamis.errors import UnknownName
from tamis.page import Page, tags
from tamis.page.page import Bools

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

    def segment(self, page: Page) -> Blocks:
        """Return the atomic blocks of a page, a forest without edges."""
        cut = self._cuts(page)
        opened = np.cumsum(cut)
        closed = np.cumsum(np.bincount(page.end[cut], minlength=len(page) + 1))[:-1]
        run = opened + closed  # boundaries before each row: equal in a run, rising between runs
        in_one_run = run[page.end - 1] == run
        shown = leaves(page)
        before = np.concatenate(([0], np.cumsum(shown)))  # leaves before each row
        rows = np.flatnonzero(shown | (in_one_run & (before[page.end] > before[:-1])))
        keys = run[rows]
        begins = np.flatnonzero(np.concatenate((keys[:1] >= 0, keys[1:] > keys[:-1])))
        first, keys = rows[begins], keys[begins]
        reached = np.where(in_one_run[rows], page.end[rows], rows + 1)
        stop = np.maximum.reduceat(reached, begins) if len(begins) else first
        block_of = np.full(2 * len(page) + 1, -1, dtype=np.int32)
        block_of[keys] = np.arange(len(keys))
        owner = np.where(cut & ~shown, -1, block_of[run])
        node = _nearest_cut(cut, opened - closed, first)
        # A run that holds all that its element shows is that element.
        all_of_it = before[stop] - before[first] == before[page.end[node]] - before[node]
        owner[node[all_of_it]] = np.flatnonzero(all_of_it)
        first = np.where(all_of_it, node, first)
        stop = np.where(all_of_it, page.end[node], stop)
        return made_blocks(page, node, first, stop, np.full(len(keys), -1), owner)

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


def _nearest_cut(cut: Bools, depth: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return for each of the rows the cutting element that it is or lies in, or the root.

    `depth` is the number of cutting elements that are open at a row. The innermost of the d that
    are open is the last one up to the row that has depth d itself.
    """
    size = len(cut) + 1
    cutters = np.flatnonzero(cut)
    keys = np.sort(depth[cutters] * size + cutters)
    wanted = depth[rows] * size + rows
    at = np.searchsorted(keys, wanted, side="right") - 1
    around = keys[at] % size if len(keys) else rows
    return np.where(depth[rows] > 0, around, 0)

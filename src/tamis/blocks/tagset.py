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
        run = runs_between(page, cut)
        leaf_rows = np.flatnonzero(leaves(page))
        keys, at = np.unique(run[leaf_rows], return_index=True)
        counts = np.diff(np.append(at, len(leaf_rows)))
        first, last = leaf_rows[at], leaf_rows[at + counts - 1]
        block_of = np.full(len(page) + len(page) + 2, -1, dtype=np.int32)
        block_of[keys] = np.arange(len(keys))
        owner = np.where(cut, -1, block_of[run])
        node, first, stop = self._bounds(page, cut, first, last)
        owner[node[first == node]] = np.flatnonzero(first == node)
        return made_blocks(page, node, first, stop, np.full(len(keys), -1), owner)

    def _cuts(self, page: Page) -> Bools:
        """Return which rows are elements that cut."""
        names = TAG_SETS.get(self.tags) if isinstance(self.tags, str) else self.tags
        if names is None:
            raise UnknownName(f"no tag set {self.tags!r}: take {', '.join(TAG_SETS)} or a tuple")
        cut = tags.tag_table(names)[page.tag]
        if self.tables == "whole":
            table = page.tag == tags.CODE["table"]
            innermost = np.flatnonzero(table & (page.below(table) == 1))
            edges = np.zeros(len(page) + 1, dtype=np.int32)
            edges[innermost + 1] += 1
            np.subtract.at(edges, page.end[innermost], 1)
            cut &= np.cumsum(edges)[:-1] == 0
        return cut

    @staticmethod
    def _bounds(
        page: Page, cut: Bools, first: np.ndarray, last: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return node, first and stop row of runs between a first and a last leaf.

        The node is the nearest cutting ancestor; a run that is all of it includes it.
        """
        node = nearest_above(page, cut, first)
        shown = np.concatenate(([0], np.cumsum(leaves(page))))
        whole = shown[last + 1] - shown[first] == shown[page.end[node]] - shown[node]
        whole &= cut[node]
        return node, np.where(whole, node, first), np.where(whole, page.end[node], page.end[last])


def runs_between(page: Page, cut: Bools) -> np.ndarray:
    """Return for each row how many boundaries of cutting elements stand before it."""
    opened = np.cumsum(cut)
    closed = np.bincount(page.end[cut], minlength=len(page) + 1)
    return opened + np.cumsum(closed)[: len(page)]


def nearest_above(page: Page, wanted: Bools, rows: np.ndarray) -> np.ndarray:
    """Return for each of the rows the nearest wanted ancestor, or the root."""
    above = np.maximum(page.parent[rows], 0)
    while True:
        missing = ~wanted[above] & (above > 0)
        if not missing.any():
            return above
        above = np.where(missing, np.maximum(page.parent[above], 0), above)

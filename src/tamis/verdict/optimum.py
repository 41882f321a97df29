"""optimum: the optimum content node of 001 §V, with the thresholds of 002."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Page, tags
from tamis.page.page import Bools
from tamis.verdict.density import Densities, densities
from tamis.verdict.verdict import Verdict, verdict

DROPPED: Final = ("script", "style", "form", "marquee", "meta")


@dataclass(frozen=True)
class Optimum:
    """Goes down from the body to the innermost content node and takes what is in it.

    A content node has little link text, half of the page's plain text and most of its punctuation.
    Such nodes lie inside each other, so the innermost one is where the descent ends. Siblings
    that have text, punctuation and few links are taken in (001, step 5). If no node qualifies,
    the node of greatest weight is taken.
    """

    max_link: float = 0.4
    min_plain: float = 0.5
    min_marks: float = 0.7
    beta: float = 0.7

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks inside the optimum node and its qualified siblings as informative."""
        page = blocks.page
        if not len(blocks):
            return verdict(*np.zeros((4, 0)), "")
        counted = page.visible & ~below_any(page, DROPPED)
        measured = densities(page, counted)
        node = self.optimum_node(page, measured)
        nodes = [node, *self.qualified_siblings(page, measured, node)]
        taken = np.zeros(len(page) + 1, dtype=np.int32)
        np.add.at(taken, nodes, 1)
        np.subtract.at(taken, page.end[nodes], 1)
        inside = (np.cumsum(taken)[:-1] > 0) & counted
        mine = blocks.owned(page.chars * inside)
        share = mine / np.maximum(blocks.owned(page.chars), 1)
        kept = share > 0.5
        link = measured.link[blocks.first]
        return verdict(
            measured.weight(self.beta)[blocks.node],
            kept,
            np.where(kept, 0, 1),
            link,
            f"in the optimum node {page.name(node)} or a sibling of it",
            "outside the optimum node, link density {:.2f}",
        )

    def optimum_node(self, page: Page, measured: Densities) -> int:
        """Return the innermost content node, or the element of greatest weight."""
        content = measured.content_nodes(self.max_link, self.min_plain, self.min_marks)
        content &= page.tag != tags.TEXT
        if content.any():
            return int(np.flatnonzero(content)[np.argmax(page.depth[content])])
        weight = np.where(page.tag == tags.TEXT, -1.0, measured.weight(self.beta))
        return int(np.argmax(weight))

    def qualified_siblings(self, page: Page, measured: Densities, node: int) -> list[int]:
        """Return the siblings of a node that have text, punctuation and few links."""
        same = (page.parent == page.parent[node]) & (page.tag != tags.TEXT)
        same &= (measured.link <= self.max_link) & (measured.marks > 0) & (measured.plain > 0)
        same[node] = False
        return [int(row) for row in np.flatnonzero(same)]


def below_any(page: Page, names: tuple[str, ...]) -> Bools:
    """Return which rows are elements of these names or below one."""
    rows = np.flatnonzero(tags.tag_table(names)[page.tag])
    edges = np.zeros(len(page) + 1, dtype=np.int32)
    np.add.at(edges, rows, 1)
    np.subtract.at(edges, page.end[rows], 1)
    return np.cumsum(edges)[:-1] > 0

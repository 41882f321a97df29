"""optimum: the optimum content node of 001 §V, with the thresholds of 002."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools, Page, tags
from tamis.verdict.density import Densities, densities
from tamis.verdict.verdict import Verdict, build_verdict, escape_template

DROPPED: Final = ("script", "style", "form", "marquee", "meta")

_IS_DROPPED = tags.tag_table(DROPPED)


@dataclass(frozen=True)
class Optimum:
    """Goes down from the body to the innermost content node and takes what is in it.

    A content node has little link text, half of the page's plain text and most of its punctuation.
    On the way down, nodes with too many links are passed through (001, step 4). Siblings that have
    text, punctuation and few links are taken in, elements and bare text alike (step 5). If no node
    qualifies, the node of greatest weight is taken: a page with text never gets an empty answer.

    Forms and the like are dropped, but not one around more than half of the text: it is the page
    that its server wrapped into a form.
    """

    max_link: float = 0.4
    min_plain: float = 0.5
    min_marks: float = 0.7
    beta: float = 0.7

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks inside the optimum node and its qualified siblings as informative."""
        page = blocks.page
        if not len(blocks):
            return build_verdict(*np.zeros((4, 0)), "")
        counted = counted_text(page)
        measured = densities(page, counted)
        node = self.optimum_node(page, measured)
        nodes = [node, *self.qualified_siblings(page, measured, node)]
        inside = counted & page.within(np.array(nodes))
        taken, chars = blocks.owned(page.chars * inside), blocks.owned(page.chars)
        kept = taken > chars / 2
        if not kept.any():  # the node is a small part of a block
            kept = (taken > 0) & (taken == taken.max())
        return build_verdict(
            measured.weight(self.beta)[blocks.node],
            kept,
            np.where(kept, 0, np.where(chars > 0, 1, 2)),
            blocks.owned(page.chars * page.in_link) / np.maximum(chars, 1),
            f"in the optimum node {escape_template(page.name(node))} or a sibling of it",
            "outside the optimum node, link density {:.2f}",
            "no text",
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
        """Return the siblings of a node, bare text too, with text, punctuation and few links."""
        same = page.parent == page.parent[node]
        same &= (measured.link <= self.max_link) & (measured.marks > 0) & (measured.plain > 0)
        same[node] = False
        return [int(row) for row in np.flatnonzero(same)]


def counted_text(page: Page) -> Bools:
    """Return the visible text rows outside forms and the like; all of them if none is outside."""
    text = page.below(page.chars)
    dropped = _IS_DROPPED[page.tag] & (2 * text <= text[:1])
    counted = page.visible & ~page.within(np.flatnonzero(dropped))
    return counted if counted.any() else page.visible

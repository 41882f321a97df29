"""optimum: the optimum content node (the optimum-node paper §V).

The paper gives no thresholds; those of the tag-window paper §3.5 are used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools, Page, tags
from tamis.verdict.density import Densities, check_density_parameters, measure_densities
from tamis.verdict.verdict import Verdict, build_verdict, escape_template

_BODY = tags.CODE["body"]
_IS_DROPPED = tags.tag_table(("script", "style", "form", "marquee", "meta"))


@dataclass(frozen=True)
class Optimum:
    """Goes down from the body to the innermost content node and takes the blocks in it.

    A content node has little link text, half of the page's plain text and most of its punctuation.
    On the way down, nodes with too many links are passed through (step 4); with `passes=False`
    the descent goes from a content node to a child that is one, and ends where there is none.
    Siblings that have
    text, punctuation and few links are included, elements and bare text alike (step 5). If no
    node qualifies, the node of greatest weight is taken: the answer to a page with text is never
    empty.

    Forms and the like are dropped, except a form around more than half of the text: some servers
    wrap the whole page into a form.
    """

    max_link: float = 0.4
    min_plain: float = 0.5
    min_marks: float = 0.7
    beta: float = 0.7
    siblings: bool = True  # whether step 5 is taken
    passes: bool = True  # whether nodes with too many links are passed through

    def __post_init__(self) -> None:
        check_density_parameters(self.max_link, self.min_plain, self.min_marks, self.beta)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks inside the optimum node and its qualified siblings as informative."""
        page = blocks.page
        if not len(blocks):
            return build_verdict(*np.zeros((4, 0)), "")
        counted = find_counted_text(page)
        densities = measure_densities(page, counted)
        node = self.find_optimum_node(page, densities)
        nodes = [node]
        if self.siblings:
            nodes += self.find_qualified_siblings(page, densities, node)
        inside = counted & page.within(np.array(nodes))
        chars_inside, chars = blocks.owned(page.chars * inside), blocks.owned(page.chars)
        informative = chars_inside > chars / 2
        if not informative.any():  # the node is a small part of a block
            informative = (chars_inside > 0) & (chars_inside == chars_inside.max())
        return build_verdict(
            densities.weight(self.beta)[blocks.node],
            informative,
            np.where(informative, 0, np.where(chars > 0, 1, 2)),
            blocks.owned(page.chars * page.in_link) / np.maximum(chars, 1),
            f"in the optimum node {escape_template(page.name(node))} or a sibling of it",
            "outside the optimum node, link density {:.2f}",
            "no text",
        )

    def find_optimum_node(self, page: Page, densities: Densities) -> int:
        """Return the innermost content node, or the element of greatest weight."""
        content = densities.is_content(self.max_link, self.min_plain, self.min_marks)
        content &= page.tag != tags.TEXT
        if content.any() and not self.passes:
            content = _find_descent(page, content)
        if content.any():
            return int(np.flatnonzero(content)[np.argmax(page.depth[content])])
        weight = np.where(page.tag == tags.TEXT, -1.0, densities.weight(self.beta))
        return int(np.argmax(weight))

    def find_qualified_siblings(self, page: Page, densities: Densities, node: int) -> list[int]:
        """Return the siblings of a node, bare text too, with text, punctuation and few links."""
        is_sibling = page.parent == page.parent[node]
        is_sibling[node] = False
        has_text = (densities.marks > 0) & (densities.plain > 0)
        qualified = is_sibling & has_text & (densities.link <= self.max_link)
        return [int(row) for row in np.flatnonzero(qualified)]


def _find_descent(page: Page, content: Bools) -> Bools:
    """Return the content nodes that are reached from the body through content nodes alone."""
    reached = np.zeros(len(page), dtype=np.bool_)
    for row in np.flatnonzero(content).tolist():  # parents come before their children
        parent = int(page.parent[row])
        reached[row] = page.tag[row] == _BODY or (parent >= 0 and reached[parent])
    return reached


def find_counted_text(page: Page) -> Bools:
    """Return the visible text rows outside forms and the like; all of them if none is outside."""
    text = page.below(page.chars)
    dropped = _IS_DROPPED[page.tag] & (2 * text <= text[:1])
    counted = page.visible & ~page.within(np.flatnonzero(dropped))
    return counted if counted.any() else page.visible

"""visual: EVBE, the Effective Visual Block Extractor of 003 §5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tamis.blocks.blocks import Blocks
from tamis.blocks.evbe import DEFAULT_RULES, cut_children, forced_rows
from tamis.blocks.forest import Range, seen_blocks
from tamis.blocks.sight import Sight, sight
from tamis.page import Page, tags


@dataclass(frozen=True)
class Visual:
    """Cuts a page where it looks different (003 §5.3, EVBE).

    From the root downwards each node gets the paper's rules: what is seen counts (1), a single text
    is no block (2), what holds only one thing is that thing (3), virtual text is not cut (4), and
    separators (5, 7), columns (6, 8) and borders (9, 10) cut. A node is a block as well when its
    visual distance from its parent exceeds `limit`, or that from its next sibling `sibling_limit`.
    `rules` are those that hold.

    The paper leaves the limits open, and how small a block may be: both were found on data
    (docs/visual.md). A block is at least `min_height` pixels high, covers `min_area` of the page,
    is at most `levels` steps of the visual tree below the root, and holds at most `same` of its
    parent's letters, or it is that parent. Items of lists are blocks only with `items`.
    `nested=False` gives the innermost blocks and what is left between them, as in Figure 4.
    """

    rules: tuple[int, ...] = DEFAULT_RULES
    limit: int = 0
    sibling_limit: int = 2
    tolerance: float = 0.1
    levels: int = 5
    min_height: float = 15.0
    min_area: float = 0.005
    same: float = 0.95
    items: bool = False
    nested: bool = True
    needs_layout: ClassVar[bool] = True

    def segment(self, page: Page) -> Blocks:
        """Return the blocks of a page with layout, nested as they are seen."""
        return self.cut(sight(page, "visual", all_rows=1 not in self.rules))

    def cut(self, seen: Sight) -> Blocks:
        """Return the blocks of a page whose sight is known already."""
        return seen_blocks(seen.page, self._found(seen), nested=self.nested)

    def _found(self, seen: Sight) -> Iterator[Range]:
        """Yield the nodes and the groups of nodes that are blocks."""
        waiting = [(self._deep(seen, 0), 1)] if len(seen.page) else []
        while waiting:
            node, level = waiting.pop()
            if self._is_text(seen, node) or self._is_pooled(seen, node):
                continue
            kids = seen.children[node]
            deep = [self._deep(seen, kid) for kid in kids]
            forced = forced_rows(seen, node, kids, deep, self.rules)
            groups = cut_children(seen, node, kids, self.rules)
            if len(groups) > 1:
                forced.update(group[0] for group in groups if len(group) == 1)
                for group in groups:
                    if len(group) > 1 and self._is_large(seen, group, node):
                        yield (node, group[0], int(seen.page.end[group[-1]]))
            for place, kid in enumerate(kids):
                after = kids[place + 1] if place + 1 < len(kids) else None
                stands = kid in forced or self._stands_out(seen, kid, deep[place], after, node)
                if stands and self._is_large(seen, [kid], node):
                    yield (kid, kid, int(seen.page.end[kid]))
            if level < self.levels:
                waiting += ((inner, level + 1) for inner in deep)

    def _deep(self, seen: Sight, node: int) -> int:
        """Return what a node is that holds only one thing: that thing (rule 3)."""
        while 3 in self.rules and len(seen.holders[node]) == 1:
            node = seen.holders[node][0]
        return node

    def _is_text(self, seen: Sight, node: int) -> bool:
        """Say whether a node holds a single text, and so is no block (rule 2).

        Several texts are parted by line breaks or elements: these are rule 4's.
        """
        return 2 in self.rules and seen.count(node, int(seen.page.end[node])) <= 1

    def _is_pooled(self, seen: Sight, node: int) -> bool:
        """Say whether a node holds virtual text only, and so is a block (rule 4)."""
        kids = seen.holders[node]
        return 4 in self.rules and bool(kids) and all(seen.virtual[kid] for kid in kids)

    def _stands_out(self, seen: Sight, kid: int, deep: int, after: int | None, node: int) -> bool:
        """Say whether a child is a block for what it holds or for its looks."""
        if seen.empty[kid] or self._is_text(seen, deep):
            return False
        if not self.items and seen.page.tag[kid] == tags.CODE["li"]:
            return False
        if self._is_pooled(seen, deep):
            return True
        if seen.distance(kid, node, self.tolerance) > self.limit:
            return True
        far = self.sibling_limit
        return after is not None and seen.distance(kid, after, self.tolerance) > far

    def _is_large(self, seen: Sight, group: Sequence[int], node: int) -> bool:
        """Say whether children are large enough for a block, and not all that their parent is."""
        _, _, width, height = seen.box(group)
        page_width, page_height = seen.layout.size
        if height < self.min_height or width * height < self.min_area * page_width * page_height:
            return False
        end = seen.page.end
        inside = seen.letters(group[0], int(end[group[-1]]))
        if not seen.count(group[0], int(end[group[-1]])):
            return False
        return inside == 0 or inside <= self.same * seen.letters(node, int(end[node]))

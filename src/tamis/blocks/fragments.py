"""fragments: the augmented fragment tree of Ramaswamy et al. (004 §6.7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.blocks.blocks import Blocks, build_nested_blocks, leaf_rows
from tamis.page import Page


@dataclass(frozen=True)
class Fragments:
    """Takes every element that holds at least `min_size` characters of text as a node.

    Nodes nest as their elements do. The root of a page that shows something is always one, so that
    all text has an owner.
    """

    min_size: int = 30

    def segment(self, page: Page) -> Blocks:
        """Return the fragments of a page."""
        shown = page.below(leaf_rows(page)) > 0
        large = page.below(page.chars) >= self.min_size
        is_node = (page.end > np.arange(len(page)) + 1) & shown & large
        is_node[:1] = shown[:1]
        node = np.flatnonzero(is_node)
        return build_nested_blocks(page, node, node, page.end[node])

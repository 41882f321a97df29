"""fragments: the augmented fragment tree of Ramaswamy et al. 2004."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.blocks.blocks import Blocks, build_nested_blocks, leaf_rows
from tamis.errors import check_number
from tamis.page import Page


@dataclass(frozen=True)
class Fragments:
    """Makes a block of every element that contains at least `min_size` characters of text.

    Blocks nest as their elements do. The root of a page that shows something is always a block, so
    that all text has an owner.
    """

    min_size: int = 30

    def __post_init__(self) -> None:
        check_number("min_size", self.min_size, 0, whole=True)

    def segment(self, page: Page) -> Blocks:
        """Return the fragments of a page."""
        has_leaves = page.below(leaf_rows(page)) > 0
        is_large = page.below(page.chars) >= self.min_size
        is_fragment = (page.end > np.arange(len(page)) + 1) & has_leaves & is_large
        is_fragment[:1] = has_leaves[:1]
        node = np.flatnonzero(is_fragment)
        return build_nested_blocks(page, node, node, page.end[node])

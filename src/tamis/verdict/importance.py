"""importance: the number of important tags in a block (the key-pattern paper §3.6 and §3.7)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.blocks import Blocks, important_rows
from tamis.errors import check_number
from tamis.verdict.verdict import Verdict, build_verdict


@dataclass(frozen=True)
class Importance:
    """Takes the blocks with at least `threshold` important tags, and all blocks inside them.

    Important are all tags that survive the preprocessing of `keypattern`. The paper names no
    threshold; the default is the mean over the page's blocks.
    """

    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.threshold is not None:
            check_number("threshold", self.threshold, 0)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the blocks that reach the threshold, and those inside them, as informative."""
        count = blocks.inside(important_rows(blocks.page))
        bound = self.threshold
        if bound is None:
            bound = float(count.mean()) if len(blocks) else 0.0
        reaches = count >= bound
        informative = blocks.within(reaches)
        return build_verdict(
            count,
            informative,
            np.where(reaches, 0, np.where(informative, 2, 1)),
            count,
            f"{{:.0f}} important tags, at least {bound:.1f}",
            f"{{:.0f}} important tags, below {bound:.1f}",
            f"{{:.0f}} important tags, in a block of at least {bound:.1f}",
        )

"""eifce: EIFCE, the Effective Informative Content Extractor of 003 §6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import BlockParameters, Blocks, build_visual_tree, measure_parameters
from tamis.page import Bools
from tamis.verdict.verdict import Verdict, build_verdict

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Eifce:
    """Takes the block of greatest importance, with what it holds (003 §6.1 and §6.2).

    Candidates have at least `min_terms` terms, a link density below `max_link` and at least
    `min_area` of the page's area; where there is none, all blocks with text are. Importance is
    evidence for over evidence against. 003 leaves the formula open: link text counts with the
    power `link_weight`, which was found on data, as was that blocks inside the informative one
    that are mostly links are noise. What the browser does not show is no content, in whatever
    block it stands: 003's rule 1 removes it before all else.
    """

    min_terms: int = 40
    max_link: float = 0.5
    min_area: float = 0.05
    link_weight: float = 0.5
    needs_layout: ClassVar[bool] = True

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the block of greatest importance, and those inside it, as informative."""
        known = measure_parameters(blocks, "eifce")
        listed = (
            (known.terms >= self.min_terms)
            & (known.link_density < self.max_link)
            & (known.area >= self.min_area)
        )
        candidates = listed if listed.any() else known.terms > 0
        score = np.log1p(importance(known, self.link_weight))
        kept = np.zeros(len(blocks), dtype=np.bool_)
        won = len(blocks)
        if candidates.any():
            won = int(np.argmax(np.where(candidates, score, -1.0)))
            inside = inside_of(blocks, won)
            kept = inside & ((known.link_density < self.max_link) | (known.terms == 0))
            kept[won] = True
        why = np.where(kept, 1, np.where(candidates, 2, 3))
        why[won : won + 1] = 0
        return build_verdict(
            score,
            kept,
            why,
            np.where(why == 3, known.terms, score),
            "greatest importance {:.2f} of the candidates",
            "in the block of greatest importance",
            "importance {:.2f}, not the greatest",
            "no candidate: {:.0f} terms, or mostly links, or small",
            unseen=~build_visual_tree(blocks.page, "eifce").leaf,
        )


def importance(known: BlockParameters, link_weight: float) -> Numbers:
    """Return evidence for over evidence against (003 §6.2)."""
    against = (1 + known.link_chars) ** link_weight * (1 + known.controls) * (1 + known.offset)
    return (1 + known.plain_chars) * (1 + known.punctuation) * known.area / against


def inside_of(blocks: Blocks, index: int) -> Bools:
    """Return which blocks are a block or lie inside it."""
    first, stop = blocks.first[index], blocks.stop[index]
    inside: Bools = (blocks.first >= first) & (blocks.stop <= stop)
    inside[:index] = False  # one with the same rows that is around it
    return inside

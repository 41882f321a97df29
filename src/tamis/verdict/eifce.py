"""eifce: EIFCE, the Effective Informative Content Extractor (Win & Thwin §6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from tamis.blocks import BlockParameters, Blocks, build_visual_tree, measure_parameters
from tamis.errors import check_number
from tamis.page import Bools
from tamis.verdict.verdict import Floats, Verdict, build_verdict

_MAX_LINK_WEIGHT: Final = 10  # so that the power of any number of characters is a number


@dataclass(frozen=True)
class Eifce:
    """Takes the block of greatest importance and the blocks inside it (Win & Thwin §6.1, §6.2).

    Candidates have at least `min_terms` terms, a link density below `max_link` and at least
    `min_area` of the page's area; if there are none, all blocks with text are candidates. The
    importance is a ratio of what speaks for a block and what speaks against it. The paper leaves
    the formula open. Two rules were found on data: link text counts with the power
    `link_weight`, and blocks inside the informative one that are mostly links are noise. Rows
    that the browser does not show are no content in any block: the paper's rule 1 removes them
    before everything else.
    """

    min_terms: int = 40
    max_link: float = 0.5
    min_area: float = 0.05
    link_weight: float = 0.5
    needs_layout: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("min_terms", self.min_terms, 0, whole=True)
        check_number("max_link", self.max_link, 0, 1)
        check_number("min_area", self.min_area, 0, 1)
        check_number("link_weight", self.link_weight, 0, _MAX_LINK_WEIGHT)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the block of greatest importance, and those inside it, as informative."""
        parameters = measure_parameters(blocks, "eifce")
        candidates = (
            (parameters.terms >= self.min_terms)
            & (parameters.link_density < self.max_link)
            & (parameters.area >= self.min_area)
        )
        if not candidates.any():
            candidates = parameters.terms > 0
        score = np.log1p(measure_importance(parameters, self.link_weight))
        informative = np.zeros(len(blocks), dtype=np.bool_)
        winner = len(blocks)
        if candidates.any():
            winner = int(np.argmax(np.where(candidates, score, -1.0)))
            not_links = (parameters.link_density < self.max_link) | (parameters.terms == 0)
            informative = _find_inside(blocks, winner) & not_links
            informative[winner] = True
        code = np.where(informative, 1, np.where(candidates, 2, 3))
        code[winner : winner + 1] = 0
        return build_verdict(
            score,
            informative,
            code,
            np.where(code == 3, parameters.terms, score),
            "greatest importance {:.2f} of the candidates",
            "in the block of greatest importance",
            "importance {:.2f}, not the greatest",
            "no candidate: {:.0f} terms, or mostly links, or small",
            not_rendered=~build_visual_tree(blocks.page, "eifce").leaf,
        )


def measure_importance(parameters: BlockParameters, link_weight: float) -> Floats:
    """Return the importance of each block (Win & Thwin §6.2).

    Plain text, punctuation and area speak for a block; link text, interactive elements and the
    distance from the centre speak against it.
    """
    against = (
        (1 + parameters.link_chars) ** link_weight
        * (1 + parameters.controls)
        * (1 + parameters.offset)
    )
    return (1 + parameters.plain_chars) * (1 + parameters.punctuation) * parameters.area / against


def _find_inside(blocks: Blocks, index: int) -> Bools:
    """Return a mask of a block and all blocks inside it."""
    first, stop = blocks.first[index], blocks.stop[index]
    inside: Bools = (blocks.first >= first) & (blocks.stop <= stop)
    inside[:index] = False  # an outer block with the same rows
    return inside

"""Explanation: how the verdict on one block came about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.site.evidence import SURE, Evidence
from tamis.site.sight import Sight
from tamis.site.template import Template


@dataclass(frozen=True)
class Explanation:
    """What is known of a block: by the page alone, and by the other pages of the site."""

    alone: float  # chance of content by the page itself
    pages: int  # of those learned from that hold the block
    of: int  # pages learned from
    place: str
    seen: int  # blocks that were learned in the same place
    others: float | None  # their mean chance of content by themselves
    repetition: float  # mean share of the other pages that have them
    chance: float  # of content, all together
    match: float  # of the page
    declared: bool = False  # whether a person declared the block to be noise
    applied: bool = True  # whether the page was read with the template at all
    amid: int = 0  # other pages whose content stands in the same element, if that counts for it

    @classmethod
    def of_block(
        cls, page: Sight, found: Evidence, template: Template, index: int, match: float
    ) -> Explanation:
        """Return what is known of one block of a page."""
        seen = int(found.seen[index])
        return cls(
            chance(float(found.alone[index])),
            int(found.pages[index]),
            template.pages,
            page.places[index],
            seen,
            chance(float(found.others[index])) if seen else None,
            float(found.repetition[index]),
            float(found.chance[index]),
            match,
            bool(found.declared[index]),
            amid=found.container.pages if found.container and found.lifted[index] else 0,
        )

    @classmethod
    def without_template(
        cls, page: Sight, template: Template, index: int, match: float
    ) -> Explanation:
        """Return what is known of one block of a page that no template fits."""
        alone = float(page.verdict.score[index])
        place = page.places[index]
        return cls(alone, 0, template.pages, place, 0, None, 0.0, alone, match, applied=False)

    def __str__(self) -> str:
        if not self.applied:
            return (
                f"chance {self.alone:.2f} by the page alone, which matches the site only by "
                f"{self.match:.2f} and is read without its template"
            )
        if self.declared:
            return f"declared as noise; chance {self.alone:.2f} by the page alone"
        others = "its place was not seen in other pages"
        if self.others is not None:
            others = (
                f"{self.seen} blocks in its place have {self.others:.2f} on average, "
                f"and {self.repetition:.0%} of the pages have the same ones"
            )
        if self.amid:
            others += f"; {self.amid} pages have their content in the same element"
        return (
            f"chance {self.alone:.2f} by the page alone; in {self.pages} of {self.of} pages; "
            f"{others}; together {self.chance:.2f}"
        )


def chance(odds: float) -> float:
    """Return the chance of logarithmic odds."""
    return float(1 / (1 + np.exp(-np.clip(odds, -SURE, SURE))))

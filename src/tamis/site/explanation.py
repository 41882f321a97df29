"""Explanation: how the verdict on one block came about."""

from __future__ import annotations

from dataclasses import dataclass

from tamis.site.profile import PageProfile
from tamis.site.scoring import BlockScores, to_probability
from tamis.site.template import Template


@dataclass(frozen=True)
class Explanation:
    """What the page alone and the other pages of the site say about a block."""

    page_probability: float  # of content, by the page alone
    pages: int  # learned from that hold the block
    template_pages: int  # learned from
    path: str  # signature
    path_blocks: int  # that were learned at the same path
    path_probability: float | None  # of content, the mean of these blocks by themselves
    repetition: float  # mean share of the other pages that have these blocks
    probability: float  # of content, all together
    match: float  # of the page
    declared: bool = False  # whether a person declared the block to be noise
    applied: bool = True  # whether the page was read with the template at all
    container_pages: int = 0  # other pages with content in the same element, if that counts

    @classmethod
    def from_scores(
        cls, profile: PageProfile, scores: BlockScores, template: Template, index: int, match: float
    ) -> Explanation:
        """Explain one block of a page."""
        path_blocks = int(scores.path_blocks[index])
        path_probability = float(to_probability(scores.path_log_odds[index]))
        return cls(
            float(to_probability(scores.page_log_odds[index])),
            int(scores.pages[index]),
            template.pages,
            profile.paths[index],
            path_blocks,
            path_probability if path_blocks else None,
            float(scores.repetition[index]),
            float(scores.probability[index]),
            match,
            bool(scores.declared[index]),
            container_pages=(
                scores.container.pages if scores.container and scores.raised[index] else 0
            ),
        )

    @classmethod
    def without_template(
        cls, profile: PageProfile, template: Template, index: int, match: float
    ) -> Explanation:
        """Explain one block of a page that no template fits."""
        alone, path = float(profile.verdict.score[index]), profile.paths[index]
        return cls(alone, 0, template.pages, path, 0, None, 0.0, alone, match, applied=False)

    def __str__(self) -> str:
        if not self.applied:
            return (
                f"probability {self.page_probability:.2f} by the page alone, which matches the "
                f"site only by {self.match:.2f} and is read without its template"
            )
        if self.declared:
            return f"declared as noise; probability {self.page_probability:.2f} by the page alone"
        others = "its path was not seen in other pages"
        if self.path_probability is not None:
            others = (
                f"{self.path_blocks} blocks at its path have {self.path_probability:.2f} on "
                f"average, and {self.repetition:.0%} of the pages have the same ones"
            )
        if self.container_pages:
            others += f"; {self.container_pages} pages have their content in the same element"
        return (
            f"probability {self.page_probability:.2f} by the page alone; "
            f"in {self.pages} of {self.template_pages} pages; "
            f"{others}; together {self.probability:.2f}"
        )

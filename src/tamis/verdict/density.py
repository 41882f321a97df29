"""Densities of nodes: link text, plain text and punctuation (002 §3.5, 001 §V)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.page import Bools, Page

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Densities:
    """Per row: NLTD, NATD and PMD of 002 §3.5, over the row and all below it."""

    link: Floats  # NLTD: link text / text
    plain: Floats  # NATD: text outside links / that of the page
    marks: Floats  # PMD: punctuation marks / those of the page

    def content_nodes(self, max_link: float, min_plain: float, min_marks: float) -> Bools:
        """Return the rows that satisfy 002's judgment parameters."""
        return (self.link <= max_link) & (self.plain >= min_plain) & (self.marks >= min_marks)

    def weight(self, beta: float, *, as_printed: bool = False) -> Floats:
        """Return (1 − NLTD) + NATD + β·PMD; the paper prints + NLTD, against its own words."""
        link = self.link if as_printed else 1.0 - self.link
        return link + self.plain + beta * self.marks


def densities(page: Page, counted: Bools) -> Densities:
    """Return the densities of all rows, of the counted text rows alone."""
    chars = page.chars * counted
    text = page.below(chars)
    linked = page.below(chars * page.in_link)
    marks = page.below(page.marks * counted)
    return Densities(
        link=np.where(text > 0, linked / np.maximum(text, 1), 1.0),
        plain=share(text - linked),
        marks=share(marks),
    )


def share(counts: NDArray[np.int64]) -> Floats:
    """Return subtree counts as shares of the root's; 1 everywhere where the page has none."""
    whole = counts[0] if len(counts) else 0
    return counts / whole if whole else np.ones(len(counts))

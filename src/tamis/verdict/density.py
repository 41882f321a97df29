"""Densities of rows: link text, plain text and punctuation.

They are defined in the tag-window paper §3.5 and used by the optimum-node paper §V as well.
`optimum` and `tagwindow` share this module.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tamis.errors import check_number
from tamis.page import Bools, Page
from tamis.verdict.verdict import Floats


@dataclass(frozen=True, eq=False)
class Densities:
    """NLTD, NATD and PMD of the tag-window paper §3.5, for each row with all rows below it."""

    link: Floats  # NLTD: link text / text
    plain: Floats  # NATD: text outside links / that of the page
    marks: Floats  # PMD: punctuation marks / those of the page

    def is_content(self, max_link: float, min_plain: float, min_marks: float) -> Bools:
        """Return which rows satisfy the judgment parameters of the tag-window paper §3.5."""
        return (self.link <= max_link) & (self.plain >= min_plain) & (self.marks >= min_marks)

    def weight(self, beta: float, *, as_printed: bool = False) -> Floats:
        """Return (1 − NLTD) + NATD + β·PMD; the paper prints + NLTD, against its own words."""
        link = self.link if as_printed else 1.0 - self.link
        return link + self.plain + beta * self.marks


def check_density_parameters(
    max_link: float, min_plain: float, min_marks: float, beta: float
) -> None:
    """Raise InputError for judgment parameters that mean nothing.

    No row has a share above 1: with such a minimum none is content, and weights decide alone.
    """
    check_number("max_link", max_link, 0, 1)
    check_number("min_plain", min_plain, 0)
    check_number("min_marks", min_marks, 0)
    check_number("beta", beta, 0)


def measure_densities(page: Page, counted: Bools) -> Densities:
    """Return the densities of all rows. Only text rows that are `counted` contribute."""
    chars = page.chars * counted
    text = page.below(chars)
    linked = page.below(chars * page.in_link)
    marks = page.below(page.marks * counted)
    return Densities(
        link=np.where(text > 0, linked / np.maximum(text, 1), 1.0),
        plain=_page_shares(text - linked),
        marks=_page_shares(marks),
    )


def _page_shares(counts: NDArray[np.int64]) -> Floats:
    """Return subtree counts as shares of the root's count; 1 everywhere if that is 0."""
    total = counts[0] if len(counts) else 0
    return counts / total if total else np.ones(len(counts))

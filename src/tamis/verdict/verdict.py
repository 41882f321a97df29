"""Verdict: which blocks are informative, with a score and a reason each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import Bools, freeze

LONGEST: Final = 40  # characters of a page's own words in a reason


@runtime_checkable
class Identifier(Protocol):
    """Tells informative blocks from noise. A frozen dataclass with the paper's parameters."""

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the verdict on the blocks of a page."""
        ...


@dataclass(frozen=True)
class PageVerdict:
    """What a method that knows tells of the page as a whole."""

    page_type: str | None
    confidence: float  # the F1 that the answer is expected to have; 0.5 if there are no blocks
    match: float | None = None  # how well the template of a site fits the page


@dataclass(frozen=True, eq=False)
class Verdict:
    """Per block: a score, informative or not, and why.

    Reasons are kept as numbers, because most are never read: the reason of block `i` is the
    template `templates[reason_code[i]]` filled with `reason_value[i]`.
    """

    score: NDArray[np.float64]
    informative: Bools
    reason_code: NDArray[np.uint8]
    reason_value: NDArray[np.float64]
    templates: tuple[str, ...]
    page: PageVerdict | None = None
    unseen: Bools | None = None  # per row of the page: no content, though its block may be

    def reason(self, index: int) -> str:
        """Return why a block got its verdict, short and machine-readable."""
        return self.templates[int(self.reason_code[index])].format(float(self.reason_value[index]))


def build_verdict(
    score: NDArray[np.float64],
    informative: Bools,
    reason_code: NDArray[np.integer],
    reason_value: NDArray[np.floating],
    *templates: str,
    page: PageVerdict | None = None,
    unseen: Bools | None = None,
) -> Verdict:
    """Make a verdict of columns, none of them writeable."""
    return Verdict(
        freeze(np.asarray(score, dtype=np.float64)),
        freeze(np.asarray(informative, dtype=np.bool_)),
        freeze(np.asarray(reason_code, dtype=np.uint8)),
        freeze(np.asarray(reason_value, dtype=np.float64)),
        templates,
        page,
        None if unseen is None else freeze(unseen),
    )


def escape_template(text: str) -> str:
    """Return a page's own words as a template must hold them: short, and no field to fill."""
    short = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return short.replace("{", "{{").replace("}", "}}")

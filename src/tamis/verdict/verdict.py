"""Verdict: which blocks of a page are informative, with a score and a reason for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import Bools, freeze

Floats = NDArray[np.float64]

_MAX_QUOTED_CHARS: Final = 40  # of text that a reason quotes from a page


@runtime_checkable
class Identifier(Protocol):
    """Decides which blocks are informative. A frozen dataclass with the paper's parameters."""

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the verdict on the blocks of a page."""
        ...


@dataclass(frozen=True)
class PageVerdict:
    """The part of a verdict that is about the page as a whole."""

    page_type: str | None
    confidence: float  # the F1 that the answer is expected to have; 0.5 if there are no blocks
    match: float | None = None  # how well the template of a site fits the page


@dataclass(frozen=True, eq=False)
class Verdict:
    """The score, decision and reason of each block.

    Reasons are kept as numbers, because most are never read: the reason of block `i` is the
    template `templates[reason_code[i]]` filled with `reason_value[i]`.
    """

    score: Floats
    informative: Bools
    reason_code: NDArray[np.uint8]
    reason_value: Floats
    templates: tuple[str, ...]
    page: PageVerdict | None = None
    not_rendered: Bools | None = None  # rows that are no content, even in an informative block

    def reason(self, index: int) -> str:
        """Return why a block got its decision, short and machine-readable."""
        return self.templates[int(self.reason_code[index])].format(float(self.reason_value[index]))


def build_verdict(
    score: Floats,
    informative: Bools,
    reason_code: NDArray[np.integer],
    reason_value: NDArray[np.floating],
    *templates: str,
    page: PageVerdict | None = None,
    not_rendered: Bools | None = None,
) -> Verdict:
    """Return a verdict with columns of the right types, all of them read-only."""
    return Verdict(
        freeze(np.asarray(score, dtype=np.float64)),
        freeze(np.asarray(informative, dtype=np.bool_)),
        freeze(np.asarray(reason_code, dtype=np.uint8)),
        freeze(np.asarray(reason_value, dtype=np.float64)),
        templates,
        page,
        None if not_rendered is None else freeze(not_rendered),
    )


def escape_template(text: str) -> str:
    """Return text of a page in a form that a reason template can hold.

    Long text is truncated. Braces are doubled, so that `str.format` leaves them alone.
    """
    is_short = len(text) <= _MAX_QUOTED_CHARS
    short = text if is_short else f"{text[: _MAX_QUOTED_CHARS - 1]}…"
    return short.replace("{", "{{").replace("}", "}}")

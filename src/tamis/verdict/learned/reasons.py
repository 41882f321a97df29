"""Reasons of the learned method: what stands out most about a block."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Bools
from tamis.verdict.learned.features import BLOCK_FEATURES, Features
from tamis.verdict.learned.frameless import Frameless


class Reason(IntEnum):
    """Why a block is kept or not; `REASONS` has the words for it."""

    KEPT = 0
    DOUBTFUL = auto()
    IN_NAV = auto()
    IN_HEADER = auto()
    IN_FOOTER = auto()
    IN_ASIDE = auto()
    LINKS = auto()
    HIDDEN = auto()
    NO_FRAME = auto()
    CONTROL = auto()
    EMPTY = auto()


REASONS: Final = {
    Reason.KEPT: "content, chance {:.2f}",
    Reason.DOUBTFUL: "chance {:.2f}",
    Reason.IN_NAV: "in nav, chance {:.2f}",
    Reason.IN_HEADER: "in header, chance {:.2f}",
    Reason.IN_FOOTER: "in footer, chance {:.2f}",
    Reason.IN_ASIDE: "in aside, chance {:.2f}",
    Reason.LINKS: "mostly links, chance {:.2f}",
    Reason.HIDDEN: "hidden, chance {:.2f}",
    Reason.NO_FRAME: "no frame on the page, chance {:.2f}",
    Reason.CONTROL: "control, chance {:.2f}",
    Reason.EMPTY: "no text",
}
_HIDDEN_AT: Final = BLOCK_FEATURES.index("hidden")
# Where the evidence tells what is around a block; of several, the later one here is the reason.
_AROUND_AT: Final = {
    why: BLOCK_FEATURES.index(f"in_{name}_element")
    for why, name in (
        (Reason.IN_ASIDE, "aside"),
        (Reason.IN_FOOTER, "footer"),
        (Reason.IN_HEADER, "header"),
        (Reason.IN_NAV, "nav"),
    )
}


def choose_reasons(
    found: Features, kept: Bools, unseen: Bools | None = None, bare: Frameless | None = None
) -> NDArray[np.int64]:
    """Return the number of the reason for each block: of noise, what stands out most."""
    frame, columns = found.frame, found.columns
    why = np.where(frame.link_density > 0.5, Reason.LINKS, Reason.DOUBTFUL)
    why[columns[_HIDDEN_AT] > 0.5] = Reason.HIDDEN
    for inside, row in _AROUND_AT.items():
        why[columns[row] > 0] = inside
    why[kept] = Reason.KEPT
    why[frame.terms == 0] = Reason.EMPTY
    if bare is not None:
        why[bare.content] = Reason.NO_FRAME
        why[bare.controls] = Reason.CONTROL
        why[bare.hidden] = Reason.HIDDEN
    if unseen is not None:
        why[unseen] = Reason.HIDDEN
    return why

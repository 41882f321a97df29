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
    """Why a block is informative or noise; `REASONS` has the template of each."""

    INFORMATIVE = 0
    IMPROBABLE = auto()
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
    Reason.INFORMATIVE: "content, probability {:.2f}",
    Reason.IMPROBABLE: "probability {:.2f}",
    Reason.IN_NAV: "in nav, probability {:.2f}",
    Reason.IN_HEADER: "in header, probability {:.2f}",
    Reason.IN_FOOTER: "in footer, probability {:.2f}",
    Reason.IN_ASIDE: "in aside, probability {:.2f}",
    Reason.LINKS: "mostly links, probability {:.2f}",
    Reason.HIDDEN: "hidden, probability {:.2f}",
    Reason.NO_FRAME: "no frame on the page, probability {:.2f}",
    Reason.CONTROL: "control, probability {:.2f}",
    Reason.EMPTY: "no text",
}
_HIDDEN_ROW: Final = BLOCK_FEATURES.index("hidden")
# The feature that counts elements of a kind around a block. The last reason that applies wins.
_ANCESTOR_ROWS: Final = {
    reason: BLOCK_FEATURES.index(f"in_{name}_element")
    for reason, name in (
        (Reason.IN_ASIDE, "aside"),
        (Reason.IN_FOOTER, "footer"),
        (Reason.IN_HEADER, "header"),
        (Reason.IN_NAV, "nav"),
    )
}


def choose_reasons(
    features: Features,
    informative: Bools,
    not_rendered: Bools | None = None,
    frameless: Frameless | None = None,
) -> NDArray[np.int64]:
    """Return the reason code of each block; for noise, what stands out most about it."""
    context, matrix = features.context, features.matrix
    code = np.where(context.link_density > 0.5, Reason.LINKS, Reason.IMPROBABLE)
    code[matrix[_HIDDEN_ROW] > 0.5] = Reason.HIDDEN
    for reason, row in _ANCESTOR_ROWS.items():
        code[matrix[row] > 0] = reason
    code[informative] = Reason.INFORMATIVE
    code[context.terms == 0] = Reason.EMPTY
    if frameless is not None:
        code[frameless.content] = Reason.NO_FRAME
        code[frameless.controls] = Reason.CONTROL
        code[frameless.hidden] = Reason.HIDDEN
    if not_rendered is not None:
        code[not_rendered] = Reason.HIDDEN
    return code

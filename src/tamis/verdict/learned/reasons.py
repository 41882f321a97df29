"""Reasons of the learned method: what stands out most about a block."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Bools
from tamis.verdict.learned import _answers
from tamis.verdict.learned._features import Features
from tamis.verdict.learned.frameless import Frameless


class Reason(IntEnum):
    """Why a block is informative or noise; `REASONS` has the template of each."""

    INFORMATIVE = _answers.REASON_INFORMATIVE
    IMPROBABLE = _answers.REASON_IMPROBABLE
    IN_NAV = _answers.REASON_IN_NAV
    IN_HEADER = _answers.REASON_IN_HEADER
    IN_FOOTER = _answers.REASON_IN_FOOTER
    IN_ASIDE = _answers.REASON_IN_ASIDE
    LINKS = _answers.REASON_LINKS
    HIDDEN = _answers.REASON_HIDDEN
    NO_FRAME = _answers.REASON_NO_FRAME
    CONTROL = _answers.REASON_CONTROL
    EMPTY = _answers.REASON_EMPTY


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


def choose_reasons(
    features: Features,
    informative: Bools,
    not_rendered: Bools | None = None,
    frameless: Frameless | None = None,
) -> NDArray[np.uint8]:
    """Return the reason code of each block; for noise, what stands out most about it."""
    code = _answers.choose_reason_codes(features, informative)
    if frameless is not None:
        code[frameless.content] = Reason.NO_FRAME
        code[frameless.controls] = Reason.CONTROL
        code[frameless.hidden] = Reason.HIDDEN
    if not_rendered is not None:
        code[not_rendered] = Reason.HIDDEN
    return code

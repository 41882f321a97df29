"""A ready instance of every segmenter and identifier, whatever it needs to be made.

An entry that learns is fitted here, one that needs layout gets it here: the contract tests take
all their instances from these two functions.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import tamis
from helpers.samples import sample
from tamis.blocks import Segmenter, TagSet
from tamis.verdict import Entropy, Ibdf, Identifier, Shingle

SEGMENTER_NAMES = sorted(tamis.SEGMENTERS)
IDENTIFIER_NAMES = sorted(tamis.IDENTIFIERS)
LEARNING: Final[dict[str, Ibdf | Entropy | Shingle]] = {
    "ibdf": Ibdf(),
    "entropy": Entropy(),
    "shingle": Shingle(),
}


def segmenter(name: str) -> Segmenter:
    """Return the segmenter of a name."""
    return tamis.SEGMENTERS[name]()


def identifier(name: str) -> Identifier:
    """Return the identifier of a name."""
    return fitted(name) if name in LEARNING else tamis.IDENTIFIERS[name]()


@cache
def fitted(name: str) -> Identifier:
    """Return an identifier that has learned from sample pages."""
    pages = [TagSet().segment(sample(page)) for page in ("article", "docs", "chinese", "article")]
    return LEARNING[name].fit(pages)

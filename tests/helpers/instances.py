"""A ready instance of every segmenter and identifier, whatever it needs to be made.

An entry that learns is fitted here, one that needs layout gets it here: the contract tests take
all their instances from these two functions.
"""

from __future__ import annotations

import tamis
from tamis.blocks import Segmenter
from tamis.verdict import Identifier

SEGMENTER_NAMES = sorted(tamis.SEGMENTERS)
IDENTIFIER_NAMES = sorted(tamis.IDENTIFIERS)


def segmenter(name: str) -> Segmenter:
    """Return the segmenter of a name."""
    return tamis.SEGMENTERS[name]()


def identifier(name: str) -> Identifier:
    """Return the identifier of a name."""
    return tamis.IDENTIFIERS[name]()

"""Measures of decisions on blocks: b-precision, b-recall, b-F, and labelled text segments."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.lab.gold import (
    align_words,
    informative_blocks,
    mark_common_words,
    owned_words,
    words,
)
from tamis.lab.metrics.text import Counts
from tamis.page import Bools

# Labels of L3S-GN1 that count as content: headline and full text; these, captions and comments.
CONTENT: Final = frozenset({1, 2})
WIDE_CONTENT: Final = frozenset({1, 2, 3, 5})

_Segment = dict[str, Any]  # its text and its label


def wanted_blocks(blocks: Blocks, gold: str) -> Bools:
    """Return which blocks an ideal identifier would keep, given the text of the content."""
    if not len(blocks):
        return np.zeros(0, dtype=np.bool_)
    return informative_blocks(blocks, gold)


def has_text(blocks: Blocks) -> Bools:
    """Return which blocks own visible text."""
    return blocks.owned(blocks.page.chars * blocks.page.visible) > 0


def block_counts(blocks: Blocks, kept: Bools, wanted: Bools) -> Counts:
    """Compare the blocks that were kept with those wanted; blocks without text do not count."""
    with_text = has_text(blocks)
    return Counts(
        int((kept & wanted & with_text).sum()),
        int((kept & with_text).sum()),
        int((wanted & with_text).sum()),
    )


def segments_in_blocks(blocks: Blocks, kept: Bools, segments: Sequence[_Segment]) -> Bools:
    """Return which labelled segments a verdict keeps: those held by blocks that it keeps.

    Segments and page are aligned word by word. A segment that lies in several blocks goes with
    the greater part of its words; one that the page does not hold is not kept.
    """
    page = owned_words(blocks)
    pieces = [words(segment["text"]) for segment in segments]
    flat = [word for piece in pieces for word in piece]
    in_gold, in_page = align_words(flat, page.words)
    keeps = np.zeros(len(flat), dtype=np.int64)
    keeps[in_gold] = np.where(kept[page.owner[in_page]], 1, -1)
    return _sum_words(keeps, pieces) > 0


def segments_in_text(text: str, segments: Sequence[_Segment]) -> Bools:
    """Return which labelled segments a text holds: at least half of their words, in order."""
    pieces = [words(segment["text"]) for segment in segments]
    flat = [word for piece in pieces for word in piece]
    held = mark_common_words(flat, words(text))
    return 2 * _sum_words(held, pieces) >= np.maximum([len(piece) for piece in pieces], 1)


def _sum_words(values: NDArray[Any], pieces: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """Return the sum of a value of words over each piece."""
    edges = np.cumsum([0, *map(len, pieces)])
    total = np.concatenate(([0], np.cumsum(values)))
    return np.array([total[b] - total[a] for a, b in pairwise(edges)], dtype=np.int64)


def segment_counts(
    segments: Sequence[_Segment], kept: Bools, content: Collection[int] = CONTENT
) -> Counts:
    """Compare kept segments with those of the content labels; each weighs its words."""
    weight = np.array([len(words(segment["text"])) for segment in segments], dtype=np.float64)
    wanted = np.array([segment["label"] in content for segment in segments], dtype=np.bool_)
    return Counts(
        float(weight[kept & wanted].sum()), float(weight[kept].sum()), float(weight[wanted].sum())
    )

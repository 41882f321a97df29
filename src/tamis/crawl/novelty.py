"""How much new text pages of one shape bring, and a budget for those that bring none.

A calendar has a page for every month of every year, a shop one for every order of its filters. Such
pages say what others of their shape have said. Each shape has credits: a page that brings nothing
new costs one, a page that does gives some back, and a shape without credits is not fetched further.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

FULL_CREDIT: Final = 30
_GAIN: Final = 3  # credits that a page with something new gives back
_MIN_NEW_SHARE: Final = 0.1  # of a page's pairs of words
_MIN_NEW_PAIRS: Final = 4
_BITS: Final = 2**19  # of the memory of one shape: 64 KiB
_MAX_FILL: Final = 0.5  # share of these bits, after which a shape forgets and starts again
_MAX_SHAPES: Final = 512  # in memory at once; the one that was not seen for longest goes first
_MAX_PAIRS: Final = 512  # of one page that are looked at
_FACTOR: Final = 2_654_435_761
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")

Hashes = NDArray[np.uint32]


def hash_word_pairs(text: str) -> Hashes:
    """Return hashes of a text's pairs of words, at most 512 of them, with numbers as one word."""
    words = ["0" if word[0].isdigit() else word for word in _WORD.findall(text.lower())]
    codes = {word: crc32(word.encode()) for word in set(words)}
    hashes = np.fromiter(map(codes.__getitem__, words), dtype=np.uint32, count=len(words))
    # Multiplied by an odd number, so that two words in another order are another pair.
    pairs: Hashes = np.unique(hashes[:-1] * np.uint32(_FACTOR) + hashes[1:])
    return pairs[:_MAX_PAIRS]


class _SeenPairs:
    """A bit for each pair of words that pages of one shape have had."""

    def __init__(self) -> None:
        self._bytes = np.zeros(_BITS // 8, dtype=np.uint8)
        self._count = 0

    def add(self, hashes: Hashes) -> int:
        """Remember pairs of words, and return how many of them are new."""
        indices = hashes % _BITS
        offsets, masks = indices >> 3, np.uint8(1) << (indices & 7).astype(np.uint8)
        new = int(np.count_nonzero(self._bytes[offsets] & masks == 0))
        if self._count + new > _MAX_FILL * _BITS:
            self._bytes[:] = 0
            self._count = 0
        np.bitwise_or.at(self._bytes, offsets, masks)
        self._count += new
        return new


@dataclass
class ShapeBudget:
    """The credits of all shapes of a crawl. `credits` may be kept, and given to the next run."""

    credits: dict[tuple[str, str], int] = field(default_factory=dict)  # by host and shape
    _seen: OrderedDict[tuple[str, str], _SeenPairs] = field(default_factory=OrderedDict, repr=False)

    def is_exhausted(self, host: str, shape: str) -> bool:
        """Say whether pages of a shape have brought nothing new for too long."""
        return self.credits.get((host, shape), FULL_CREDIT) <= 0

    def add_page(self, host: str, shape: str, hashes: Hashes) -> bool:
        """Account for a page, and say whether it brought something new."""
        key = (host, shape)
        if key not in self._seen:
            self._seen[key] = _SeenPairs()
        seen = self._seen[key]
        self._seen.move_to_end(key)
        if len(self._seen) > _MAX_SHAPES:
            self._seen.popitem(last=False)
        new = seen.add(hashes)
        is_new = new >= max(_MIN_NEW_PAIRS, _MIN_NEW_SHARE * len(hashes))
        self._spend(key, _GAIN if is_new else -1)
        return is_new

    def add_failure(self, host: str, shape: str) -> None:
        """Account for an address that led to no page."""
        self._spend((host, shape), -1)

    def _spend(self, key: tuple[str, str], change: int) -> None:
        """Change the credits of a shape; an exhausted one stays exhausted."""
        before = self.credits.get(key, FULL_CREDIT)
        if before > 0:
            self.credits[key] = min(before + change, FULL_CREDIT)

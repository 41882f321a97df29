"""A lexicon: which words the parts of texts stand for, remembered."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.store.kernel.words import (
    count_bytes,
    find_parts,
    find_slots,
    note_lines,
    write_parts,
    write_words,
)

SLOTS: Final = 2**17  # of the table
MOST_KEYS: Final = SLOTS // 2
ROOM: Final = 2**20  # bytes of words
# Letters and digits of ASCII in one case, and all that is not ASCII; 0 for gaps between parts.
FOLDS: Final = np.array(
    [n if n > 127 else ord(chr(n).lower()) * bool(re.match(r"\w", chr(n))) for n in range(256)],
    np.uint8,
)

Making = Callable[[bytes], bytes]  # parts, a line each, and the words of each


@dataclass(frozen=True)
class Parts:
    """The parts of a text: their keys, and where they are."""

    text: NDArray[np.uint8]
    keys: NDArray[np.uint64]
    starts: NDArray[np.int32]
    stops: NDArray[np.int32]

    def lines(self, chosen: NDArray[np.int32]) -> bytes:
        """Return some of the parts, a line each."""
        out = np.empty(len(self.text) + len(chosen), np.uint8)
        size = write_parts(self.text, FOLDS, self.starts, self.stops, chosen, out)
        return out[:size].tobytes()


class Lexicon:
    """Remembers words in tables of a fixed size; when they are full it begins anew.

    Parts are known by a hash of 64 bits that begins with a random number. Two of all that there is
    room for have the same one in one lexicon of ten thousand millions, and nobody can make it so.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seed = secrets.randbits(64) | 1
        self._known = np.zeros(SLOTS, np.uint64)
        self._first, self._stop = np.empty((2, SLOTS), np.int32)
        self._words = np.empty(ROOM, np.uint8)
        self._count = self._used = 0

    def line(self, data: bytes, most: int, made: Making) -> str:
        """Return the words of the first parts of a text, with a space between each two.

        `made` is asked for the words of the parts that are new.
        """
        parts = self._parts(data, most)
        with self._lock:
            line = self._remembered(parts, made)
            if line is None:
                self._clear()
                line = self._remembered(parts, made)
            if line is None:
                self._clear()
        if line is None:  # there is more in it than a lexicon has room for
            line = made(parts.lines(np.arange(len(parts.keys), dtype=np.int32)))
            line = b" ".join(line.split())
        return line.decode()

    def _parts(self, data: bytes, most: int) -> Parts:
        """Return the first parts of a text."""
        text = np.frombuffer(data, np.uint8)
        room = len(data) // 2 + 1
        keys = np.empty(room, np.uint64)
        starts, stops = np.empty((2, room), np.int32)
        count = find_parts(text, FOLDS, self._seed, keys, starts, stops)
        count = min(count, most)
        return Parts(text, keys[:count], starts[:count], stops[:count])

    def _remembered(self, parts: Parts, made: Making) -> bytes | None:
        """Return the words of parts, of which the new ones are learned; None without room."""
        if self._count + len(parts.keys) > MOST_KEYS:
            return None
        slots, new = np.empty((2, len(parts.keys)), np.int32)
        new = new[: find_slots(parts.keys, self._known, slots, new)]
        if len(new):
            try:
                words = made(parts.lines(new))
            except BaseException:
                self._clear()  # or parts would be known without their words
                raise
            if not self._learned(words):
                return None
            begin = self._used - len(words)
            note_lines(slots, new, self._words, begin, self._first, self._stop)
            self._count += len(new)
        out = np.empty(count_bytes(slots, self._first, self._stop), np.uint8)
        size = write_words(slots, self._first, self._stop, self._words, out)
        return out[: max(size - 1, 0)].tobytes()

    def _learned(self, words: bytes) -> bool:
        """Keep words, a line each, if there is room for them, and say whether there was."""
        end = self._used + len(words)
        if end > ROOM:
            return False
        self._words[self._used : end] = np.frombuffer(words, np.uint8)
        self._used = end
        return True

    def _clear(self) -> None:
        """Forget everything."""
        self._known[:] = 0
        self._count = self._used = 0

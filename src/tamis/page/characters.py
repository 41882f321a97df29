"""Character classes: which characters are letters, spaces, punctuation, or do not count."""

from __future__ import annotations

import functools
import unicodedata
from typing import Final

import numpy as np

WORD: Final = 1  # \w: letters, digits, underscore
SPACE: Final = 2
PUNCTUATION: Final = 4  # . , ; : ! ? and their counterparts in other scripts
SINGLE: Final = 8  # in scripts without spaces between words each character is a term
IGNORED: Final = 16  # control characters and invisible joiners

TABLE_SIZE: Final = 0x20000  # the planes with all scripts except rare ideographs
IDEOGRAPHS_END: Final = 0x33480

SINGLE_RANGES: Final = (
    (0x0E00, 0x0F00),  # Thai, Lao
    (0x1000, 0x10A0),  # Myanmar
    (0x1780, 0x1800),  # Khmer
    (0x2E80, 0x2FE0),  # Han radicals
    (0x3005, 0x3008),
    (0x3040, 0x3100),  # kana
    (0x31F0, 0x3200),
    (0x3400, 0x4DC0),  # Han
    (0x4E00, 0xA000),
    (0xF900, 0xFB00),
    (0xFF66, 0xFF9E),  # half-width kana
)
_NOT_PUNCTUATION: Final = "@#%&*/\\'\"†‡‰‱※‧＃％＆＊＠／＼＇＂"
_JOINERS: Final = "\u00ad\u200b\u2060\ufeff"


@functools.cache
def character_classes() -> bytes:
    """Return the class bits of each code point below `TABLE_SIZE`; computed once."""
    table = np.zeros(TABLE_SIZE, dtype=np.uint8)
    for code in range(TABLE_SIZE):
        char = chr(code)
        if char.isalnum():
            table[code] = WORD
        elif char.isspace():
            table[code] = SPACE
        else:
            category = unicodedata.category(char)
            if category == "Po":
                table[code] = PUNCTUATION
            elif category == "Cc":
                table[code] = IGNORED
    for start, stop in SINGLE_RANGES:
        table[start:stop] |= SINGLE
    table[[ord(char) for char in _NOT_PUNCTUATION]] = 0
    table[[ord(char) for char in _JOINERS]] = IGNORED
    table[ord("_")] = WORD
    return table.tobytes()

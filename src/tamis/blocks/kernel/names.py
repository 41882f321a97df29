# cython: boundscheck=False, wraparound=False, cdivision=True
"""Names in classes, as numbers.

The function fills arrays that it is given. What the numbers mean is told in blocks/regions.
"""

from __future__ import annotations

from typing import Any, Final

from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one axis; names.pxd has the types

SEED: Final = 0xCBF29CE484222325  # FNV-1a, 64 bits
PRIME: Final = 0x100000001B3
WRAP: Final = 0xFFFFFFFFFFFFFFFF  # numbers of 64 bits, as C has them

FOUR: Final = 0xFFFFFFFF  # the last letters
SIX: Final = 0xFFFFFFFFFFFF
SEVEN: Final = 0xFFFFFFFFFFFFFF

# What the name of a day has in it, the last letter in the lowest bits.
DATE: Final = 0x64617465
TIME: Final = 0x74696D65
POSTED: Final = 0x706F73746564
PUBLISH: Final = 0x7075626C697368


def hash_names(
    source: Array, start: Array, stop: Array, hashes: Array, owner: Array, day: Array
) -> int:
    """Give each name in some classes a number, digits aside, and return how many there are.

    The class `i` is from `start[i]` to `stop[i]`; `owner` is the class of each name. A class with
    `date`, `time`, `posted` or `publish` in it is that of a day.
    """
    count = 0
    for place in range(start.shape[0]):
        at = start[place]
        last = stop[place]
        while at < last:
            number = SEED
            window = 0
            begin = at
            while at < last and source[at] > 32:
                sign = source[at]
                at += 1
                if 48 <= sign <= 57:
                    continue
                number = ((number ^ sign) * PRIME) & WRAP
                window = ((window << 8) | (sign | 32)) & SEVEN
                short = window & FOUR
                if short in (DATE, TIME) or window == PUBLISH or window & SIX == POSTED:
                    day[place] = 1
            if at > begin:
                hashes[count] = number
                owner[count] = place
                count += 1
            at += 1
    return count


if not cython.compiled:
    hash_names = on_numbers(hash_names)

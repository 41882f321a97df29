"""What a block's letters tell: digits, signs, how it ends, whether it is repeated."""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.groups import groups_of
from tamis.page.page import frozen
from tamis.verdict.evidence.frame import Frame, Matrix
from tamis.verdict.kernel.passes import measure_letters, measure_repeats

NAMES: Final = (
    *"digits money asks signs stops ends_sentence ends_colon".split(),
    *"same first_of_same".split(),
)
TABLE_SIZE: Final = 0x20000
READ: Final = 160  # letters of a block: more tell nothing new
# Classes of letters that are counted, then those that matter at the edges of a block.
COUNTED: Final = ("0123456789", "$€£¥₹₽元￥", "?？", "©®™|·•→›»←‹«×/", ".!?…。！？；;")
AT_END: Final = ('.!?…。！？"”»」』', ":：")


@functools.cache
def letter_classes() -> NDArray[np.uint8]:
    """Return the classes of each code point below `TABLE_SIZE`, as bits, made at first use."""
    table = np.zeros(TABLE_SIZE, dtype=np.uint8)
    for bit, chars in enumerate((*COUNTED, *AT_END)):
        table[[ord(char) for char in chars]] |= 1 << bit
    return frozen(table)


def letters(frame: Frame, columns: Matrix) -> None:
    """Write what the blocks' letters tell."""
    start, stop = frame.written
    keys = np.empty(len(frame), dtype=np.uint64)
    told = columns[: len(COUNTED) + len(AT_END)]
    measure_letters(frame.text, letter_classes(), READ, start, stop, keys, told)
    group, count = groups_of(keys)
    measure_repeats(group, np.zeros(count, dtype=np.int64), columns[len(told) :])

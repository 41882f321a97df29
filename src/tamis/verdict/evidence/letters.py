"""What a block's letters tell: digits, signs, how it ends, whether it is repeated."""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page.page import frozen
from tamis.verdict.evidence.frame import Columns, Frame, Matrix, groups_of
from tamis.verdict.kernel.passes import count_letters

NAMES: Final = (
    *"digits money asks signs stops ends_sentence ends_colon".split(),
    *"same first_of_same".split(),
)
TABLE_SIZE: Final = 0x20000
READ: Final = 160  # letters of a block: more tell nothing new
# Classes of letters that are counted, then those that matter at the edges of a block.
COUNTED: Final = ("0123456789", "$€£¥₹₽元￥", "?？", "©®™|·•→›»←‹«×/", ".!?…。！？；;")
AT_END: Final = ('.!?…。！？"”»」』', ":：")
STOP, COLON = 1 << len(COUNTED), 2 << len(COUNTED)


@functools.cache
def letter_classes() -> NDArray[np.uint8]:
    """Return the classes of each code point below `TABLE_SIZE`, as bits, made at first use."""
    table = np.zeros(TABLE_SIZE, dtype=np.uint8)
    for bit, chars in enumerate((*COUNTED, *AT_END)):
        table[[ord(char) for char in chars]] |= 1 << bit
    return frozen(table)


def letters(frame: Frame, columns: Matrix) -> None:
    """Write what the blocks' letters tell."""
    page, blocks = frame.page, frame.blocks
    codes = np.frombuffer(page.text.encode("utf-32-le", "replace"), dtype=np.uint32)
    if not len(codes):
        columns.fill(0.0)
        return
    start = page.text_start[blocks.first].astype(np.int64)
    end = np.maximum(page.text_stop[blocks.stop - 1], start)
    stop = np.minimum(end, start + READ)
    counts = np.zeros((len(COUNTED) + 1, len(frame)), dtype=np.int64)
    count_letters(codes, letter_classes(), start, stop, counts)
    columns[: len(COUNTED)] = counts[:-1] / np.maximum(stop - start, 1)
    last = codes[np.maximum(end - 1, 0)]
    closes = letter_classes().take(last, mode="clip")
    some = end > start
    columns[5] = some & (closes & STOP != 0)
    columns[6] = some & (closes & COLON != 0)
    columns[7], columns[8] = repeats((counts[-1] * 65_537 + end - start) * 257 + last)


def repeats(keys: NDArray[np.int64]) -> tuple[Columns, NDArray[np.bool_]]:
    """Return how often each key occurs, up to 50, and whether it is its first occurrence."""
    group, count = groups_of(keys.astype(np.uint64))
    first = np.empty(len(keys), dtype=np.bool_)
    first[0] = True
    np.greater(group[1:], np.maximum.accumulate(group)[:-1], out=first[1:])
    sizes = np.bincount(group, minlength=count)
    return np.minimum(sizes, 50)[group], first

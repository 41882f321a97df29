# cython: boundscheck=False, wraparound=False, cdivision=True
"""Lines of text: which elements only mark up a part of one.

Each function fills arrays that it is given. What the numbers mean is told in blocks/regions.
"""

from __future__ import annotations

from typing import Any

from tamis.blocks.kernel.kinds import DAY, ENDS, FORMAT, LINK, TEXT
from tamis.page.kernel.uncompiled import on_numbers

try:
    import cython
except ImportError:
    from tamis.page.kernel import uncompiled as cython

Array = Any  # of numbers, one axis; lines.pxd has the types


def mark_lines(
    kind: Array, end: Array, inside: Array, links: Array, share: int, inline: Array
) -> None:
    """Mark the elements that are part of a line of text.

    `inside` and `links` are how many characters and links there are before each row, and at the
    end. A link is part of a line that has `share` times its characters beside it, or that begins
    with words and has no other link.
    """
    for row in range(kind.shape[0]):
        child = row + 1
        while child < end[row]:
            begin = child
            first = -1
            bare = 0
            while child < end[row] and kind[child] != ENDS:
                if inside[end[child]] > inside[child]:
                    if first < 0:
                        first = child
                    if kind[child] == TEXT:
                        bare += inside[end[child]] - inside[child]
                child = end[child]
            led = 0
            if bare > 0:
                led = links[child] - links[begin] == 1 and links[end[first]] == links[first]
            while bare > 0 and begin < child:
                if kind[begin] == LINK:
                    long = inside[end[begin]] - inside[begin]
                    inline[begin] = long > 0 and (led or bare > share * long)
                else:
                    inline[begin] = begin != first or kind[begin] != DAY
                begin = end[begin]
            if child < end[row]:
                child = end[child]


def spread_marks(kind: Array, parent: Array, inline: Array) -> None:
    """Mark what formats a part of something marked, in turn."""
    for row in range(1, kind.shape[0]):
        if inline[parent[row]] and (kind[row] == FORMAT or kind[row] == DAY):
            inline[row] = True


def find_holders(rows: Array, parent: Array, inline: Array, holders: Array) -> None:
    """Find, for each of some rows, the innermost element around it that is not marked."""
    for place in range(rows.shape[0]):
        above = parent[rows[place]]
        while inline[above]:
            above = parent[above]
        holders[place] = above


if not cython.compiled:
    mark_lines = on_numbers(mark_lines)
    spread_marks = on_numbers(spread_marks)
    find_holders = on_numbers(find_holders)

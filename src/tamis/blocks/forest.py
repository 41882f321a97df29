"""Ranges of rows that were seen as blocks → blocks that own the whole page."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from tamis.blocks.blocks import Blocks, leaves, nested_blocks
from tamis.page import Page
from tamis.page.page import Bools

Range = tuple[int, int, int]  # node, first row, stop row


def seen_blocks(page: Page, found: Iterable[Range], *, nested: bool) -> Blocks:
    """Return ranges as blocks; what lies in none of them is in a block of the whole page.

    With `nested=False` only innermost ranges stay, and what lies in none of them is in blocks of
    its own: the largest pieces that hold none of them.
    """
    shown = leaves(page)
    ranges = sorted(set(found), key=lambda r: (r[1], -r[2], r[0]))
    if not nested:
        ranges = innermost(ranges)
        ranges = sorted(
            [*ranges, *pieces_between(page, shown, ranges)], key=lambda r: (r[1], -r[2])
        )
    elif (shown & ~covered(len(page), ranges)).any():
        root = whole(page, shown)
        ranges = [(root, root, int(page.end[root])), *(r for r in ranges if r[0] != root)]
        ranges.sort(key=lambda r: (r[1], -r[2], r[0]))
    columns = np.array(ranges, dtype=np.int32).reshape(-1, 3).T
    return nested_blocks(page, *columns)


def covered(size: int, ranges: list[Range]) -> Bools:
    """Return which of so many rows lie in at least one of the ranges."""
    edges = np.array(ranges, dtype=np.int64).reshape(-1, 3)[:, 1:]
    opened, closed = (np.bincount(column, minlength=size + 1) for column in edges.T)
    return np.cumsum(opened - closed)[:-1] > 0


def innermost(ranges: list[Range]) -> list[Range]:
    """Return the ranges that hold no other; they are given in document order, outer ones first."""
    inner = [here for here, after in pairwise(ranges) if after[1] >= here[2]]
    return [*inner, *ranges[-1:]]


def whole(page: Page, shown: Bools) -> int:
    """Return the innermost row that holds all leaves."""
    count = page.below(shown)
    return int(np.flatnonzero(count == count[0])[-1]) if count[0] else 0


def pieces_between(page: Page, shown: Bools, ranges: list[Range]) -> list[Range]:
    """Return the largest runs of siblings that hold leaves and no part of any range."""
    taken = covered(len(page), ranges)
    free = page.below(taken) == 0
    around = np.append(free, False)[page.parent]  # the root has no parent: place -1
    rows = np.flatnonzero(free & ~around & (page.below(shown) > 0))
    before = np.concatenate(([0], np.cumsum(taken)))
    found: list[Range] = []
    for row in rows.tolist():
        parent, stop = int(page.parent[row]), int(page.end[row])
        if found and found[-1][0] == parent and before[row] == before[found[-1][2]]:
            found[-1] = (parent, found[-1][1], stop)
        else:
            found.append((parent, row, stop))
    return [
        (first, first, stop) if page.end[first] == stop else (node, first, stop)
        for node, first, stop in found
    ]

"""The browser's elements and texts ↔ the rows of a page."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, tags

Indices = NDArray[np.int64]

LONG: Final = 2000  # children above which only the same beginning and end are matched


def elements_of_rows(page: Page, names: Sequence[str], parents: Sequence[int]) -> Indices:
    """Return for each row the browser's element that it is, or -1.

    The browser's elements are given in document order, by name and parent. Both trees come from
    the same algorithm of the HTML standard, so nearly always they are the same. Where they are
    not, they are walked side by side from the root, children matched by their names.
    """
    rows = np.flatnonzero(page.tag != tags.TEXT)
    ours = [page.name(row).lower() for row in rows.tolist()]
    found = np.full(len(page), -1, dtype=np.int64)
    number = np.full(len(page) + 1, -1, dtype=np.int64)  # of elements; -1 above the root
    number[rows] = np.arange(len(rows))
    above = number[page.parent[rows]].tolist()
    if above == list(parents) and ours == [name.lower() for name in names]:
        found[rows] = np.arange(len(rows))
        return found
    here = children_lists(above)
    there = children_lists(list(parents))
    waiting = [(-1, -1)]
    while waiting:
        above, other = waiting.pop()
        kids, others = here.get(above, []), there.get(other, [])
        pairs = matches([ours[kid] for kid in kids], [names[kid].lower() for kid in others])
        for a, b in pairs:
            found[rows[kids[a]]] = others[b]
            waiting.append((kids[a], others[b]))
    return found


def children_lists(parents: Sequence[int]) -> dict[int, list[int]]:
    """Return the children of each node that has some; the root is a child of -1."""
    found: dict[int, list[int]] = {}
    for child, parent in enumerate(parents):
        found.setdefault(parent, []).append(child)
    return found


def matches(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places at which two sequences of names agree, in order."""
    if ours == theirs:
        return [(place, place) for place in range(len(ours))]
    if max(len(ours), len(theirs)) > LONG:
        return same_ends(ours, theirs)
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    return [
        (block.a + step, block.b + step)
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    ]


def same_ends(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of the longest common beginning and end of two sequences."""
    shorter = min(len(ours), len(theirs))
    begin = 0
    while begin < shorter and ours[begin] == theirs[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    tail = ((len(ours) - step, len(theirs) - step) for step in range(end, 0, -1))
    return [(place, place) for place in range(begin)] + list(tail)


def texts_of_rows(page: Page, elements: Indices, parents: Sequence[int]) -> Indices:
    """Return for each row the browser's text that it is, or -1.

    The browser's texts are given by the element around them. Where an element has other texts in
    the browser than in the page (there, some are not shown), none of them is matched.
    """
    rows = np.flatnonzero((page.tag == tags.TEXT) & (page.text_stop > page.text_start))
    around = elements[page.parent[rows]]
    theirs = np.asarray(parents, dtype=np.int64)
    size = int(max(around.max(initial=-1), theirs.max(initial=-1))) + 2
    here = np.bincount(around + 1, minlength=size)
    there = np.bincount(theirs + 1, minlength=size)
    same = (here == there) & (np.arange(size) > 0)
    found = np.full(len(page), -1, dtype=np.int64)
    ours = np.flatnonzero(same[around + 1])
    others = np.flatnonzero(same[theirs + 1])
    # In document order inside an element; both are brought into the order of elements.
    ours = ours[np.argsort(around[ours], kind="stable")]
    others = others[np.argsort(theirs[others], kind="stable")]
    found[rows[ours]] = others
    return found

"""Baselines for records: MDR's idea (Liu, Grossman and Zhai 2003), and siblings of one class.

MDR compares neighbouring groups of siblings by the edit distance of their tags; a run of groups
that are alike is a data region, each group a record. Of the regions found, the one with most text
is the answer here, as MDR itself does not choose.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from tamis.errors import unavailable
from tamis.page import Page, tags

MOST_TOGETHER: Final = 3  # siblings that one record can be
ALIKE: Final = 0.3  # greatest normalised distance of two that are alike, the paper's threshold
LONGEST: Final = 200  # tags of a group that are compared

Group = tuple[int, int]  # first row, stop row
Rows = Sequence[Sequence[str]]


def mdr_records(page: Page) -> Rows:
    """Return the records of the data region with most text."""
    best: list[Group] = max(data_regions(page), key=lambda region: weight(page, region), default=[])
    return table(page, best)


def sibling_records(page: Page) -> Rows:
    """Return the largest group, by text, of siblings of one tag and class."""
    groups: defaultdict[tuple[int, int, int], list[Group]] = defaultdict(list)
    for row in np.flatnonzero((page.tag != tags.TEXT) & (page.below(page.chars) > 0)).tolist():
        key = (int(page.parent[row]), int(page.tag[row]), int(page.class_key[row]))
        groups[key].append((row, int(page.end[row])))
    several = [group for group in groups.values() if len(group) > 2]
    return table(page, max(several, key=lambda group: weight(page, group), default=[]))


def data_regions(page: Page) -> Iterator[list[Group]]:
    """Yield the data regions of a page, from the root down; inside one none is looked for."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero((page.tag != tags.TEXT) & (page.below(page.chars) > 0)).tolist():
        children[int(page.parent[row])].append(row)
    waiting = [0]
    while waiting:
        inner = children.get(waiting.pop(), [])
        region = longest_run(page, inner)
        if region:
            yield region
        covered = {row for first, stop in region for row in inner if first <= row < stop}
        waiting += [row for row in inner if row not in covered]


def longest_run(page: Page, siblings: Sequence[int]) -> list[Group]:
    """Return the run of like groups that holds most siblings; larger groups must hold more."""
    best: list[Group] = []
    held = 1
    for size in range(1, MOST_TOGETHER + 1):
        for offset in range(size):
            groups = [
                (siblings[at], int(page.end[siblings[at + size - 1]]))
                for at in range(offset, len(siblings) - size + 1, size)
            ]
            for run in runs(page, groups):
                if len(run) * size > held:
                    best, held = run, len(run) * size
    return best


def runs(page: Page, groups: Sequence[Group]) -> Iterator[list[Group]]:
    """Yield the runs of neighbouring groups that are alike."""
    run: list[Group] = []
    for group in groups:
        if run and not alike(page, run[-1], group):
            if len(run) > 1:
                yield run
            run = []
        run.append(group)
    if len(run) > 1:
        yield run


def alike(page: Page, one: Group, other: Group) -> bool:
    """Say whether the tags of two groups are nearly the same."""
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError as error:
        raise unavailable("mdr needs rapidfuzz", "evaluate") from error
    first, second = (page.tag[a : min(b, a + LONGEST)].tobytes() for a, b in (one, other))
    return bool(Levenshtein.normalized_distance(first, second, score_cutoff=ALIKE) <= ALIKE)


def weight(page: Page, groups: Sequence[Group]) -> int:
    """Return how many characters groups hold."""
    return sum(int(page.chars[first:stop].sum()) for first, stop in groups)


def table(page: Page, groups: Sequence[Group]) -> Rows:
    """Return the texts of groups by the order in which they come, the same number in each row."""
    rows = []
    for first, stop in groups:
        texts = np.flatnonzero(page.visible[first:stop]) + first
        rows.append([page.text[page.text_start[row] : page.text_stop[row]] for row in texts])
    width = max(map(len, rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows if row]

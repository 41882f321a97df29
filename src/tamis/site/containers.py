"""Containers: the element that holds what a page keeps, and how much else it holds."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final, NamedTuple

import numpy as np

from tamis.blocks import Blocks
from tamis.page import Bools, Page
from tamis.site.places import path
from tamis.verdict import Floats

MOST_OF_IT: Final = 0.8  # share of what a page keeps that its container holds


class Main(NamedTuple):
    """The main container of one page."""

    row: int  # of the element
    place: str
    share: float  # of its terms that the page keeps


def main_container(blocks: Blocks, terms: Floats, kept: Bools) -> Main | None:
    """Return the smallest element that holds most of what is kept; None if nothing is.

    It is looked for from the longest kept block upwards. What stands far from the rest, such as a
    headline above the columns, does not widen it.
    """
    weights = terms * kept
    total = float(weights.sum())
    if not total:
        return None
    page, row = blocks.page, int(blocks.node[np.argmax(weights)])
    order = np.argsort(blocks.node, kind="stable")
    nodes = blocks.node[order].tolist()
    sums = [0.0, *np.cumsum(weights[order]).tolist()]
    first, last = _span(page, nodes, row)
    while sums[last] - sums[first] < MOST_OF_IT * total and page.parent[row] >= 0:
        row = int(page.parent[row])
        first, last = _span(page, nodes, row)
    share = (sums[last] - sums[first]) / float(terms[order[first:last]].sum())
    return Main(row, path(page, row, {}, {}), share)


def _span(page: Page, nodes: list[int], row: int) -> tuple[int, int]:
    """Return the first block that stands in an element, of blocks in order, and the one after."""
    return bisect_left(nodes, row), bisect_left(nodes, int(page.end[row]))


def inside(blocks: Blocks, row: int) -> Bools:
    """Say which blocks stand in an element, or are it."""
    within: Bools = (blocks.node >= row) & (blocks.node < blocks.page.end[row])
    return within

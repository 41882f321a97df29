"""Separators of VIPS: the free stripes between blocks, and how much they separate.

vips: the Vision-based Page Segmentation of Cai, Yu, Wen and Ma (2003).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.blocks import Blocks
from tamis.blocks.visual_tree import Range, VisualTree, build_visual_blocks, build_visual_tree
from tamis.page import Page, tags

BROAD: Final = 40.0  # pixels of a separator that is as broad as separators get
ALIKE: Final = 0.5  # difference of weights that does not count

Part = list[int]
Rows = NDArray[np.int64]
Floats = NDArray[np.float64]


def best_cuts(seen: VisualTree, rows: Sequence[int]) -> tuple[list[Part], float]:
    """Return blocks parted at the heaviest separators between them, and their weight, 0 to 9.

    Separators that weigh about the same cut together. Blocks between which there is none, because
    they overlap, stay together as long as the source has them one after the other.
    """
    blocks = np.asarray(rows, dtype=np.int64)
    across, down = separators(seen, blocks, 1), separators(seen, blocks, 0)
    heaviest = max((float(weight.max(initial=-1.0)) for _, weight in (across, down)), default=-1.0)
    if heaviest < 0:
        return [[row] for row in rows], 0.0
    axis, (places, weight) = next(
        (axis, found)
        for axis, found in ((1, across), (0, down))
        if found[1].max(initial=-1.0) == heaviest
    )
    places = places[weight >= heaviest - ALIKE]
    groups = np.searchsorted(places, seen.boxes[axis, blocks], side="right")
    return runs(rows, groups.tolist()), heaviest


def runs(rows: Sequence[int], groups: Sequence[int]) -> list[Part]:
    """Return rows of one group that follow each other in the source."""
    parts: list[Part] = [[rows[0]]]
    for (_, before), (row, here) in pairwise(zip(rows, groups, strict=True)):
        if here == before:
            parts[-1].append(row)
        else:
            parts.append([row])
    return parts


def separators(seen: VisualTree, rows: Rows, axis: int) -> tuple[Floats, Floats]:
    """Return the free stripes across all blocks: where each ends, and its weight.

    To start with one separator over everything and to split and shrink it by each block leaves
    what no block covers: the gaps between the blocks' extents along one axis.
    """
    low, high = seen.boxes[axis, rows], seen.boxes[axis + 2, rows]
    order = np.argsort(low, kind="stable")
    rows, low, high = rows[order], low[order], high[order]
    reached = np.maximum.accumulate(high)
    furthest = np.maximum.accumulate(np.where(high >= reached, np.arange(len(high)), 0))
    gaps = low[1:] - reached[:-1]
    free = np.flatnonzero(gaps >= 0)
    sides = rows[furthest[free]], rows[free + 1]
    return low[free + 1], weights(seen, *sides, gaps[free])


def weights(seen: VisualTree, one: Rows, two: Rows, gaps: Floats) -> Floats:
    """Return how much stripes separate blocks: by breadth, a rule between, colours and fonts."""
    layout, rules = seen.layout, seen.rules_before
    first, last = np.minimum(one, two), np.maximum(one, two)
    found: Floats = (
        4 * np.minimum(gaps, BROAD) / BROAD
        + 2 * (rules[last] > rules[np.minimum(seen.page.end[first], last)])
        + 2 * (seen.ground[one] != seen.ground[two])
        + (layout.font_size[one] != layout.font_size[two])
        + (layout.font_weight[one] != layout.font_weight[two]) / 2
    )
    return found


COHERENT: Final = 10  # the degree of coherence of what is all alike
_HR: Final = tags.CODE["hr"]
# Which of the rules about dividing a node hold for it, as in Table 1 of the report.
_TABLES: Final = tags.tag_table(("table", "tbody", "thead", "tfoot", "tr"))
_CELLS: Final = tags.tag_table(("td", "th"))


@dataclass(frozen=True)
class Vips:
    """Cuts a page from the top by what separates its parts to the eye (VIPS).

    Each round divides a node by tag, colour, text and size into a pool of blocks, finds the
    separators between them (the free stripes across all of them), weighs each by its breadth and by
    how its sides differ, and builds the content structure: the heaviest separators cut first. A
    block has a degree of coherence (1 to 10, never below that of the block around it); those below
    `pdoc`, the permitted one, are divided in the next round, at most `rounds` times. `size` is the
    share of the page below which a node is small.

    Blocks are runs of the source. Where the eye groups what the source keeps apart, the group is
    left in the pieces that the source has.
    """

    pdoc: int = 6
    rounds: int = 10
    size: float = 0.05
    needs_layout: ClassVar[bool] = True

    def segment(self, page: Page) -> Blocks:
        """Return the content structure of a page with layout."""
        seen = build_visual_tree(page, "vips")
        return build_visual_blocks(page, self._found(seen), nested=True)

    def _found(self, seen: VisualTree) -> Iterator[Range]:
        """Yield the blocks of the content structure, round by round."""
        waiting = [(0, 1, 1)] if len(seen.page) else []
        while waiting:
            node, doc, turn = waiting.pop()
            pool: list[tuple[int, int]] = []
            self._divide(seen, node, doc, pool)
            if len(pool) < 2:
                continue
            coherence = dict(pool)
            rows = [row for row, _ in pool]
            for first, stop, inner in structure(seen, rows, doc, self.rounds):
                yield as_range(seen, first, stop)
                if first in coherence and seen.page.end[first] == stop:
                    coherence[first] = max(coherence[first], inner)
            if turn < self.rounds:
                waiting += (
                    (row, degree, turn + 1)
                    for row, degree in coherence.items()
                    if degree < self.pdoc
                )

    def _divide(self, seen: VisualTree, root: int, doc: int, pool: list[tuple[int, int]]) -> None:
        """Divide a node into the blocks of one round, each with its degree of coherence.

        A block is the outermost element that shows nothing else.
        """
        waiting = [(root, root)]
        kept: set[int] = set()  # nodes that were not divided
        while waiting:
            node, outer = waiting.pop()
            degree = None if node == root else self._coherence(seen, node, kept)
            kids = seen.holders[node]
            if degree is None:
                alone = len(kids) == 1 and node != root
                waiting += ((kid, outer if alone else kid) for kid in reversed(kids))
            else:
                kept.add(node)
                pool.append((outer, max(doc, degree)))

    def _coherence(self, seen: VisualTree, node: int, kept: set[int]) -> int | None:
        """Return the degree of coherence of a node that is not divided, None for one that is."""
        kids = seen.holders[node]
        if not kids:
            return COHERENT
        if len(kids) == 1 and not seen.virtual[kids[0]]:
            return None
        if all(seen.virtual[kid] for kid in kids):
            return COHERENT if is_uniform(seen, kids) else COHERENT - 1
        code = seen.page.tag[node]
        if not _TABLES[code] and any(seen.page.tag[kid] == _HR for kid in seen.children[node]):
            return None
        if _TABLES[code] and any(seen.ground[kid] != seen.ground[node] for kid in kids):
            return None
        breaks = any(not seen.inline[kid] for kid in kids)
        if seen.inline[node] and breaks:
            return None
        area = self._share(seen, node)
        if area < self.size and any(seen.virtual[kid] for kid in kids):
            return 8 if area < self.size / 4 else 7
        if max(self._share(seen, kid) for kid in kids) < self.size:
            return 7 if area < self.size else 6
        if _CELLS[code] and seen.before[node] in kept:
            return 6
        return 5 if _TABLES[code] and area < 4 * self.size else None

    def _share(self, seen: VisualTree, node: int) -> float:
        """Return the share of the page's area that a node covers."""
        _, _, width, height = seen.box([node])
        page_width, page_height = seen.layout.size
        return width * height / max(page_width * page_height, 1.0)


def is_uniform(seen: VisualTree, kids: Sequence[int]) -> bool:
    """Say whether texts have one size and weight."""
    size, weight = seen.layout.font_size, seen.layout.font_weight
    return len({(float(size[kid]), float(weight[kid])) for kid in kids}) == 1


def as_range(seen: VisualTree, first: int, stop: int) -> Range:
    """Return a run of rows with the innermost element that holds all of it."""
    node = first
    while seen.page.end[node] < stop:
        node = int(seen.page.parent[node])
    return node, first, stop


def structure(
    seen: VisualTree, pool: list[int], doc: int, depth: int
) -> Iterator[tuple[int, int, int]]:
    """Yield the content structure over a pool of blocks: first row, stop row, coherence.

    The heaviest separators cut the pool, then the next ones inside each part, so many deep at
    most. The coherence of the parts falls with the weight of what separates them.
    """
    waiting = [(pool, doc, depth)]
    while waiting:
        rows, around, left = waiting.pop()
        parts, weight = best_cuts(seen, rows)
        degree = max(around, COHERENT - round(weight))
        for part in parts:
            yield part[0], int(seen.page.end[part[-1]]), degree
            if len(part) > 1 and len(parts) > 1 and left > 1:
                waiting.append((part, degree, left - 1))

"""keypattern: blocks by repeated sequences of tags, 000 §3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from tamis.blocks.blocks import Blocks, leaves, nested_blocks
from tamis.blocks.repetition import key_patterns
from tamis.page import Page, tags
from tamis.page.page import Bools

UNWRAPPED: Final = ("a", "b", "span", "i", "em", "strong", "font", "small", "u")
DROPPED: Final = ("script", "style", "link", "meta")

_IS_UNWRAPPED = tags.tag_table(UNWRAPPED)
_IS_DROPPED = tags.tag_table((*DROPPED, "#text"))

Range = tuple[int, int, int]  # node, first row, stop row


def important(page: Page) -> Bools:
    """Return which rows are elements that survive 000's preprocessing."""
    return ~_IS_DROPPED[page.tag] & ~_IS_UNWRAPPED[page.tag] & ((page.flags & tags.INVISIBLE) == 0)


@dataclass(frozen=True)
class KeyPattern:
    """Cuts the children of each node where their tags repeat (000 §3.3 to §3.5).

    Each piece between two matches of a key pattern is a virtual node, a block; a run of one tag is
    one virtual node. Patterns of the same sequence are applied one after the other, the next
    inside the pieces of the one before. The children of every node are then treated in turn.
    What stands outside all virtual nodes belongs to the element that holds it, as a block.
    """

    def segment(self, page: Page) -> Blocks:
        """Return the virtual nodes of a page, nested as they were found."""
        children = kept_children(page)
        shown = np.concatenate(([0], np.cumsum(leaves(page))))
        found: list[Range] = []
        pending = [(0, False)] if len(page) else []
        while pending:
            node, inside = pending.pop()
            kids = children[node]
            pieces, covered = virtual_nodes(page, node, kids)
            loose = [k for k, c in zip(kids, covered, strict=True) if not c]
            direct = leaf_count(shown, node, int(page.end[node]))
            direct -= sum(leaf_count(shown, kid, int(page.end[kid])) for kid in loose)
            direct -= sum(leaf_count(shown, a, b) for _, a, b in outermost(pieces))
            if direct and not inside:
                found.append((node, node, int(page.end[node])))
                inside = True
            found += [piece for piece in pieces if leaf_count(shown, *piece[1:])]
            for kid, cover in zip(kids, covered, strict=True):
                if leaf_count(shown, kid, int(page.end[kid])):
                    pending.append((kid, inside or cover))
        ranges = np.array(sorted(set(found), key=lambda r: (r[1], -r[2], r[0])), dtype=np.int32)
        return nested_blocks(page, *ranges.reshape(-1, 3).T)


def leaf_count(shown: np.ndarray, first: int, stop: int) -> int:
    """Return the number of leaves between two rows, from their running number."""
    return int(shown[stop] - shown[first])


def outermost(pieces: list[Range]) -> Iterator[Range]:
    """Yield the pieces that lie in no other; pieces come outer ones first."""
    reached = -1
    for piece in sorted(pieces, key=lambda r: (r[1], -r[2])):
        if piece[2] > reached:
            yield piece
            reached = piece[2]


def virtual_nodes(page: Page, node: int, kids: list[int]) -> tuple[list[Range], list[bool]]:
    """Return the virtual nodes among the children of a node, and which children they cover.

    Text between two children belongs to the piece before it.
    """
    sequence = "".join(map(chr, page.tag[kids].tolist()))
    pieces: list[Range] = []
    covered = [False] * len(kids)
    edges = [*kids, int(page.end[node])]
    for low, high, run in cut_pieces(sequence):
        first = kids[low] if low or run else node + 1
        stop = int(page.end[kids[high - 1]]) if run else edges[high]
        pieces.append((node, first, stop))
        covered[low:high] = [True] * (high - low)
    return pieces, covered


def cut_pieces(sequence: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the pieces that key patterns cut a sequence into: from, to, and whether it is a run.

    Each pattern cuts the parts that the patterns before it left: before each of its matches, or,
    if all its symbols are equal, around the runs of that symbol.
    """
    parts = [(0, len(sequence))]
    for pattern in key_patterns(sequence):
        left: list[tuple[int, int]] = []
        for low, high in parts:
            if len(set(pattern)) == 1:
                spans = list(_runs(sequence, pattern, low, high))
                yield from ((a, b, True) for a, b in spans)
                edges = [low, *(edge for span in spans for edge in span), high]
                left += [p for p in zip(edges[::2], edges[1::2], strict=True) if p[0] < p[1]]
            else:
                pieces = list(_cuts(sequence, pattern, low, high))
                yield from ((a, b, False) for a, b in pieces)
                left += pieces or [(low, high)]
        parts = left


def _runs(sequence: str, pattern: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of the pattern's only symbol that hold the pattern."""
    at = sequence.find(pattern, low, high)
    while at >= 0:
        end = at
        while end < high and sequence[end] == pattern[0]:
            end += 1
        yield at, end
        at = sequence.find(pattern, end, high)


def _cuts(sequence: str, pattern: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the pieces before, between and after the starts of two or more matches."""
    starts: list[int] = []
    at = sequence.find(pattern, low, high)
    while at >= 0:
        starts.append(at)
        at = sequence.find(pattern, at + len(pattern), high)
    if len(starts) < 2:
        return
    edges = [low, *starts, high] if starts[0] > low else [*starts, high]
    yield from zip(edges[:-1], edges[1:], strict=True)


def kept_children(page: Page) -> dict[int, list[int]]:
    """Return the element children of each row, formatting elements unwrapped."""
    kept = np.flatnonzero(important(page))
    above = page.parent[kept]
    while (wrapped := (above >= 0) & _IS_UNWRAPPED[page.tag[above]]).any():
        above = np.where(wrapped, page.parent[above], above)
    children: dict[int, list[int]] = {row: [] for row in [0, *kept.tolist()]}
    for child, parent in zip(kept.tolist(), above.tolist(), strict=True):
        if parent >= 0:
            children[parent].append(child)
    return children

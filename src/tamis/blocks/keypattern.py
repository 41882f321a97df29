"""keypattern: blocks by repeated sequences of tags, 000 §3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.blocks import Blocks, leaves, nested_blocks
from tamis.blocks.repetition import key_patterns
from tamis.page import Page, tags
from tamis.page.page import Bools

UNWRAPPED: Final = ("a", "b", "span", "i", "em", "strong", "font", "small", "u")
DROPPED: Final = ("script", "style", "link", "meta")

_IS_PAGE = tags.tag_table(("html", "body"))
_IS_UNWRAPPED = tags.tag_table(UNWRAPPED)
_IS_DROPPED = tags.tag_table((*DROPPED, "#text"))

Rows = NDArray[np.int64]
Range = tuple[int, int, int]  # node, first row, stop row
Piece = tuple[int, int, bool]  # from child, to child, whether it is a run of one tag


@dataclass(frozen=True)
class KeyPattern:
    """Cuts the children of each node where their tags repeat (000 §3.3 to §3.5).

    Each piece between two matches of a key pattern is a virtual node, a block; a run of one tag is
    one virtual node. Patterns of the same sequence are applied one after the other, the next
    inside the pieces of the one before. The children of every node are treated alike. What stands
    outside all virtual nodes belongs to the outermost element that holds some of it, as a block.
    The page itself is no such block: of what the body holds bare, each piece is one.
    """

    def segment(self, page: Page) -> Blocks:
        """Return the virtual nodes of a page, nested as they were found."""
        shown = leaves(page)
        kept = important(page)
        nearest = nearest_kept(page, kept)
        before = np.concatenate(([0], np.cumsum(shown))).tolist()  # leaves before each row
        found: list[Range] = []
        cut: dict[str, list[Piece]] = {}  # pages repeat themselves: each sequence is cut once
        for node, kids in child_lists(page, kept, nearest):
            if before[node + 1] == before[page.end[node]]:
                continue  # shows nothing but itself
            sequence = tag_sequence(page, kids)
            if sequence not in cut:
                cut[sequence] = list(cut_pieces(sequence))
            found += virtual_nodes(page, node, kids, cut[sequence])
        found += loose_blocks(page, shown & ~covered(len(page), found), shown, nearest)
        showing = {(node, a, b) for node, a, b in found if before[b] > before[a]}
        ranges = np.array(sorted(showing, key=lambda r: (r[1], -r[2], r[0])), dtype=np.int32)
        return nested_blocks(page, *ranges.reshape(-1, 3).T)


def important(page: Page) -> Bools:
    """Return which rows are elements that survive 000's preprocessing and are part of the view."""
    seen: Bools = ((page.flags & tags.INVISIBLE) == 0) | leaves(page)
    return ~_IS_DROPPED[page.tag] & ~_IS_UNWRAPPED[page.tag] & seen


def nearest_kept(page: Page, kept: Bools) -> Rows:
    """Return for each row the nearest kept element that it is or lies in, or the root."""
    above = np.where(kept, np.arange(len(page)), np.maximum(page.parent, 0))
    above[:1] = 0
    while True:  # each round doubles the steps
        further = above[above]
        if np.array_equal(further, above):
            return above
        above = further


def child_lists(page: Page, kept: Bools, nearest: Rows) -> Iterator[tuple[int, list[int]]]:
    """Yield the nodes that have enough children for a pattern to repeat, with these children.

    Children are the kept elements below a node with no other kept element between: formatting
    elements are unwrapped.
    """
    rows = np.flatnonzero(kept[1:]) + 1
    above = nearest[page.parent[rows]]
    order = np.argsort(above, kind="stable")
    rows, above = rows[order], above[order]
    begins = np.flatnonzero(np.diff(above, prepend=-1))
    ends = np.append(begins[1:], len(rows))
    enough = ends - begins >= 4
    for a, b in zip(begins[enough].tolist(), ends[enough].tolist(), strict=True):
        yield int(above[a]), rows[a:b].tolist()


def tag_sequence(page: Page, kids: list[int]) -> str:
    """Return the tags of the children of a node, a character each."""
    codes = page.tag[kids]
    if not (codes == tags.OTHER).any():
        return codes.tobytes().decode("latin-1")
    others: dict[str, int] = {}
    return "".join(
        chr(256 + others.setdefault(page.name(kid), len(others)) if code == tags.OTHER else code)
        for kid, code in zip(kids, codes.tolist(), strict=True)
    )


def virtual_nodes(page: Page, node: int, kids: list[int], pieces: list[Piece]) -> Iterator[Range]:
    """Yield the rows that pieces of the children of a node stand for.

    Text between two children belongs to the piece before it.
    """
    edges = [*kids, int(page.end[node])]
    for low, high, run in pieces:
        first = kids[low] if low or run else node + 1
        stop = int(page.end[kids[high - 1]]) if run else edges[high]
        yield node, first, stop


def cut_pieces(sequence: str) -> Iterator[Piece]:
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
    yield from pairwise(edges)


def covered(size: int, ranges: list[Range]) -> Bools:
    """Return which of so many rows lie in at least one of the ranges."""
    edges = np.array(ranges, dtype=np.int64).reshape(-1, 3)[:, 1:]
    opened, closed = (np.bincount(column, minlength=size + 1) for column in edges.T)
    return np.cumsum(opened - closed)[:-1] > 0


def loose_blocks(page: Page, loose: Bools, shown: Bools, nearest: Rows) -> Iterator[Range]:
    """Yield blocks for the leaves outside all virtual nodes.

    Where the body holds virtual nodes and something bare, such as a link to skip them, it would be
    a block with the whole page in it; there the pieces between all else are blocks.
    """
    leaf = np.flatnonzero(loose)
    holder = nearest[leaf]
    is_page = _IS_PAGE[page.tag[holder]] & (page.below(loose) < page.below(shown))[holder]
    reached = 0
    for row in np.unique(holder[~is_page]).tolist():
        if row >= reached:
            reached = int(page.end[row])
            yield row, row, reached
    before = np.concatenate(([0], np.cumsum(shown)))  # leaves before each row
    pieces: list[Range] = []
    for row, node in zip(leaf[is_page].tolist(), holder[is_page].tolist(), strict=True):
        stop = int(page.end[row])
        if pieces and pieces[-1][0] == node and before[pieces[-1][2]] == before[row]:
            pieces[-1] = (node, pieces[-1][1], stop)
        else:
            pieces.append((node, row, stop))
    yield from pieces

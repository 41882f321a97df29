"""keypattern: blocks by repeated sequences of tags (the key-pattern paper §3).

The children of an element are a sequence of tags. `key_patterns` finds the longest repeated parts
of a sequence (§3.4), `cut_sequence` divides it where they occur, and `KeyPattern` makes blocks of
the parts (§3.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks.blocks import Blocks, Range, build_nested_blocks, covered_rows, leaf_rows
from tamis.page import Bools, Page, tags

MAX_PATTERNS: Final = 32
_MIN_CHILDREN: Final = 4  # for a pattern of two tags to repeat

_IS_PAGE: Final = tags.tag_table(("html", "body"))
_IS_UNWRAPPED = tags.tag_table(("a", "b", "span", "i", "em", "strong", "font", "small", "u"))
_IS_DROPPED = tags.tag_table(("script", "style", "link", "meta", "#text"))

_Rows = NDArray[np.int64]
_Part = tuple[int, int, bool]  # from child, to child, whether it is a run of one tag


@dataclass(frozen=True)
class KeyPattern:
    """Divides the children of each element where their tags repeat (§3.3 to §3.5).

    Each part between two matches of a key pattern is a virtual node, a block; a run of one tag is
    one virtual node. Patterns of the same sequence are applied one after the other, each inside
    the parts of the one before. All elements are treated alike. Content outside all virtual nodes
    goes into blocks that contain none: the outermost elements that have some of it themselves, or,
    where such an element contains virtual nodes too, the runs of leaves before, between and after
    these.
    """

    def segment(self, page: Page) -> Blocks:
        """Return the virtual nodes of a page, nested as they were found."""
        leaves = leaf_rows(page)
        important = important_rows(page)
        nearest = _nearest_important(page, important)
        leaves_before = np.concatenate(([0], np.cumsum(leaves))).tolist()
        ranges: list[Range] = []
        parts: dict[str, list[_Part]] = {}  # pages repeat themselves: each sequence is cut once
        for node, children in _child_lists(page, important, nearest):
            if leaves_before[node + 1] == leaves_before[page.end[node]]:
                continue  # there are no leaves below it
            sequence = _tag_sequence(page, children)
            if sequence not in parts:
                parts[sequence] = list(cut_sequence(sequence))
            ranges += _virtual_nodes(page, node, children, parts[sequence])
        loose = leaves & ~covered_rows(len(page), ranges)
        ranges += _loose_blocks(page, loose, leaves, nearest)
        shown = {r for r in ranges if leaves_before[r[2]] > leaves_before[r[1]]}
        ordered = np.array(sorted(shown, key=lambda r: (r[1], -r[2], r[0])), dtype=np.int32)
        return build_nested_blocks(page, *ordered.reshape(-1, 3).T)


# Sequences


def key_patterns(sequence: str) -> list[str]:
    """Return the key patterns of a sequence of symbols, best first.

    A repetition is a pattern of at least two symbols that occurs at least twice without overlapping
    itself. A key pattern is a repetition that no other one contains. A key pattern that is itself
    periodic (h2 p p h2 p p) counts as its root (h2 p p), unless all its symbols are equal. Patterns
    that cover more symbols come first, then the longer, then the earlier.

    A suffix automaton finds them in linear time. At most `MAX_PATTERNS` are returned: a sequence
    without order can have as many as it has symbols, and the best of them are enough.
    """
    if len(sequence) < 4 or len({a + b for a, b in pairwise(sequence)}) == len(sequence) - 1:
        return []  # no pair of symbols occurs twice
    if sequence == sequence[0] * len(sequence):
        return [sequence[: len(sequence) // 2]]
    roots = {pattern_root(pattern) for pattern in maximal_repetitions(sequence)}
    return sorted(roots, key=lambda p: (-sequence.count(p) * len(p), -len(p), sequence.find(p)))


def pattern_root(pattern: str) -> str:
    """Return the period of a periodic pattern, any other pattern as it is."""
    if pattern == pattern[0] * len(pattern):
        return pattern
    border = [0] * len(pattern)
    for i in range(1, len(pattern)):
        k = border[i - 1]
        while k and pattern[i] != pattern[k]:
            k = border[k - 1]
        border[i] = k + 1 if pattern[i] == pattern[k] else 0
    period = len(pattern) - border[-1]
    return pattern[:period] if 1 < period <= len(pattern) / 2 else pattern


def maximal_repetitions(sequence: str) -> Iterable[str]:
    """Return the repetitions that no other repetition contains, those that cover most first.

    A part of a repetition is a repetition. So a repetition is maximal if no symbol can be added to
    its left (a child in the tree of suffix links) or right (a transition). Of many, those that
    seem to cover most are returned: overlapping occurrences count in full here.
    """
    states = _build_suffix_automaton(sequence)
    left_extended = [0] * len(states)
    for state in states[1:]:
        if state.repeated_length() > states[state.link].length:
            left_extended[state.link] = 1
    ranked: list[tuple[int, int, int]] = []
    for index, state in enumerate(states[1:], start=1):
        length = state.repeated_length()
        if length < 2 or length <= states[state.link].length or left_extended[index]:
            continue
        if any(states[following].repeated_length() > length for following in state.next.values()):
            continue
        ranked.append((-length * state.count, -length, state.first_end))
    ranked.sort()
    return [sequence[end + minus_length : end] for _, minus_length, end in ranked[:MAX_PATTERNS]]


@dataclass(slots=True)
class _State:
    """A state of the suffix automaton: substrings that end at the same offsets."""

    length: int  # of the longest of them
    link: int
    first_end: int
    last_end: int
    count: int  # of the offsets, overlapping occurrences included
    next: dict[str, int] = field(default_factory=dict)

    def repeated_length(self) -> int:
        """Return the length of the longest of them that occurs twice without overlapping itself."""
        return min(self.length, self.last_end - self.first_end)


def _build_suffix_automaton(sequence: str) -> list[_State]:
    """Return the suffix automaton of a sequence, with the offsets at which each state ends."""
    states = [_State(0, -1, 0, 0, 0)]
    last = 0
    for end, symbol in enumerate(sequence, start=1):
        current = len(states)
        states.append(_State(end, 0, end, end, 1))
        at = last
        while at >= 0 and symbol not in states[at].next:
            states[at].next[symbol] = current
            at = states[at].link
        if at >= 0:
            target = states[at].next[symbol]
            if states[target].length > states[at].length + 1:
                target = _clone_state(states, at, symbol, target)
            states[current].link = target
        last = current
    for state in sorted(states[1:], key=lambda s: -s.length):
        parent = states[state.link]
        parent.last_end = max(parent.last_end, state.last_end)
        parent.count += state.count
    return states


def _clone_state(states: list[_State], at: int, symbol: str, target: int) -> int:
    """Split a state that now ends at more offsets than its longest string does."""
    old = states[target]
    clone = len(states)
    length = states[at].length + 1
    states.append(_State(length, old.link, old.first_end, old.first_end, 0, dict(old.next)))
    old.link = clone
    while at >= 0 and states[at].next.get(symbol) == target:
        states[at].next[symbol] = clone
        at = states[at].link
    return clone


def cut_sequence(sequence: str) -> Iterator[_Part]:
    """Yield the parts into which key patterns divide a sequence: start, stop, whether it is a run.

    Each pattern divides the parts that the patterns before it left: before each of its matches,
    or, if all its symbols are equal, around the runs of that symbol.
    """
    parts = [(0, len(sequence))]
    for pattern in key_patterns(sequence):
        remaining: list[tuple[int, int]] = []
        for low, high in parts:
            if len(set(pattern)) == 1:
                runs = list(_find_runs(sequence, pattern, low, high))
                yield from ((start, stop, True) for start, stop in runs)
                edges = [low, *(edge for run in runs for edge in run), high]
                gaps = zip(edges[::2], edges[1::2], strict=True)
                remaining += [gap for gap in gaps if gap[0] < gap[1]]
            else:
                cuts = list(_cut_at_matches(sequence, pattern, low, high))
                yield from ((start, stop, False) for start, stop in cuts)
                remaining += cuts or [(low, high)]
        parts = remaining


def _find_runs(sequence: str, pattern: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of the pattern's only symbol that contain the pattern."""
    start = sequence.find(pattern, low, high)
    while start >= 0:
        stop = start
        while stop < high and sequence[stop] == pattern[0]:
            stop += 1
        yield start, stop
        start = sequence.find(pattern, stop, high)


def _cut_at_matches(sequence: str, pattern: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the parts before, between and after the starts of two or more matches."""
    starts: list[int] = []
    start = sequence.find(pattern, low, high)
    while start >= 0:
        starts.append(start)
        start = sequence.find(pattern, start + len(pattern), high)
    if len(starts) < 2:
        return
    edges = [low, *starts, high] if starts[0] > low else [*starts, high]
    yield from pairwise(edges)


# Rows of a page


def important_rows(page: Page) -> Bools:
    """Return which rows are shown elements that remain after the paper's preprocessing."""
    shown: Bools = ((page.flags & tags.INVISIBLE) == 0) | leaf_rows(page)
    return ~_IS_DROPPED[page.tag] & ~_IS_UNWRAPPED[page.tag] & shown


def _nearest_important(page: Page, important: Bools) -> _Rows:
    """Return for each row the nearest important element that it is or lies in, or the root."""
    nearest = np.where(important, np.arange(len(page)), np.maximum(page.parent, 0))
    nearest[:1] = 0
    while True:  # each round doubles the steps
        further = nearest[nearest]
        if np.array_equal(further, nearest):
            return nearest
        nearest = further


def _child_lists(page: Page, important: Bools, nearest: _Rows) -> Iterator[tuple[int, list[int]]]:
    """Yield the elements that have enough children for a pattern to repeat, with these children.

    Children are the important elements below an element with no other important element between:
    formatting elements are unwrapped.
    """
    rows = np.flatnonzero(important[1:]) + 1
    parents = nearest[page.parent[rows]]
    order = np.argsort(parents, kind="stable")
    rows, parents = rows[order], parents[order]
    starts = np.flatnonzero(np.diff(parents, prepend=-1))
    stops = np.append(starts[1:], len(rows))
    enough = stops - starts >= _MIN_CHILDREN
    for start, stop in zip(starts[enough].tolist(), stops[enough].tolist(), strict=True):
        yield int(parents[start]), rows[start:stop].tolist()


def _tag_sequence(page: Page, children: list[int]) -> str:
    """Return the tags of children as a string with one character per child."""
    codes = page.tag[children]
    if not (codes == tags.OTHER).any():
        return codes.tobytes().decode("latin-1")
    others: dict[str, int] = {}
    return "".join(
        chr(256 + others.setdefault(page.name(row), len(others)) if code == tags.OTHER else code)
        for row, code in zip(children, codes.tolist(), strict=True)
    )


def _virtual_nodes(
    page: Page, node: int, children: list[int], parts: list[_Part]
) -> Iterator[Range]:
    """Yield the row ranges of parts of the children of an element.

    Text between two children belongs to the part before it.
    """
    edges = [*children, int(page.end[node])]
    for low, high, is_run in parts:
        first = children[low] if low or is_run else node + 1
        stop = int(page.end[children[high - 1]]) if is_run else edges[high]
        yield node, first, stop


def _loose_blocks(page: Page, loose: Bools, leaves: Bools, nearest: _Rows) -> Iterator[Range]:
    """Yield blocks for the leaves outside all virtual nodes.

    Where the body contains virtual nodes and a bare text, such as a link to skip them, the body
    would be a block with the whole page in it; there each run of loose leaves is a block.
    """
    rows = np.flatnonzero(loose)
    elements = nearest[rows]
    has_virtual_nodes = page.below(loose) < page.below(leaves)
    is_in_body = _IS_PAGE[page.tag[elements]] & has_virtual_nodes[elements]
    end = 0
    for row in np.unique(elements[~is_in_body]).tolist():
        if row >= end:
            end = int(page.end[row])
            yield row, row, end
    leaves_before = np.concatenate(([0], np.cumsum(leaves)))
    runs: list[Range] = []
    for row, node in zip(rows[is_in_body].tolist(), elements[is_in_body].tolist(), strict=True):
        stop = int(page.end[row])
        if runs and runs[-1][0] == node and leaves_before[runs[-1][2]] == leaves_before[row]:
            runs[-1] = (node, runs[-1][1], stop)
        else:
            runs.append((node, row, stop))
    yield from runs

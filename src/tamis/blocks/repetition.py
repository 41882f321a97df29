"""Sequences → their key patterns: the longest repeated pieces (000 §3.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

MAX_PATTERNS: Final = 32


def key_patterns(sequence: str) -> list[str]:
    """Return the key patterns of a sequence of symbols, best first.

    A repetition is a pattern of at least two symbols that occurs at least twice without
    overlapping itself; a key pattern is one that is contained in no other. A key pattern that is
    itself periodic (h2 p p h2 p p) counts as its root (h2 p p), unless all its symbols are equal.
    Competing patterns: more symbols covered first, then the longer, then the earlier.

    A suffix automaton finds them in linear time. At most `MAX_PATTERNS` are looked at: a sequence
    without order can have as many as it has symbols, and all of them say no more than the best.
    """
    if len(sequence) < 4 or len({a + b for a, b in pairwise(sequence)}) == len(sequence) - 1:
        return []  # no two symbols come together twice
    if sequence == sequence[0] * len(sequence):
        return [sequence[: len(sequence) // 2]]
    roots = {root(pattern) for pattern in maximal_repetitions(sequence)}
    return sorted(roots, key=lambda p: (-sequence.count(p) * len(p), -len(p), sequence.find(p)))


def root(pattern: str) -> str:
    """Return the period of a periodic pattern, the pattern itself otherwise."""
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


@dataclass(slots=True)
class _State:
    """A state of the suffix automaton: substrings that end at the same places."""

    length: int  # of the longest of them
    link: int
    first_end: int
    last_end: int
    count: int  # of the places, overlapping ones included
    next: dict[str, int] = field(default_factory=dict)

    def repeated(self) -> int:
        """Length of the longest of them that occurs twice without overlapping itself."""
        return min(self.length, self.last_end - self.first_end)


def maximal_repetitions(sequence: str) -> Iterable[str]:
    """Return the repetitions that no other repetition contains, those that cover most first.

    A part of a repetition is a repetition. So one is maximal when no symbol can be added to its
    left (a child in the tree of suffix links) or right (a transition). Of many, the ones that seem
    to cover most are returned: places that overlap count in full here.
    """
    states = suffix_automaton(sequence)
    left_extended = [0] * len(states)
    for state in states[1:]:
        if state.repeated() > states[state.link].length:
            left_extended[state.link] = 1
    found: list[tuple[int, int, int]] = []
    for number, state in enumerate(states[1:], start=1):
        length = state.repeated()
        if length < 2 or length <= states[state.link].length or left_extended[number]:
            continue
        if any(states[after].repeated() > length for after in state.next.values()):
            continue
        found.append((-length * state.count, -length, state.first_end))
    found.sort()
    return [sequence[end + minus : end] for _, minus, end in found[:MAX_PATTERNS]]


def suffix_automaton(sequence: str) -> list[_State]:
    """Return the suffix automaton of a sequence, with the places where each state ends."""
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
                target = _clone(states, at, symbol, target)
            states[current].link = target
        last = current
    for state in sorted(states[1:], key=lambda s: -s.length):
        above = states[state.link]
        above.last_end = max(above.last_end, state.last_end)
        above.count += state.count
    return states


def _clone(states: list[_State], at: int, symbol: str, target: int) -> int:
    """Split a state that now ends at more places than its longest string does."""
    old = states[target]
    clone = len(states)
    length = states[at].length + 1
    states.append(_State(length, old.link, old.first_end, old.first_end, 0, dict(old.next)))
    old.link = clone
    while at >= 0 and states[at].next.get(symbol) == target:
        states[at].next[symbol] = clone
        at = states[at].link
    return clone

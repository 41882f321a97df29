"""Repetitions and key patterns of sequences, the key-pattern paper §3.4."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.growth import LINEAR, growth
from helpers.html_strategies import patient
from tamis.blocks import MAX_PATTERNS, key_patterns, maximal_repetitions, pattern_root

SYMBOLS = {"h2": "h", "p": "p", "ul": "u", "div": "d"}
PAPER = "".join(SYMBOLS[tag] for tag in "h2 p p ul p p h2 p p p p p p div".split())

# The definitions of the paper, tried on every part of a sequence ----------------------------------


def repetitions(sequence: str) -> set[str]:
    """Return the patterns of 1 < m ≤ n/2 symbols that occur twice without overlapping."""
    n = len(sequence)
    return {
        sequence[i : i + m]
        for m in range(2, n // 2 + 1)
        for i in range(n - m + 1)
        for j in range(i + m, n - m + 1)
        if sequence[i : i + m] == sequence[j : j + m]
    }


def maximal(patterns: set[str]) -> set[str]:
    """Return the patterns that no other one contains."""
    return {p for p in patterns if not any(p in other and p != other for other in patterns)}


def period(pattern: str) -> str:
    """Return what a pattern repeats, the pattern itself if it repeats nothing."""
    for length in range(2, len(pattern) // 2 + 1):
        part = pattern[:length]
        if (part * len(pattern)).startswith(pattern) and len(set(pattern)) > 1:
            return part
    return pattern


def covered(sequence: str, pattern: str) -> int:
    """Return how many symbols matches cover that are taken from left to right."""
    count = at = 0
    while at <= len(sequence) - len(pattern):
        matches = sequence[at : at + len(pattern)] == pattern
        count += len(pattern) * matches
        at += len(pattern) if matches else 1
    return count


def literal_key_patterns(sequence: str) -> list[str]:
    patterns = {period(pattern) for pattern in maximal(repetitions(sequence))}
    return sorted(patterns, key=lambda p: (-covered(sequence, p), -len(p), sequence.index(p)))


def test_the_definitions_give_the_papers_example() -> None:
    assert repetitions(PAPER) == {"hp", "pp", "hpp", "ppp"}
    assert maximal(repetitions(PAPER)) == {"hpp", "ppp"}


def test_the_papers_sequence_has_two_key_patterns() -> None:
    assert set(maximal_repetitions(PAPER)) == {"hpp", "ppp"}
    assert key_patterns(PAPER) == ["hpp", "ppp"]


def test_ab_is_the_only_pattern_where_something_else_stands_between() -> None:
    assert key_patterns("abxab") == ["ab"]


def test_equal_symbols_repeat_without_overlapping() -> None:
    assert repetitions("aaaa") == {"aa"}
    assert key_patterns("aaaa") == ["aa"]
    assert key_patterns("aaa") == []
    assert key_patterns("baaab") == []


def test_a_pattern_that_is_a_repetition_counts_as_its_root() -> None:
    assert key_patterns("hpp" * 4)[0] == "hpp"
    assert key_patterns("ab" * 10)[0] == "ab"
    assert pattern_root("hpphpp") == "hpp"
    assert pattern_root("aaaa") == "aaaa"
    assert pattern_root("abcab") == "abcab"


def test_more_symbols_covered_come_first_then_the_longer_then_the_earlier() -> None:
    assert key_patterns("cdcd" + "abxabyab") == ["ab", "cd"]
    assert key_patterns("abxab" + "cdezcde") == ["cde", "ab"]
    assert key_patterns("ab1ab2cd3cd") == ["ab", "cd"]


@pytest.mark.parametrize(("symbols", "longest"), [("ab", 11), ("abc", 7), ("abcd", 6)])
def test_all_short_sequences_agree_with_the_definitions(symbols: str, longest: int) -> None:
    for length in range(longest + 1):
        for letters in product(symbols, repeat=length):
            sequence = "".join(letters)
            assert set(maximal_repetitions(sequence)) == maximal(repetitions(sequence)), sequence
            assert key_patterns(sequence) == literal_key_patterns(sequence), sequence


@patient
@given(
    st.text("ab", max_size=24)
    | st.text("abc", max_size=24)
    | st.text("abcd", max_size=24)
    | st.builds(lambda s, n, t: s * n + t, st.text("abc", max_size=5), st.integers(0, 6), st.text("abc", max_size=4))  # noqa: E501
)  # fmt: skip
def test_longer_sequences_agree_with_the_definitions(sequence: str) -> None:
    assert key_patterns(sequence) == literal_key_patterns(sequence)


@pytest.mark.parametrize("symbols", ["ab", "abcd"])
def test_of_very_many_patterns_the_best_are_taken(symbols: str) -> None:
    sequence = "".join(random.Random(1).choices(symbols, k=5000))
    patterns = key_patterns(sequence)
    assert len(patterns) == MAX_PATTERNS
    cover = [sequence.count(pattern) * len(pattern) for pattern in patterns]
    assert cover == sorted(cover, reverse=True)


def fibonacci(length: int) -> str:
    """Return a word that has as many repetitions as a word can have."""
    a, b = "a", "ab"
    while len(b) < length:
        a, b = b, b + a
    return b[:length]


SHAPES: dict[str, Callable[[int], str]] = {
    "equal": lambda n: "a" * n,
    "in turns": lambda n: "ab" * (n // 2),
    "halves": lambda n: "a" * (n // 2) + "b" * (n // 2),
    "random": lambda n: "".join(random.Random(n).choices("abcd", k=n)),
    "coin": lambda n: "".join(random.Random(n).choices("ab", k=n)),
    "fibonacci": fibonacci,
    "runs": lambda n: "".join("a" * (i % 40) + "b" for i in range(n // 20)),
    "different": lambda n: "".join(map(chr, range(n))),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_thousand_elements_stay_under_a_tenth_of_a_second(shape: str) -> None:
    sequence, times = SHAPES[shape](10_000), []
    for _ in range(5):
        started = time.thread_time()
        key_patterns(sequence)
        times.append(time.thread_time() - started)
    assert min(times) < 0.1


@pytest.mark.parametrize("shape", SHAPES)
def test_time_grows_linearly_with_the_sequence(shape: str) -> None:
    small, large = SHAPES[shape](1250), SHAPES[shape](10_000)
    assert growth(lambda: key_patterns(small), lambda: key_patterns(large)) < LINEAR

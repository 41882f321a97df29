"""The kernel of records: against brute force, and the same numbers without a compiler."""

from __future__ import annotations

from collections import Counter
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.html_strategies import pages, patient
from helpers.kernels import uncompiled
from tamis.blocks.kernel import aligned
from tamis.page import Page

KEYS = st.integers(0, 2**64 - 1) | st.integers(0, 3) | st.integers(1, 9).map(lambda n: n << 60)
STEP = 0x9E3779B97F4A7C15


both = pytest.mark.parametrize("kernel", [aligned, uncompiled(aligned)], ids=["as built", "plain"])


@both
@patient
@given(st.lists(KEYS, max_size=60))
def test_equal_keys_have_equal_numbers(kernel: ModuleType, values: list[int]) -> None:
    keys = np.array(values, dtype=np.uint64)
    table = np.full(1 << (2 * len(keys)).bit_length(), -1, dtype=np.int64)
    numbers = np.empty(len(keys), dtype=np.int64)
    count = kernel.number_keys(keys, table, numbers)
    first = list(dict.fromkeys(values))
    assert numbers.tolist() == [first.index(value) for value in values]
    assert count == len(first)


@both
@patient
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=60).map(sorted))
def test_columns_are_counted(kernel: ModuleType, pairs: list[tuple[int, int]]) -> None:
    record, column = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    times = np.empty(len(pairs), dtype=np.int64)
    having, room = np.zeros((2, 5), dtype=np.int64)
    kernel.count_columns(record, column, times, having, room)
    counts = Counter(pairs)
    assert times.tolist() == [counts[pair] for pair in pairs]
    assert having.tolist() == [len({r for r, c in pairs if c == n}) for n in range(5)]
    assert not room.any()


@both
@settings(patient, max_examples=30)
@given(pages())
def test_paths_and_children_are_those_of_the_tree(kernel: ModuleType, page: Page) -> None:
    symbols = page.tag.astype(np.uint64) + np.uint64(1)
    keys = np.empty(len(page), dtype=np.uint64)
    kernel.hash_paths(symbols, page.parent, STEP, keys)
    for row in range(len(page)):
        key, above, power = 0, row, 1
        while above >= 0:
            key = (key + int(symbols[above]) * power) % 2**64
            power = power * STEP % 2**64
            above = int(page.parent[above])
        assert int(keys[row]) == key
    rows = np.flatnonzero(page.depth >= 2)
    child = np.empty(len(rows), dtype=np.int64)
    kernel.find_children(rows, page.parent, page.depth, 2, child)
    assert (page.depth[child] == 2).all()
    assert ((child <= rows) & (rows < page.end[child])).all()

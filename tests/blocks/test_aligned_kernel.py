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
def test_paths_are_those_of_the_tree(kernel: ModuleType, page: Page) -> None:
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


@both
@settings(patient, max_examples=30)
@given(pages(), st.integers(1, 4))
def test_cells_are_known_by_their_paths_below_the_child(
    kernel: ModuleType, page: Page, level: int
) -> None:
    tag = page.tag.astype(np.uint64) + np.uint64(7)
    path = np.empty(len(page), dtype=np.uint64)
    kernel.hash_paths(tag, page.parent, STEP, path)
    power = np.array([pow(STEP, n, 2**64) for n in range(page.depth.max(initial=0) + 1)], np.uint64)
    first = np.flatnonzero(page.depth > 0)
    node = page.parent[first].astype(np.int64)
    levels = np.full(len(first), level, dtype=np.int32)
    keys = np.empty(len(first), dtype=np.uint64)
    columns = page.parent, page.depth, path, power, tag
    kernel.key_cells(first, node, levels, *columns, 3, keys)
    for row, above, key in zip(first.tolist(), node.tolist(), keys.tolist(), strict=True):
        symbols: list[int] = []
        at = above
        while page.depth[at] > level:
            symbols.append(int(tag[at]))
            at = int(page.parent[at])
        below = sum(symbol * pow(STEP, n, 2**64) for n, symbol in enumerate(symbols))
        loose = page.depth[above] < level
        assert key == (0 if loose else (3 * below + int(tag[at])) % 2**64), row


@both
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=12))
def test_cells_are_dealt_out_in_order(kernel: ModuleType, spans: list[tuple[int, int]]) -> None:
    low = np.array([start for start, _ in spans], dtype=np.int64)
    high = low + np.array([size for _, size in spans], dtype=np.int64)
    record, cell = np.empty((2, sum(size for _, size in spans)), dtype=np.int64)
    kernel.deal_cells(low, high, record, cell)
    wanted = [(n, start + k) for n, (start, size) in enumerate(spans) for k in range(size)]
    assert list(zip(record.tolist(), cell.tolist(), strict=True)) == wanted

"""The compiled loops of records, against brute force."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.html_strategies import pages, patient
from helpers.kernels import ALIGN, mark_inline
from tamis.page import Page
from tamis.records import LINE_KINDS, MIN_TEXT_PER_LINK, group_equal, prefix_sums

KEYS = st.integers(0, 2**64 - 1) | st.integers(0, 3) | st.integers(1, 9).map(lambda n: n << 60)
NAMES = st.sampled_from(
    [
        "item",
        "item-3",
        "item12",
        "odd",
        "dateline",
        "Posted",
        "up-TIME",
        "publisher",
        "x9",
        "3",
        "é",
    ]
)
STEP = 0x9E3779B97F4A7C15


@patient
@given(st.lists(KEYS, max_size=60))
def test_equal_keys_are_in_one_group(keys: list[int]) -> None:
    groups, count = group_equal(np.array(keys, dtype=np.uint64))
    first: dict[int, int] = {}
    assert groups.tolist() == [first.setdefault(key, len(first)) for key in keys]
    assert count == len(first)


@patient
@given(st.lists(st.lists(NAMES, max_size=4).map(" ".join), max_size=6))
def test_names_have_hashes(classes: list[str]) -> None:
    values = [value.encode() for value in classes]
    source = b"\0".join(values) + b"\0"
    stop = np.cumsum([len(value) + 1 for value in values], dtype=np.int32) - np.int32(1)
    start = (stop - np.array([len(value) for value in values], dtype=np.int32)).astype(np.int32)
    hashes, owner, is_date = ALIGN.hash_names(source, start, stop)
    bare = [(n, w.translate(None, b"0123456789")) for n, v in enumerate(values) for w in v.split()]
    assert owner.tolist() == [n for n, _ in bare]
    by_name = dict(zip([name for _, name in bare], hashes.tolist(), strict=True))
    assert [by_name[name] for _, name in bare] == hashes.tolist()
    assert len(set(by_name.values())) == len(by_name)
    words = ("date", "time", "posted", "publish")
    assert is_date.tolist() == [any(word in v.lower() for word in words) for v in classes]


@patient
@given(pages())
def test_lines_are_marked(page: Page) -> None:
    kind = LINE_KINDS[page.tag]
    kind[::3][kind[::3] == ALIGN.FORMAT] = ALIGN.DATE
    chars_before = prefix_sums(page.chars)
    links = (kind == ALIGN.LINK) & (chars_before[page.end] > chars_before[:-1])
    columns = page.end, page.parent, chars_before, prefix_sums(links)
    inline = ALIGN.mark_inline(kind, *columns, MIN_TEXT_PER_LINK)
    assert inline.tolist() == mark_inline(page, kind, MIN_TEXT_PER_LINK)
    rows = np.arange(1, len(page))
    for row, holder in zip(rows, ALIGN.find_holders(rows, page.parent, inline), strict=True):
        above = int(page.parent[row])
        while inline[above]:
            above = int(page.parent[above])
        assert holder == above


@settings(patient, max_examples=30)
@given(pages())
def test_paths_are_those_of_the_tree(page: Page) -> None:
    symbols = page.tag.astype(np.uint64) + np.uint64(1)
    keys = ALIGN.hash_paths(symbols, page.parent, STEP)
    for row in range(len(page)):
        key, above, power = 0, row, 1
        while above >= 0:
            key = (key + int(symbols[above]) * power) % 2**64
            power = power * STEP % 2**64
            above = int(page.parent[above])
        assert int(keys[row]) == key


MEMBERS = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9), st.booleans()), max_size=30)


@patient
@given(MEMBERS)
def test_groups_are_summed(members: list[tuple[int, int, bool]]) -> None:
    group = np.array([number for number, _, _ in members], dtype=np.int64)
    weight = np.array([value for _, value, _ in members], dtype=np.float64)
    alone = np.array([flag for _, _, flag in members], dtype=np.bool_)
    sums = ALIGN.sum_groups(group, 4, weight, 2 * weight.astype(np.int64), alone)
    for number in range(4):
        weights = [value for own, value, _ in members if own == number]
        siblings = sum(not flag for own, _, flag in members if own == number)
        size, total, greatest = len(weights), sum(weights), max(weights, default=0)
        assert sums[:, number].tolist() == [size, total, greatest, 2 * total, siblings]


@patient
@given(MEMBERS)
def test_records_stop_at_the_next_of_their_group(members: list[tuple[int, int, bool]]) -> None:
    group = np.array([number for number, _, _ in members], dtype=np.int64)
    rows = np.arange(len(members), dtype=np.int64) * 2
    limit = np.array([2 * n + size for n, (_, size, _) in enumerate(members)], dtype=np.int32)
    stops = ALIGN.find_stops(rows, group, 4, limit, 60)
    for index in range(len(members)):
        later = [2 * n for n in range(index + 1, len(members)) if group[n] == group[index]]
        assert stops[index] == min([int(limit[index]), *later, 60])


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=12))
def test_cells_are_listed_in_order(spans: list[tuple[int, int]]) -> None:
    first = np.array([start for start, _ in spans], dtype=np.int64)
    stop = first + np.array([size for _, size in spans], dtype=np.int64)
    record, cell = ALIGN.list_cells(first, stop)
    wanted = [(n, start + k) for n, (start, size) in enumerate(spans) for k in range(size)]
    assert list(zip(record.tolist(), cell.tolist(), strict=True)) == wanted


@settings(patient, max_examples=30)
@given(pages(), st.integers(1, 4))
def test_cells_have_the_keys_of_their_paths_below_the_child(page: Page, level: int) -> None:
    tag = page.tag.astype(np.uint64) + np.uint64(7)
    path = ALIGN.hash_paths(tag, page.parent, STEP)
    power = np.array([pow(STEP, n, 2**64) for n in range(page.depth.max(initial=0) + 1)], np.uint64)
    first = np.flatnonzero(page.depth > 0)
    element = page.parent[first].astype(np.int64)
    levels = np.full(len(first), level, dtype=np.int32)
    keys = ALIGN.hash_cells(first, element, levels, page.parent, page.depth, path, power, tag, 3)
    for row, above, key in zip(first.tolist(), element.tolist(), keys.tolist(), strict=True):
        symbols: list[int] = []
        at = above
        while page.depth[at] > level:
            symbols.append(int(tag[at]))
            at = int(page.parent[at])
        below = sum(symbol * pow(STEP, n, 2**64) for n, symbol in enumerate(symbols))
        is_outside = page.depth[above] < level
        assert key == (0 if is_outside else (3 * below + int(tag[at])) % 2**64), row


@patient
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), max_size=60).map(sorted))
def test_columns_are_counted(pairs: list[tuple[int, int]]) -> None:
    record, column = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    times, record_count = ALIGN.count_columns(record, column, 5)
    counts = Counter(pairs)
    assert times.tolist() == [counts[pair] for pair in pairs]
    assert record_count.tolist() == [len({r for r, c in pairs if c == n}) for n in range(5)]

"""The compiled loops of records, against brute force."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

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


def path_below(page: Page, tag: np.ndarray, cell: int, element: int, level: int) -> object:
    """Return what a column is: the path of tags from the child of a region to a cell's element."""
    if page.depth[element] < level:
        return None
    symbols = []
    while page.depth[element] > level:
        symbols.append(int(tag[element]))
        element = int(page.parent[element])
    while page.depth[cell] > level:
        cell = int(page.parent[cell])
    return tuple(symbols), int(tag[cell])


@settings(patient, max_examples=60)
@given(pages(), st.integers(1, 5), st.integers(1, 3))
def test_cells_are_aligned(page: Page, level: int, width: int) -> None:
    texts = np.flatnonzero(page.visible)
    first_row = texts[::width].copy()  # cells are lines of up to so many texts
    last_row = texts[np.minimum(np.arange(0, len(texts), width) + width, len(texts)) - 1]
    is_cell = np.zeros(len(page), dtype=np.int64)
    is_cell[first_row] = 1
    before = prefix_sums(is_cell)
    element = page.parent[first_row].astype(np.int64)
    rows = np.flatnonzero((page.depth == level) & (before[page.end] > before[:-1]))
    limits = page.end[page.parent[rows]].astype(np.int64)
    stop = np.minimum(np.append(rows[1:], len(page)), limits)[: len(rows)]
    cells = SimpleNamespace(
        cells_before=before, first_row=first_row, last_row=last_row, element=element
    )
    tag = page.tag.astype(np.uint64) + np.uint64(7)
    depths = range(page.depth.max(initial=0) + 1)
    power = np.array([pow(STEP, n, 2**64) for n in depths], np.uint64)
    paths = SimpleNamespace(key=ALIGN.hash_paths(tag, page.parent, STEP), power=power)
    *aligned, agreement, record_count = ALIGN.align_cells(rows, stop, cells, page, paths, tag, 3)

    listed = [(n, c) for n in range(len(rows)) for c in range(before[rows[n]], before[stop[n]])]
    numbers: dict[object, int] = {}
    column = {
        pair: numbers.setdefault(
            path_below(page, tag, int(first_row[pair[1]]), int(element[pair[1]]), level),
            len(numbers),
        )
        for pair in listed
    }
    after = [pair for pair in listed if pair[1] >= before[page.end[rows[pair[0]]]]]
    common = {
        number
        for number in numbers.values()
        if len({n for n, c in after if column[n, c] == number}) >= len(rows) / 2
    }
    included = [pair for pair in listed if pair not in after or column[pair] in common]
    ends = {n: max(c for m, c in listed if m == n) for n, _ in listed}
    included = [(n, c) for n, c in included if c != ends[n] or last_row[c] < stop[n]]
    times = Counter((n, column[n, c]) for n, c in listed)
    wanted = [(n, c, column[n, c], times[n, column[n, c]]) for n, c in included]
    assert list(zip(*(values.tolist() for values in aligned), strict=True)) == wanted
    records_with = Counter(number for _, number in times)
    assert record_count.tolist() == [records_with[number] for number in range(len(numbers))]
    others = len(rows) - 1 if len(rows) > 1 else 1
    less = 1 if len(rows) > 1 else 0
    shares = [(records_with[number] - less) / others / many for _, _, number, many in wanted]
    assert agreement.tolist() == shares


@patient
@given(MEMBERS)
def test_members_are_listed_by_group(members: list[tuple[int, int, bool]]) -> None:
    group = np.array([number for number, _, _ in members], dtype=np.int64)
    listed, offset = ALIGN.list_members(group, 4)
    for number in range(4):
        own = listed[offset[number] : offset[number + 1]].tolist()
        assert own == np.flatnonzero(group == number).tolist()

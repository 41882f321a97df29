"""The compiled loops of records, against brute force."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.html_strategies import pages, patient
from helpers.kernels import ALIGN, mark_inline
from tamis.page import Page, tags
from tamis.records import LINE_KINDS, MIN_TEXT_PER_LINK, build_cells, group_equal, prefix_sums

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
RULES = {
    "min_records": 2,
    "max_record_share": 0.8,
    "min_cells_per_record": 0.6,
    "common_factor": 3,
    "cells_exponent": 1.5,
}


@patient
@given(st.lists(KEYS, max_size=60))
def test_equal_keys_are_in_one_group(keys: list[int]) -> None:
    groups, count = group_equal(np.array(keys, dtype=np.uint64))
    first: dict[int, int] = {}
    assert groups.tolist() == [first.setdefault(key, len(first)) for key in keys]
    assert count == len(first)


def classed_rows(classes: list[str]) -> SimpleNamespace:
    """Return what is read of a page whose rows have these class attributes."""
    values = [value.encode() for value in classes]
    stop = np.cumsum([len(value) + 1 for value in values], dtype=np.int32) - np.int32(1)
    keys = dict(zip(values, range(len(values)), strict=True))
    return SimpleNamespace(
        source=b"\0".join(values) + b"\0",
        class_start=(stop - np.array([len(v) for v in values], dtype=np.int32)).astype(np.int32),
        class_stop=stop,
        class_key=np.array([keys[value] for value in values], dtype=np.uint32),
    )


@patient
@given(st.lists(st.lists(NAMES, max_size=4).map(" ".join), min_size=1, max_size=9))
def test_the_most_frequent_name_is_the_class(classes: list[str]) -> None:
    without_digits = dict.fromkeys(b"0123456789")
    bare = [[name.translate(without_digits) for name in value.split()] for value in classes]
    hiding = {"odd", "dateline"}
    symbols, hides, is_date = ALIGN.read_class_names(
        classed_rows(classes), ALIGN.hash_names(" ".join(hiding).encode())
    )
    count = Counter(name for names in bare for name in names)
    chosen = [max(names, key=count.__getitem__) if names else None for names in bare]
    pairs = set(zip(chosen, symbols.tolist(), strict=True))
    assert len(pairs) == len(set(chosen)) == len(set(symbols.tolist()))
    assert all((name is None) == (symbol == 0) for name, symbol in pairs)
    assert hides.tolist() == [not hiding.isdisjoint(names) for names in bare]
    words = ("date", "time", "posted", "publish")
    assert is_date.tolist() == [any(word in value.lower() for word in words) for value in classes]


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


IMAGES = ("img", "svg")
CHOICES = ("select", "option", "optgroup", "datalist", "textarea")


def line_kinds(page: Page) -> np.ndarray:
    """Return the part of each row in its line; a link with an image before its text ends it."""
    kind = LINE_KINDS[page.tag]
    kind[(page.tag == tags.CODE["time"]) & (kind == ALIGN.FORMAT)] = ALIGN.DATE
    for row in np.flatnonzero(kind == ALIGN.LINK).tolist():
        images = [n for n in range(row, int(page.end[row])) if tags.TAGS[page.tag[n]] in IMAGES]
        before = page.chars[row : images[0]].sum() if images else 1
        if before == 0 and page.chars[row : page.end[row]].sum() > 0:
            kind[row] = ALIGN.ENDS_LINE
    return kind


@patient
@given(pages())
def test_cells_are_lines_and_images(page: Page) -> None:
    inline = mark_inline(page, line_kinds(page), MIN_TEXT_PER_LINK)
    wanted: list[list[int]] = []  # first row, last row, element, terms
    for row in range(1, len(page)):
        above = element = int(page.parent[row])
        is_image = bool(page.tag[row] == tags.CODE["img"] and not page.flags[row] & tags.INVISIBLE)
        if not (page.visible[row] or is_image) or tags.TAGS[page.tag[above]] in CHOICES:
            continue
        while inline[element]:
            element = int(page.parent[element])
        element = row if is_image else element
        if not wanted or wanted[-1][2] != element:
            wanted.append([row, row, element, 0])
        wanted[-1][1] = row
        wanted[-1][3] += int(page.terms[row])
    plain = [row for row in range(len(page)) if page.class_stop[row] > page.class_start[row]]
    cells = build_cells(page)
    if plain or page.hidden.any():  # classes and hiding are tested elsewhere
        return
    rows = zip(
        cells.first_row.tolist(), cells.last_row.tolist(), cells.element.tolist(), strict=True
    )
    assert list(rows) == [(first, last, element) for first, last, element, _ in wanted]
    is_image = page.tag[cells.first_row] == tags.CODE["img"]
    weights = [
        1.0 if img else max(row[3], 0.1) ** 0.5 for row, img in zip(wanted, is_image, strict=True)
    ]
    np.testing.assert_allclose(cells.weight, weights, rtol=1e-12)
    starts = [first for first, *_ in wanted]
    assert cells.cells_before.tolist() == [
        sum(n < row for n in starts) for row in range(len(page) + 1)
    ]


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
    weight = np.sqrt(np.arange(1, len(first_row) + 1))
    cells = SimpleNamespace(
        cells_before=before,
        first_row=first_row,
        last_row=last_row,
        element=element,
        weight=weight,
    )
    symbols = np.arange(7, 263, dtype=np.uint64)
    tag = symbols[page.tag]
    depths = range(page.depth.max(initial=0) + 1)
    power = np.array([pow(STEP, n, 2**64) for n in depths], np.uint64)
    paths = SimpleNamespace(key=ALIGN.hash_paths(tag, page.parent, STEP), power=power)
    if not len(rows):
        return
    aligner = ALIGN.Aligner(cells, page, paths, symbols, RULES)
    *aligned, record_count, cells_per_record, score = aligner.align(rows, stop)

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
    wanted = [(n, c, column[n, c]) for n, c in included]
    assert list(zip(*(values.tolist() for values in aligned), strict=True)) == wanted
    records_with = Counter(number for _, number in times)
    assert record_count.tolist() == [records_with[number] for number in range(len(numbers))]
    others = len(rows) - 1 if len(rows) > 1 else 1
    less = 1 if len(rows) > 1 else 0
    agreement = [
        (records_with[column[pair]] - less) / others / times[pair[0], column[pair]]
        for pair in included
    ]
    assert np.isclose(cells_per_record, sum(agreement) / len(rows))
    total = sum(
        weight[c] * min(1 / times[n, column[n, c]], 3 * share)
        for (n, c), share in zip(included, agreement, strict=True)
    )
    if cells_per_record < RULES["min_cells_per_record"]:
        assert score == -1
    else:
        assert np.isclose(score, total * (1 - 1 / max(cells_per_record, 1)) ** 1.5)


@settings(patient, max_examples=60)
@given(pages(), st.sampled_from((1.5, 1.0)))
def test_groups_are_of_one_path_or_of_one_parent_and_class(page: Page, exponent: float) -> None:
    cells = build_cells(page)
    before, rules = cells.cells_before, RULES | {"cells_exponent": exponent}
    weight_before = np.append(0.0, np.cumsum(cells.weight))
    paths = ALIGN.hash_paths(page.tag.astype(np.uint64) + np.uint64(7), page.parent, STEP)
    symbol = cells.classes.symbol
    groups = ALIGN.Groups(cells, page, paths, symbol, weight_before, rules)
    filled = [n for n in range(len(page)) if before[page.end[n]] > before[n]][1:]
    elements = [n for n in filled if page.tag[n] != tags.TEXT]
    siblings = Counter(int(page.parent[n]) for n in filled)
    by_key: dict[tuple[int, ...], list[int]] = {}
    for n in elements:
        by_key.setdefault((int(paths[n]),), []).append(n)
    for n in elements:
        by_key.setdefault((int(paths[n]), int(page.parent[n]), int(symbol[n])), []).append(n)
    assert groups.count == len(by_key)
    for number, rows in enumerate(by_key.values()):
        members = groups.members[groups.offset[number] : groups.offset[number + 1]]
        assert groups.row[members].tolist() == rows
        ends = [int(page.end[page.parent[n]]) for n in rows]
        stops = [min(stop, end) for stop, end in zip([*rows[1:], len(page)], ends, strict=True)]
        assert groups.stop[members].tolist() == stops
        spans = list(zip(before[rows], before[stops], strict=True))
        weights = [weight_before[stop] - weight_before[start] for start, stop in spans]
        is_possible = len(rows) > 1 and any(siblings[int(page.parent[n])] > 1 for n in rows)
        if not is_possible or max(weights) > 0.8 * sum(weights) * (1 + 1e-9):
            assert groups.max_score[number] == -1
        elif max(weights) < 0.8 * sum(weights) * (1 - 1e-9):
            count = sum(stop - start for start, stop in spans) / len(rows)
            greatest = sum(weights) * (1 - 1 / max(count, 1)) ** exponent
            assert np.isclose(groups.max_score[number], greatest)


@patient
@given(MEMBERS)
def test_members_are_listed_by_group(members: list[tuple[int, int, bool]]) -> None:
    group = np.array([number for number, _, _ in members], dtype=np.int64)
    listed, offset = ALIGN.list_members(group, 4)
    for number in range(4):
        own = listed[offset[number] : offset[number + 1]].tolist()
        assert own == np.flatnonzero(group == number).tolist()

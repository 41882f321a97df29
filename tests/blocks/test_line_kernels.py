"""The kernels of lines, names and groups: against brute force, compiled or not."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.html_strategies import pages, patient
from tamis.blocks.kernel import groups, kinds, lines, names
from tamis.page import Page
from tamis.records import LINE_KINDS, MIN_TEXT_PER_LINK, prefix_sums


def forms(module: ModuleType) -> pytest.MarkDecorator:
    """Run a test with a kernel as it is built and as plain Python."""
    path = Path(str(module.__file__)).with_name(f"{module.__name__.rpartition('.')[2]}.py")
    spec = importlib.util.spec_from_file_location("uncompiled", path)
    assert spec
    assert spec.loader
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    return pytest.mark.parametrize("kernel", [module, plain], ids=["as built", "plain"])


def marked(page: Page, kind: np.ndarray) -> list[bool]:
    """Mark the elements that are part of a line, one parent after the other."""
    inline = [False] * len(page)
    inside = prefix_sums(page.chars).tolist()
    has = [inside[end] > inside[row] for row, end in enumerate(page.end.tolist())]
    for row in range(len(page)):
        children = [n for n in range(len(page)) if page.parent[n] == row]
        found: list[list[int]] = [[]]
        for child in children:
            found[-1 if kind[child] != kinds.ENDS else len(found) :] = (
                [[*found[-1], child]] if kind[child] != kinds.ENDS else [[]]
            )
        for line in found:
            shown = [n for n in line if has[n]]
            bare = sum(int(page.chars[n]) for n in shown if kind[n] == kinds.TEXT)
            if not bare:
                continue
            inner = [range(n, int(page.end[n])) for n in line]
            links = [n for some in inner for n in some if kind[n] == kinds.LINK and has[n]]
            first = range(shown[0], int(page.end[shown[0]]))
            led = len(links) == 1 and links[0] not in first
            for n in line:
                long = inside[page.end[n]] - inside[n]
                if kind[n] == kinds.LINK:
                    inline[n] = long > 0 and (led or bare > MIN_TEXT_PER_LINK * long)
                else:
                    inline[n] = not (n == shown[0] and kind[n] == kinds.DAY)
    return inline


@forms(lines)
@patient
@given(pages())
def test_lines_are_marked(kernel: ModuleType, page: Page) -> None:
    kind = LINE_KINDS[page.tag]
    kind[::3][kind[::3] == kinds.FORMAT] = kinds.DAY
    inside = prefix_sums(page.chars)
    linked = (kind == kinds.LINK) & (inside[page.end] > inside[:-1])
    inline = np.zeros(len(page), dtype=np.uint8)
    kernel.mark_lines(kind, page.end, inside, prefix_sums(linked), MIN_TEXT_PER_LINK, inline)
    assert inline.astype(bool).tolist() == marked(page, kind)
    kernel.spread_marks(kind, page.parent, inline)
    rows = np.arange(1, len(page))
    holders = np.empty(len(rows), dtype=np.int64)
    kernel.find_holders(rows, page.parent, inline, holders)
    for row, holder in zip(rows.tolist(), holders.tolist(), strict=True):
        above = int(page.parent[row])
        while inline[above]:
            above = int(page.parent[above])
        assert holder == above


WORDS = st.sampled_from(["item", "item-3", "item12", "odd", "dateline", "Posted", "x9", "3", "é"])


@forms(names)
@patient
@given(st.lists(st.lists(WORDS, max_size=4).map(" ".join), max_size=6))
def test_names_are_numbered(kernel: ModuleType, classes: list[str]) -> None:
    values = [value.encode() for value in classes]
    source = b"\0".join(values) + b"\0"
    stop = np.cumsum([len(value) + 1 for value in values], dtype=np.int32) - 1
    start = (stop - np.array([len(value) for value in values], dtype=np.int32)).astype(np.int32)
    hashes, owner = np.empty(99, dtype=np.uint64), np.empty(99, dtype=np.int64)
    day = np.zeros(len(values), dtype=np.uint8)
    buffer = np.frombuffer(source, dtype=np.uint8)
    count = kernel.hash_names(buffer, start, stop.astype(np.int32), hashes, owner, day)
    bare = [(n, w.translate(None, b"0123456789")) for n, v in enumerate(values) for w in v.split()]
    assert owner[:count].tolist() == [n for n, _ in bare]
    known = dict(zip([word for _, word in bare], hashes[:count].tolist(), strict=True))
    assert [known[word] for _, word in bare] == hashes[:count].tolist()
    assert len(set(known.values())) == len(known)
    assert day.tolist() == [int("date" in v or "Posted" in v) for v in classes]


@forms(groups)
@patient
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9), st.booleans()), max_size=30))
def test_groups_are_added_up(kernel: ModuleType, found: list[tuple[int, int, bool]]) -> None:
    group = np.array([one[0] for one in found], dtype=np.int64)
    weight = np.array([one[1] for one in found], dtype=np.float64)
    alone = np.array([one[2] for one in found], dtype=np.uint8)
    sums = np.zeros((4, 5))
    kernel.add_up(group, weight, weight.astype(np.int64), alone, sums)
    for number in range(4):
        own = [one for one in found if one[0] == number]
        held = [one[1] for one in own]
        company = sum(not one[2] for one in own)
        assert sums[number].tolist() == [
            len(own),
            sum(held),
            max(held, default=0),
            sum(held),
            company,
        ]
    rows = np.arange(len(found), dtype=np.int64) * 2
    limit = np.array([row + one[1] for row, one in zip(rows, found, strict=True)], dtype=np.int32)
    stop = np.empty(len(found), dtype=np.int64)
    kernel.find_stops(rows, group, limit, np.full(4, 99, dtype=np.int64), stop)
    for place, row in enumerate(rows.tolist()):
        after = [
            n for n, g in zip(rows.tolist(), group, strict=True) if n > row and g == group[place]
        ]
        assert stop[place] == min([int(limit[place]), *after[:1]])

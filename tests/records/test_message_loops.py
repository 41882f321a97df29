"""The compiled loops over texts, tags and elements of messages, against plain forms of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from helpers.html_strategies import pages, patient
from helpers.kernels import ALIGN, DATE_MARKS
from tamis.page import UNLIMITED, Page, parse, tags
from tamis.values import find_dates, find_relative_dates

CLOCK = re.compile(r"(?<![\d:.])[012]?\d:[0-5]\d(?![\d:]*[\d-])")
MAX_TIME_CHARS = 40
NAMES = re.compile(rb'(?i)\s(?:class|id)="([^"]*)"')
DIGITS = st.text("0123456789:.-/ a\n\u0663", max_size=40)
PIECES = st.sampled_from(
    [
        *("2012-03-05", "5 March 2012", "March 5, 2012", "5-Mar-12", "05.03.2012", "12:30", "1:2"),
        *("3 days ago", "vor 2 Tagen", "today", "today at 9", "yesterday", "3 \u5929\u524d", "ago"),
        *("March", "5", "2012", "archive", "Chicago", "x" * 50, "word " * 12, "\u0130", "-", "."),
    ]
)
LINES = st.lists(st.lists(PIECES, max_size=4).map(" ".join), max_size=12)


@patient
@given(DIGITS)
def test_times_of_day_are_those_of_the_pattern(text: str) -> None:
    assert ALIGN.find_times(text) == [match.start() for match in CLOCK.finditer(text)]


@patient
@given(LINES)
def test_texts_with_dates_are_those_of_a_search_of_the_whole_text(lines: list[str]) -> None:
    page = parse("".join(f"<p>{line}</p>" for line in lines))
    rows = [
        row
        for row in DATE_MARKS.find_readable_rows(page).tolist()
        if len(row_text(page, row)) <= 120
    ]
    text = "\n".join(row_text(page, row) for row in rows)
    times = [match.start() for match in CLOCK.finditer(text)]
    dated = {line_at(text, offset) for offset in (*date_starts(text), *find_relative_dates(text))}
    timed = {line_at(text, offset) for offset in times}
    expected = {row for n, row in enumerate(rows) if n in dated} | {
        row
        for n, row in enumerate(rows)
        if n in timed and len(row_text(page, row)) <= MAX_TIME_CHARS
    }
    marks = DATE_MARKS.find_date_marks(page, np.array(rows, dtype=np.int64), UNLIMITED)
    assert set(marks.text_row.tolist()) == expected


def row_text(page: Page, row: int) -> str:
    return page.text[page.text_start[row] : page.text_stop[row]].replace("\n", " ")


def line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset)


def date_starts(text: str) -> Iterator[int]:
    for _, start, _ in find_dates(text):
        yield start


@patient
@given(pages())
def test_names_are_those_of_the_pattern(page: Page) -> None:
    elements = np.flatnonzero(page.tag != tags.TEXT).tolist()
    names = ALIGN.read_values(
        page.source, page.start, page.head, elements, 600, (b'class="', b'id="')
    )
    sources = [page.source[page.start[row] : page.head[row]][:600] for row in elements]
    assert names == [b" ".join(NAMES.findall(source)) for source in sources]


@patient
@given(pages(), st.sampled_from([b"a", b"it", b"class", b"no such letters"]))
def test_tags_have_letters_in_any_case(page: Page, letters: bytes) -> None:
    rows = np.flatnonzero(page.tag != tags.TEXT)
    kept = ALIGN.find_tags_with(page.source, page.start, page.head, rows, letters)
    sources = {row: page.source[page.start[row] : page.head[row]].lower() for row in rows.tolist()}
    assert kept.tolist() == [row for row, source in sources.items() if letters in source]


@patient
@given(pages(), st.data())
def test_an_element_of_a_message_is_the_largest_without_other_marks(
    page: Page, data: st.DataObject
) -> None:
    marks = sorted(data.draw(st.sets(st.integers(1, len(page) - 1), min_size=1)))
    nodes = ALIGN.find_message_elements(np.array(marks), page.parent, page.end).tolist()
    for mark, node, before, after in zip(
        marks, nodes, [0, *marks], [*marks[1:], len(page)], strict=False
    ):
        above = int(page.parent[node])
        assert node <= mark < page.end[node]
        assert node == mark or (node > before and page.end[node] <= after)
        assert above <= before or page.end[above] > after


@patient
@given(pages(), st.integers(1, 4))
def test_siblings_are_counted_and_skipped(page: Page, count: int) -> None:
    start = np.arange(1, len(page), dtype=np.int64)
    stop = page.end[page.parent[start]].astype(np.int64)
    ends = ALIGN.skip_siblings(start, stop, page.end, count)
    siblings = ALIGN.count_siblings(start, stop, page.end)
    for row, end, number in zip(start.tolist(), ends.tolist(), siblings.tolist(), strict=True):
        following = [n for n in range(row, len(page)) if page.parent[n] == page.parent[row]]
        assert number == len(following)
        assert end == page.end[following[:count][-1]]


@patient
@given(pages())
def test_the_common_child_has_most_weight(page: Page) -> None:
    weight = (page.text_stop - page.text_start) * (page.tag == tags.TEXT)
    sums = np.append(0.0, np.cumsum(weight))
    start = np.array([1], dtype=np.int64)
    stop = page.end[:1].astype(np.int64)
    symbol = page.tag.astype(np.uint64)
    child, total, count = ALIGN.find_common_child(start, stop, page, symbol, sums)
    rows, row = [], 1
    while row < stop[0]:
        if page.tag[row] != tags.TEXT:
            rows.append(row)
        row = int(page.end[row])
    weights = [float(sums[page.end[row]] - sums[row]) for row in rows]
    assert total == max(weights, default=0.0)
    assert child.tolist() == ([rows[weights.index(total)]] if rows else [-1])
    assert count == (total > 0)


def test_words_and_digits_of_dates_have_their_surroundings() -> None:
    find: Callable[[str, list[int], int], list[tuple[int, int]]] = ALIGN.find_surroundings
    text = "one two three four five six seven"
    assert ALIGN.find_words(text, ("three", "six", "ree")) == [8, 24]
    assert find(text, [8, 24], 3) == [(4, 13), (19, 27)]
    assert find(text, [8, 14, 24], 5) == [(0, 33)]
    assert ALIGN.find_date_digits("in 2012, 5/3 or 12 and -12 of 3000") == [3, 9, 24]

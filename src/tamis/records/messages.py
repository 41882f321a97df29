"""Messages: the parts of a page that may be posts or comments, found by their date marks.

    page ──date_marks──▶ DateMarks ──▶ groups of marks ──▶ Group: ranges of rows, one per message

Marks whose elements look alike (tag and class, and those of the element around them) form a group.
A message is the largest element around a mark that holds no other mark of its group. Where such
elements hold little more than the marks, as in tables with a row for the head and one for the text,
a message also takes the siblings up to the next one. Of all groups the one counts whose messages
hold most text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from tamis.page import UNLIMITED, Bools, Budget, Page
from tamis.records._align import group_equal
from tamis.records.date_marks import DateMarks, find_readable_rows
from tamis.records.signatures import (
    HASH_FACTOR,
    Floats,
    Int64s,
    Keys,
    build_path_keys,
    prefix_sums,
    read_classes,
    tag_symbols,
)

_MAX_GROUPS: Final = 60  # that are examined; a real page has about ten
_MIN_TEXT_SHARE: Final = 0.5  # of the text up to the next mark that elements must hold
_MIN_PROBABILITY: Final = 0.1  # what text counts at least, however improbable it is as content
_LINK_WEIGHT: Final = 0.25  # of text in links


@dataclass(frozen=True, eq=False)
class TextMeasures:
    """The readable text rows of a page, and sums over them.

    `text_before` and `weight_before` are the characters, and the characters weighted by probability
    and links, of all rows before each row, and of all.
    """

    page: Page
    readable: Int64s
    symbol: Keys  # of the tag and class of each row
    path: Keys  # of the tags and classes above each row
    text_before: Int64s
    weight_before: Floats

    def text(self, start: Int64s, stop: Int64s) -> Int64s:
        """Return the number of characters in ranges of rows."""
        return self.text_before[stop] - self.text_before[start]

    def weight(self, start: Int64s, stop: Int64s) -> Floats:
        """Return the weighted number of characters in ranges of rows."""
        return self.weight_before[stop] - self.weight_before[start]

    @cached_property
    def is_readable(self) -> Bools:
        """Whether each row is a readable text row."""
        is_readable = np.zeros(len(self.page), dtype=np.bool_)
        is_readable[self.readable] = True
        return is_readable


def measure_text(page: Page, probabilities: Floats | None) -> TextMeasures:
    """Return the measures of a page's text; `probabilities` are those of rows to be content."""
    readable = find_readable_rows(page)
    lengths = np.zeros(len(page), dtype=np.int64)
    lengths[readable] = (page.text_stop - page.text_start)[readable]
    weights = lengths * np.where(page.in_link, _LINK_WEIGHT, 1.0)
    if probabilities is not None:
        weights = weights * np.maximum(probabilities, _MIN_PROBABILITY)
    weight_before = np.zeros(len(page) + 1)
    np.cumsum(weights, out=weight_before[1:])
    symbol = tag_symbols(page) + read_classes(page).symbol * HASH_FACTOR
    path = build_path_keys(page, symbol).key
    return TextMeasures(page, readable, symbol, path, prefix_sums(lengths), weight_before)


@dataclass(frozen=True, eq=False)
class Group:
    """Messages that look alike: message `i` is the rows `start[i]` to `stop[i]`.

    `mark` is the element with the date of each. `node` is the element of each message.
    """

    measures: TextMeasures
    mark: Int64s
    node: Int64s
    start: Int64s
    stop: Int64s

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def score(self) -> float:
        """How much text the messages hold; many short ones count more than a long one."""
        return float(np.sqrt(self.measures.weight(self.start, self.stop)).sum()) * self.regularity

    @cached_property
    def regularity(self) -> float:
        """The share of the messages that have the most frequent tag and class of their element."""
        _, counts = np.unique(self.measures.symbol[self.node], return_counts=True)
        return float(counts.max()) / len(self)

    @cached_property
    def container(self) -> int:
        """The innermost element around all messages."""
        page, row = self.measures.page, int(self.measures.page.parent[self.start[0]])
        last = int(self.stop.max()) - 1
        while row > 0 and page.end[row] <= last:
            row = int(page.parent[row])
        return row


def find_groups(
    measures: TextMeasures, marks: DateMarks, budget: Budget = UNLIMITED
) -> list[Group]:
    """Return the groups of messages of a page, the one with most text first."""
    groups = [
        group
        for members in budget.watch(_group_marks(measures, marks))
        for group in _build_groups(measures, members)
    ]
    return sorted(groups, key=lambda group: -group.score)


def _group_marks(measures: TextMeasures, marks: DateMarks) -> Iterator[Int64s]:
    """Yield the elements of marks that look alike: by two levels, by one, and by all levels."""
    elements, page = marks.element, measures.page
    if len(elements) < 2:
        return
    symbol, path = measures.symbol, measures.path
    parents = page.parent[elements]
    keys = (symbol[elements] * HASH_FACTOR + symbol[parents], symbol[elements], path[elements])
    seen: set[tuple[int, int, int]] = set()
    for key in keys:
        number, count = group_equal(np.ascontiguousarray(key))
        sizes = np.bincount(number, minlength=count)
        for group in np.argsort(-sizes, kind="stable")[:_MAX_GROUPS].tolist():
            if sizes[group] < 2:
                break
            members = elements[number == group]
            identity = (len(members), int(members[0]), int(members.sum()))
            if identity not in seen:
                seen.add(identity)
                yield members


def _build_groups(measures: TextMeasures, marks: Int64s) -> Iterator[Group]:
    """Yield the groups that marks make: elements, or elements with the siblings after or before."""
    page = measures.page
    node = _find_message_elements(page, marks)
    node, first = np.unique(node, return_index=True)
    marks = marks[first]
    if len(node) < 2:
        return
    start, stop = node, page.end[node].astype(np.int64)
    own = measures.weight(start, stop) - measures.weight(marks, page.end[marks].astype(np.int64))
    yield Group(measures, marks, node, start, stop)
    after = _extend_after(page, node)
    total = measures.weight(start, after) - measures.weight(start, stop)
    if own.sum() < _MIN_TEXT_SHARE * (own.sum() + total.sum()):
        yield Group(measures, marks, node, start, after)
    before = _extend_before(page, node)
    total = measures.weight(before, stop) - measures.weight(start, stop)
    if own.sum() < _MIN_TEXT_SHARE * (own.sum() + total.sum()):
        yield Group(measures, marks, node, before, stop)


def _find_message_elements(page: Page, marks: Int64s) -> Int64s:
    """Return for each mark the largest element around it that holds no other of the marks."""
    parent, end = page.parent, page.end
    nodes: list[int] = []
    ordered = marks.tolist()
    for index, mark in enumerate(ordered):
        before = ordered[index - 1] if index else -1
        after = ordered[index + 1] if index + 1 < len(ordered) else len(page)
        node = mark
        while True:
            above = int(parent[node])
            if above <= max(before, 0) or end[above] > after:
                break
            node = above
        nodes.append(node)
    return np.array(nodes, dtype=np.int64)


def _extend_after(page: Page, node: Int64s) -> Int64s:
    """Return where messages end that go on to the next element, or to the end of the parent.

    The last one goes on over as many siblings as the others on average.
    """
    stop = np.minimum(np.append(node[1:], len(page)), page.end[page.parent[node]])
    stop = np.maximum(stop, page.end[node]).astype(np.int64)
    return _trim_edge(page, node, stop)


def _trim_edge(page: Page, node: Int64s, stop: Int64s) -> Int64s:
    """Return stops, those before the end of a parent after as many siblings as others have."""
    followed = np.flatnonzero(stop[:-1] == node[1:])
    counts = [_count_siblings(page, int(node[i]), int(stop[i])) for i in followed.tolist()]
    usual = max(1, round(float(np.median(counts)))) if counts else 1
    trimmed = stop.copy()
    is_followed = np.zeros(len(node), dtype=np.bool_)
    is_followed[followed] = True
    for index in np.flatnonzero(~is_followed).tolist():
        row, limit = int(node[index]), int(stop[index])
        for _ in range(usual):
            if row >= limit:
                break
            row = int(page.end[row])
        trimmed[index] = min(row, limit)
    return trimmed


def _count_siblings(page: Page, row: int, stop: int) -> int:
    """Return the number of siblings from a row to a stop."""
    count = 0
    while row < stop:
        row = int(page.end[row])
        count += 1
    return count


def _extend_before(page: Page, node: Int64s) -> Int64s:
    """Return where messages begin whose text stands before their mark: after the one before."""
    previous = np.append(0, page.end[node[:-1]])
    first: Int64s = np.maximum(previous, page.parent[node] + 1).astype(np.int64)
    return first

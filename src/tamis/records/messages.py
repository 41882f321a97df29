"""Messages: the parts of a page that may be posts or comments, found by their date marks.

    page ──date_marks──▶ DateMarks ──▶ groups of marks ──▶ Group: ranges of rows, one per message

Where messages have no dates, links to users take their place, or names such as "comment". Marks
whose elements look alike (tag and class, and those of the element around them) form a group.
A message is the largest element around a mark that holds no other mark of its group. Where such
elements hold little more than the marks, as in tables with a row for the head and one for the text,
a message also takes the siblings up to the next one. Of all groups the one counts whose messages
hold most text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Final

import numpy as np

from tamis.page import UNLIMITED, Bools, Budget, Page, rows_with_bytes, tags
from tamis.records._align import (
    count_siblings,
    find_message_elements,
    find_values_with,
    group_equal,
    skip_siblings,
)
from tamis.records.date_marks import DateMarks, find_readable_rows
from tamis.records.message_names import NO_PROFILE_URL, PROFILE_URL, Names
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

_MIN_MESSAGES: Final = 2
_MAX_GROUPS: Final = 60  # that are examined; a real page has about ten
_MIN_EXTENDED_SHARE: Final = 0.7  # of messages with more text beside their element than in it
_MIN_GREATER_SHARE: Final = 0.5  # the same where there is much more text beside it, in all
_MUCH: Final = 2.0
_MIN_INNER_SHARE: Final = 0.9  # of the text of messages that elements inside must hold
_MIN_ALIKE_SHARE: Final = 0.9  # of messages that must have such an element
_MIN_PROBABILITY: Final = 0.1  # what text counts at least, however improbable it is as content
_LINK_WEIGHT: Final = 0.25  # of text in links
_A: Final = tags.CODE["a"]
_NAMED_HINT: Final = re.compile(rb"omment|schema\.org/(?:Answer|Question)|ForumPosting")
_ITEMTYPE: Final = b' itemtype="'
_ATTRIBUTES: Final = re.compile(rb' (?:class|id|itemtype)="([^"]*)"')
_NAMED: Final = re.compile(
    rb"(?i)(?:^|\s)(?:[a-z]{1,12}[-_]?)?comment(?:[-_]?(?:item|wrap|wrapper|container|box|entry|block"
    rb"|single|body|inner|main|\d{1,12}|even|odd))*(?:\s|$)"
    rb"|schema\.org/(?:Comment|Answer|Question|DiscussionForumPosting)(?:\s|$)"
)


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
    names: Names

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
    text_before = prefix_sums(lengths)
    names = Names(page)
    return TextMeasures(page, readable, symbol, path, text_before, weight_before, names)


@dataclass(frozen=True, eq=False)
class Group:
    """Messages that look alike: message `i` is the rows `start[i]` to `stop[i]`.

    `mark` is the element with the date of each. `node` is the element of each message. `is_named`:
    the markup calls them comments or answers; then `mark` is the element that does.
    """

    measures: TextMeasures
    mark: Int64s
    node: Int64s
    start: Int64s
    stop: Int64s
    is_named: bool = False

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def score(self) -> float:
        """How much text the messages hold; many short ones count more than a long one."""
        return float(np.sqrt(self.measures.weight(self.start, self.stop)).sum()) * self.regularity

    @cached_property
    def regularity(self) -> float:
        """The share of the messages that have the most frequent tag and class of their element."""
        number, _ = group_equal(self.measures.symbol[self.node])
        return float(np.bincount(number).max()) / len(self)

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
        for members in budget.watch(_group_elements(measures, marks.element))
        for group in _build_groups(measures, members)
    ]
    groups += budget.watch(_find_named_groups(measures))
    return _rank_groups(groups)


def _rank_groups(groups: list[Group]) -> list[Group]:
    """Return groups with most text first; of those with equal messages only the first one."""
    ranges = {(group.start.tobytes(), group.stop.tobytes()): group for group in reversed(groups)}
    return sorted(ranges.values(), key=lambda group: -group.score)


def is_profile_url(url: str) -> bool:
    """Say whether a URL looks like that of a user."""
    encoded = url.encode("utf-8", "replace").lower()
    return bool(PROFILE_URL.search(encoded)) and not NO_PROFILE_URL.search(encoded)


def find_user_groups(measures: TextMeasures, budget: Budget = UNLIMITED) -> list[Group]:
    """Return the groups of messages that links to users make, for pages without dates."""
    groups = [
        group
        for members in budget.watch(_group_elements(measures, _find_profile_links(measures)))
        for group in _build_groups(measures, members)
    ]
    return _rank_groups(groups)


def _find_profile_links(measures: TextMeasures) -> Int64s:
    """Return the links to users, by their URLs."""
    page = measures.page
    links = np.flatnonzero((page.tag == _A) & (page.below(measures.is_readable) > 0))
    rows = []
    for row in links.tolist():
        url = measures.names.link(row)
        if url and PROFILE_URL.search(url) and not NO_PROFILE_URL.search(url):
            rows.append(row)
    return np.array(rows, dtype=np.int64)


def _group_elements(measures: TextMeasures, elements: Int64s) -> Iterator[Int64s]:
    """Yield elements that look alike: by two levels, by one, and by all levels."""
    page = measures.page
    if len(elements) < _MIN_MESSAGES:
        return
    symbol, path = measures.symbol, measures.path
    parents = page.parent[elements]
    keys = (symbol[elements] * HASH_FACTOR + symbol[parents], symbol[elements], path[elements])
    seen: set[tuple[int, int, int]] = set()
    for key in keys:
        number, count = group_equal(np.ascontiguousarray(key))
        sizes = np.bincount(number, minlength=count)
        for group in np.argsort(-sizes, kind="stable")[:_MAX_GROUPS].tolist():
            if sizes[group] < _MIN_MESSAGES:
                break
            members = elements[number == group]
            identity = (len(members), int(members[0]), int(members.sum()))
            if identity not in seen:
                seen.add(identity)
                yield members


def _make_group(
    measures: TextMeasures, mark: Int64s, node: Int64s, start: Int64s, stop: Int64s
) -> Iterator[Group]:
    """Yield the group of messages, without those that hold others; none if fewer than two stay.

    One whose element lies in that of the one before has no rows of its own before it.
    """
    is_apart = start < stop
    is_apart[:-1] &= stop[:-1] <= start[1:]
    if is_apart.sum() >= _MIN_MESSAGES:
        mark, node, start, stop = (values[is_apart] for values in (mark, node, start, stop))
        yield Group(measures, mark, node, start, stop)


def _build_groups(measures: TextMeasures, marks: Int64s) -> Iterator[Group]:
    """Yield the groups that marks make: elements, or elements with the siblings after or before."""
    page = measures.page
    node = _align_elements(measures, marks, find_message_elements(marks, page.parent, page.end))
    node, first = _sort_different(node)
    marks = marks[first]
    if len(node) < _MIN_MESSAGES:
        return
    start, stop = node, page.end[node].astype(np.int64)
    own = measures.weight(start, stop) - measures.weight(marks, page.end[marks].astype(np.int64))
    yield from _make_group(measures, marks, node, start, stop)
    after, before = _extend_after(page, node), _extend_before(page, node)
    if _is_mostly_greater(measures.weight(stop, after), own):
        yield from _make_group(measures, marks, node, start, after)
    if _is_mostly_greater(measures.weight(before, start), own):
        yield from _make_group(measures, marks, node, before, stop)


def _sort_different(values: Int64s) -> tuple[Int64s, Int64s]:
    """Return the different values in order, and where the first of each is; most are in order."""
    if (values[1:] > values[:-1]).all():
        return values, np.arange(len(values))
    return np.unique(values, return_index=True)


def _is_mostly_greater(values: Floats, others: Floats) -> bool:
    """Say whether most values are greater than the others, or half of them and much so in all."""
    share = int(np.count_nonzero(values > others)) / len(values)
    if share >= _MIN_EXTENDED_SHARE:
        return True
    return share >= _MIN_GREATER_SHARE and bool(values.sum() >= _MUCH * others.sum())


def _find_named_elements(page: Page) -> list[int]:
    """Return the elements that the markup calls comments, answers or posts."""
    source = page.source
    rows = {
        *find_values_with(source, page.class_start, page.class_stop, b"comment"),
        *find_values_with(source, page.id_start, page.id_stop, b"comment"),
        *rows_with_bytes(page, _ITEMTYPE),
    }
    named = []
    is_name: dict[bytes, bool] = {}
    for row in sorted(rows):
        tag = source[page.start.item(row) : page.head.item(row)]
        if not _NAMED_HINT.search(tag):
            continue
        for value in _ATTRIBUTES.findall(tag):
            if value not in is_name:
                is_name[value] = bool(_NAMED.search(value))
            if is_name[value]:
                named.append(row)
                break
    return named


def _find_named_groups(measures: TextMeasures) -> Iterator[Group]:
    """Yield groups of elements that the markup calls comments, answers or posts, by tag and class.

    Where one holds others inside, as with replies, its own text is in the largest element that
    holds its first text and none of theirs.
    """
    page, readable = measures.page, measures.readable
    named = np.array(_find_named_elements(page), dtype=np.int64)
    if not len(named):
        return
    number, count = group_equal(np.ascontiguousarray(measures.symbol[named]))
    for group in range(min(count, _MAX_GROUPS)):
        elements = named[number == group]
        first = np.searchsorted(readable, elements)
        # An element without text begins and ends before the same text.
        has_text = first < np.searchsorted(readable, page.end[elements])
        elements, seeds = elements[has_text], readable[first[has_text]]
        seeds, index = _sort_different(seeds)
        elements = elements[index]
        if len(seeds):
            node = np.maximum(find_message_elements(seeds, page.parent, page.end), elements)
            node, index = _sort_different(node)
            stop = page.end[node].astype(np.int64)
            yield Group(measures, elements[index], node, node, stop, is_named=True)


def _align_elements(measures: TextMeasures, marks: Int64s, nodes: Int64s) -> Int64s:
    """Return elements of messages that look alike where the largest ones do not.

    The only comment on a post may be the whole post: it becomes the element that most others are. A
    comment with replies inside has its own text in an inner element, which comments without replies
    have as well. That element is taken for all if it holds nearly all of the text.
    """
    page, symbol = measures.page, measures.symbol
    if group_equal(symbol[nodes])[1] == 1:
        return nodes
    symbols, counts = np.unique(symbol[nodes], return_counts=True)
    inner: dict[int, dict[int, int]] = {}  # the outermost element of each symbol, by message
    for index, (mark, node) in enumerate(zip(marks.tolist(), nodes.tolist(), strict=True)):
        row = mark
        while row >= node:
            inner.setdefault(symbol.item(row), {})[index] = row
            row = page.parent.item(row)
    if counts.max() > len(nodes) / 2:
        usual = inner[int(symbols[counts.argmax()])]
        nodes = nodes.copy()
        nodes[list(usual)] = list(usual.values())
    stop = page.end[nodes].astype(np.int64)
    best, most = nodes, _MIN_INNER_SHARE * float(measures.weight(nodes, stop).sum())
    for elements in inner.values():
        if len(elements) >= _MIN_ALIKE_SHARE * len(nodes):
            aligned = nodes.copy()
            aligned[list(elements)] = list(elements.values())
            weight = float(measures.weight(aligned, page.end[aligned].astype(np.int64)).sum())
            if weight > most:
                best, most = aligned, weight
    return best


def _extend_after(page: Page, node: Int64s) -> Int64s:
    """Return where messages end that go on to the next element, or to the end of the parent.

    The last one goes on over as many siblings as the others on average.
    """
    stop = np.minimum(np.append(node[1:], len(page)), page.end[page.parent[node]])
    stop = np.maximum(stop, page.end[node]).astype(np.int64)
    return _trim_edge(page, node, stop)


def _trim_edge(page: Page, node: Int64s, stop: Int64s) -> Int64s:
    """Return stops, those before the end of a parent after as many siblings as others have."""
    is_followed = np.append(stop[:-1] == node[1:], False)
    counts = count_siblings(node[is_followed], stop[is_followed], page.end)
    usual = max(1, round(median(counts.tolist()))) if len(counts) else 1
    trimmed = stop.copy()
    trimmed[~is_followed] = skip_siblings(node[~is_followed], stop[~is_followed], page.end, usual)
    return trimmed


def _extend_before(page: Page, node: Int64s) -> Int64s:
    """Return where messages begin whose text stands before their mark: after the one before."""
    previous = np.append(0, page.end[node[:-1]])
    first: Int64s = np.maximum(previous, page.parent[node] + 1).astype(np.int64)
    return first

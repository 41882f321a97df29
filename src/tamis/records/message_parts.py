"""The parts of messages: who wrote them, when, their text, and what they quote.

Parts are looked for in all messages of a group together: the author is the column of short texts
that names users in its markup and that most messages have; the text is the element that holds most
of what differs between messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from tamis.page import Bools, Page, tags
from tamis.records._align import find_common_child, group_equal
from tamis.records.date_marks import DateMarks
from tamis.records.message_authors import NO_DATE_LABEL, SAMPLE, AuthorReader, ShortTexts
from tamis.records.message_names import Names
from tamis.records.messages import Group, TextMeasures
from tamis.records.signatures import HASH_FACTOR, Floats, Int64s
from tamis.values import find_days

_MIN_LABEL_SHARE: Final = 0.5  # of the messages that have a label, such as "Reply"
_MIN_BODY_SHARE: Final = 0.6  # of the text of messages that an element with their body holds
_MIN_NAMED_SHARE: Final = 0.4  # the same for elements that are named for it
_MIN_LINE_SHARE: Final = 0.98  # the same for elements that are a paragraph or part of one
_MAX_LEVELS: Final = 24  # between a message and its body
_MIN_FILLED_SHARE: Final = 0.6  # of messages with text that have an element with their body
_MIN_BODY_WEIGHT: Final = 60.0  # of the text of a message without such an element

_IS_LINE: Final = tags.tag_table(
    (*tags.TEXT_LEVEL, *tags.HEADINGS, "p", "a", "li", "pre", "ul", "ol")
)
_TIME: Final = tags.CODE["time"]
_NO_ROWS: Final = np.zeros(0, dtype=np.int64)


class Parts(NamedTuple):
    """The parts of one message, as rows; -1 for what it lacks.

    `author` is a text row, `date` an element, `date_text` the text row in it. `body` are the text
    rows of the text, those of quotes included; `quote` and `signature` are text rows as well.
    """

    author: int
    date: int
    date_text: int
    body: Int64s
    quote: Int64s
    signature: Int64s


class _Inner(NamedTuple):
    """Ranges of rows in a body: quotes, and notes on the message."""

    quotes: list[tuple[int, int]]
    notes: list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class MessageReader:
    """Reads the parts of the messages of a group."""

    group: Group
    marks: DateMarks

    @property
    def measures(self) -> TextMeasures:
        """The text of the page."""
        return self.group.measures

    @property
    def page(self) -> Page:
        """The page of the messages."""
        return self.group.measures.page

    @property
    def names(self) -> Names:
        """The names of the page's elements."""
        return self.group.measures.names

    def parts(self) -> list[Parts]:
        """Return the parts of each message."""
        start, stop = self._find_bodies()
        readable = self.measures.readable
        first, last = np.searchsorted(readable, start), np.searchsorted(readable, stop)
        is_kept = ~self._is_label[readable]
        signatures = self._find_signatures()
        inner = self._find_inner(start, stop)
        parts = []
        for index, (low, high) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
            parts.append(
                self._read_message(
                    index,
                    readable[low:high],
                    is_kept[low:high].copy(),
                    signatures[index],
                    inner[index],
                )
            )
        return parts

    def _read_message(
        self, index: int, rows: Int64s, is_kept: Bools, signature: Int64s, inner: _Inner
    ) -> Parts:
        """Return the parts of a message; `rows` are the text rows of its body, labels not kept."""
        author, mark = self.authors[index], self.dates[index]
        date, date_text = -1, -1
        if mark >= 0:
            date, date_text = self.marks.element.item(mark), self.marks.text_row.item(mark)
            is_kept[rows == date_text] = False
        if author >= 0 and len(rows) > 1:
            is_kept[rows == author] = False
        if len(signature):
            is_signature = (rows >= signature[0]) & (rows <= signature[-1])
            if is_signature.all():  # the text itself
                signature = signature[:0]
            else:
                is_kept &= ~is_signature
        for first, stop in inner.notes:
            is_kept[slice(*np.searchsorted(rows, (first, stop)))] = False
        quote = rows[:0]
        if inner.quotes:
            is_quote = np.zeros(len(rows), dtype=np.bool_)
            for first, stop in inner.quotes:
                is_quote[slice(*np.searchsorted(rows, (first, stop)))] = True
            quote = rows[is_kept & is_quote]
        return Parts(author, date, date_text, rows[is_kept], quote, signature)

    def _find_signatures(self) -> list[Int64s]:
        """Return the text rows of the signature of each message, in its body or beside it."""
        group, candidates = self.group, self.names.signature_candidates
        signatures = [_NO_ROWS] * len(group)
        if not len(candidates):
            return signatures
        low = np.searchsorted(candidates, group.start + 1)
        high = np.searchsorted(candidates, group.stop)
        for message in np.flatnonzero(low < high).tolist():
            for row in candidates[low[message] : high[message]].tolist():
                if self.names.match("signature", row):
                    stop = min(self.page.end.item(row), group.stop.item(message))
                    signatures[message] = self._rows_between(row, stop)
                    break
        return signatures

    def _rows_between(self, start: int, stop: int) -> Int64s:
        """Return the readable text rows of a range."""
        readable = self.measures.readable
        low, high = np.searchsorted(readable, (start, stop))
        return readable[low:high]

    @cached_property
    def _is_label(self) -> Bools:
        """Rows whose text most messages have, such as "Reply"; names of authors are none."""
        rows, message = self._texts.rows
        texts = [self._texts.text(row) for row in rows.tolist()]
        counts: dict[str, int] = {}
        latest: dict[str, int] = {}
        for text, index in zip(texts, message.tolist(), strict=True):
            if latest.get(text) != index:
                latest[text] = index
                counts[text] = counts.get(text, 0) + 1
        least = max(3, _MIN_LABEL_SHARE * len(self.group))
        names = {self._texts.text(row) for row in self.authors if row >= 0}
        labels = {
            text
            for text, count in counts.items()
            if count >= least and text.strip("@:, ") not in names
        }
        is_label = np.zeros(len(self.page), dtype=np.bool_)
        if labels:
            is_label[rows] = [text in labels for text in texts]
        return is_label

    @cached_property
    def _texts(self) -> ShortTexts:
        return ShortTexts(self.group)

    @cached_property
    def _author_reader(self) -> AuthorReader:
        return AuthorReader(self._texts, self.marks)

    @property
    def authors(self) -> list[int]:
        """The text row that names the author of each message, -1 for none."""
        return self._author_reader.authors

    @property
    def author_score(self) -> float:
        """How much the authors look like authors: 0 not at all, over 1 by their markup."""
        return self._author_reader.score

    # Dates ----------------------------------------------------------------------------------------

    @cached_property
    def dates(self) -> list[int]:
        """The index of the mark with the date of each message, -1 for none."""
        group, elements = self.group, self.marks.element
        index = np.searchsorted(group.start, elements, side="right") - 1
        inside = np.flatnonzero((index >= 0) & (elements < group.stop[index]))
        dates = [-1] * len(group)
        symbol, parent = self.measures.symbol, self.page.parent
        key = symbol[elements[inside]] * HASH_FACTOR + symbol[parent[elements[inside]]]
        number, count = group_equal(np.ascontiguousarray(key))
        columns: list[tuple[float, Int64s]] = []
        for column in range(count):
            members = inside[number == column] if count < 200 else inside[:0]
            if len(members):
                fill = _count_different(index[members]) / len(group)
                columns.append((self._score_dates(members) * fill, members))
        for score, members in sorted(columns, key=lambda column: -column[0]):
            if score <= 0:
                break
            for mark in members.tolist():
                if dates[int(index[mark])] < 0:
                    dates[int(index[mark])] = mark
        return dates

    def _score_dates(self, marks: Int64s) -> float:
        """Return how much the marks of a column look like the dates of messages."""
        step = max(1, len(marks) // SAMPLE)
        sample = marks[::step].tolist()
        return sum(map(self._score_date, sample)) / len(sample)

    def _score_date(self, mark: int) -> float:
        """Return how much a mark looks like the date of a message, by its markup and label."""
        page, element = self.page, self.marks.element.item(mark)
        row = self.marks.text_row.item(mark)
        score = 1.5 if page.tag.item(element) == _TIME else 1.0
        if row >= 0:
            offset, text = page.text_start.item(row), self._texts.text(row)
            label = page.text[max(0, offset - 30) : offset].rstrip().rpartition("\n\n")[2]
            if NO_DATE_LABEL.search(label[-24:].lower()) or NO_DATE_LABEL.match(text.lower()):
                score -= 0.9
            score += 0.2 * (":" in text) + 0.6 * (next(find_days(text), None) is not None)
        names, parent = self.names, page.parent.item(element)
        if names.match("date", element) or names.match("date", parent):
            score += 0.5
        if names.match("no date", element) or names.match("no date", parent):
            score -= 0.6
        return score

    # Bodies ---------------------------------------------------------------------------------------

    @cached_property
    def _body_weights(self) -> Floats:
        """The weight of the text before each row, without authors, dates and labels."""
        weight = np.diff(self.measures.weight_before)
        weight[self._is_label] = 0.0
        heads = [row for row in self.authors if row >= 0]
        heads += [
            int(row) for row in self.marks.text_row[[d for d in self.dates if d >= 0]] if row >= 0
        ]
        weight[heads] = 0.0
        sums = np.zeros(len(weight) + 1)
        np.cumsum(weight, out=sums[1:])
        return sums

    def _find_bodies(self) -> tuple[Int64s, Int64s]:
        """Return where the rows of the text of each message begin and end.

        From the message down, the child that holds most of the text is taken, as long as most
        messages have such a child.
        """
        end, sums = self.page.end, self._body_weights
        start, stop = self.group.start, self.group.stop
        # Elements of messages may differ, as those of a question and of an answer do.
        start = start + (end[start] == stop)
        for _ in range(_MAX_LEVELS):
            child = self._find_child(start, stop)
            if child is None:
                break
            has_child, is_empty = child >= 0, sums[stop] - sums[start] < _MIN_BODY_WEIGHT
            stop = np.where(has_child, end[child], np.where(is_empty, start, stop))
            start = np.where(has_child, child + 1, start)
        return start, stop

    def _find_child(self, start: Int64s, stop: Int64s) -> Int64s | None:
        """Return the child in each range that holds the body, -1 for none; None if few have one."""
        sums = self._body_weights
        inside = sums[stop] - sums[start]
        total = sum(inside.tolist())
        child, weight, count = find_common_child(start, stop, self.page, self.measures.symbol, sums)
        children = child[child >= 0]
        if not len(children) or total <= 0:
            return None
        first = int(children[0])
        least = _MIN_LINE_SHARE if _IS_LINE[self.page.tag[first]] else _MIN_BODY_SHARE
        if self.names.match("body", first):
            least = _MIN_NAMED_SHARE
        if weight < least * total or count < _MIN_FILLED_SHARE * np.count_nonzero(inside > 0):
            return None
        return child

    def _find_inner(self, start: Int64s, stop: Int64s) -> list[_Inner]:
        """Return which rows of each body are quotes and notes on the message."""
        candidates = self.names.inner_candidates
        first, last = np.searchsorted(candidates, start), np.searchsorted(candidates, stop)
        size = len(candidates) + 1
        edges = np.bincount(first, minlength=size) - np.bincount(last, minlength=size)
        kinds = self.names.classify_inner(candidates[np.cumsum(edges)[:-1] > 0].tolist())
        rows = np.array(list(kinds), dtype=np.int64)
        first, last = np.searchsorted(rows, start), np.searchsorted(rows, stop)
        parts = []
        for low, high, end in zip(first.tolist(), last.tolist(), stop.tolist(), strict=True):
            inner = _Inner([], [])
            for row in rows[low:high].tolist():
                spans = inner.quotes if kinds[row] == "quote" else inner.notes
                spans.append((row, min(self.page.end.item(row), end)))
            parts.append(inner)
        return parts


def _count_different(values: Int64s) -> int:
    """Return how many different values there are in a sorted column."""
    return 1 + int(np.count_nonzero(values[1:] != values[:-1])) if len(values) else 0

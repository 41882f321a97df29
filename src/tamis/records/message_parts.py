"""The parts of messages: who wrote them, when, their text, and what they quote.

Parts are looked for in all messages of a group together: the author is the column of short texts
that names users in its markup and that most messages have; the text is the element that holds most
of what differs between messages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from tamis.page import Bools, Page, collapse_spaces, tags
from tamis.records._align import find_common_child, group_equal
from tamis.records.date_marks import DateMarks
from tamis.records.message_names import Names
from tamis.records.messages import (
    Group,
    TextMeasures,
)
from tamis.records.signatures import HASH_FACTOR, Floats, Int64s
from tamis.values import find_days

_MAX_AUTHOR_CHARS: Final = 40
_MAX_LABEL_CHARS: Final = 40  # of a text that is the same in many messages, such as "Reply"
_MIN_LABEL_SHARE: Final = 0.5  # of the messages that have it
_AUTHOR_LEVELS: Final = 3  # of elements around a text that say whether it is an author
_NEAR_LEVELS: Final = 2  # of these
_TEXT_SCORE: Final = 0.3  # of a text of which nothing says that it is no author
_MIN_OF_BEST: Final = 0.4  # of the score of the best column of authors, for others
_ROUNDING: Final = 1e-9  # more than differences between sums of the same numbers
_SAMPLE: Final = 8  # texts of a column that are looked at
_MIN_FILL: Final = 0.3  # share of the messages that have a column of authors or dates
_MIN_BODY_SHARE: Final = 0.6  # of the text of messages that an element with their body holds
_MIN_NAMED_SHARE: Final = 0.4  # the same for elements that are named for it
_MIN_LINE_SHARE: Final = 0.98  # the same for elements that are a paragraph or part of one
_MAX_LEVELS: Final = 24  # between a message and its body
_MIN_FILLED_SHARE: Final = 0.6  # of messages with text that have an element with their body
_MIN_BODY_WEIGHT: Final = 60.0  # of the text of a message without such an element

# Texts are compared with it in lower case: a pattern for any case takes several times as long.
# Texts are compared with it in lower case: a pattern for any case takes several times as long.
_NO_DATE_LABEL: Final = re.compile(
    r"join|regist|member since|since|edit|modif|update|last (?:seen|active|visit|login|online)"
    r"|founded|anmeld|dabei|mitglied|bearbeitet|geändert|enregistr|inscri|modifié|édité|wrote|said"
    r"|schrieb|escribi|birth|iscritto|registrado|editado|регистрация|отредакт|注册|编辑"
)

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


class _Column(NamedTuple):
    """Texts of messages that have the same place in them."""

    members: Int64s  # as indices of the rows that may name authors
    rows: Int64s  # of those that are looked at
    message: Int64s  # of each of these rows
    fill: float  # share of the messages that have one
    factor: float  # less than 1 where some have several


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
    def _short_rows(self) -> tuple[Int64s, Int64s]:
        """The short text rows in messages, and the message of each."""
        page, group, readable = self.page, self.group, self.measures.readable
        index = np.searchsorted(group.start, readable, side="right") - 1
        is_inside = (index >= 0) & (readable < group.stop[index])
        length = (page.text_stop - page.text_start)[readable]
        is_short = is_inside & (length <= _MAX_LABEL_CHARS) & (length > 0)
        return readable[is_short], index[is_short].astype(np.int64)

    @cached_property
    def _is_label(self) -> Bools:
        """Rows whose text most messages have, such as "Reply"; names of authors are none."""
        rows, message = self._short_rows
        texts = [self._text(row) for row in rows.tolist()]
        counts: dict[str, int] = {}
        latest: dict[str, int] = {}
        for text, index in zip(texts, message.tolist(), strict=True):
            if latest.get(text) != index:
                latest[text] = index
                counts[text] = counts.get(text, 0) + 1
        least = max(3, _MIN_LABEL_SHARE * len(self.group))
        names = {self._text(row) for row in self.authors if row >= 0}
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
    def _texts(self) -> dict[int, str]:
        """The texts that were read so far, by row; to begin with, the short ones."""
        page, (rows, _) = self.page, self._short_rows
        start, stop = page.text_start[rows].tolist(), page.text_stop[rows].tolist()
        spans = zip(rows.tolist(), start, stop, strict=True)
        return {row: collapse_spaces(page.text[first:last]) for row, first, last in spans}

    def _text(self, row: int) -> str:
        """Return the text of a row on one line."""
        text = self._texts.get(row)
        if text is None:
            page = self.page
            text = collapse_spaces(page.text[page.text_start[row] : page.text_stop[row]])
            self._texts[row] = text
        return text

    # Authors --------------------------------------------------------------------------------------

    @cached_property
    def authors(self) -> list[int]:
        """The text row that names the author of each message, -1 for none."""
        rows, message = self._author_rows
        authors = [-1] * len(self.group)
        columns = self._author_columns
        best = columns[0][0] if columns else 0.0
        for score, members in columns:
            if score < _MIN_OF_BEST * best or score <= 0:
                break
            for position in members.tolist():
                if authors[int(message[position])] < 0:
                    authors[int(message[position])] = int(rows[position])
        return authors

    @cached_property
    def author_score(self) -> float:
        """How much the authors look like authors: 0 not at all, over 1 by their markup."""
        return max(0.0, self._author_columns[0][0]) if self._author_columns else 0.0

    @cached_property
    def _author_rows(self) -> tuple[Int64s, Int64s]:
        """The text rows that may name authors, and the message of each."""
        rows, message = self._short_rows
        page = self.page
        keep = (page.text_stop - page.text_start)[rows] <= _MAX_AUTHOR_CHARS
        is_dated = np.zeros(len(page) + 1, dtype=np.bool_)
        is_dated[self.marks.text_row] = True  # the last one, after all rows, is for no text
        keep &= ~is_dated[rows]
        return rows[keep], message[keep]

    @cached_property
    def _author_columns(self) -> list[tuple[float, Int64s]]:
        """The columns of texts that may be authors, the best first, as indices of such rows."""
        columns = self._list_columns(*self._author_rows)
        return [(score, columns[index].members) for index, score in self._score_columns(columns)]

    def _list_columns(self, rows: Int64s, message: Int64s) -> list[_Column]:
        """Return columns of short texts that enough messages have."""
        symbol, parent = self.measures.symbol, self.page.parent
        above = parent[rows]
        key = symbol[above] * HASH_FACTOR + symbol[parent[above]]
        number, count = group_equal(np.ascontiguousarray(key))
        order = np.argsort(number, kind="stable")
        number, ordered = number[order], message[order]
        bounds = np.searchsorted(number, np.arange(count + 1)).tolist()
        is_first = np.ones(len(order), dtype=np.bool_)  # of its message in its column
        is_first[1:] = (number[1:] != number[:-1]) | (ordered[1:] != ordered[:-1])
        messages = np.bincount(number[is_first], minlength=count).tolist()
        columns = []
        for column in range(count):
            fill = messages[column] / len(self.group)
            if fill >= _MIN_FILL:
                members = order[bounds[column] : bounds[column + 1]]
                sample = members[:: max(1, len(members) // _SAMPLE)]
                factor = (messages[column] / len(members)) ** 0.5
                columns.append(_Column(members, rows[sample], message[sample], fill, factor))
        return columns

    def _score_columns(self, columns: list[_Column]) -> list[tuple[int, float]]:
        """Return the columns that may be authors by their indices, each with a score, best first.

        Texts are looked at only where what is around them leaves a chance to count beside the best.
        """
        limits = self._limit_scores(columns)
        scores: list[tuple[int, float]] = []
        best = 0.0
        for index in np.argsort(-limits, kind="stable").tolist():
            if limits[index] < _MIN_OF_BEST * best - _ROUNDING or limits[index] < -_ROUNDING:
                break
            column = columns[index]
            score = self._score_authors(column) * column.fill * column.factor
            scores.append((index, score))
            best = max(best, score)
        return sorted(scores, key=lambda score: (-score[1], score[0]))

    def _limit_scores(self, columns: list[_Column]) -> Floats:
        """Return scores that columns do not exceed, whatever their texts are."""
        if not columns:
            return np.zeros(0)
        rows = np.concatenate([column.rows for column in columns])
        start = self.group.start[np.concatenate([column.message for column in columns])]
        levels = []
        for _ in range(_AUTHOR_LEVELS):
            rows = np.maximum(self.page.parent[rows], 0)
            levels.append(rows)
        elements, index = np.unique(np.concatenate(levels), return_inverse=True)
        signs = self.names.read_author_signs(elements.tolist())
        near = np.array([sign.near_sum for sign in signs])
        far = np.array([sign.far_sum for sign in signs])
        total = np.full(len(rows), _TEXT_SCORE)
        for level, (row, position) in enumerate(
            zip(levels, index.reshape(len(levels), -1), strict=True)
        ):
            values = near if level < _NEAR_LEVELS else far
            total += np.where(row >= start, values[position], 0.0)
        sizes = np.array([len(column.rows) for column in columns])
        sums = np.add.reduceat(total, np.append(0, np.cumsum(sizes)[:-1]))
        fill, factor = np.array([(column.fill, column.factor) for column in columns]).T
        limits: Floats = sums / sizes * fill * factor
        return limits

    def _score_authors(self, column: _Column) -> float:
        """Return how much the texts of a column look like authors."""
        rows = column.rows.tolist()
        texts = [self._text(row) for row in rows]
        total = 0.0
        for row, text, start in zip(
            rows, texts, self.group.start[column.message].tolist(), strict=True
        ):
            total += self._score_author(row, text, start)
        score = total / len(texts)
        if len(texts) > 2 and len(set(texts)) == 1:
            score -= 2.0
        if not any(any(char.isalpha() for char in text) for text in texts):
            score -= 2.0
        return score

    def _score_author(self, row: int, text: str, start: int) -> float:
        """Return how much a text looks like the author of the message that begins at `start`."""
        parent, score = self.page.parent, _TEXT_SCORE
        if len(text.split()) > 4 or text.endswith(("?", "!", ".")):
            score -= 0.5
        if (
            _NO_DATE_LABEL.match(text.lower())
            or text.startswith(("#", "Re:", "RE:"))
            or text.isdigit()
        ):
            score -= 1.5
        for level in range(_AUTHOR_LEVELS):
            row = parent.item(row)
            if row < start:
                break
            signs = self.names.author_signs(row)
            for value in signs.near if level < _NEAR_LEVELS else signs.far:
                score += value
        return score

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
        step = max(1, len(marks) // _SAMPLE)
        sample = marks[::step].tolist()
        return sum(map(self._score_date, sample)) / len(sample)

    def _score_date(self, mark: int) -> float:
        """Return how much a mark looks like the date of a message, by its markup and label."""
        page, element = self.page, self.marks.element.item(mark)
        row = self.marks.text_row.item(mark)
        score = 1.5 if page.tag.item(element) == _TIME else 1.0
        if row >= 0:
            offset, text = page.text_start.item(row), self._text(row)
            label = page.text[max(0, offset - 30) : offset].rstrip().rpartition("\n\n")[2]
            if _NO_DATE_LABEL.search(label[-24:].lower()) or _NO_DATE_LABEL.match(text.lower()):
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

"""The parts of messages: who wrote them, when, their text, and what they quote.

Parts are looked for in all messages of a group together: the author is the column of short texts
that names users in its markup and that most messages have; the text is the element that holds most
of what differs between messages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from tamis.page import Bools, Page, collapse_spaces, tags
from tamis.records._align import group_equal
from tamis.records.date_marks import DateMarks
from tamis.records.message_names import BLOCKQUOTE, IS_CONTROL, Names
from tamis.records.messages import (
    HREF,
    NO_PROFILE_URL,
    PROFILE_URL,
    Group,
    TextMeasures,
)
from tamis.records.signatures import HASH_FACTOR, Floats, Int64s
from tamis.values import find_days

_MAX_AUTHOR_CHARS: Final = 40
_MAX_LABEL_CHARS: Final = 40  # of a text that is the same in many messages, such as "Reply"
_MIN_LABEL_SHARE: Final = 0.5  # of the messages that have it
_SAMPLE: Final = 8  # texts of a column that are looked at
_MIN_FILL: Final = 0.3  # share of the messages that have a column of authors or dates
_MIN_BODY_SHARE: Final = 0.6  # of the text of messages that an element with their body holds
_MIN_NAMED_SHARE: Final = 0.4  # the same for elements that are named for it
_MIN_LINE_SHARE: Final = 0.98  # the same for elements that are a paragraph or part of one
_MAX_LEVELS: Final = 24  # between a message and its body

_NO_DATE_LABEL: Final = re.compile(
    r"(?i)join|regist|member since|since|edit|modif|update|last (?:seen|active|visit|login|online)"
    r"|founded|anmeld|dabei|mitglied|bearbeitet|geändert|enregistr|inscri|modifié|édité|wrote|said"
    r"|schrieb|escribi|birth|iscritto|registrado|editado|регистрация|отредакт|注册|编辑"
)

_IS_LINE: Final = tags.tag_table(
    (*tags.TEXT_LEVEL, *tags.HEADINGS, "p", "a", "li", "pre", "ul", "ol")
)
_A: Final = tags.CODE["a"]
_TIME: Final = tags.CODE["time"]
_HEADING: Final = tags.tag_table((*tags.HEADINGS, "b", "strong", "cite", "dt", "th"))


_ChildKey = tuple[int, int]  # a symbol, and a number among siblings of that symbol
_Children = dict[_ChildKey, tuple[int, float]]


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
        bodies = enumerate(self._find_bodies())
        return [self._read_message(index, start, stop) for index, (start, stop) in bodies]

    def _read_message(self, index: int, start: int, stop: int) -> Parts:
        """Return the parts of a message whose text is in the rows `start` to `stop`."""
        author, mark = self.authors[index], self.dates[index]
        date, date_text = -1, -1
        if mark >= 0:
            date, date_text = int(self.marks.element[mark]), int(self.marks.text_row[mark])
        rows, signature = self._rows_between(start, stop), self._find_signature(index)
        is_signature = np.zeros(len(rows), dtype=np.bool_)
        if len(signature):
            is_signature = np.isin(rows, signature)
        if is_signature.all():  # the text itself
            signature, is_signature = signature[:0], np.zeros(len(rows), dtype=np.bool_)
        is_quote, is_note = self._mark_inner(start, stop)
        is_head = (rows == date_text) | ((rows == author) & (len(rows) > 1))
        kept = ~(is_signature | is_head | is_note[rows - start] | self._is_label[rows])
        quote = rows[kept & is_quote[rows - start]]
        return Parts(author, date, date_text, rows[kept], quote, signature)

    def _find_signature(self, message: int) -> Int64s:
        """Return the text rows of the signature of a message, in its body or beside it."""
        candidates = self.names.signature_candidates
        if not len(candidates):
            return candidates
        start, stop = int(self.group.start[message]), int(self.group.stop[message])
        low, high = np.searchsorted(candidates, (start + 1, stop))
        for row in candidates[low:high].tolist():
            if self.names.match("signature", row):
                return self._rows_between(row, min(int(self.page.end[row]), stop))
        return np.zeros(0, dtype=np.int64)

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
        pairs = {(text, index) for text, index in zip(texts, message.tolist(), strict=True)}
        counts = Counter(text for text, _ in pairs)
        least = max(3, _MIN_LABEL_SHARE * len(self.group))
        is_label = np.zeros(len(self.page), dtype=np.bool_)
        names = {self._text(row) for row in self.authors if row >= 0}
        is_label[rows] = [
            counts[text] >= least and text.strip("@:, ") not in names for text in texts
        ]
        return is_label

    @cached_property
    def _texts(self) -> dict[int, str]:
        """The texts that were read so far, by row."""
        return {}

    def _text(self, row: int) -> str:
        """Return the text of a row on one line."""
        text = self._texts.get(row)
        if text is None:
            page = self.page
            text = collapse_spaces(page.text[page.text_start[row] : page.text_stop[row]])
            self._texts[row] = text
        return text

    def _rows_around(self, row: int, message: int, levels: int) -> Iterator[int]:
        """Yield the elements around a row, from inside, up to the message."""
        parent, start = self.page.parent, self.group.start.item(message)
        for _ in range(levels):
            row = parent.item(row)
            if row < start:
                return
            yield row

    # Authors --------------------------------------------------------------------------------------

    @cached_property
    def authors(self) -> list[int]:
        """The text row that names the author of each message, -1 for none."""
        rows, message = self._author_rows
        authors = [-1] * len(self.group)
        columns = self._author_columns
        best = columns[0][0] if columns else 0.0
        for score, members in columns:
            if score < 0.4 * best or score <= 0:
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
        keep &= ~np.isin(rows, self.marks.text_row)
        return rows[keep], message[keep]

    @cached_property
    def _author_columns(self) -> list[tuple[float, Int64s]]:
        """The columns of texts that may be authors, the best first, as indices of such rows."""
        return sorted(self._score_columns(*self._author_rows), key=lambda column: -column[0])

    def _score_columns(self, rows: Int64s, message: Int64s) -> Iterator[tuple[float, Int64s]]:
        """Yield columns of short texts with a score for being authors, each as indices of rows."""
        symbol, parent = self.measures.symbol, self.page.parent
        above = parent[rows]
        key = symbol[above] * HASH_FACTOR + symbol[parent[above]]
        number, count = group_equal(np.ascontiguousarray(key))
        order = np.argsort(number, kind="stable")
        bounds = np.searchsorted(number[order], np.arange(count + 1))
        for column in range(count):
            members = order[bounds[column] : bounds[column + 1]]
            messages = _count_different(message[members])
            fill = messages / len(self.group)
            if fill < _MIN_FILL:
                continue
            score = self._score_authors(rows[members], message[members])
            yield score * fill * (messages / len(members)) ** 0.5, members

    def _score_authors(self, rows: Int64s, message: Int64s) -> float:
        """Return how much the texts of a column look like authors."""
        step = max(1, len(rows) // _SAMPLE)
        sample = list(zip(rows[::step].tolist(), message[::step].tolist(), strict=True))
        total = 0.0
        for row, index in sample:
            total += self._score_author(row, index)
        texts = [self._text(row) for row, _ in sample]
        score = total / len(sample)
        if len(sample) > 2 and len(set(texts)) == 1:
            score -= 2.0
        if not any(any(char.isalpha() for char in text) for text in texts):
            score -= 2.0
        return score

    def _score_author(self, row: int, message: int) -> float:
        """Return how much a text looks like the author of a message, by its markup."""
        page, score = self.page, 0.3
        text = self._text(row)
        if len(text.split()) > 4 or text.endswith(("?", "!", ".")):
            score -= 0.5
        if _NO_DATE_LABEL.match(text) or text.startswith(("#", "Re:", "RE:")) or text.isdigit():
            score -= 1.5
        for level, element in enumerate(self._rows_around(row, message, 3)):
            if self.names.match("author", element):
                score += 1.0 if level < 2 else 0.5
            if level < 2 and self.names.match("no author", element):
                score -= 0.8
            if level < 2 and _HEADING[page.tag[element]]:
                score += 0.2
            if page.tag[element] == _A:
                href = HREF.search(page.source, int(page.start[element]), int(page.head[element]))
                if href and NO_PROFILE_URL.search(href[1]):
                    score -= 0.7
                if href and PROFILE_URL.search(href[1]):
                    score += 1.5
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
        page, element = self.page, int(self.marks.element[mark])
        row = int(self.marks.text_row[mark])
        score = 1.5 if page.tag[element] == _TIME else 1.0
        if row >= 0:
            offset = int(page.text_start[row])
            label = page.text[max(0, offset - 30) : offset].rstrip().rpartition("\n\n")[2]
            if _NO_DATE_LABEL.search(label[-24:]) or _NO_DATE_LABEL.match(self._text(row)):
                score -= 0.9
            text = self._text(row)
            score += 0.2 * (":" in text) + 0.6 * (next(find_days(text), None) is not None)
        around = (element, int(page.parent[element]))
        if any(self.names.match("date", row) for row in around):
            score += 0.5
        if any(self.names.match("no date", row) for row in around):
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

    def _find_bodies(self) -> list[tuple[int, int]]:
        """Return the rows of the text of each message.

        From the message down, the child that holds most of the text is taken, as long as most
        messages have such a child.
        """
        page, sums = self.page, self._body_weights
        bounds = zip(self.group.start.tolist(), self.group.stop.tolist(), strict=True)
        # Elements of messages may differ, as those of a question and of an answer do.
        ranges = [(start + (page.end[start] == stop), stop) for start, stop in bounds]
        for _ in range(_MAX_LEVELS):
            children = [self._list_children(start, stop) for start, stop in ranges]
            chosen = self._choose_child(ranges, children)
            if chosen is None:
                break
            narrowed = []
            for (start, stop), child in zip(ranges, children, strict=True):
                if chosen in child:
                    row = child[chosen][0]
                    narrowed.append((row + 1, int(page.end[row])))
                else:
                    narrowed.append(
                        (start, start) if sums[stop] - sums[start] < 60 else (start, stop)
                    )
            ranges = narrowed
        return ranges

    def _list_children(self, start: int, stop: int) -> _Children:
        """Return the siblings of a range by tag, class and number, each with its weight."""
        ends, tag, symbol = self.page.end, self.page.tag, self.measures.symbol
        sums = self._body_weights
        children: dict[_ChildKey, tuple[int, float]] = {}
        numbers: dict[int, int] = {}
        row = start
        while row < stop:
            end = ends.item(row)
            if end > stop:  # it holds the next message as well
                row += 1
                continue
            if tag.item(row) != tags.TEXT:
                name = symbol.item(row)
                number = numbers.get(name, 0)
                children[name, number] = (row, sums.item(end) - sums.item(row))
                numbers[name] = number + 1
            row = end
        return children

    def _choose_child(
        self, ranges: list[tuple[int, int]], children: list[_Children]
    ) -> _ChildKey | None:
        """Return the tag and class of the child that holds the bodies, None if there is none."""
        sums = self._body_weights
        total = sum(float(sums[stop] - sums[start]) for start, stop in ranges)
        filled = sum(sums[stop] > sums[start] for start, stop in ranges)
        weights: dict[_ChildKey, float] = {}
        counts: Counter[_ChildKey] = Counter()
        for child in children:
            for key, (_, weight) in child.items():
                weights[key] = weights.get(key, 0.0) + weight
                counts[key] += weight > 0
        if not weights or total <= 0:
            return None
        key, weight = max(weights.items(), key=lambda item: item[1])
        row = next(child[key][0] for child in children if key in child)
        least = _MIN_LINE_SHARE if _IS_LINE[self.page.tag[row]] else _MIN_BODY_SHARE
        if self.names.match("body", row):
            least = _MIN_NAMED_SHARE
        if weight < least * total or counts[key] < 0.6 * filled:
            return None
        return key

    def _mark_inner(self, start: int, stop: int) -> tuple[Bools, Bools]:
        """Return which rows of a body are quotes and notes on the message."""
        page = self.page
        quote, note = np.zeros((2, max(stop - start, 0)), dtype=np.bool_)
        candidates = self.names.inner_candidates
        low, high = np.searchsorted(candidates, (start, stop))
        for row in candidates[low:high].tolist():
            tag, rows = page.tag[row], slice(row - start, int(page.end[row]) - start)
            if IS_CONTROL[tag]:
                note[rows] = True
                continue
            if tag != BLOCKQUOTE and not self.names.match("inner", row):
                continue
            if tag == BLOCKQUOTE or self.names.match("quote", row):
                quote[rows] = True
            elif self.names.match("note", row):
                note[rows] = True
        return quote, note


def _count_different(values: Int64s) -> int:
    """Return how many different values there are in a sorted column."""
    return 1 + int(np.count_nonzero(values[1:] != values[:-1])) if len(values) else 0

"""The authors of messages: the column of short texts whose markup names users.

A column is the texts that have the same place in their messages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from tamis.page import Page, collapse_spaces
from tamis.records._align import group_equal
from tamis.records.date_marks import DateMarks
from tamis.records.messages import Group
from tamis.records.signatures import HASH_FACTOR, Floats, Int64s

_MAX_AUTHOR_CHARS: Final = 40
_MAX_SHORT_CHARS: Final = 40  # of a short text: an author, or a label such as "Reply"
_AUTHOR_LEVELS: Final = 3  # of elements around a text that say whether it is an author
_NEAR_LEVELS: Final = 2  # of these
_TEXT_SCORE: Final = 0.3  # of a text of which nothing says that it is no author
_MIN_OF_BEST: Final = 0.4  # of the score of the best column of authors, for others
_ROUNDING: Final = 1e-9  # more than differences between sums of the same numbers
SAMPLE: Final = 8  # texts of a column that are looked at
_MIN_FILL: Final = 0.3  # share of the messages that have a column of authors

# Texts are compared with it in lower case: a pattern for any case takes several times as long.
NO_DATE_LABEL: Final = re.compile(
    r"join|regist|member since|since|edit|modif|update|last (?:seen|active|visit|login|online)"
    r"|founded|anmeld|dabei|mitglied|bearbeitet|geändert|enregistr|inscri|modifié|édité|wrote|said"
    r"|schrieb|escribi|birth|iscritto|registrado|editado|регистрация|отредакт|注册|编辑"
)


class _Column(NamedTuple):
    """Texts of messages that have the same place in them."""

    members: Int64s  # as indices of the rows that may name authors
    rows: Int64s  # of those that are looked at
    message: Int64s  # of each of these rows
    fill: float  # share of the messages that have one
    factor: float  # less than 1 where some have several


@dataclass(frozen=True, eq=False)
class ShortTexts:
    """The short texts of messages."""

    group: Group

    @cached_property
    def rows(self) -> tuple[Int64s, Int64s]:
        """The short text rows in messages, and the message of each."""
        page, group, readable = self.group.measures.page, self.group, self.group.measures.readable
        index = np.searchsorted(group.start, readable, side="right") - 1
        is_inside = (index >= 0) & (readable < group.stop[index])
        length = (page.text_stop - page.text_start)[readable]
        is_short = is_inside & (length <= _MAX_SHORT_CHARS) & (length > 0)
        return readable[is_short], index[is_short].astype(np.int64)

    @cached_property
    def _texts(self) -> dict[int, str]:
        """The texts that were read so far, by row; to begin with, the short ones."""
        page, (rows, _) = self.group.measures.page, self.rows
        start, stop = page.text_start[rows].tolist(), page.text_stop[rows].tolist()
        spans = zip(rows.tolist(), start, stop, strict=True)
        return {row: collapse_spaces(page.text[first:last]) for row, first, last in spans}

    def text(self, row: int) -> str:
        """Return the text of a row on one line."""
        text = self._texts.get(row)
        if text is None:
            page = self.group.measures.page
            text = collapse_spaces(page.text[page.text_start[row] : page.text_stop[row]])
            self._texts[row] = text
        return text


@dataclass(frozen=True, eq=False)
class AuthorReader:
    """Finds the authors of the messages of a group."""

    texts: ShortTexts
    marks: DateMarks

    @property
    def group(self) -> Group:
        """The messages."""
        return self.texts.group

    @property
    def page(self) -> Page:
        """The page of the messages."""
        return self.group.measures.page

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
    def score(self) -> float:
        """How much the authors look like authors: 0 not at all, over 1 by their markup."""
        return max(0.0, self._author_columns[0][0]) if self._author_columns else 0.0

    @cached_property
    def _author_rows(self) -> tuple[Int64s, Int64s]:
        """The text rows that may name authors, and the message of each."""
        rows, message = self.texts.rows
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
        symbol, parent = self.group.measures.symbol, self.page.parent
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
                sample = members[:: max(1, len(members) // SAMPLE)]
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
        signs = self.group.measures.names.read_author_signs(elements.tolist())
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
        texts = [self.texts.text(row) for row in rows]
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
        names, parent, score = self.group.measures.names, self.page.parent, _TEXT_SCORE
        if len(text.split()) > 4 or text.endswith(("?", "!", ".")):
            score -= 0.5
        if (
            NO_DATE_LABEL.match(text.lower())
            or text.startswith(("#", "Re:", "RE:"))
            or text.isdigit()
        ):
            score -= 1.5
        for level in range(_AUTHOR_LEVELS):
            row = parent.item(row)
            if row < start:
                break
            signs = names.author_signs(row)
            for value in signs.near if level < _NEAR_LEVELS else signs.far:
                score += value
        return score

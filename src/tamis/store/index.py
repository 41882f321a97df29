"""Query: what a user typed, as words of an index. Nothing that can be typed is an error.

The index of words: SQLite's FTS5, PostgreSQL's tsvector. Both are handed ready-made words.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from sqlalchemy import Connection, text

from tamis.store.database import damaged
from tamis.store.direct import run_sql
from tamis.store.tokenizer import Tokenizer, folded, is_spaceless, runs, split

MAX_QUERY_PARTS: Final = 32  # parts of a query that are looked for, and words of a part
_PARTS: Final = re.compile(r'"([^"]*)"|([^\s"]+)')


@dataclass(frozen=True)
class Part:
    """Something that a page should have: one of several rows of words that follow each other."""

    choices: tuple[tuple[str, ...], ...]
    is_beginning: bool = False  # whether longer words that begin so will do


def query_parts(query: str, words: Tokenizer, languages: Iterable[str | None]) -> list[Part]:
    """Return the parts of a query.

    The language of a query is not known, so each word stands for its stems in all languages that
    the store has. Words in quotes follow each other. A run of a script without spaces is the row
    of its pairs of characters; a single character is the beginning of a pair.
    """
    known = sorted({language or "" for language in languages} | {""})
    found: dict[Part, None] = {}
    for match in _PARTS.finditer(query):
        for piece in pieces_of(match[1] or "", match[2] or ""):
            found.update(dict.fromkeys(parts_of(piece, words, known)))
        if len(found) >= MAX_QUERY_PARTS:
            break
    return list(found)[:MAX_QUERY_PARTS]


def pieces_of(quoted: str, bare: str) -> list[str]:
    """Return what is looked up as one: quoted words, if they are of a script with spaces."""
    text = folded(quoted or bare)
    if quoted and not is_spaceless(text):
        return [text]
    return [part for run in runs(text) for part in split(run)]


def parts_of(piece: str, words: Tokenizer, languages: Sequence[str]) -> list[Part]:
    """Return the parts that a piece of a query stands for."""
    if not is_spaceless(piece):
        rows = dict.fromkeys(
            tuple(words.of(piece, language or None)[:MAX_QUERY_PARTS]) for language in languages
        )
        choices = tuple(row for row in rows if row)
        return [Part(choices)] if choices else []
    if len(piece) == 1:
        return [Part(((piece,),), is_beginning=True)]
    return [Part((tuple(words.of(piece, None)[:-1][:MAX_QUERY_PARTS]),))]


TITLE_WEIGHT: Final = 3.0  # of a word in the title, where one in the text has 1
_MOST_PLACES: Final = 255  # of one word in a tsvector
_LAST_PLACE: Final = 16_383
_MOST_BYTES: Final = 900_000  # of a tsvector, of which there may be a mebibyte

Ranked = list[tuple[int, float]]


@dataclass(frozen=True)
class Among:
    """The contents to choose from: SQL for the pages `v` that say them, and the values in it."""

    sql: str
    values: Mapping[str, Any]

    def has(self, column: str) -> str:
        """Return the condition that a column is the number of one of these contents.

        Asked of each content that has the words, by the index of `v` on contents. SQLite would do
        `IN (SELECT …)` the other way round: it has FTS5 look for the words once for each number.
        """
        return f"EXISTS ({self.sql} AND v.content_id = {column})"


@dataclass(frozen=True)
class Asked:
    """What an index is asked for: contents that have all parts of a query, or some."""

    parts: Sequence[Part]
    limit: int
    every: bool
    among: Among | None = None


class WordIndex(Protocol):
    """Which contents have which words."""

    def add(self, connection: Connection, number: int, title: str, body: str) -> None:
        """Add the words of a content, with spaces between them."""
        ...

    def ranked(self, connection: Connection, asked: Asked) -> Ranked:
        """Return the contents that have all parts, or some, with scores, the best first."""
        ...

    def frequency(self, connection: Connection, part: Part) -> int:
        """Return about how many contents have a part."""
        ...

    def dead(self, connection: Connection) -> int:
        """Return how many contents the index still has that the store has no more."""
        ...

    def clear(self, connection: Connection) -> None:
        """Forget everything."""
        ...

    def size(self, connection: Connection) -> int:
        """Return how many bytes the index takes."""
        ...


class Fts5:
    """The index in an SQLite file. It keeps no text, so single contents cannot be taken out."""

    def add(self, connection: Connection, number: int, title: str, body: str) -> None:
        """Add the words of a content, with spaces between them."""
        run_sql(
            connection,
            "INSERT INTO word_index(rowid, title, body) VALUES (?, ?, ?)",
            (number, title, body),
        )

    def ranked(self, connection: Connection, asked: Asked) -> Ranked:
        """Return the contents that have all parts, or some, ranked by BM25."""
        among = asked.among
        chosen = f"AND {among.has('word_index.rowid')}" if among else ""
        query = (" AND " if asked.every else " OR ").join(map(self.expression, asked.parts))
        found = connection.execute(
            text(
                "SELECT rowid, rank FROM word_index WHERE word_index MATCH :query "
                f"AND rank MATCH 'bm25({TITLE_WEIGHT}, 1.0)' {chosen} ORDER BY rank LIMIT :most"
            ),
            {"query": query, "most": asked.limit, **(among.values if among else {})},
        )
        rows = [(number, score) for number, score in found]
        if not all(isinstance(score, float) and math.isfinite(score) for _, score in rows):
            raise damaged("the index of words")
        return [(number, -score) for number, score in rows]

    def expression(self, part: Part) -> str:
        """Return a part in the words of FTS5, all of them in quotes."""
        star = " *" * part.is_beginning
        rows = [f'"{" ".join(row)}"{star}' for row in part.choices]
        return f"({' OR '.join(rows)})"

    def frequency(self, connection: Connection, part: Part) -> int:
        """Return about how many contents have a part: as many as have its rarest word."""
        if part.is_beginning:
            return 0
        return sum(min(self._count(connection, word) for word in row) for row in part.choices)

    def _count(self, connection: Connection, word: str) -> int:
        """Return how many contents have a word."""
        sql = "SELECT doc FROM word_counts WHERE term = ?"
        found = run_sql(connection, sql, (word,)).fetchone()
        return int(found[0]) if found else 0

    def dead(self, connection: Connection) -> int:
        """Return how many contents the index still has that the store has no more."""
        asked = "SELECT count(*) FROM word_index_docsize WHERE id NOT IN (SELECT id FROM content)"
        return int(connection.execute(text(asked)).scalar_one())

    def clear(self, connection: Connection) -> None:
        """Forget everything."""
        connection.execute(text("INSERT INTO word_index(word_index) VALUES ('delete-all')"))

    def size(self, connection: Connection) -> int:
        """Return how many bytes the index takes."""
        asked = "SELECT coalesce(sum(length(block)), 0) FROM word_index_data"
        return int(connection.execute(text(asked)).scalar_one())


class TsVector:
    """The index in a PostgreSQL database."""

    def add(self, connection: Connection, number: int, title: str, body: str) -> None:
        """Add the words of a content, with spaces between them."""
        run_sql(
            connection,
            "INSERT INTO word_index VALUES (?, CAST(? AS tsvector))",
            (number, tsvector(title.split(), body.split())),
        )

    def ranked(self, connection: Connection, asked: Asked) -> Ranked:
        """Return the contents that have all parts, or some, with a score that is like BM25.

        ts_rank saturates with the number of times that a word is there, and is divided by the
        logarithm of the length; what it does not know is how rare the word is, so that is added.
        """
        parts, among = asked.parts, asked.among
        queries = [self.expression(part) for part in parts]
        known = int(
            connection.execute(text("SELECT coalesce(max(id), 0) FROM content")).scalar_one()
        )
        weights = f"'{{0.1, 0.1, 0.1, {TITLE_WEIGHT / 10}}}'"
        names = [f"part{number}" for number in range(len(parts))]
        score = " + ".join(
            f"{rarity(self.frequency(connection, part), known)!r} "
            f"* ts_rank({weights}, words, CAST(:{name} AS tsquery), 1)"
            for part, name in zip(parts, names, strict=True)
        )
        chosen = f"AND {among.has('word_index.content_id')}" if among else ""
        found = connection.execute(
            text(
                f"SELECT content_id, {score} AS score FROM word_index "
                f"WHERE words @@ CAST(:query AS tsquery) {chosen} "
                "ORDER BY score DESC, content_id LIMIT :most"
            ),
            {
                "query": (" & " if asked.every else " | ").join(queries),
                "most": asked.limit,
                **dict(zip(names, queries, strict=True)),
                **(among.values if among else {}),
            },
        )
        return [(number, float(score)) for number, score in found]

    def expression(self, part: Part) -> str:
        """Return a part in the words of tsquery, all of them in quotes."""
        star = ":*" * part.is_beginning
        rows = (
            "(" + " <-> ".join(f"{quoted(word)}{star}" for word in row) + ")"
            for row in part.choices
        )
        return f"({' | '.join(rows)})"

    def frequency(self, connection: Connection, part: Part) -> int:
        """Return how many contents have a part."""
        asked = text("SELECT count(*) FROM word_index WHERE words @@ CAST(:query AS tsquery)")
        return int(connection.execute(asked, {"query": self.expression(part)}).scalar_one())

    def dead(self, connection: Connection) -> int:
        """Return 0: the database takes them out itself."""
        return 0

    def clear(self, connection: Connection) -> None:
        """Forget everything."""
        connection.execute(text("DELETE FROM word_index"))

    def size(self, connection: Connection) -> int:
        """Return how many bytes the index takes."""
        asked = text("SELECT pg_total_relation_size('word_index')")
        return int(connection.execute(asked).scalar_one())


def rarity(count: int, known: int) -> float:
    """Return the weight of a word that so many contents of all that are known have (BM25)."""
    return math.log(1 + (max(known - count, 0) + 0.5) / (count + 0.5))


def tsvector(title: Iterable[str], body: Iterable[str]) -> str:
    """Return words with their places in the words of PostgreSQL; those of the title weigh more."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    last = 0
    for mark, words in (("A", title), ("", body)):
        for word in words:
            last += 1
            where = places[word]  # a word that has no place any more is in the index all the same
            if last <= _LAST_PLACE and len(where) < _MOST_PLACES:
                where.append(f"{last}{mark}")
        last += 1  # no row of words goes on from the title to the text
    made: list[str] = []
    size = 0
    for word, where in places.items():
        made.append(f"{quoted(word)}:{','.join(where)}" if where else quoted(word))
        size += len(word.encode()) + 4 * len(where)
        if size > _MOST_BYTES:
            break
    return " ".join(made)


def quoted(word: str) -> str:
    """Return a word as PostgreSQL wants words of any characters."""
    escaped = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"

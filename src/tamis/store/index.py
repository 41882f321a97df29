"""The index of words, and queries on it: FTS5 in SQLite, tsvector in PostgreSQL.

Both are given tokens that the tokenizer made. Whatever a user types is a query, never an error.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from tamis.store.columns import NUMBER, damaged
from tamis.store.database import Connection, Query
from tamis.store.tokenizer import Tokenizer, find_runs, fold, is_spaceless, split_scripts

_TITLE_WEIGHT: Final = 3.0  # of a word in the title; one in the text has 1
_MAX_QUERY_PARTS: Final = 32  # parts of a query, and words of a part
_MAX_WORD_POSITIONS: Final = 255  # of one word in a tsvector
_LAST_POSITION: Final = 16_383
_MAX_VECTOR_BYTES: Final = 900_000  # of a tsvector; the limit of PostgreSQL is a mebibyte
_PARTS: Final = re.compile(r'"([^"]*)"|([^\s"]+)')

RankedContents = list[tuple[int, float]]  # contents and their scores, the best first


# Queries ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QueryPart:
    """Something that a page should have: one of several phrases of tokens."""

    phrases: tuple[tuple[str, ...], ...]
    is_prefix: bool = False  # whether longer tokens that start so match too


def parse_query(
    query: str, tokenizer: Tokenizer, languages: Iterable[str | None]
) -> list[QueryPart]:
    """Return the parts of a query.

    The language of a query is not known, so each word stands for its stems in all languages that
    the store has. Words in quotes are a phrase. A run of a script without spaces is the phrase of
    its pairs of characters; a single character is the prefix of a pair.
    """
    names = sorted({language or "" for language in languages} | {""})
    parts: dict[QueryPart, None] = {}
    for match in _PARTS.finditer(query):
        for text in _split_query(match[1] or "", match[2] or ""):
            parts.update(dict.fromkeys(_build_parts(text, tokenizer, names)))
        if len(parts) >= _MAX_QUERY_PARTS:
            break
    return list(parts)[:_MAX_QUERY_PARTS]


def _split_query(quoted: str, bare: str) -> list[str]:
    """Return the texts that become one part each: quoted words, if their script has spaces."""
    text = fold(quoted or bare)
    if quoted and not is_spaceless(text):
        return [text]
    return [part for run in find_runs(text) for part in split_scripts(run)]


def _build_parts(text: str, tokenizer: Tokenizer, languages: Sequence[str]) -> list[QueryPart]:
    """Return the parts that a text stands for."""
    if not is_spaceless(text):
        phrases = dict.fromkeys(
            tuple(tokenizer.tokens(text, language or None)[:_MAX_QUERY_PARTS])
            for language in languages
        )
        matching = tuple(phrase for phrase in phrases if phrase)
        return [QueryPart(matching)] if matching else []
    if len(text) == 1:
        return [QueryPart(((text,),), is_prefix=True)]
    return [QueryPart((tuple(tokenizer.tokens(text, None)[:-1][:_MAX_QUERY_PARTS]),))]


@dataclass(frozen=True)
class ContentFilter:
    """The contents to choose from: SQL for the versions `v` that have them, and its values."""

    sql: str
    values: tuple[Any, ...]

    def matches(self, column: str) -> str:
        """Return the condition that a column is the id of one of these contents.

        It is evaluated for each content that has the words, by the index of versions on contents.
        SQLite would do `IN (SELECT …)` the other way round: FTS5 would look for the words once for
        each id.
        """
        return f"EXISTS ({self.sql} AND v.content_id = {column})"


@dataclass(frozen=True)
class IndexQuery:
    """What an index is searched for: contents that have all parts of a query, or any."""

    parts: Sequence[QueryPart]
    limit: int
    match_all: bool
    filter: ContentFilter | None = None


# Indexes ----------------------------------------------------------------------------------------


class WordIndex(Protocol):
    """Which contents have which words."""

    def add(self, connection: Connection, content_id: int, title: str, body: str) -> None:
        """Add the tokens of a content, with spaces between them."""
        ...

    def rank(self, connection: Connection, query: IndexQuery) -> RankedContents:
        """Return the contents that match, with scores, the best first."""
        ...

    def count_matches(self, connection: Connection, part: QueryPart) -> int:
        """Return about how many contents have a part."""
        ...

    def count_dead(self, connection: Connection) -> int:
        """Return how many contents the index has that were deleted from the store."""
        ...

    def clear(self, connection: Connection) -> None:
        """Delete everything."""
        ...

    def size(self, connection: Connection) -> int:
        """Return how many bytes the index takes."""
        ...


class Fts5Index:
    """The index in an SQLite file. It keeps no text, so single contents cannot be deleted."""

    _INSERT: Final = Query("INSERT INTO word_index(rowid, title, body) VALUES (?, ?, ?)")
    _COUNT: Final = Query("SELECT doc FROM word_counts WHERE term = ?", (NUMBER,))
    _DEAD: Final = Query(
        "SELECT count(*) FROM word_index_docsize WHERE id NOT IN (SELECT id FROM content)",
        (NUMBER,),
    )
    _CLEAR: Final = Query("INSERT INTO word_index(word_index) VALUES ('delete-all')")
    _SIZE: Final = Query("SELECT coalesce(sum(length(block)), 0) FROM word_index_data", (NUMBER,))

    def add(self, connection: Connection, content_id: int, title: str, body: str) -> None:
        """Add the tokens of a content, with spaces between them."""
        connection.run(self._INSERT, content_id, title, body)

    def rank(self, connection: Connection, query: IndexQuery) -> RankedContents:
        """Return the contents that match, ranked by BM25."""
        condition = f"AND {query.filter.matches('word_index.rowid')}" if query.filter else ""
        expression = (" AND " if query.match_all else " OR ").join(
            map(self._expression, query.parts)
        )
        sql = (
            "SELECT rowid, rank FROM word_index WHERE word_index MATCH ? "
            f"AND rank MATCH 'bm25({_TITLE_WEIGHT}, 1.0)' {condition} ORDER BY rank LIMIT ?"
        )
        filter_values = query.filter.values if query.filter else ()
        rows = connection.rows(
            Query(sql, (NUMBER, _check_rank)), expression, *filter_values, query.limit
        )
        return [(content_id, -rank) for content_id, rank in rows]

    def _expression(self, part: QueryPart) -> str:
        """Return a part as FTS5 writes it, with all tokens in quotes."""
        star = " *" * part.is_prefix
        phrases = [f'"{" ".join(phrase)}"{star}' for phrase in part.phrases]
        return f"({' OR '.join(phrases)})"

    def count_matches(self, connection: Connection, part: QueryPart) -> int:
        """Return about how many contents have a part: as many as have its rarest token."""
        if part.is_prefix:
            return 0
        return sum(
            min(connection.value(self._COUNT, token) or 0 for token in phrase)
            for phrase in part.phrases
        )

    def count_dead(self, connection: Connection) -> int:
        """Return how many contents the index has that were deleted from the store."""
        return int(connection.value(self._DEAD))

    def clear(self, connection: Connection) -> None:
        """Delete everything."""
        connection.run(self._CLEAR)

    def size(self, connection: Connection) -> int:
        """Return how many bytes the index takes."""
        return int(connection.value(self._SIZE))


def _check_rank(rank: Any) -> None:
    if not (isinstance(rank, float) and math.isfinite(rank)):
        raise damaged("the index of words")


class TsVectorIndex:
    """The index in a PostgreSQL database."""

    _INSERT: Final = Query(
        "INSERT INTO word_index (content_id, words) VALUES (?, CAST(? AS tsvector))"
    )
    _COUNT: Final = Query(
        "SELECT count(*) FROM word_index WHERE words @@ CAST(? AS tsquery)", (NUMBER,)
    )
    _LAST_CONTENT: Final = Query("SELECT coalesce(max(id), 0) FROM content", (NUMBER,))
    _CLEAR: Final = Query("DELETE FROM word_index")
    _SIZE: Final = Query("SELECT pg_total_relation_size('word_index')", (NUMBER,))

    def add(self, connection: Connection, content_id: int, title: str, body: str) -> None:
        """Add the tokens of a content, with spaces between them."""
        connection.run(self._INSERT, content_id, _format_tsvector(title.split(), body.split()))

    def rank(self, connection: Connection, query: IndexQuery) -> RankedContents:
        """Return the contents that match, with a score that is like BM25.

        ts_rank saturates with the number of times that a word occurs, and is divided by the
        logarithm of the length. It does not take into account how rare a word is, so each part is
        multiplied by that.
        """
        contents = connection.value(self._LAST_CONTENT)
        weights = f"'{{0.1, 0.1, 0.1, {_TITLE_WEIGHT / 10}}}'"
        score = " + ".join(
            f"{_rarity(self.count_matches(connection, part), contents)!r} "
            f"* ts_rank({weights}, words, CAST(? AS tsquery), 1)"
            for part in query.parts
        )
        condition = f"AND {query.filter.matches('word_index.content_id')}" if query.filter else ""
        sql = (
            f"SELECT content_id, {score} AS score FROM word_index "
            f"WHERE words @@ CAST(? AS tsquery) {condition} "
            "ORDER BY score DESC, content_id LIMIT ?"
        )
        expressions = [self._expression(part) for part in query.parts]
        rows = connection.rows(
            Query(sql, (NUMBER, _check_rank)),
            *expressions,
            (" & " if query.match_all else " | ").join(expressions),
            *(query.filter.values if query.filter else ()),
            query.limit,
        )
        return [(content_id, float(score)) for content_id, score in rows]

    def _expression(self, part: QueryPart) -> str:
        """Return a part as tsquery writes it, with all tokens in quotes."""
        star = ":*" * part.is_prefix
        phrases = (
            "(" + " <-> ".join(f"{_quote_token(token)}{star}" for token in phrase) + ")"
            for phrase in part.phrases
        )
        return f"({' | '.join(phrases)})"

    def count_matches(self, connection: Connection, part: QueryPart) -> int:
        """Return how many contents have a part."""
        return int(connection.value(self._COUNT, self._expression(part)))

    def count_dead(self, connection: Connection) -> int:
        """Return 0: the database deletes them itself."""
        return 0

    def clear(self, connection: Connection) -> None:
        """Delete everything."""
        connection.run(self._CLEAR)

    def size(self, connection: Connection) -> int:
        """Return how many bytes the index takes."""
        return int(connection.value(self._SIZE))


def _rarity(matches: int, contents: int) -> float:
    """Return the weight of a part that so many of all contents have (BM25)."""
    return math.log(1 + (max(contents - matches, 0) + 0.5) / (matches + 0.5))


def _format_tsvector(title: Iterable[str], body: Iterable[str]) -> str:
    """Return tokens with their positions as PostgreSQL writes them; the title has weight A."""
    positions: defaultdict[str, list[str]] = defaultdict(list)
    last = 0
    for weight, tokens in (("A", title), ("", body)):
        for token in tokens:
            last += 1
            of_token = positions[token]  # a token is indexed even if it gets no position
            if last <= _LAST_POSITION and len(of_token) < _MAX_WORD_POSITIONS:
                of_token.append(f"{last}{weight}")
        last += 1  # no phrase goes on from the title to the text
    lexemes: list[str] = []
    size = 0
    for token, of_token in positions.items():
        quoted = _quote_token(token)
        lexemes.append(f"{quoted}:{','.join(of_token)}" if of_token else quoted)
        size += len(token.encode()) + 4 * len(of_token)
        if size > _MAX_VECTOR_BYTES:
            break
    return " ".join(lexemes)


def _quote_token(token: str) -> str:
    """Return a token of any characters as PostgreSQL writes it."""
    escaped = token.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"

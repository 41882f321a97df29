"""Search: the pages whose informative blocks have the words of a query, each with a snippet."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from itertools import accumulate
from operator import eq, ge, le
from types import NoneType
from typing import Any, Final, Literal, NamedTuple

from tamis.errors import check_argument
from tamis.store.columns import (
    DIGEST_OR_NULL,
    MINHASH_OR_NULL,
    NUMBER,
    NUMBER_OR_NULL,
    PAGE_DAY_SQL,
    TEXT_OR_NULL,
    damaged,
    decode_day,
    decode_time,
    encode_day,
    page_day,
)
from tamis.store.database import Connection, Query
from tamis.store.index import (
    ContentFilter,
    IndexQuery,
    QueryPart,
    RankedContents,
    WordIndex,
    parse_query,
)
from tamis.store.minhash import MIN_SIMILARITY, similarity
from tamis.store.packs import PackCache, decode_pieces
from tamis.store.page import Piece
from tamis.store.prepare import site_name
from tamis.store.read import VersionRow, select_content_versions, select_listed
from tamis.store.tokenizer import (
    Tokenizer,
    find_run_spans,
    fold,
    is_spaceless,
    remove_accents,
    split_scripts,
)

_SNIPPET_CHARS: Final = 240
_MAX_SNIPPET_PIECES: Final = 400  # of a page, from which the snippet is chosen
_CONTENTS_PER_HIT: Final = 5  # that are ranked for each hit, because some are copies
_MIN_CONTENTS: Final = 50  # that are ranked in any case
_MAX_CONTENTS: Final = 50_000  # that are ever ranked
_WIDEN_FACTOR: Final = 4  # times as many contents, if they were not enough
_MAX_COMMON_SHARE: Final = 0.2  # of contents with a word; above it the word is no help
_MIN_COMMON: Final = 1_000  # contents with a word that are not too many, whatever their share
_OPERATORS: Final = {"=": eq, ">=": ge, "<=": le}

_NEXT_LANGUAGE: Final = Query(
    "SELECT min(language) FROM content WHERE language > ?", (TEXT_OR_NULL,)
)
_LAST_CONTENT: Final = Query("SELECT max(id) FROM content", (NUMBER_OR_NULL,))
_CONTENTS: Final = Query(
    "SELECT id, said, sketch FROM content WHERE id IN ({ids})",
    (NUMBER, DIGEST_OR_NULL, MINHASH_OR_NULL),
)

Marks = tuple[str, str]  # what stands before and after a word in a snippet


@dataclass(frozen=True)
class Hit:
    """A page that a search found, and the URLs of its copies."""

    url: str
    title: str | None
    site: str
    fetched_at: datetime
    published: date | None
    page_type: str | None
    language: str | None
    score: float
    snippet: str
    copies: tuple[str, ...]  # URLs of pages with the same text, or nearly the same


# Filters ----------------------------------------------------------------------------------------


class _Condition(NamedTuple):
    """How a page compares with a value, for the database and for a row of it."""

    column: str
    operator: Literal["=", ">=", "<="]
    value: Any
    row_value: Callable[[VersionRow], Any]


@dataclass(frozen=True)
class Filter:
    """Which pages a search is for; days are stated ones, or those that pages were fetched on."""

    site: str | None = None
    since: date | str | None = None
    until: date | str | None = None
    page_type: str | None = None

    def __post_init__(self) -> None:
        for name in ("site", "page_type"):
            check_argument(name, getattr(self, name), (str, NoneType), "its name, or None for all")

    @cached_property
    def _conditions(self) -> tuple[_Condition, ...]:
        """What a page must fulfil."""
        site = self.site and _encodable(site_name(self.site))
        page_type = self.page_type and _encodable(self.page_type)
        conditions = (
            _Condition("s.host", "=", site, lambda row: row.host),
            _Condition(PAGE_DAY_SQL, ">=", encode_day(self.since), _row_day),
            _Condition(PAGE_DAY_SQL, "<=", encode_day(self.until), _row_day),
            _Condition("v.page_type", "=", page_type, lambda row: row.page_type),
        )
        return tuple(condition for condition in conditions if condition.value is not None)

    @property
    def contents(self) -> ContentFilter:
        """The contents of the pages that pass."""
        sql = (
            "SELECT 1 FROM version v JOIN page p ON p.id = v.page_id "
            "JOIN site s ON s.id = p.site_id WHERE v.current = 1"
        )
        for condition in self._conditions:
            sql += f" AND {condition.column} {condition.operator} ?"
        return ContentFilter(sql, tuple(condition.value for condition in self._conditions))

    def passes(self, row: VersionRow) -> bool:
        """Say whether a page passes."""
        return all(
            _OPERATORS[condition.operator](condition.row_value(row), condition.value)
            for condition in self._conditions
        )


def _encodable(name: str) -> str:
    """Return a name without characters that a database refuses; such a name matches no page."""
    return name.encode("utf-8", "replace").decode().replace("\0", "?")


def _row_day(row: VersionRow) -> int:
    return page_day(row.published, row.fetched_at)


# Search -----------------------------------------------------------------------------------------


class _ContentRow(NamedTuple):
    """What tells whether two contents are copies."""

    id: int
    text_digest: bytes | None
    minhash: bytes | None


@dataclass(frozen=True)
class Search:
    """A search: the parts of a store that it needs, and which pages it is for."""

    connection: Connection
    index: WordIndex
    tokenizer: Tokenizer
    packs: PackCache
    filter: Filter

    def find_hits(self, query: str, limit: int, marks: Marks) -> list[Hit]:
        """Return the pages that have all words of a query or, if there are none, any of them."""
        parts = parse_query(query, self.tokenizer, self._languages())
        if not parts or limit < 1:
            return []
        best = self._find_best(parts, limit, match_all=True)
        if not best and len(parts) > 1:
            best = self._find_best(self._drop_common(parts), limit, match_all=False)
        return [self._build_hit(rows, score, parts, marks) for rows, score in best]

    def _languages(self) -> Iterator[str]:
        """Yield the languages of all contents, each by one look into an index."""
        last = ""
        while last := self.connection.value(_NEXT_LANGUAGE, last) or "":
            yield last

    def _drop_common(self, parts: Sequence[QueryPart]) -> Sequence[QueryPart]:
        """Return the parts that not too many contents have, or all if there are none."""
        contents = self.connection.value(_LAST_CONTENT) or 0
        max_matches = max(_MAX_COMMON_SHARE * contents, _MIN_COMMON)
        rare = [
            part for part in parts if self.index.count_matches(self.connection, part) < max_matches
        ]
        return rare or parts

    def _find_best(
        self, parts: Sequence[QueryPart], limit: int, *, match_all: bool
    ) -> list[tuple[list[VersionRow], float]]:
        """Return the best pages with their copies, ranking as many contents as that takes.

        The index also has contents of older versions. They are few, so the index is searched
        without a look at the versions first, and with one only if that was not enough.
        """
        contents = self.filter.contents
        index_filter = contents if contents.values else None
        count = min(max(limit * _CONTENTS_PER_HIT, _MIN_CONTENTS), _MAX_CONTENTS)
        while True:
            query = IndexQuery(parts, count, match_all, index_filter)
            ranked = self.index.rank(self.connection, query)
            best = self._merge_copies(self._find_pages(ranked), limit)
            is_last = index_filter is not None and count == _MAX_CONTENTS
            if len(best) >= limit or len(ranked) < count or is_last:
                return best
            count, index_filter = min(count * _WIDEN_FACTOR, _MAX_CONTENTS), contents

    def _find_pages(self, ranked: RankedContents) -> list[tuple[list[VersionRow], float, int]]:
        """Return the current pages of contents, in the order of these."""
        rows_by_content: defaultdict[int | None, list[VersionRow]] = defaultdict(list)
        content_ids = [content_id for content_id, _ in ranked]
        for row in select_content_versions(self.connection, content_ids):
            rows_by_content[row.content_id].append(row)
        return [
            (
                sorted(rows_by_content[content_id], key=lambda row: not self.filter.passes(row)),
                score,
                content_id,
            )
            for content_id, score in ranked
            if rows_by_content[content_id]
        ]

    def _merge_copies(
        self, pages: Sequence[tuple[list[VersionRow], float, int]], limit: int
    ) -> list[tuple[list[VersionRow], float]]:
        """Return pages of which those with nearly the same text are together, the best first."""
        content_ids = [content_id for _, _, content_id in pages]
        contents = {
            row[0]: _ContentRow(*row)
            for row in select_listed(self.connection, _CONTENTS, content_ids)
        }
        merged: list[tuple[list[VersionRow], float, _ContentRow]] = []
        for rows, score, content_id in pages:
            content = contents.get(content_id)
            if content is None:
                raise damaged(f"content {content_id}")
            for copies, _, other in merged:
                if _is_copy(content, other):
                    copies += rows
                    break
            else:
                if len(merged) < limit:
                    merged.append((list(rows), score, content))
        return [(rows, score) for rows, score, _ in merged]

    def _build_hit(
        self, rows: list[VersionRow], score: float, parts: Sequence[QueryPart], marks: Marks
    ) -> Hit:
        """Return the hit for the first of some pages with the same text."""
        row = rows[0]
        numbers = [number for number, informative in decode_pieces(row.pieces) if informative]
        pieces = self.packs.load_pieces(self.connection, numbers)
        best = _find_best_piece([pieces[number] for number in numbers], parts)
        text = Piece(0, True, best).text
        snippet = _build_snippet(text, parts, self.tokenizer, row.language, marks)
        if marks[0] not in snippet and row.title:  # the words are only in the title
            snippet = _build_snippet(row.title, parts, self.tokenizer, row.language, marks)
        return Hit(
            url=row.url,
            title=row.title,
            site=row.host,
            fetched_at=decode_time(row.fetched_at),
            published=decode_day(row.published),
            page_type=row.page_type,
            language=row.language,
            score=score,
            snippet=snippet,
            copies=tuple(copy.url for copy in rows[1:]),
        )


def _is_copy(first: _ContentRow, second: _ContentRow) -> bool:
    """Say whether two contents are the same, or nearly the same."""
    if first.text_digest == second.text_digest:
        return True
    if not (first.minhash and second.minhash):
        return False
    return similarity(first.minhash, second.minhash) >= MIN_SIMILARITY


# Snippets ---------------------------------------------------------------------------------------


def _find_best_piece(pieces: Sequence[bytes], parts: Sequence[QueryPart]) -> bytes:
    """Return the piece that has most parts of a query, as far as a quick look shows.

    Tokens have no accents and no capitals. Most texts have each token without accents somewhere,
    so accents are only removed if nothing matches otherwise.
    """
    if not pieces:
        return b""
    joined = b"\0".join(pieces[:_MAX_SNIPPET_PIECES])
    counts = _count_parts(joined.lower(), parts) or _count_parts(_remove_accents(joined), parts)
    best = max(
        counts,
        key=lambda index: (counts[index], min(len(pieces[index]), _SNIPPET_CHARS), -index),
        default=0,
    )
    return pieces[best]


def _count_parts(joined: bytes, parts: Sequence[QueryPart]) -> Counter[int]:
    """Return how many parts of a query each piece has that has any."""
    ends = list(accumulate(len(piece) + 1 for piece in joined.split(b"\0")))
    counts: Counter[int] = Counter()
    for part in parts:
        matching: set[int] = set()
        for token in {token.encode() for phrase in part.phrases for token in phrase}:
            offset = joined.find(token)
            while offset >= 0:
                index = bisect_right(ends, offset)
                matching.add(index)
                offset = joined.find(token, ends[index])  # in a piece after this one
        counts.update(matching)
    return counts


def _remove_accents(html: bytes) -> bytes:
    """Return HTML in the form of tokens, except that words are not stemmed."""
    return remove_accents(fold(html.decode("utf-8", "replace"))).encode("utf-8", "replace")


def _build_snippet(
    text: str,
    parts: Sequence[QueryPart],
    tokenizer: Tokenizer,
    language: str | None,
    marks: Marks,
) -> str:
    """Return the part of a text with most words of a query, and these marked."""
    wanted = {token for part in parts for phrase in part.phrases for token in phrase}
    spans = list(_merge_spans(_find_tokens(text, wanted, tokenizer, language)))
    start, stop = _choose_window(text, spans)
    fragments: list[str] = ["…" * (start > 0)]
    last = start
    for low, high in spans:
        if low >= start and high <= stop:
            fragments += [text[last:low], marks[0], text[low:high], marks[1]]
            last = high
    return "".join((*fragments, text[last:stop], "…" * (stop < len(text))))


def _find_tokens(
    text: str, wanted: set[str], tokenizer: Tokenizer, language: str | None
) -> Iterator[tuple[int, int]]:
    """Yield the spans of wanted tokens in a text, in order."""
    for start, stop in find_run_spans(text):
        run = text[start:stop]
        if not is_spaceless(run):
            if tokenizer.token(run, language) in wanted:
                yield start, stop
            continue
        for part in split_scripts(run):
            if not is_spaceless(part):
                if tokenizer.token(part, language) in wanted:
                    yield start, start + len(part)
            else:
                for offset in range(len(part)):
                    for size in (1, 2):
                        chars = part[offset : offset + size]
                        if len(chars) == size and fold(chars) in wanted:
                            yield start + offset, start + offset + size
            start += len(part)


def _merge_spans(spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield spans of which those that overlap are joined."""
    low, high = -1, -1
    for start, stop in spans:
        if start < high:
            high = max(high, stop)
            continue
        if high >= 0:
            yield low, high
        low, high = start, stop
    if high >= 0:
        yield low, high


def _choose_window(text: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the part of a text, of the length of a snippet, that has most of the spans."""
    if len(text) <= _SNIPPET_CHARS:
        return 0, len(text)
    best, max_inside = 0, 0
    for index, (low, _) in enumerate(spans):
        near = spans[index : index + _SNIPPET_CHARS]
        inside = sum(1 for _, high in near if high - low <= _SNIPPET_CHARS)
        if inside > max_inside:
            best, max_inside = low, inside
    start = min(max(0, best - _SNIPPET_CHARS // 6), len(text) - _SNIPPET_CHARS)
    space = text.find(" ", start, start + _SNIPPET_CHARS // 6)
    start = space + 1 if start > 0 and 0 <= space < best else start
    stop = min(len(text), start + _SNIPPET_CHARS)
    last_space = text.rfind(" ", start + _SNIPPET_CHARS // 2, stop)
    return start, last_space if stop < len(text) and last_space > 0 else stop

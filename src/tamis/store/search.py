"""Snippets: the part of a page that answers a query, with the words marked.

Search: the pages whose informative blocks have the words of a query.
"""

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

from sqlalchemy import Connection, Row, bindparam, func, select

from tamis.errors import check_argument
from tamis.store import direct
from tamis.store.database import damaged
from tamis.store.index import Among, Asked, Part, Ranked, WordIndex, query_parts
from tamis.store.minhash import LEAST, similarity
from tamis.store.packs import PackCache, decode_pieces
from tamis.store.page import Piece
from tamis.store.prepare import host_name
from tamis.store.read import rows_of_contents, rows_with
from tamis.store.tables import CONTENT
from tamis.store.times import DAY, EPOCH_DAY, day_number, day_of, moment_of
from tamis.store.tokenizer import Tokenizer, folded, is_spaceless, run_spans, split, unaccented

LENGTH: Final = 240  # characters of a snippet
MOST_PIECES: Final = 400  # that are looked at
Marks = tuple[str, str]


def best_piece(pieces: Sequence[bytes], parts: Sequence[Part]) -> bytes:
    """Return the piece that has most of a query's parts, as far as a quick look tells.

    Words of an index have no accents and no capitals. Most texts have each word without these
    somewhere, so accents are only looked through if nothing is found otherwise.
    """
    if not pieces:
        return b""
    joined = b"\0".join(pieces[:MOST_PIECES])
    counts = counts_of(joined.lower(), parts) or counts_of(plain(joined), parts)
    best = max(counts, key=lambda at: (counts[at], min(len(pieces[at]), LENGTH), -at), default=0)
    return pieces[best]


def counts_of(joined: bytes, parts: Sequence[Part]) -> Counter[int]:
    """Return how many parts of a query each piece has that has any."""
    ends = list(accumulate(len(piece) + 1 for piece in joined.split(b"\0")))
    counts: Counter[int] = Counter()
    for part in parts:
        having: set[int] = set()
        for needle in {word.encode() for row in part.choices for word in row}:
            at = joined.find(needle)
            while at >= 0:
                place = bisect_right(ends, at)
                having.add(place)
                at = joined.find(needle, ends[place])  # in a piece after this one
        counts.update(having)
    return counts


def plain(html: bytes) -> bytes:
    """Return HTML in the form that words of an index have, but for their endings."""
    return unaccented(folded(html.decode("utf-8", "replace"))).encode("utf-8", "replace")


def snippet(
    text: str, parts: Sequence[Part], words: Tokenizer, language: str | None, marks: Marks
) -> str:
    """Return the densest part of a text with the words of a query marked."""
    wanted = {word for part in parts for row in part.choices for word in row}
    spans = list(merged(hits(text, wanted, words, language)))
    start, stop = window(text, spans)
    out: list[str] = ["…" * (start > 0)]
    last = start
    for low, high in spans:
        if low >= start and high <= stop:
            out += [text[last:low], marks[0], text[low:high], marks[1]]
            last = high
    return "".join((*out, text[last:stop], "…" * (stop < len(text))))


def hits(
    text: str, wanted: set[str], words: Tokenizer, language: str | None
) -> Iterator[tuple[int, int]]:
    """Yield where a text has wanted words, in order."""
    for start, stop in run_spans(text):
        run = text[start:stop]
        if not is_spaceless(run):
            if words.one(run, language) in wanted:
                yield start, stop
            continue
        for part in split(run):
            if not is_spaceless(part):
                if words.one(part, language) in wanted:
                    yield start, start + len(part)
            else:
                for at in range(len(part)):
                    for size in (1, 2):
                        if len(found := part[at : at + size]) == size and folded(found) in wanted:
                            yield start + at, start + at + size
            start += len(part)


def merged(spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield spans of which those that overlap are one."""
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


def window(text: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return the part of a text, of the length of a snippet, that has most of the spans."""
    if len(text) <= LENGTH:
        return 0, len(text)
    best, most = 0, 0
    for place, (low, _) in enumerate(spans):
        inside = sum(1 for _, high in spans[place : place + LENGTH] if high - low <= LENGTH)
        if inside > most:
            best, most = low, inside
    start = min(max(0, best - LENGTH // 6), len(text) - LENGTH)
    space = text.find(" ", start, start + LENGTH // 6)
    start = space + 1 if start > 0 and 0 <= space < best else start
    stop = min(len(text), start + LENGTH)
    cut = text.rfind(" ", start + LENGTH // 2, stop)
    return start, cut if stop < len(text) and cut > 0 else stop


WINDOW: Final = 5  # contents that are looked at for each one wanted, as some are copies
FIRST: Final = 50  # contents that are looked at in any case
WIDER: Final = 4  # times as many, if that was not enough
MOST: Final = 50_000  # contents that are ever looked at
COMMON: Final = 0.2  # share of contents that have a word that is no help if there are others
FEW: Final = 1_000  # contents that are no burden, whatever their share

SIGNS: Final = {"=": eq, ">=": ge, "<=": le}

_NEXT_LANGUAGE: Final = select(func.min(CONTENT.c.language)).where(
    CONTENT.c.language > bindparam("last")
)
_LAST: Final = select(func.max(CONTENT.c.id))
_SAID: Final = select(CONTENT.c.id, CONTENT.c.said, CONTENT.c.sketch).where(
    CONTENT.c.id.in_(bindparam("contents", expanding=True))
)


@dataclass(frozen=True)
class Hit:
    """A page that a search found, and where else the same was found."""

    url: str
    title: str | None
    site: str
    fetched_at: datetime
    published: date | None
    page_type: str | None
    language: str | None
    score: float
    snippet: str
    copies: tuple[str, ...]  # addresses of pages that say the same, or nearly the same


class Condition(NamedTuple):
    """How a page compares with a value, for the database and for a row that it gave."""

    name: str
    column: str
    sign: Literal["=", ">=", "<="]
    value: Any
    of_row: Callable[[Row[Any]], Any]


@dataclass(frozen=True)
class Filter:
    """Which pages a search is for; a day is what the page states, else when it was fetched."""

    site: str | None = None
    since: date | str | None = None
    until: date | str | None = None
    page_type: str | None = None

    def __post_init__(self) -> None:
        for name in ("site", "page_type"):
            check_argument(name, getattr(self, name), (str, NoneType), "its name, or None for all")

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """What a page must fulfil."""
        site = self.site and sayable(host_name(self.site))
        page_type = self.page_type and sayable(self.page_type)
        # Counted from the year 1, as databases cut what is below 0 the other way round.
        day = f"coalesce(v.published, (v.fetched_at + {DAY * EPOCH_DAY}) / {DAY})"
        every = (
            Condition("site", "s.host", "=", site, lambda row: row.host),
            Condition("since", day, ">=", day_number(self.since), day_of_row),
            Condition("until", day, "<=", day_number(self.until), day_of_row),
            Condition("page_type", "v.page_type", "=", page_type, lambda row: row.page_type),
        )
        return tuple(condition for condition in every if condition.value is not None)

    @property
    def among(self) -> Among:
        """The contents of the pages that fit."""
        sql = (
            "SELECT 1 FROM version v JOIN page p ON p.id = v.page_id "
            "JOIN site s ON s.id = p.site_id WHERE v.current = 1"
        )
        asked = [f" AND {one.column} {one.sign} :{one.name}" for one in self.conditions]
        return Among("".join((sql, *asked)), {one.name: one.value for one in self.conditions})

    def fits(self, row: Row[Any]) -> bool:
        """Say whether a page fits."""
        return all(SIGNS[one.sign](one.of_row(row), one.value) for one in self.conditions)


def sayable(name: str) -> str:
    """Return a name that any database takes; one that it would not take is nobody's."""
    return name.encode("utf-8", "replace").decode().replace("\0", "?")


def day_of_row(row: Row[Any]) -> int:
    """Return the day of a page, as `Filter` has it."""
    return int(row.published or row.fetched_at // DAY + EPOCH_DAY)


def is_copy(one: Row[Any], other: Row[Any]) -> bool:
    """Say whether two contents say the same, or nearly the same."""
    if one.said == other.said:
        return True
    return bool(one.sketch and other.sketch and similarity(one.sketch, other.sketch) >= LEAST)


@dataclass(frozen=True)
class Search:
    """A search: what it needs of a store, and what it is for."""

    connection: Connection
    index: WordIndex
    words: Tokenizer
    shelf: PackCache
    filter: Filter

    def hits(self, query: str, limit: int, marks: Marks) -> list[Hit]:
        """Return the pages that have all words of a query or, if there are none, some of them."""
        parts = query_parts(query, self.words, self.languages())
        if not parts or limit < 1:
            return []
        found = self.best(parts, limit, every=True)
        if not found and len(parts) > 1:
            found = self.best(self.telling(parts), limit, every=False)
        return [self.hit(rows, score, parts, marks) for rows, score in found]

    def languages(self) -> Iterator[str]:
        """Yield the languages of all contents, each by one look into an index."""
        last = ""
        while last := direct.rows(self.connection, _NEXT_LANGUAGE, {"last": last})[0][0] or "":
            yield last

    def telling(self, parts: Sequence[Part]) -> Sequence[Part]:
        """Return the parts that not every other page has, or all if there are none."""
        known = direct.rows(self.connection, _LAST, {})[0][0] or 0
        most = max(COMMON * known, FEW)
        rare = [part for part in parts if self.index.frequency(self.connection, part) < most]
        return rare or parts

    def best(
        self, parts: Sequence[Part], limit: int, *, every: bool
    ) -> list[tuple[list[Row[Any]], float]]:
        """Return the best pages; as many contents are looked at as it takes to find so many.

        The index also has contents of earlier versions. They are few, so it is asked without a
        look at the pages first, and with one only if that was not enough.
        """
        among = self.filter.among
        narrowed = among if among.values else None
        most = min(max(limit * WINDOW, FIRST), MOST)
        while True:
            ranked = self.index.ranked(self.connection, Asked(parts, most, every, narrowed))
            found = self.distinct(self.pages(ranked), limit)
            if len(found) >= limit or len(ranked) < most or (narrowed and most == MOST):
                return found
            most, narrowed = min(most * WIDER, MOST), among

    def pages(self, ranked: Ranked) -> list[tuple[list[Row[Any]], float, int]]:
        """Return the current pages of contents, in the order of these."""
        found: defaultdict[int, list[Row[Any]]] = defaultdict(list)
        for row in rows_of_contents(self.connection, [content for content, _ in ranked]):
            found[row.content_id].append(row)
        return [
            (sorted(found[content], key=lambda row: not self.filter.fits(row)), score, content)
            for content, score in ranked
            if found[content]
        ]

    def distinct(
        self, found: Sequence[tuple[list[Row[Any]], float, int]], limit: int
    ) -> list[tuple[list[Row[Any]], float]]:
        """Return pages of which those that say nearly the same are together, under the best."""
        contents = [content for _, _, content in found]
        said = {row.id: row for row in rows_with(self.connection, _SAID, contents)}
        kept: list[tuple[list[Row[Any]], float, Row[Any]]] = []
        for rows, score, content in found:
            own = said.get(content)
            if own is None:
                raise damaged(f"content {content}")
            for others, _, other in kept:
                if is_copy(own, other):
                    others += rows
                    break
            else:
                if len(kept) < limit:
                    kept.append((list(rows), score, own))
        return [(rows, score) for rows, score, _ in kept]

    def hit(self, rows: list[Row[Any]], score: float, parts: Sequence[Part], marks: Marks) -> Hit:
        """Return what is told of the first of some pages that say the same."""
        row = rows[0]
        numbers = [number for number, informative in decode_pieces(row.pieces) if informative]
        pieces = self.shelf.pieces(self.connection, numbers)
        best = best_piece([pieces[number] for number in numbers], parts)
        text = Piece(0, True, best).text
        shown = snippet(text, parts, self.words, row.language, marks)
        if marks[0] not in shown and row.title:  # the words are in the title alone
            shown = snippet(row.title, parts, self.words, row.language, marks)
        return Hit(
            url=row.url,
            title=row.title,
            site=row.host,
            fetched_at=moment_of(row.fetched_at),
            published=day_of(row.published),
            page_type=row.page_type,
            language=row.language,
            score=score,
            snippet=shown,
            copies=tuple(other.url for other in rows[1:]),
        )

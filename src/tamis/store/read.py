"""Rows of a store → pages, versions and the differences between versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from tamis.errors import InputError
from tamis.store.columns import (
    BYTES,
    DAY_OR_NULL,
    DIGEST,
    DIGEST_OR_NULL,
    FLAG,
    NUMBER,
    SIZE,
    TEXT,
    TEXT_OR_NULL,
    TIME,
    damaged,
    decode_day,
    decode_time,
)
from tamis.store.database import Connection, Query
from tamis.store.packs import MAX_PAGE_BYTES, PackCache, decode_pieces
from tamis.store.page import Difference, Piece, StoredPage, Version
from tamis.store.prepare import compute_digest, page_key, site_name

_BATCH: Final = 200  # pages that are read in one transaction
_BATCH_BYTES: Final = 32 * 1024 * 1024  # of these, if they are fewer
_MAX_LISTED: Final = 10_000  # contents in one query


class VersionRow(NamedTuple):
    """A row of the table of versions, with the URL and host of its page."""

    page_id: int
    url: str
    host: str
    fetched_at: int
    keeps_all: int
    raw_bytes: int
    source_bytes: int
    digest: bytes
    pieces: bytes
    title: str | None
    author: str | None
    published: int | None
    language: str | None
    page_type: str | None
    content_id: int | None = None  # only from select_content_versions


_COLUMNS: Final = (
    "p.id, p.url, s.host, v.fetched_at, v.whole, v.raw_bytes, v.source_bytes, v.digest, v.pieces, "
    "v.title, v.author, v.published, v.language, v.page_type"
)
_CHECKS: Final = (
    *(NUMBER, TEXT, TEXT, TIME, FLAG, SIZE, SIZE, DIGEST, BYTES),
    *(TEXT_OR_NULL, TEXT_OR_NULL, DAY_OR_NULL, TEXT_OR_NULL, TEXT_OR_NULL),
)
_TABLES: Final = "FROM page p JOIN site s ON s.id = p.site_id JOIN version v ON v.page_id = p.id"
_CURRENT: Final = Query(f"SELECT {_COLUMNS} {_TABLES} WHERE p.key = ? AND v.current = 1", _CHECKS)
_HISTORY: Final = Query(
    f"SELECT {_COLUMNS} {_TABLES} WHERE p.key = ? ORDER BY v.fetched_at", _CHECKS
)
_PAGE: Final = Query("SELECT id FROM page WHERE key = ?", (NUMBER,))
_COUNT_PAGES: Final = Query("SELECT count(*) FROM page", (NUMBER,))
# Ids rise, and few contents are ever deleted: their number is known well enough without counting.
_LAST_CONTENT: Final = Query("SELECT coalesce(max(id), 0) FROM content", (NUMBER,))
_CURRENT_TEXT: Final = Query(
    "SELECT c.said FROM page p JOIN version v ON v.page_id = p.id AND v.current = 1 "
    "LEFT JOIN content c ON c.id = v.content_id WHERE p.key = ?",
    (DIGEST_OR_NULL,),
)
_SAME_CONTENT: Final = Query(
    "SELECT 1 FROM content c JOIN version v ON v.content_id = c.id AND v.current = 1 "
    "JOIN page p ON p.id = v.page_id WHERE c.digest = ? AND p.key <> ? LIMIT 1",
    (NUMBER,),
)


def count_pages(connection: Connection) -> int:
    """Return how many pages there are."""
    return int(connection.value(_COUNT_PAGES))


def count_contents(connection: Connection) -> int:
    """Return about how many texts there are."""
    return int(connection.value(_LAST_CONTENT))


def read_current_text(connection: Connection, url: str) -> tuple[bytes | None] | None:
    """Return the digest of the text of the newest version of a page; None if there is no page."""
    row = connection.row(_CURRENT_TEXT, page_key(url))
    return None if row is None else (row[0],)


def is_content_elsewhere(connection: Connection, digest: bytes, url: str) -> bool:
    """Say whether the newest version of a page of another URL has the content of a digest."""
    return bool(connection.rows(_SAME_CONTENT, digest, page_key(url)))


def has_page(connection: Connection, url: str) -> bool:
    """Say whether there is a page of a URL."""
    return connection.row(_PAGE, page_key(url)) is not None


def select_current(connection: Connection, url: str) -> VersionRow | None:
    """Return the newest version of a page."""
    rows = _select_page(connection, _CURRENT, url)
    if len(rows) > 1:
        raise damaged(f"which version of {url} is the newest")
    return rows[0] if rows else None


def select_history(connection: Connection, url: str) -> list[VersionRow]:
    """Return all versions of a page, the oldest first."""
    return _select_page(connection, _HISTORY, url)


def _select_page(connection: Connection, query: Query, url: str) -> list[VersionRow]:
    """Return versions of a page. A page has one from when it is put, and its hash is its own."""
    rows = [VersionRow(*row) for row in connection.rows(query, page_key(url))]
    if any(row.url != url for row in rows) or (not rows and has_page(connection, url)):
        raise damaged(f"the page {url}")
    return rows


def pick_version(rows: Sequence[VersionRow], number: int) -> VersionRow:
    """Return a version by its number: 1 is the oldest, -1 the newest."""
    index = number - 1 if number > 0 else len(rows) + number
    if number == 0 or not 0 <= index < len(rows):
        raise InputError(f"no version {number}: the page has {len(rows)}, numbered from 1")
    return rows[index]


def read_next_pages(
    connection: Connection,
    after: tuple[int, int],
    site: str | None,
    packs: PackCache,
    *,
    all_versions: bool,
) -> tuple[list[StoredPage], tuple[int, int]]:
    """Return the next few pages, of which only the last may be large, and where to continue.

    `after` is the page and the time of the version before them.
    """
    pages: list[StoredPage] = []
    size = 0
    for row in _select_next(connection, after, site, all_versions=all_versions):
        pages.append(build_page(connection, row, packs))
        after = row.page_id, row.fetched_at
        size += sum(len(piece.data) for piece in pages[-1].pieces)
        if size > _BATCH_BYTES:
            break
    return pages, after


def _select_next(
    connection: Connection, after: tuple[int, int], site: str | None, *, all_versions: bool
) -> list[VersionRow]:
    """Return the next few pages, with all their versions or the newest one."""
    page_id, time = after
    values: list[Any]
    if all_versions:
        condition = "p.id >= ? AND (p.id > ? OR v.fetched_at > ?)"
        values = [page_id, page_id, time]
    else:
        condition, values = "p.id > ? AND v.current = 1", [page_id]
    if site is not None:
        condition += " AND s.host = ?"
        values.append(site_name(site))
    sql = f"SELECT {_COLUMNS} {_TABLES} WHERE {condition} ORDER BY p.id, v.fetched_at LIMIT ?"
    return [VersionRow(*row) for row in connection.rows(Query(sql, _CHECKS), *values, _BATCH)]


def select_content_versions(
    connection: Connection, content_ids: Sequence[int], *, all_versions: bool = False
) -> list[VersionRow]:
    """Return the versions that have some contents, in the order of their pages.

    Only current versions, unless `all_versions`.
    """
    condition = "" if all_versions else "AND v.current = 1"
    sql = (
        f"SELECT {_COLUMNS}, v.content_id {_TABLES} "
        f"WHERE v.content_id IN ({{ids}}) {condition} ORDER BY p.id"
    )
    rows = select_listed(connection, Query(sql, (*_CHECKS, NUMBER)), content_ids)
    return [VersionRow(*row) for row in rows]


def select_listed(
    connection: Connection, query: Query, ids: Sequence[int]
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query for a list of ids, in parts: a query may not be too long.

    {ids} in the query stands for the list.
    """
    for start in range(0, len(ids), _MAX_LISTED):
        batch = ids[start : start + _MAX_LISTED]
        sql = query.sql.format(ids=", ".join("?" * len(batch)))
        yield from connection.rows(Query(sql, query.checks), *batch)


def build_version(row: VersionRow) -> Version:
    """Return the version that a row stands for."""
    return Version(
        url=row.url,
        site=row.host,
        fetched_at=decode_time(row.fetched_at),
        keep="all" if row.keeps_all else "content",
        title=row.title,
        author=row.author,
        published=decode_day(row.published),
        language=row.language,
        page_type=row.page_type,
        raw_bytes=row.raw_bytes,
        source_bytes=row.source_bytes,
        piece_ids=tuple(number for number, _ in decode_pieces(row.pieces)),
    )


def build_page(connection: Connection, row: VersionRow, packs: PackCache) -> StoredPage:
    """Return a version with its pieces; StoreError if they are not those that were stored."""
    numbers = decode_pieces(row.pieces)
    data = packs.load_pieces(connection, (number for number, _ in numbers))
    size = sum(len(data[number]) for number, _ in numbers)
    if size > MAX_PAGE_BYTES or (row.keeps_all and size != row.source_bytes):
        raise damaged(f"the page {row.url}")
    pieces = tuple(Piece(number, informative, data[number]) for number, informative in numbers)
    if compute_digest(b"".join(compute_digest(piece.data) for piece in pieces)) != row.digest:
        raise damaged(f"the page {row.url}")
    return StoredPage(build_version(row), pieces)


def compare_versions(
    connection: Connection, before: VersionRow, after: VersionRow, packs: PackCache
) -> Difference:
    """Return the difference between two versions of a page."""
    old, new = decode_pieces(before.pieces), decode_pieces(after.pieces)
    only_old, only_new = list(_subtract(old, new)), list(_subtract(new, old))
    # With keep="content", what is not informative is tags without any text.
    removed = [(number, flag) for number, flag in only_old if flag or before.keeps_all]
    added = [(number, flag) for number, flag in only_new if flag or after.keeps_all]
    data = packs.load_pieces(connection, (number for number, _ in [*removed, *added]))
    return Difference(
        build_version(before),
        build_version(after),
        tuple(Piece(number, flag, data[number]) for number, flag in removed),
        tuple(Piece(number, flag, data[number]) for number, flag in added),
        len(old) - len(only_old),
    )


def _subtract(
    pieces: Sequence[tuple[int, bool]], others: Sequence[tuple[int, bool]]
) -> Iterator[tuple[int, bool]]:
    """Yield the pieces that are not among the others; a piece counts as often as it occurs."""
    unmatched = Counter(number for number, _ in others)
    for number, informative in pieces:
        unmatched[number] -= 1
        if unmatched[number] < 0:
            yield number, informative

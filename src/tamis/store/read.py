"""Rows of a store → pages, versions and what changed between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, bindparam, select

from tamis.errors import InputError
from tamis.store.database import damaged
from tamis.store.packs import LARGEST_PAGE, PackCache, decode_pieces
from tamis.store.page import Difference, Piece, StoredPage, Version
from tamis.store.prepare import digest, host_name, page_key
from tamis.store.tables import PAGE, SITE, VERSION
from tamis.store.times import day_of, moment_of

BATCH: Final = 200  # pages that are read in one transaction
BATCH_BYTES: Final = 32 * 1024 * 1024  # of these, if not fewer
MOST_ASKED: Final = 10_000  # contents in one question

_NEEDED: Final = (
    PAGE.c.id.label("page"),
    PAGE.c.url,
    SITE.c.host,
    VERSION.c.id,
    VERSION.c.fetched_at,
    VERSION.c.whole,
    VERSION.c.raw_bytes,
    VERSION.c.source_bytes,
    VERSION.c.digest,
    VERSION.c.pieces,
)
_VERSIONS: Final[Select[Any]] = (
    select(
        *_NEEDED,
        VERSION.c.title,
        VERSION.c.author,
        VERSION.c.published,
        VERSION.c.language,
        VERSION.c.page_type,
    )
    .join_from(PAGE, SITE)
    .join(VERSION, VERSION.c.page_id == PAGE.c.id)
)
_CURRENT: Final = _VERSIONS.where(PAGE.c.key == bindparam("key"), VERSION.c.current == 1)
_HISTORY: Final = _VERSIONS.where(PAGE.c.key == bindparam("key")).order_by(VERSION.c.fetched_at)
_OF_CONTENTS: Final = _VERSIONS.add_columns(VERSION.c.content_id).where(
    VERSION.c.content_id.in_(bindparam("contents", expanding=True)),
)


def current_row(connection: Connection, url: str) -> Row[Any] | None:
    """Return the row of the newest version of a page."""
    rows = of_url(url, connection.execute(_CURRENT, {"key": page_key(url)}).all())
    if len(rows) > 1:
        raise damaged(f"which version of {url} is the newest")
    if not rows:
        check_missing(connection, url)
        return None
    return rows[0]


def history_rows(connection: Connection, url: str) -> Sequence[Row[Any]]:
    """Return the rows of all versions of a page, the oldest first."""
    rows = of_url(url, connection.execute(_HISTORY, {"key": page_key(url)}).all())
    if not rows:
        check_missing(connection, url)
    return rows


def of_url(url: str, rows: Sequence[Row[Any]]) -> Sequence[Row[Any]]:
    """Return the rows that were found by the hash of an address; all are of that address."""
    if any(row.url != url for row in rows):
        raise damaged(f"the page {url}")
    return whole_rows(rows)


def check_missing(connection: Connection, url: str) -> None:
    """Raise StoreError for a page of which there is no version: each has one when it is put."""
    if connection.execute(select(PAGE.c.id).where(PAGE.c.key == page_key(url))).first():
        raise damaged(f"the page {url}")


def whole_rows(rows: Sequence[Row[Any]]) -> Sequence[Row[Any]]:
    """Return rows that have everything that each version has."""
    if any(None in row[: len(_NEEDED)] for row in rows):
        raise damaged("a version of a page")
    return rows


def page_rows(
    connection: Connection, after: tuple[int, int], site: str | None, *, every: bool
) -> Sequence[Row[Any]]:
    """Return the next few rows of pages, with all their versions or the newest one.

    `after` are the page and the time of the last row before them.
    """
    page, moment = after
    asked = _VERSIONS.order_by(PAGE.c.id, VERSION.c.fetched_at).limit(BATCH)
    if site is not None:
        asked = asked.where(SITE.c.host == host_name(site))
    if every:
        later = (VERSION.c.page_id == page) & (VERSION.c.fetched_at > moment)
        asked = asked.where(PAGE.c.id >= page, (PAGE.c.id > page) | later)
    else:
        asked = asked.where(PAGE.c.id > page, VERSION.c.current == 1)
    return whole_rows(connection.execute(asked).all())


def next_pages(
    connection: Connection,
    after: tuple[int, int],
    site: str | None,
    shelf: PackCache,
    *,
    every: bool,
) -> tuple[list[StoredPage], tuple[int, int]]:
    """Return the next few pages, of which only the last may be large, and where to go on."""
    found: list[StoredPage] = []
    size = 0
    for row in page_rows(connection, after, site, every=every):
        found.append(stored_page(connection, row, shelf))
        after = row.page, row.fetched_at
        size += sum(len(piece.data) for piece in found[-1].pieces)
        if size > BATCH_BYTES:
            break
    return found, after


def rows_of_contents(
    connection: Connection, contents: Sequence[int], *, every: bool = False
) -> Sequence[Row[Any]]:
    """Return the rows of the pages that say something now, in the order they were first stored.

    With `every`, also of those that said it once.
    """
    asked = _OF_CONTENTS if every else _OF_CONTENTS.where(VERSION.c.current == 1)
    return whole_rows(rows_with(connection, asked.order_by(PAGE.c.id), contents))


def rows_with(
    connection: Connection, asked: Select[Any], contents: Sequence[int]
) -> list[Row[Any]]:
    """Return the rows for some contents, asked for in parts: a question may not be too long."""
    return [
        row
        for start in range(0, len(contents), MOST_ASKED)
        for row in connection.execute(asked, {"contents": contents[start : start + MOST_ASKED]})
    ]


def version_of(row: Row[Any]) -> Version:
    """Return the version that a row is."""
    return Version(
        url=row.url,
        site=row.host,
        fetched_at=moment_of(row.fetched_at),
        keep="all" if row.whole else "content",
        title=row.title,
        author=row.author,
        published=day_of(row.published),
        language=row.language,
        page_type=row.page_type,
        raw_bytes=row.raw_bytes,
        source_bytes=row.source_bytes,
        piece_ids=tuple(number for number, _ in decode_pieces(row.pieces)),
    )


def stored_page(connection: Connection, row: Row[Any], shelf: PackCache) -> StoredPage:
    """Return the page that a row is, with its pieces; a damaged one is noticed."""
    numbers = decode_pieces(row.pieces)
    found = shelf.pieces(connection, (number for number, _ in numbers))
    size = sum(len(found[number]) for number, _ in numbers)
    if size > LARGEST_PAGE or (row.whole and size != row.source_bytes):
        raise damaged(f"the page {row.url}")
    pieces = tuple(Piece(number, flag, found[number]) for number, flag in numbers)
    page = StoredPage(version_of(row), pieces)
    if digest(b"".join(digest(piece.data) for piece in pieces)) != row.digest:
        raise damaged(f"the page {row.url}")
    return page


def difference(
    connection: Connection, rows: Sequence[Row[Any]], ends: tuple[int, int], shelf: PackCache
) -> Difference:
    """Return what changed between two of the versions of a page, counted from 1."""
    before, after = (version_row(rows, number) for number in ends)
    old, new = decode_pieces(before.pieces), decode_pieces(after.pieces)
    gone, come = list(missing(old, new)), list(missing(new, old))
    # Of a page whose content alone is kept, what is not informative is tags, which say nothing.
    removed = [(number, flag) for number, flag in gone if flag or before.whole]
    added = [(number, flag) for number, flag in come if flag or after.whole]
    data = shelf.pieces(connection, (number for number, _ in [*removed, *added]))
    return Difference(
        version_of(before),
        version_of(after),
        tuple(Piece(number, flag, data[number]) for number, flag in removed),
        tuple(Piece(number, flag, data[number]) for number, flag in added),
        len(old) - len(gone),
    )


def missing(
    pieces: Sequence[tuple[int, bool]], others: Sequence[tuple[int, bool]]
) -> Iterator[tuple[int, bool]]:
    """Yield the pieces that are not among the others, as often as they are not."""
    left = Counter(number for number, _ in others)
    for number, informative in pieces:
        left[number] -= 1
        if left[number] < 0:
            yield number, informative


def version_row(rows: Sequence[Row[Any]], number: int) -> Row[Any]:
    """Return the row of a version by its number: 1 is the oldest, -1 the newest."""
    place = number - 1 if number > 0 else len(rows) + number
    if number == 0 or not 0 <= place < len(rows):
        raise InputError(f"no version {number}: the page has {len(rows)}, numbered from 1")
    return rows[place]

"""A prepared page → rows of a store, in the transaction that it is handed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ClauseElement, Connection, bindparam, delete, func, insert, select, update

from tamis.store.direct import rows
from tamis.store.hashes import Hashes
from tamis.store.index import WordIndex
from tamis.store.packs import PackCache, build_pack, compress, encode_pieces, is_worth_a_base
from tamis.store.prepare import Content, Prepared, page_key
from tamis.store.tables import AFTER_PACK, CONTENT, PACK, PAGE, SITE, VERSION

# What a store knows of a page, in one question: each one costs as much as its answer.
_SITE: Final = select(SITE.c.id).where(SITE.c.host == bindparam("host")).scalar_subquery()
_KNOWN: Final = select(
    _SITE.label("site"),
    select(PAGE.c.id).where(PAGE.c.key == bindparam("key")).scalar_subquery().label("page"),
    select(CONTENT.c.id)
    .where(CONTENT.c.digest == bindparam("digest"))
    .scalar_subquery()
    .label("content"),
    select(AFTER_PACK).order_by(PACK.c.first.desc()).limit(1).scalar_subquery().label("next"),
    select(func.max(PACK.c.first))
    .where(PACK.c.site_id == _SITE, PACK.c.base.is_(None))
    .scalar_subquery()
    .label("base"),
)
_SAME_INSTANT: Final = delete(VERSION).where(
    VERSION.c.page_id == bindparam("page"), VERSION.c.fetched_at == bindparam("moment")
)
_LATER: Final = select(VERSION.c.id).where(
    VERSION.c.page_id == bindparam("page"), VERSION.c.fetched_at > bindparam("moment")
)
_NO_LONGER: Final = (
    update(VERSION)
    .where(VERSION.c.page_id == bindparam("page"), VERSION.c.current == 1)
    .values(current=0)
)
_NEW_PACK: Final = insert(PACK)
_NEW_VERSION: Final = insert(VERSION)
_NEW: Final = {  # rows that get a number
    table.name: insert(table).returning(table.c.id) for table in (SITE, PAGE, CONTENT)
}


class Known(NamedTuple):
    """What a store knew of a page before it was put: numbers, None for what is new."""

    site: int | None
    page: int | None
    content: int | None
    next: int | None  # for the next piece
    base: int | None  # the newest pack of the site that stands by itself


def put(
    connection: Connection, page: Prepared, index: WordIndex, shelf: PackCache, hashes: Hashes
) -> None:
    """Store a page as the newest version of its address, or where its time puts it."""
    key = page_key(page.url)
    asked = {"host": page.site, "key": key, "digest": page.content.digest if page.content else b""}
    known = Known(*rows(connection, _KNOWN, asked)[0])
    site = known.site or inserted(connection, _NEW["site"], {"host": page.site})
    is_current = 1
    number = known.page
    if number is None:
        row = {"key": key, "url": page.url, "site_id": site}
        number = inserted(connection, _NEW["page"], row)
    else:
        is_current = made_room(connection, number, page.fetched_at)
    pieces = stored_pieces(connection, page, (site, known), shelf, hashes)
    content = known.content
    if content is None and page.content:
        content = stored_content(connection, page.content, index)
    rows(
        connection,
        _NEW_VERSION,
        {
            "page_id": number,
            "content_id": content,
            "current": is_current,
            "fetched_at": page.fetched_at,
            "whole": int(page.keep == "all"),
            "title": page.title,
            "author": page.author,
            "published": page.published,
            "language": page.language,
            "page_type": page.page_type,
            "raw_bytes": page.raw_bytes,
            "source_bytes": page.source_bytes,
            "digest": page.digest,
            "pieces": encode_pieces(
                zip(pieces, (cut.informative for cut in page.cuts), strict=True)
            ),
        },
    )


def made_room(connection: Connection, page: int, moment: int) -> int:
    """Make room for a version of a page, and return 1 if it is the newest, else 0."""
    asked = {"page": page, "moment": moment}
    rows(connection, _SAME_INSTANT, asked)
    if rows(connection, _LATER, asked):
        return 0
    rows(connection, _NO_LONGER, {"page": page})
    return 1


def stored_pieces(
    connection: Connection,
    page: Prepared,
    place: tuple[int, Known],
    shelf: PackCache,
    hashes: Hashes,
) -> list[int]:
    """Return the numbers of a page's pieces, of which the new ones are stored."""
    site, known = place
    numbers = hashes.numbers(connection, page.hashes)
    first = known.next or 1
    new: dict[bytes, bytes] = {
        hash_: cut.data
        for hash_, cut in zip(page.hashes, page.cuts, strict=True)
        if hash_ not in numbers
    }
    if new:
        numbers.update(zip(new, range(first, first + len(new)), strict=True))
        store_pack(connection, first, list(new.values()), (site, known.base), shelf)
        hashes.add(connection, first, new)
    return [numbers[hash_] for hash_ in page.hashes]


def store_pack(
    connection: Connection,
    first: int,
    pieces: Sequence[bytes],
    place: tuple[int, int | None],
    shelf: PackCache,
) -> None:
    """Store pieces of a site as a pack, against its newest pack that stands by itself."""
    site, at = place
    pack = build_pack(first, pieces)
    base = shelf.pack(connection, at) if at is not None else None
    if base is not None and is_worth_a_base(pack, base):
        base = None
    row = {
        "first": first,
        "count": len(pieces),
        "site_id": site,
        "base": base.first if base else None,
        "edition": 0,
        "data": compress(pack, base),
    }
    rows(connection, _NEW_PACK, row)


def stored_content(connection: Connection, content: Content, index: WordIndex) -> int:
    """Store and index what a page says, and return its number."""
    row = {
        "digest": content.digest,
        "said": content.said,
        "language": content.language,
        "words": content.words,
        "sketch": content.sketch,
    }
    number = inserted(connection, _NEW["content"], row)
    index.add(connection, number, content.title, content.body)
    return number


def inserted(connection: Connection, statement: ClauseElement, row: dict[str, Any]) -> int:
    """Insert a row and return its number."""
    return int(rows(connection, statement, row)[0][0])

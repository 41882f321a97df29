"""A prepared page → rows of a store, in the transaction that it is given."""

from __future__ import annotations

from typing import Final, NamedTuple

from tamis.store.columns import NUMBER, NUMBER_OR_NULL
from tamis.store.database import Connection, Query
from tamis.store.hashes import PieceHashes
from tamis.store.index import WordIndex
from tamis.store.packs import PackCache, build_pack, compress, encode_pieces, is_new_base
from tamis.store.prepare import Content, PreparedPage, page_key

# What the store has of a page, in one query: each query costs more than its answer.
_EXISTING: Final = Query(
    """
    SELECT
        (SELECT id FROM site WHERE host = ?),
        (SELECT id FROM page WHERE key = ?),
        (SELECT id FROM content WHERE digest = ?),
        (SELECT first + count FROM pack ORDER BY first DESC LIMIT 1),
        (SELECT max(first) FROM pack
            WHERE site_id = (SELECT id FROM site WHERE host = ?) AND base IS NULL)
    """,
    (NUMBER_OR_NULL,) * 5,
)
_DELETE_VERSION: Final = Query("DELETE FROM version WHERE page_id = ? AND fetched_at = ?")
_LATER_VERSION: Final = Query(
    "SELECT id FROM version WHERE page_id = ? AND fetched_at > ? LIMIT 1", (NUMBER,)
)
_UNSET_CURRENT: Final = Query("UPDATE version SET current = 0 WHERE page_id = ? AND current = 1")
_INSERT_SITE: Final = Query("INSERT INTO site (host) VALUES (?) RETURNING id", (NUMBER,))
_INSERT_PAGE: Final = Query(
    "INSERT INTO page (key, url, site_id) VALUES (?, ?, ?) RETURNING id", (NUMBER,)
)
_INSERT_CONTENT: Final = Query(
    "INSERT INTO content (digest, said, language, words, sketch) VALUES (?, ?, ?, ?, ?) "
    "RETURNING id",
    (NUMBER,),
)
_INSERT_PACK: Final = Query(
    "INSERT INTO pack (first, count, site_id, base, edition, data) VALUES (?, ?, ?, ?, 0, ?)"
)
_INSERT_VERSION: Final = Query(
    """
    INSERT INTO version (
        page_id, content_id, current, fetched_at, whole, title, author, published, language,
        page_type, raw_bytes, source_bytes, digest, pieces
    )
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
)


class _Existing(NamedTuple):
    """What a store has of a page before it is put: numbers, None for what is new."""

    site: int | None
    page: int | None
    content: int | None
    next_piece: int | None
    base: int | None  # the newest pack of the site that stands by itself


def write_page(
    connection: Connection,
    page: PreparedPage,
    index: WordIndex,
    packs: PackCache,
    hashes: PieceHashes,
) -> None:
    """Store a page as a version of its URL: the newest one, unless a later one is stored."""
    key = page_key(page.url)
    content_digest = page.content.digest if page.content else b""
    row = connection.row(_EXISTING, page.site, key, content_digest, page.site)
    existing = _Existing(*(row or ()))
    site = existing.site or connection.value(_INSERT_SITE, page.site)
    page_id = existing.page
    is_current = True
    if page_id is None:
        page_id = connection.value(_INSERT_PAGE, key, page.url, site)
    else:
        is_current = _replace_current(connection, page_id, page.fetched_at)
    numbers = _write_pieces(connection, page, site, existing, packs, hashes)
    content_id = existing.content
    if content_id is None and page.content:
        content_id = _write_content(connection, page.content, index)
    connection.run(
        _INSERT_VERSION,
        page_id,
        content_id,
        int(is_current),
        page.fetched_at,
        int(page.keep == "all"),
        page.title,
        page.author,
        page.published,
        page.language,
        page.page_type,
        page.raw_bytes,
        page.source_bytes,
        page.digest,
        encode_pieces(zip(numbers, (piece.informative for piece in page.pieces), strict=True)),
    )


def _replace_current(connection: Connection, page_id: int, time: int) -> bool:
    """Prepare a page for another version, and say whether that is the newest one."""
    connection.run(_DELETE_VERSION, page_id, time)
    if connection.rows(_LATER_VERSION, page_id, time):
        return False
    connection.run(_UNSET_CURRENT, page_id)
    return True


def _write_pieces(
    connection: Connection,
    page: PreparedPage,
    site: int,
    existing: _Existing,
    packs: PackCache,
    hashes: PieceHashes,
) -> list[int]:
    """Store the pieces of a page that are new, and return the numbers of all."""
    numbers = hashes.find_numbers(connection, page.hashes)
    first = existing.next_piece or 1
    new: dict[bytes, bytes] = {
        hash_: piece.data
        for hash_, piece in zip(page.hashes, page.pieces, strict=True)
        if hash_ not in numbers
    }
    if new:
        numbers.update(zip(new, range(first, first + len(new)), strict=True))
        base = None if existing.base is None else packs.load_pack(connection, existing.base)
        pack = build_pack(first, list(new.values()))
        if base is not None and is_new_base(pack, base):
            base = None
        base_number = base.first if base else None
        connection.run(_INSERT_PACK, first, len(new), site, base_number, compress(pack, base))
        hashes.add(connection, first, new)
    return [numbers[hash_] for hash_ in page.hashes]


def _write_content(connection: Connection, content: Content, index: WordIndex) -> int:
    """Store and index the text of a page, and return its number."""
    content_id = int(
        connection.value(
            _INSERT_CONTENT,
            content.digest,
            content.text_digest,
            content.language,
            content.count_words(),
            content.minhash,
        )
    )
    index.add(connection, content_id, content.title, content.body)
    return content_id

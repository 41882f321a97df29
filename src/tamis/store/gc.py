"""Garbage collection: pieces, packs and contents that no page needs any more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Bools
from tamis.store.columns import BYTES, NUMBER, NUMBER_OR_NULL, PIECE_COUNT, damaged
from tamis.store.database import Connection, Query
from tamis.store.hashes import PieceHashes, delete_hashes
from tamis.store.index import WordIndex
from tamis.store.packs import Pack, PackCache, build_pack, compress, decode_pieces, decompress
from tamis.store.prepare import build_content, compute_digest, page_key
from tamis.store.read import build_page, select_content_versions
from tamis.store.tokenizer import Tokenizer

_MAX_DEAD_SHARE: Final = 0.2  # of the index of words; above it the index is built anew
_BATCH: Final = 500  # contents that are indexed at once
_MIN_SORTED: Final = 100_000  # numbers of pieces that are collected before they are sorted

_PAGE: Final = Query("SELECT id FROM page WHERE key = ?", (NUMBER,))
_DELETE_VERSIONS: Final = Query("DELETE FROM version WHERE page_id = ?")
_DELETE_PAGE: Final = Query("DELETE FROM page WHERE id = ?")
_DELETE_CONTENTS: Final = Query(
    "DELETE FROM content WHERE id NOT IN "
    "(SELECT content_id FROM version WHERE content_id IS NOT NULL)"
)
_DELETE_SITES: Final = Query(
    "DELETE FROM site WHERE id NOT IN (SELECT site_id FROM page) "
    "AND id NOT IN (SELECT site_id FROM pack)"
)
_DELETE_PACK: Final = Query("DELETE FROM pack WHERE first = ?")
_UPDATE_PACK: Final = Query(
    "UPDATE pack SET data = ?, base = ?, edition = edition + 1 WHERE first = ?"
)
_PACKS: Final = Query("SELECT first, base FROM pack ORDER BY first", (NUMBER, NUMBER_OR_NULL))
_PACK_DATA: Final = Query("SELECT count, data FROM pack WHERE first = ?", (PIECE_COUNT, BYTES))
_PACKED_BYTES: Final = Query("SELECT coalesce(sum(length(data)), 0) FROM pack", (NUMBER,))
_PIECE_LISTS: Final = Query("SELECT pieces FROM version", (BYTES,))
_CONTENTS: Final = Query("SELECT id FROM content ORDER BY id", (NUMBER,))
_COUNT_CONTENTS: Final = Query("SELECT count(*) FROM content", (NUMBER,))


@dataclass(frozen=True)
class Collection:
    """How much was deleted."""

    pieces: int
    contents: int
    packed_bytes: int  # by which the packs have become smaller


@dataclass(frozen=True)
class _PackGroup:
    """A pack, and those that are packed against it."""

    firsts: list[int]
    live: NDArray[np.int64]  # the numbers of all pieces that a version has, in order
    newest: int  # the pack that stays even if it is empty, or numbers would be given twice


def delete_page(connection: Connection, url: str) -> bool:
    """Delete a page with all its versions; its pieces stay until garbage is collected."""
    page_id = connection.value(_PAGE, page_key(url))
    if page_id is None:
        return False
    connection.run(_DELETE_VERSIONS, page_id)
    connection.run(_DELETE_PAGE, page_id)
    return True


def collect_garbage(
    connection: Connection,
    index: WordIndex,
    tokenizer: Tokenizer,
    packs: PackCache,
    hashes: PieceHashes,
) -> Collection:
    """Delete what no version of a page refers to."""
    hashes.merge(connection)
    before = connection.value(_PACKED_BYTES)
    pieces = sum(_clean_group(connection, group, packs) for group in _group_packs(connection))
    contents = connection.run(_DELETE_CONTENTS)
    connection.run(_DELETE_SITES)
    if index.count_dead(connection) > _MAX_DEAD_SHARE * (1 + connection.value(_COUNT_CONTENTS)):
        _rebuild_index(connection, index, tokenizer, packs)
    return Collection(pieces, contents, before - connection.value(_PACKED_BYTES))


def _group_packs(connection: Connection) -> Iterator[_PackGroup]:
    """Yield all packs in groups."""
    live = _find_live_pieces(connection)
    rows = connection.rows(_PACKS)
    firsts_by_base: defaultdict[int, list[int]] = defaultdict(list)
    for first, base in rows:
        firsts_by_base[first if base is None else base].append(first)
    for base, firsts in firsts_by_base.items():
        if firsts[0] != base:  # a pack is older than those that are packed against it
            raise damaged(f"pack {base}")
        yield _PackGroup(firsts, live, rows[-1][0])


def _find_live_pieces(connection: Connection) -> NDArray[np.int64]:
    """Return the numbers of the pieces that a version has, in order, each once."""
    live = np.empty(0, np.int64)
    unsorted: list[NDArray[np.int64]] = []
    count = 0
    for (pieces,) in connection.stream(_PIECE_LISTS):
        numbers = [number for number, _ in decode_pieces(pieces)]
        unsorted.append(np.unique(np.array(numbers, np.int64)))
        count += len(unsorted[-1])
        if count > max(len(live), _MIN_SORTED):  # so that each number is sorted a few times in all
            live, unsorted, count = np.unique(np.concatenate((live, *unsorted))), [], 0
    return np.unique(np.concatenate((live, *unsorted)))


def _clean_group(connection: Connection, group: _PackGroup, packs: PackCache) -> int:
    """Take dead pieces out of the packs of a group and return how many.

    If the pack that the others are packed against loses a piece, all are packed anew; the first of
    them that has any pieces left is then the one that the others are packed against.
    """
    old = packs.load_pack(connection, group.firsts[0])
    base: Pack | None = None if _find_dead(old, group).any() else old
    is_base_new = base is None
    count = 0
    for first in group.firsts:
        pack = old if first == old.first else _load_dependent(connection, first, old)
        dead = _find_dead(pack, group)
        if not (dead.any() or is_base_new):
            continue
        count += int(dead.sum())
        pieces = pack.pieces()
        deleted = (data for data, is_dead in zip(pieces, dead, strict=True) if is_dead)
        delete_hashes(connection, map(compute_digest, deleted))
        live = [b"" if is_dead else data for data, is_dead in zip(pieces, dead, strict=True)]
        cleaned = build_pack(pack.first, live)
        if not cleaned.data and pack.first != group.newest:
            connection.run(_DELETE_PACK, pack.first)
            continue
        base_number = base.first if base else None
        connection.run(_UPDATE_PACK, compress(cleaned, base), base_number, cleaned.first)
        base = base or cleaned
    return count


def _load_dependent(connection: Connection, first: int, base: Pack) -> Pack:
    """Return a pack that is packed against another one, whatever is stored of that by now."""
    row = connection.row(_PACK_DATA, first)
    if row is None:
        raise damaged(f"pack {first}")
    count, data = row
    return decompress(first, count, data, base)


def _find_dead(pack: Pack, group: _PackGroup) -> Bools:
    """Return which pieces of a pack no version has."""
    start, stop = np.searchsorted(group.live, (pack.first, pack.stop))
    dead: Bools = pack.lengths > 0
    dead[group.live[start:stop] - pack.first] = False
    return dead


def _rebuild_index(
    connection: Connection, index: WordIndex, tokenizer: Tokenizer, packs: PackCache
) -> None:
    """Build the index of words anew from all contents, including those of older versions.

    A page may have a content of an older version again, and that is then not indexed anew.
    """
    index.clear(connection)
    content_ids = [content_id for (content_id,) in connection.rows(_CONTENTS)]
    for start in range(0, len(content_ids), _BATCH):
        indexed: set[int] = set()
        batch = content_ids[start : start + _BATCH]
        for row in select_content_versions(connection, batch, all_versions=True):
            if row.content_id is None or row.content_id in indexed:
                continue
            indexed.add(row.content_id)
            document = build_page(connection, row, packs).document
            content = build_content(document, row.title, row.language, tokenizer)
            if content:
                index.add(connection, row.content_id, content.title, content.body)

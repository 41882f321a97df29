"""Garbage: pieces, packs and contents that no page needs any more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, select, update

from tamis.page import Bools
from tamis.store.database import damaged
from tamis.store.hashes import Hashes, forget
from tamis.store.index import WordIndex
from tamis.store.packs import Pack, PackCache, build_pack, compress, decode_pieces, decompress
from tamis.store.prepare import content_of, digest
from tamis.store.read import rows_of_contents, stored_page
from tamis.store.tables import CONTENT, PACK, PAGE, SITE, VERSION
from tamis.store.tokenizer import Tokenizer

DEAD_SHARE: Final = 0.2  # of the index of words, from which on it is made anew
BATCH: Final = 500
FEW: Final = 100_000  # numbers of pieces that are no burden

_UNSAID: Final = CONTENT.c.id.not_in(
    select(VERSION.c.content_id).where(VERSION.c.content_id.is_not(None))
)


@dataclass(frozen=True)
class Collection:
    """What was thrown away."""

    pieces: int
    contents: int
    packed_bytes: int  # that the packs have become smaller by


def delete_page(connection: Connection, key: bytes) -> bool:
    """Delete a page with all its versions; its pieces stay until garbage is collected."""
    number = connection.execute(select(PAGE.c.id).where(PAGE.c.key == key)).scalar()
    if number is None:
        return False
    connection.execute(delete(VERSION).where(VERSION.c.page_id == number))
    connection.execute(delete(PAGE).where(PAGE.c.id == number))
    return True


def collect_garbage(
    connection: Connection, index: WordIndex, words: Tokenizer, shelf: PackCache, hashes: Hashes
) -> Collection:
    """Throw away what no version of a page refers to."""
    hashes.settle(connection)
    size = select(func.coalesce(func.sum(func.length(PACK.c.data)), 0))
    before = connection.execute(size).scalar_one()
    pieces = sum(taken_out(connection, group, shelf) for group in groups(connection))
    contents = connection.execute(delete(CONTENT).where(_UNSAID)).rowcount
    unused = SITE.c.id.not_in(select(PAGE.c.site_id)) & SITE.c.id.not_in(select(PACK.c.site_id))
    connection.execute(delete(SITE).where(unused))
    if index.dead(connection) > DEAD_SHARE * (1 + contents_count(connection)):
        reindex(connection, index, words, shelf)
    return Collection(pieces, contents, int(before - connection.execute(size).scalar_one()))


@dataclass(frozen=True)
class Group:
    """A pack, and those that are packed against it."""

    firsts: list[int]
    alive: NDArray[np.int64]  # the numbers of pieces that a version has, in order
    newest: int  # the pack that stays even if it is empty, or numbers would be given twice


def groups(connection: Connection) -> Iterator[Group]:
    """Yield all packs in groups."""
    alive = live_pieces(connection)
    rows = connection.execute(select(PACK.c.first, PACK.c.base).order_by(PACK.c.first)).all()
    found: defaultdict[int, list[int]] = defaultdict(list)
    for first, base in rows:
        found[first if base is None else base].append(first)
    for base, firsts in found.items():
        if firsts[0] != base:  # a pack is older than those that are packed against it
            raise damaged(f"pack {base}")
        yield Group(firsts, alive, rows[-1].first)


def taken_out(connection: Connection, group: Group, shelf: PackCache) -> int:
    """Take dead pieces out of the packs of a group and return how many.

    If the pack that the others are packed against loses something, all are packed anew; the first
    of them that has any pieces left is then the one that the others are packed against.
    """
    old = shelf.pack(connection, group.firsts[0])
    base: Pack | None = None if is_dead(old, group).any() else old
    all_anew = base is None
    count = 0
    for first in group.firsts:
        pack = old if first == old.first else leaning(connection, first, old)
        dead = is_dead(pack, group)
        if not (dead.any() or all_anew):
            continue
        count += int(dead.sum())
        pieces = zip(pack.pieces(), dead, strict=True)
        forget(connection, [digest(data) for data, gone in pieces if gone])
        kept = without(pack, dead)
        if not kept.data and pack.first != group.newest:
            connection.execute(delete(PACK).where(PACK.c.first == pack.first))
            continue
        rewrite(connection, kept, base)
        base = base or kept
    return count


def leaning(connection: Connection, first: int, base: Pack) -> Pack:
    """Return a pack that is packed against another one, whatever that is by now."""
    asked = select(PACK.c.count, PACK.c.data).where(PACK.c.first == first)
    count, data = connection.execute(asked).one()
    if count is None or data is None:
        raise damaged(f"pack {first}")
    return decompress(first, count, data, base)


def is_dead(pack: Pack, group: Group) -> Bools:
    """Return which pieces of a pack no version has."""
    start, stop = np.searchsorted(group.alive, (pack.first, pack.stop))
    dead: Bools = pack.lengths > 0
    dead[group.alive[start:stop] - pack.first] = False
    return dead


def without(pack: Pack, dead: Bools) -> Pack:
    """Return a pack in which dead pieces are empty."""
    return build_pack(
        pack.first, [b"" if gone else data for data, gone in zip(pack.pieces(), dead, strict=True)]
    )


def rewrite(connection: Connection, pack: Pack, base: Pack | None) -> None:
    """Store another edition of a pack."""
    connection.execute(
        update(PACK)
        .where(PACK.c.first == pack.first)
        .values(
            data=compress(pack, base),
            base=base.first if base else None,
            edition=PACK.c.edition + 1,
        )
    )


def live_pieces(connection: Connection) -> NDArray[np.int64]:
    """Return the numbers of the pieces that a version has, in order, each once."""
    alive = np.empty(0, np.int64)
    fresh: list[NDArray[np.int64]] = []
    count = 0
    for data in connection.scalars(
        select(VERSION.c.pieces).execution_options(yield_per=BATCH, stream_results=True)
    ):
        if data is None:
            raise damaged("a version of a page")
        fresh.append(np.unique(np.array([number for number, _ in decode_pieces(data)], np.int64)))
        count += len(fresh[-1])
        if count > max(len(alive), FEW):  # so that each number is sorted a few times in all
            alive, fresh, count = np.unique(np.concatenate((alive, *fresh))), [], 0
    return np.unique(np.concatenate((alive, *fresh)))


def contents_count(connection: Connection) -> int:
    """Return how many contents there are."""
    return connection.execute(select(func.count()).select_from(CONTENT)).scalar_one()


def reindex(connection: Connection, index: WordIndex, words: Tokenizer, shelf: PackCache) -> None:
    """Make the index of words anew, of all contents: what a page said it may say again."""
    index.clear(connection)
    numbers = connection.scalars(select(CONTENT.c.id).order_by(CONTENT.c.id)).all()
    for start in range(0, len(numbers), BATCH):
        done: set[int] = set()
        for row in rows_of_contents(connection, numbers[start : start + BATCH], every=True):
            if row.content_id not in done:
                done.add(row.content_id)
                document = stored_page(connection, row, shelf).document
                content = content_of(document, row.title, row.language, words)
                if content:
                    index.add(connection, row.content_id, content.title, content.body)

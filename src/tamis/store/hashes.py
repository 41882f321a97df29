"""Which pieces a store has, by their hashes.

Hashes are spread evenly, so that each new one would change another page of their table. Those of a
put are therefore one row of `fresh`. When there are many, all go into the table at once, in its
order, and most pages of it are written once for several of them; a log-structured merge tree
(O'Neil et al. 1996) of two levels.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from tamis.store.direct import rows, run_sql
from tamis.store.tables import DIGEST, FRESH, PIECE, Number

MOST_FRESH: Final = 65_536  # hashes, which take ten megabytes of memory
MOST_ASKED: Final = 4_096  # hashes in one question
MOST_SETTLED: Final = 512  # in one statement, which takes two thirds of the time of one for each
STEP: Final = 32  # their number is a multiple of this, so that few questions have to be compiled

_FRESH: Final = (
    select(FRESH.c.first, FRESH.c.hashes)
    .where(FRESH.c.first >= bindparam("start"))
    .order_by(FRESH.c.first)
)
_NEW: Final = insert(FRESH)
_NONE_FRESH: Final = delete(FRESH)
_GONE: Final = delete(PIECE).where(PIECE.c.hash == bindparam("gone"))


class Hashes:
    """The hashes of a store, for whoever writes to it; fresh ones are kept in memory.

    Only a transaction that writes may use it, so nobody else changes anything in the meantime.
    What it keeps was read at the beginning of one, so that nothing is in it that was undone.
    """

    def __init__(self) -> None:
        self._fresh: dict[bytes, int] = {}
        self._last = 0  # the row of `fresh` that was read last

    def numbers(self, connection: Connection, hashes: Iterable[bytes]) -> dict[bytes, int]:
        """Return the numbers of the pieces that the store has, by hash."""
        self._read(connection)
        if len(self._fresh) >= MOST_FRESH:
            self.settle(connection)
        wanted = set(hashes)
        found = {hash_: at for hash_ in wanted if (at := self._fresh.get(hash_)) is not None}
        found.update(settled(connection, sorted(wanted - found.keys())))
        return found

    def add(self, connection: Connection, first: int, hashes: Iterable[bytes]) -> None:
        """Add the hashes of new pieces, which are numbered from `first` on."""
        rows(connection, _NEW, {"first": first, "hashes": b"".join(hashes)})

    def settle(self, connection: Connection) -> None:
        """Put all fresh hashes into their table."""
        self._read(connection)
        if self._fresh:
            named = sorted(self._fresh.items())
            for start in range(0, len(named), MOST_SETTLED):
                some = named[start : start + MOST_SETTLED]
                signs = ", ".join(["(?, ?)"] * len(some))
                values = [*itertools.chain.from_iterable(some)]
                run_sql(connection, f"INSERT INTO piece VALUES {signs}", values)
            rows(connection, _NONE_FRESH, {})

    def _read(self, connection: Connection) -> None:
        """Read what has become fresh since the last time.

        The rows of `fresh` go all at once, and no number is given twice: if the one that was read
        last is there, so are those before it.
        """
        found = rows(connection, _FRESH, {"start": self._last})
        if self._last and not (found and found[0][0] == self._last):
            self._fresh.clear()
            self._last = 0
            found = rows(connection, _FRESH, {"start": 0})
        for first, hashes in found:
            if first > self._last:
                self._fresh.update(numbered(first, hashes))
                self._last = first


def numbered(first: int, hashes: bytes) -> Iterator[tuple[bytes, int]]:
    """Return the hashes of a row of `fresh`, each with the number of its piece."""
    places = range(0, len(hashes), DIGEST)
    return zip([hashes[at : at + DIGEST] for at in places], itertools.count(first), strict=False)


def settled(connection: Connection, wanted: Sequence[bytes]) -> dict[bytes, int]:
    """Return the numbers of pieces whose hashes are in their table."""
    found: dict[bytes, int] = {}
    for start in range(0, len(wanted), MOST_ASKED):
        asked = [*wanted[start : start + MOST_ASKED]]
        asked += asked[-1:] * (-len(asked) % STEP)
        signs = ", ".join(["(?)"] * len(asked))
        sql = f"WITH asked(hash) AS (VALUES {signs}) "
        sql += "SELECT hash, id FROM asked JOIN piece USING (hash)"
        found.update(run_sql(connection, sql, asked))
    for number in found.values():
        Number.check(number)
    return found


def forget(connection: Connection, hashes: Iterable[bytes]) -> None:
    """Let pieces whose hashes are in their table be new ones when they come again."""
    gone = [{"gone": hash_} for hash_ in hashes]
    if gone:
        connection.execute(_GONE, gone)


def count(connection: Connection) -> int:
    """Return how many pieces there are."""
    fresh = func.coalesce(func.sum(func.length(FRESH.c.hashes)), 0)
    found = connection.execute(select(fresh)).scalar_one() // DIGEST
    return int(found + connection.execute(select(func.count()).select_from(PIECE)).scalar_one())

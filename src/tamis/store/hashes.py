"""Which pieces a store has, by their hashes.

Hashes are spread evenly over their table, so each new one would change another page of it. Those
of a put are therefore one row of the table `fresh`. When there are many, all are merged into the
table of pieces at once, in its order, and most pages of it are written once for several of them:
a log-structured merge tree (O'Neil et al. 1996) of two levels.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tamis.store.columns import DIGEST, DIGEST_SIZE, DIGESTS, NUMBER
from tamis.store.database import Connection, Query

_MAX_FRESH: Final = 65_536  # hashes, which take ten megabytes of memory
_MAX_LOOKUPS: Final = 4_096  # hashes in one query
_MAX_INSERTS: Final = 512  # in one statement, which takes two thirds of the time of single ones
_LOOKUP_STEP: Final = 32  # lookups are padded to multiples, so that few queries are compiled

_FRESH: Final = Query(
    "SELECT first, hashes FROM fresh WHERE first >= ? ORDER BY first", (NUMBER, DIGESTS)
)
_INSERT_FRESH: Final = Query("INSERT INTO fresh (first, hashes) VALUES (?, ?)")
_DELETE_FRESH: Final = Query("DELETE FROM fresh")
_DELETE_PIECE: Final = Query("DELETE FROM piece WHERE hash = ?")
_COUNT_FRESH: Final = Query("SELECT coalesce(sum(length(hashes)), 0) FROM fresh", (NUMBER,))
_COUNT_PIECES: Final = Query("SELECT count(*) FROM piece", (NUMBER,))


class PieceHashes:
    """The hashes of a store, for its writers; fresh ones are kept in memory.

    Only a transaction that writes may use it, so that nobody else changes the tables meanwhile.
    It keeps only what was read at the beginning of a transaction, and so nothing that was undone.
    """

    def __init__(self) -> None:
        self._fresh: dict[bytes, int] = {}
        self._last = 0  # the row of `fresh` that was read last

    def find_numbers(self, connection: Connection, hashes: Iterable[bytes]) -> dict[bytes, int]:
        """Return the numbers of the pieces that the store has, by hash."""
        self._read_fresh(connection)
        if len(self._fresh) >= _MAX_FRESH:
            self.merge(connection)
        wanted = set(hashes)
        numbers = {
            hash_: number for hash_ in wanted if (number := self._fresh.get(hash_)) is not None
        }
        numbers.update(_look_up(connection, sorted(wanted - numbers.keys())))
        return numbers

    def add(self, connection: Connection, first: int, hashes: Iterable[bytes]) -> None:
        """Add the hashes of new pieces, which are numbered from `first` on."""
        connection.run(_INSERT_FRESH, first, b"".join(hashes))

    def merge(self, connection: Connection) -> None:
        """Move all fresh hashes into the table of pieces."""
        self._read_fresh(connection)
        if not self._fresh:
            return
        pieces = sorted(self._fresh.items())
        for start in range(0, len(pieces), _MAX_INSERTS):
            batch = pieces[start : start + _MAX_INSERTS]
            marks = ", ".join(["(?, ?)"] * len(batch))
            values = itertools.chain.from_iterable(batch)
            connection.run(Query(f"INSERT INTO piece (hash, id) VALUES {marks}"), *values)
        connection.run(_DELETE_FRESH)

    def _read_fresh(self, connection: Connection) -> None:
        """Read what has become fresh since the last time.

        All rows of `fresh` are deleted at once, and no number is given twice: if the row that was
        read last still exists, so do those before it.
        """
        rows = connection.rows(_FRESH, self._last)
        if self._last and not (rows and rows[0][0] == self._last):
            self._fresh.clear()
            self._last = 0
            rows = connection.rows(_FRESH, 0)
        for first, hashes in rows:
            if first > self._last:
                self._fresh.update(_number_hashes(first, hashes))
                self._last = first


def _number_hashes(first: int, hashes: bytes) -> Iterator[tuple[bytes, int]]:
    """Return the hashes of a row of `fresh`, each with the number of its piece."""
    offsets = range(0, len(hashes), DIGEST_SIZE)
    split = [hashes[offset : offset + DIGEST_SIZE] for offset in offsets]
    return zip(split, itertools.count(first), strict=False)


def _look_up(connection: Connection, hashes: Sequence[bytes]) -> dict[bytes, int]:
    """Return the numbers of pieces whose hashes are in the table of pieces."""
    numbers: dict[bytes, int] = {}
    for start in range(0, len(hashes), _MAX_LOOKUPS):
        batch = [*hashes[start : start + _MAX_LOOKUPS]]
        batch += batch[-1:] * (-len(batch) % _LOOKUP_STEP)
        marks = ", ".join(["(?)"] * len(batch))
        sql = (
            f"WITH wanted(hash) AS (VALUES {marks}) "
            "SELECT hash, id FROM wanted JOIN piece USING (hash)"
        )
        numbers.update(connection.rows(Query(sql, (DIGEST, NUMBER)), *batch))
    return numbers


def delete_hashes(connection: Connection, hashes: Iterable[bytes]) -> None:
    """Delete pieces from their table, so that they are new when they are stored again."""
    connection.run_many(_DELETE_PIECE, [(hash_,) for hash_ in hashes])


def count_pieces(connection: Connection) -> int:
    """Return how many pieces the store has."""
    fresh = connection.value(_COUNT_FRESH) // DIGEST_SIZE
    return int(fresh + connection.value(_COUNT_PIECES))

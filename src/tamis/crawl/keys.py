"""Which addresses a crawl has seen, by the hashes of their canonical forms: their keys.

Keys are spread evenly: in a table of a million each new one changes another page of the file, and
a commit costs as much as it changes pages. Those that are added together are therefore one row of
the table of fresh keys, and kept in memory. When there are many, all are merged into a table of
recent keys, in its order, and when that is large, it is merged into the table of all others: a
log-structured merge tree (O'Neil et al. 1996) of three levels. Each level is a small part of the
next, so that hardly a page of the large table is written for each new key.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

from tamis.store import DIGEST_SIZE, Connection, Query, columns

_MAX_FRESH: Final = 20_000  # keys in memory, which take three megabytes
_MAX_RECENT: Final = 160_000  # keys in the table of recent ones
_MAX_LOOKUPS: Final = 256  # keys in one query

_SELECT_FRESH: Final = Query(
    "SELECT first, keys FROM crawl_fresh_keys WHERE first >= ? ORDER BY first",
    (columns.NUMBER, columns.DIGESTS),
)
_INSERT_FRESH: Final = Query("INSERT INTO crawl_fresh_keys (first, keys) VALUES (?, ?)")
_DELETE_FRESH: Final = Query("DELETE FROM crawl_fresh_keys")
_INSERT_RECENT: Final = Query("INSERT INTO crawl_recent_key (key, address_id) VALUES (?, ?)")
_COUNT_RECENT: Final = Query("SELECT count(*) FROM crawl_recent_key", (columns.NUMBER,))
_MERGE_RECENT: Final = Query(
    "INSERT INTO crawl_key (key, address_id) "
    "SELECT key, address_id FROM crawl_recent_key ORDER BY key"
)
_DELETE_RECENT: Final = Query("DELETE FROM crawl_recent_key")


@dataclass
class AddressKeys:
    """The keys of a store's addresses, for one crawler, in transactions that write.

    In memory are fresh keys as they were when the transaction began, and apart from these what it
    has added itself, which is forgotten when the next one begins: it may have been undone.
    """

    _fresh: dict[bytes, int] = field(default_factory=dict)
    _last: int = 0  # the row of fresh keys that was read last
    _added: dict[bytes, int] = field(default_factory=dict)
    _connection: Connection | None = None  # of the transaction

    def find_numbers(self, connection: Connection, keys: Collection[bytes]) -> dict[bytes, int]:
        """Return the numbers of the addresses that there are, by key."""
        self._read_fresh(connection)
        numbers: dict[bytes, int] = {}
        others: list[bytes] = []
        for key in keys:
            number = self._added.get(key) or self._fresh.get(key)
            if number:
                numbers[key] = number
            else:
                others.append(key)
        for start in range(0, len(others), _MAX_LOOKUPS):
            numbers.update(_look_up(connection, others[start : start + _MAX_LOOKUPS]))
        return numbers

    def add(self, connection: Connection, first: int, keys: Sequence[bytes]) -> None:
        """Add the keys of new addresses, which are numbered from `first` on."""
        self._read_fresh(connection)
        connection.run(_INSERT_FRESH, first, b"".join(keys))
        self._added.update(zip(keys, itertools.count(first), strict=False))
        if len(self._fresh) + len(self._added) >= _MAX_FRESH:
            self._merge(connection)

    def forget(self) -> None:
        """Forget all that was read: it may have been undone."""
        self._fresh.clear()
        self._added.clear()
        self._last, self._connection = 0, None

    def _read_fresh(self, connection: Connection) -> None:
        """Read at the beginning of a transaction what has become fresh since the last one.

        All fresh keys are merged at once, and no number is given twice: if the row that was read
        last still exists, so do those before it.
        """
        if connection is self._connection:
            return
        last = self._last
        rows = connection.rows(_SELECT_FRESH, last)
        if last and not (rows and rows[0][0] == last):
            self.forget()
            rows = connection.rows(_SELECT_FRESH, 0)
        self._connection = connection
        self._added.clear()
        for first, keys in rows:
            if first > self._last:
                offsets = range(0, len(keys), DIGEST_SIZE)
                split = (keys[offset : offset + DIGEST_SIZE] for offset in offsets)
                self._fresh.update(zip(split, itertools.count(first), strict=False))
                self._last = first

    def _merge(self, connection: Connection) -> None:
        """Move fresh keys to the recent ones, and these to all others if they are many."""
        keys = sorted({**self._fresh, **self._added}.items())
        connection.run_many(_INSERT_RECENT, keys)
        connection.run(_DELETE_FRESH)
        self.forget()
        self._connection = connection
        if connection.value(_COUNT_RECENT) >= _MAX_RECENT:
            connection.run(_MERGE_RECENT)
            connection.run(_DELETE_RECENT)


def _look_up(connection: Connection, keys: Sequence[bytes]) -> list[tuple[bytes, int]]:
    """Return keys that were merged, with the numbers of their addresses."""
    size = 1 << (len(keys) - 1).bit_length()  # powers of two, so that few queries are compiled
    padded = [*keys, *itertools.repeat(keys[-1], size - len(keys))]
    marks = ", ".join("?" * len(padded))
    tables = (
        f"SELECT key, address_id FROM {table} WHERE key IN ({marks})"
        for table in ("crawl_recent_key", "crawl_key")
    )
    query = Query(" UNION ALL ".join(tables), (columns.DIGEST, columns.NUMBER))
    rows: list[tuple[bytes, int]] = connection.rows(query, *padded, *padded)
    return rows

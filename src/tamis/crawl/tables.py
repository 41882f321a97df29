"""The tables of crawls in a store's database, created when the first crawl of a store begins.

They have a number of their own, apart from the store's schema: a store without crawls stays as it
is, and one with crawls can be read by whoever knows nothing of them.
"""

from __future__ import annotations

from typing import Final

from tamis.errors import StoreError
from tamis.store import Connection, Query, columns

_TYPES: Final = {
    True: {
        "id": "INTEGER NOT NULL PRIMARY KEY",
        "number_key": "INTEGER NOT NULL PRIMARY KEY",
        "bytes": "BLOB",
        "real": "REAL",
        "without_rowid": "WITHOUT ROWID",
    },
    False: {
        "id": "BIGSERIAL PRIMARY KEY",
        "number_key": "BIGINT NOT NULL PRIMARY KEY",
        "bytes": "BYTEA",
        "real": "DOUBLE PRECISION",
        "without_rowid": "",
    },
}
# One tuple of statements per version. Times are milliseconds since 1970.
_MIGRATIONS: Final = (
    (
        # `key` is of the start addresses, the scope and the query: the same command is the same
        # crawl. `scope` has what redirects of start addresses have added to the scope.
        """
        CREATE TABLE crawl (
            id {id},
            key {bytes} NOT NULL UNIQUE,
            settings TEXT NOT NULL,
            scope TEXT NOT NULL,
            started_at BIGINT NOT NULL
        )
        """,
        # A process that works at a crawl. What it has leased is its own while it beats.
        """
        CREATE TABLE crawler (
            id {id},
            crawl_id BIGINT NOT NULL REFERENCES crawl(id),
            machine TEXT NOT NULL,
            process TEXT NOT NULL,
            started_at BIGINT NOT NULL,
            beat_at BIGINT NOT NULL
        )
        """,
        # `waiting` counts the addresses of a host that wait, `best` is the greatest priority of
        # these. `owner` is the crawler that asks this host, so that no other one does.
        """
        CREATE TABLE crawl_host (
            id {id},
            crawl_id BIGINT NOT NULL REFERENCES crawl(id),
            name TEXT NOT NULL,
            robots TEXT,
            robots_at BIGINT,
            waiting BIGINT NOT NULL,
            best {real} NOT NULL,
            ready_at BIGINT NOT NULL,
            owner BIGINT,
            UNIQUE (crawl_id, name)
        )
        """,
        "CREATE INDEX crawl_host_free ON crawl_host(crawl_id, best) "
        "WHERE waiting > 0 AND owner IS NULL",
        "CREATE INDEX crawl_host_owner ON crawl_host(owner) WHERE owner IS NOT NULL",
        """
        CREATE TABLE crawl_address (
            id {id},
            crawl_id BIGINT NOT NULL REFERENCES crawl(id),
            host_id BIGINT NOT NULL REFERENCES crawl_host(id),
            url TEXT NOT NULL,
            kind SMALLINT NOT NULL,
            state SMALLINT NOT NULL,
            priority {real} NOT NULL,
            depth INTEGER NOT NULL,
            redirects INTEGER NOT NULL,
            tries INTEGER NOT NULL DEFAULT 0,
            ready_at BIGINT NOT NULL DEFAULT 0,
            owner BIGINT,
            outcome TEXT,
            reason TEXT,
            bytes BIGINT NOT NULL DEFAULT 0,
            etag TEXT,
            modified TEXT,
            body_digest {bytes},
            first_at BIGINT,
            looked_at BIGINT,
            looks INTEGER NOT NULL DEFAULT 0,
            changes INTEGER NOT NULL DEFAULT 0,
            is_duplicate SMALLINT NOT NULL DEFAULT 0
        )
        """,
        # Keys of addresses (see `keys`): fresh ones in the order in which they came, those of
        # addresses `first`, `first` + 1, …, then recent ones, then all others.
        "CREATE TABLE crawl_fresh_keys (first {number_key}, keys {bytes} NOT NULL)",
        """
        CREATE TABLE crawl_recent_key (
            key {bytes} NOT NULL PRIMARY KEY, address_id BIGINT NOT NULL
        ) {without_rowid}
        """,
        """
        CREATE TABLE crawl_key (
            key {bytes} NOT NULL PRIMARY KEY, address_id BIGINT NOT NULL
        ) {without_rowid}
        """,
        "CREATE INDEX crawl_address_waiting ON crawl_address(host_id, priority, id) "
        "WHERE state = 0",
        "CREATE INDEX crawl_address_leased ON crawl_address(owner) WHERE state = 1",
        "CREATE INDEX crawl_address_later ON crawl_address(crawl_id, ready_at) WHERE state = 4",
        """
        CREATE TABLE crawl_shape (
            host_id BIGINT NOT NULL REFERENCES crawl_host(id),
            shape TEXT NOT NULL,
            credit INTEGER NOT NULL,
            PRIMARY KEY (host_id, shape)
        )
        """,
        # The records of a list page, as JSON, compressed.
        "CREATE TABLE crawl_records (address_id BIGINT NOT NULL PRIMARY KEY "
        "REFERENCES crawl_address(id), data {bytes} NOT NULL)",
    ),
)

_VERSION: Final = Query("SELECT version FROM crawl_version", (columns.NUMBER,))


def create_tables(connection: Connection, name: str) -> None:
    """Create the tables of crawls, or bring them up to date; in a transaction that writes."""
    connection.run(Query("CREATE TABLE IF NOT EXISTS crawl_version (version INTEGER NOT NULL)"))
    version = connection.value(_VERSION) or 0
    if version > len(_MIGRATIONS):
        raise StoreError(f"{name} has a crawl of a newer tamis (version {version}): upgrade")
    if version == len(_MIGRATIONS):
        return
    for statements in _MIGRATIONS[version:]:
        for sql in statements:
            connection.run(Query(sql.format_map(_TYPES[connection.is_sqlite])))
    connection.run(Query("DELETE FROM crawl_version"))
    connection.run(Query("INSERT INTO crawl_version VALUES (?)"), len(_MIGRATIONS))


_SQLITE_TABLE: Final = Query(
    "SELECT 1 FROM sqlite_schema WHERE name = 'crawl_version'", (columns.NUMBER,)
)
_POSTGRES_TABLE: Final = Query(
    "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'crawl_version'",
    (columns.NUMBER,),
)


def has_tables(connection: Connection) -> bool:
    """Say whether a store has had a crawl."""
    return bool(connection.rows(_SQLITE_TABLE if connection.is_sqlite else _POSTGRES_TABLE))

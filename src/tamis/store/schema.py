"""The tables of a store: created, brought up to date or refused.

Migrations are numbered from 1; a store records the number of its last one. All that a store is
missing run in one transaction, which holds the lock of writers, so that two processes may open a
store at the same time.
"""

from __future__ import annotations

import os
import re
from typing import Final, NamedTuple

from tamis.errors import StoreError
from tamis.store.columns import NUMBER, TEXT, damaged
from tamis.store.database import Connection, Database, Query, connect


class _Migration(NamedTuple):
    """Statements that bring a store from one schema to the next.

    {id} and the like in those for both databases stand for the types of each.
    """

    purpose: str
    both: tuple[str, ...] = ()
    sqlite: tuple[str, ...] = ()
    postgres: tuple[str, ...] = ()


_SQLITE_TYPES: Final = {
    "id": "INTEGER NOT NULL PRIMARY KEY",
    "unique_id": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT",
    "number": "INTEGER",
    "bytes": "BLOB",
    "without_rowid": "WITHOUT ROWID",
}
_POSTGRES_TYPES: Final = {
    "id": "BIGSERIAL PRIMARY KEY",
    "unique_id": "BIGSERIAL PRIMARY KEY",
    "number": "BIGINT",
    "bytes": "BYTEA",
    "without_rowid": "",
}

# Names of tables and columns are those of the first version: another name would take a migration,
# and until then nobody could read an older store who may not write to it.
MIGRATIONS: Final = (
    _Migration(
        "Pieces in packs, pages as lists of pieces, an index of words.",
        both=(
            "CREATE TABLE site (id {id}, host TEXT NOT NULL UNIQUE)",
            # URLs may be longer than an index entry of PostgreSQL, so they are found by a hash.
            """
            CREATE TABLE page (
                id {id},
                key {bytes} NOT NULL UNIQUE,
                url TEXT NOT NULL,
                site_id {number} NOT NULL REFERENCES site(id)
            )
            """,
            "CREATE INDEX ix_page_site_id ON page(site_id)",
            # The texts of pages, each once: title and informative blocks. The index of words has
            # a row for each. `digest` is of both, `sketch` the MinHash; NULL for a short text. An
            # id is never given twice, because the index may still have an old one.
            """
            CREATE TABLE content (
                id {unique_id},
                digest {bytes} NOT NULL UNIQUE,
                language TEXT,
                words INTEGER NOT NULL,
                sketch {bytes}
            )
            """,
            "CREATE INDEX ix_content_language ON content(language)",
            # `current` is 1 for the version that was fetched last; `whole` is 1 for keep="all", 0
            # for keep="content"; `digest` is of the hashes of the pieces.
            """
            CREATE TABLE version (
                id {id},
                page_id {number} NOT NULL REFERENCES page(id),
                content_id {number} REFERENCES content(id),
                current SMALLINT NOT NULL,
                fetched_at BIGINT NOT NULL,
                whole SMALLINT NOT NULL,
                title TEXT,
                author TEXT,
                published INTEGER,
                language TEXT,
                page_type TEXT,
                raw_bytes INTEGER NOT NULL,
                source_bytes INTEGER NOT NULL,
                digest {bytes} NOT NULL,
                pieces {bytes} NOT NULL
            )
            """,
            "CREATE INDEX ix_version_content_id ON version(content_id)",
            "CREATE UNIQUE INDEX version_instant ON version(page_id, fetched_at)",
            # Numbers of pieces rise, so that the list of a page's pieces is short.
            """
            CREATE TABLE piece (hash {bytes} NOT NULL PRIMARY KEY, id BIGINT NOT NULL)
            {without_rowid}
            """,
            # The bytes of the pieces numbered `first` to `first + count`. `base` is the pack that
            # this one is compressed against, `edition` how often garbage was taken out of it.
            """
            CREATE TABLE pack (
                first {number} NOT NULL PRIMARY KEY,
                count INTEGER NOT NULL,
                site_id {number} NOT NULL REFERENCES site(id),
                base {number},
                edition INTEGER NOT NULL,
                data {bytes} NOT NULL
            )
            """,
            "CREATE INDEX pack_site ON pack(site_id, base)",
        ),
        sqlite=(
            # The tokenizer of the store separates tokens by spaces; FTS5 only splits at these.
            "CREATE VIRTUAL TABLE word_index USING fts5(title, body, content='', "
            "tokenize=\"unicode61 remove_diacritics 0 categories 'L* M* N* Co Pc'\")",
            "CREATE VIRTUAL TABLE word_counts USING fts5vocab(word_index, row)",
        ),
        postgres=(
            "CREATE TABLE word_index ("
            "content_id BIGINT PRIMARY KEY REFERENCES content(id) ON DELETE CASCADE, "
            "words TSVECTOR NOT NULL)",
            "CREATE INDEX word_index_words ON word_index USING gin(words)",
        ),
    ),
    _Migration(
        "Hashes of new pieces, before they are merged into the table of all.",
        both=("CREATE TABLE fresh (first {number} NOT NULL PRIMARY KEY, hashes {bytes} NOT NULL)",),
    ),
    _Migration(
        "Segments of the index are merged sixteen at a time: each word is written fewer times.",
        sqlite=("INSERT INTO word_index(word_index, rank) VALUES ('automerge', 16)",),
    ),
    _Migration(
        "`said` is the digest of the text alone; until now `digest` was that.",
        both=("ALTER TABLE content ADD COLUMN said {bytes}", "UPDATE content SET said = digest"),
    ),
)

_VERSION_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS tamis_version ("
    "version_num VARCHAR(32) NOT NULL, CONSTRAINT tamis_version_pkc PRIMARY KEY (version_num))"
)
_SQLITE_TABLES: Final = Query(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
    (TEXT,),
)
_POSTGRES_TABLES: Final = Query(
    "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()", (TEXT,)
)
_VERSION: Final = Query("SELECT version_num FROM tamis_version", (lambda _: None,))
# What would run when a store is read or written, without an end if somebody wants that.
_EXECUTABLE: Final = Query(
    "SELECT 1 FROM sqlite_schema WHERE type IN ('view', 'trigger') UNION ALL "
    "SELECT 1 FROM sqlite_schema AS m JOIN pragma_table_xinfo(m.name) AS x "
    "WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND x.hidden LIMIT 1",
    (NUMBER,),
)
_SQLITE_SIZE: Final = Query(
    "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", (NUMBER,)
)
_STORE_TABLES: Final = (
    "site",
    "page",
    "content",
    "version",
    "piece",
    "fresh",
    "pack",
    "word_index",
)
_POSTGRES_SIZE: Final = Query(
    "SELECT " + " + ".join(f"pg_total_relation_size('{table}')" for table in _STORE_TABLES),
    (NUMBER,),
)


def open_database(location: str | os.PathLike[str], *, create: bool) -> Database:
    """Open a database by path or URL, and bring its tables up to date."""
    database = connect(location, create=create)
    try:
        with database.reading() as connection:
            version = _schema_version(connection, database.name)
        if version < len(MIGRATIONS):
            if not create:
                raise StoreError(f"{database.name} is no store yet: put a page into it first")
            with database.writing() as connection:
                # Another process may have migrated it in the meantime.
                _migrate(connection, _schema_version(connection, database.name))
    except BaseException:
        database.close()
        raise
    return database


def _schema_version(connection: Connection, name: str) -> int:
    """Return the number of the last migration of a store, 0 for an empty database.

    Raises StoreError for a database that is no store, or one of a newer version of tamis.
    """
    if connection.is_sqlite and connection.rows(_EXECUTABLE):
        raise StoreError(
            f"{name} has views, triggers or columns that no store has: put back a copy that you "
            "trust, or save its tables with `sqlite3 FILE .dump`"
        )
    tables = connection.rows(_SQLITE_TABLES if connection.is_sqlite else _POSTGRES_TABLES)
    if ("tamis_version",) not in tables:
        if tables:
            raise StoreError(
                f"{name} is a database of something else: name a store of tamis, or a new one"
            )
        return 0
    version = connection.value(_VERSION)
    if version is None:
        return 0
    if not re.fullmatch(r"[1-9]\d{0,8}", str(version), re.ASCII):
        raise damaged("the number of its schema")
    if int(version) > len(MIGRATIONS):
        raise StoreError(f"{name} was written by a newer tamis (its schema is {version}): upgrade")
    return int(version)


def _migrate(connection: Connection, version: int) -> None:
    """Run the migrations that a store is missing, as a part of the connection's transaction."""
    if version == len(MIGRATIONS):
        return
    connection.run(Query(_VERSION_TABLE))
    for sql in migration_statements(version, is_sqlite=connection.is_sqlite):
        connection.run(Query(sql))
    connection.run(Query("DELETE FROM tamis_version"))
    connection.run(Query("INSERT INTO tamis_version VALUES (?)"), str(len(MIGRATIONS)))


def migration_statements(version: int, *, is_sqlite: bool) -> list[str]:
    """Return the statements of all migrations after a version."""
    types = _SQLITE_TYPES if is_sqlite else _POSTGRES_TYPES
    statements: list[str] = []
    for migration in MIGRATIONS[version:]:
        statements += [sql.format_map(types) for sql in migration.both]
        statements += migration.sqlite if is_sqlite else migration.postgres
    return statements


def database_size(connection: Connection) -> int:
    """Return how many bytes the tables take, with all indexes."""
    return int(connection.value(_SQLITE_SIZE if connection.is_sqlite else _POSTGRES_SIZE))

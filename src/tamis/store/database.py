"""What went wrong in a database, in words that say what to do.

The schema of a store: made anew, brought up to date, or refused.

A database: an SQLite file or a PostgreSQL server, behind two kinds of transaction.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool, QueuePool

from tamis.errors import StoreError, check_argument, unavailable

# What a database says, and what there is to do. The first that fits counts.
_CURES: Final = (
    (
        r"disk is full|no space left|53100|disk quota",
        "the disk is full: make room and do it again; what was stored before is safe. If there is "
        "room, the store is damaged: put back a copy of it",
    ),
    (
        r"readonly|read-only|25006",
        "it is read-only: change its permissions, or copy it to a place where you may write",
    ),
    (
        r"not a database|malformed|corrupt|XX001|XX002|no such (table|column|index|module)|"
        r"has no column|"
        r"already exists|duplicate column|integer overflow|could not decode|mismatch|"
        r"constraint failed|vtable constructor failed|string or blob too big|fts5",
        "it is damaged, or no store at all: put back a copy that you have, or save what "
        "`sqlite3 FILE .recover` finds",
    ),
    (
        r"unable to open",
        "it cannot be opened: check that its folder exists and that you may write there",
    ),
    (
        r"database is locked|lock timeout|55P03",
        "another process has been writing to it for too long: try again",
    ),
    (
        r"disk i/o error|58030",
        "the disk refused to read or write: is it full, or over a limit on file sizes?",
    ),
    (r"password authentication|no password supplied|28P01", "the user or the password is wrong"),
    (r'database "[^"]*" does not exist|3D000', "there is no such database: create it first"),
    (
        r"connection refused|could not translate|resolve|timeout|is the server running|"
        r"connection failed|server closed|connection is closed|could not connect",
        "the server does not answer: check host and port, and whether it runs",
    ),
    (r"permission denied|42501", "this user may not do that there: grant the rights"),
)


def damaged(what: str) -> StoreError:
    """Return the error for what is not as it was stored."""
    return StoreError(f"the store is damaged ({what} cannot be read): put back a copy of it")


@contextmanager
def explained(name: str, of_driver: type[Exception]) -> Iterator[None]:
    """Make an error of a database one that says what to do about the store `name`."""
    try:
        yield
    except (SQLAlchemyError, of_driver) as error:
        raise StoreError(f"{name}: {cure(error)}") from error


def cure(error: Exception) -> str:
    """Return what to do about an error, or what the database said."""
    origin = error.orig if isinstance(error, DBAPIError) else error
    said = str(origin or error).strip()
    code = getattr(origin, "sqlstate", None) or ""
    for pattern, words in _CURES:
        if re.search(pattern, f"{said} {code}", re.IGNORECASE):
            return words
    return said.splitlines()[0] if said else type(error).__name__


VERSION_TABLE: Final = "tamis_version"
NEWEST: Final = "4"  # the last step in migrations/versions
# What would run when a store is read or written, and never come to an end if somebody likes.
_FOREIGN: Final = text(
    "SELECT 1 FROM sqlite_schema WHERE type IN ('view', 'trigger') UNION ALL "
    "SELECT 1 FROM sqlite_schema AS m JOIN pragma_table_xinfo(m.name) AS x "
    "WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND x.hidden LIMIT 1"
)


def is_ready(connection: Connection, name: str) -> bool:
    """Say whether a database is a store of this tamis; raises StoreError if it can be none."""
    if connection.dialect.name == "sqlite" and connection.execute(_FOREIGN).first():
        raise StoreError(
            f"{name} has views, triggers or columns that no store has: put back a copy that you "
            "trust, or save its tables with `sqlite3 FILE .dump`"
        )
    tables = set(inspect(connection).get_table_names())
    if VERSION_TABLE not in tables:
        if tables:
            raise StoreError(
                f"{name} is a database of something else: name a store of tamis, or a new one"
            )
        return False
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    if found == NEWEST:
        return True
    if found is not None and not re.fullmatch(r"[1-9]\d{0,8}", str(found), re.ASCII):
        raise damaged("the number of its schema")
    if int(found or 0) > int(NEWEST):
        raise StoreError(f"{name} was written by a newer tamis (its schema is {found}): upgrade")
    return False


def upgrade(connection: Connection) -> None:
    """Bring a store up to date, as a part of the connection's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "tamis.store:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


PATIENCE: Final = 60_000  # milliseconds that a writer waits for another one
LOCK: Final = 7_421_905_113  # any number: the lock that writers to a PostgreSQL store take in turn
_CACHE: Final = 64 * 1024  # KiB of an SQLite file that are kept in memory
_LOG_PAGES: Final = 16_384  # of the log before it is written back: 64 MiB
_POSTGRES: Final = ("postgresql", "postgres", "postgresql+psycopg")


@dataclass(frozen=True, eq=False)
class Database:
    """An open database. `name` is what messages call it, without any password."""

    engine: Engine
    name: str
    closed: Event = field(default_factory=Event)

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a file."""
        return self.engine.dialect.name == "sqlite"

    @cached_property
    def writer(self) -> Engine:
        """The engine with what is said of a connection that writes, said once for all."""
        return self.engine.execution_options(is_writer=True)

    def explained(self) -> AbstractContextManager[None]:
        """Make what the database or its driver says an error that tells what to do."""
        if self.closed.is_set():  # the engine would quietly connect anew
            raise StoreError(f"{self.name} is closed: open it again with Store.open")
        return explained(self.name, self.engine.dialect.loaded_dbapi.Error)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees the store as it is at one moment."""
        options: dict[str, Any] = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with (
            self.explained(),
            self.engine.connect().execution_options(**options) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection whose work is done as a whole or not at all, one writer at a time."""
        with self.explained(), self.writer.connect() as connection, connection.begin():
            if not self.is_sqlite:
                connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
            yield connection

    def vacuum(self) -> None:
        """Give the room of what was deleted in a file back to the disk."""
        with (
            self.explained(),
            self.engine.connect().execution_options(is_plain=True) as connection,
        ):
            connection.exec_driver_sql("VACUUM")

    def close(self) -> None:
        """Close all connections, for good."""
        self.closed.set()
        self.engine.dispose()


def opened(place: str | os.PathLike[str], *, create: bool) -> Database:
    """Open a database by path or URL and bring its schema up to date."""
    url = url_of(place)
    database = Database(engine_of(url), shown(url))
    try:
        if url.drivername == "sqlite":
            check_file(Path(url.database or ""), create=create)
        with database.reading() as connection:
            ready = is_ready(connection, database.name)
        if not ready:
            if not create:
                raise StoreError(f"{database.name} is no store yet: put a page into it first")
            with database.writing() as connection:
                # Another process may have made it in the meantime.
                if not is_ready(connection, database.name):
                    upgrade(connection)
    except BaseException:
        database.close()
        raise
    return database


def url_of(place: str | os.PathLike[str]) -> URL:
    """Return the URL of a database; what is no URL is the path of a file."""
    if isinstance(place, str) and "://" in place:
        try:
            url = make_url(place)
        except (ArgumentError, ValueError) as error:
            raise wrong_url(place) from error
        if url.drivername in _POSTGRES:
            return url.set(drivername="postgresql+psycopg")
        if url.drivername != "sqlite" or not url.database:
            raise wrong_url(place)
        return URL.create("sqlite", database=url.database)
    check_argument("place", place, (str, os.PathLike), "the path of a file, or postgresql://…")
    path = os.fspath(place)
    if not isinstance(path, str) or not path.strip() or "\0" in path or path == ":memory:":
        raise StoreError("the store has no name: give the path of a file, or postgresql://…")
    return URL.create("sqlite", database=path)


def wrong_url(place: str) -> StoreError:
    """Return the error for a URL that leads to no database that tamis knows."""
    return StoreError(
        f"{place.split('@')[-1]!r} is no database that tamis knows: give the path of a file, or "
        "postgresql://user:password@host:port/database"
    )


def shown(url: URL) -> str:
    """Return what messages call a database."""
    if url.drivername == "sqlite":
        return url.database or ""
    return url.set(drivername="postgresql").render_as_string(hide_password=True)


def check_file(path: Path, *, create: bool) -> None:
    """Raise StoreError for a path at which there is no store and none can be made."""
    try:
        there = path.exists()
        if path.is_dir():
            raise StoreError(f"{path} is a folder: name a file in it")
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}: check the path") from error
    if not there and not create:
        raise StoreError(f"there is no store {path}: make one with `tamis store add`")
    if not there and not path.absolute().parent.is_dir():
        raise StoreError(f"the folder of {path} does not exist: create it first")


def engine_of(url: URL) -> Engine:
    """Return the engine of a database; nothing is connected yet."""
    if url.drivername == "sqlite":
        return sqlite_engine(Path(url.database or ""))
    try:
        return create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10})
    except ImportError as error:
        raise unavailable("PostgreSQL needs psycopg", "postgres") from error


def sqlite_engine(path: Path) -> Engine:
    """Return the engine of an SQLite file, with a log that lets readers and a writer be at once.

    With synchronous=NORMAL a commit survives the end of the process however that comes about; when
    the power fails the last few may be lost, and the file is whole all the same.
    """
    locked = path.exists() and not os.access(path, os.W_OK)
    engine = create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(
            file_uri(path, locked=locked),
            timeout=PATIENCE / 1000,
            check_same_thread=False,
            uri=True,
        ),
        # As many threads as there are have a connection each. A file that others may write to is
        # opened anew each time, as how it is to be read depends on what they are doing.
        **({"poolclass": NullPool} if locked else {"poolclass": QueuePool, "max_overflow": -1}),
    )

    @event.listens_for(engine, "connect")
    def _settle(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin below, not where Python likes
        connection.execute(f"PRAGMA busy_timeout = {PATIENCE}")
        if not locked:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
        connection.execute(f"PRAGMA cache_size = -{_CACHE}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if not options.get("is_plain"):
            sql = "BEGIN IMMEDIATE" if options.get("is_writer") else "BEGIN"
            connection.connection.cursor().execute(sql)  # SQLAlchemy would take longer than it does

    return engine


def file_uri(path: Path, *, locked: bool) -> str:
    """Return the URI of an SQLite file; one that may not be written is opened for reading alone.

    Reading a file with a log needs a second file beside it. While somebody has the file open who
    may write, it is there. If it is not, and may not be made either, nobody changes the file.
    """
    uri = f"file:{quote(os.fsencode(path.absolute()))}"
    if not locked:
        return uri
    log, shared = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
    is_open = shared.exists() or (log.exists() and log.stat().st_size > 0)
    return f"{uri}?mode=ro" if is_open else f"{uri}?immutable=1"

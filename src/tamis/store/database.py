"""The way to the database: an SQLite file or a PostgreSQL server, with plain SQL for both.

Whatever differs between the two drivers is here: how they connect, begin transactions and mark
values in SQL, and what their errors mean. What differs in SQL is in `schema` (tables) and `index`
(full-text search).
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from tamis.errors import StoreError, check_argument, unavailable
from tamis.store.columns import Check

_LOCK_TIMEOUT: Final = 60_000  # milliseconds that a writer waits for another one
_LOCK_PAUSE: Final = 0.01  # seconds between two tries where SQLite does not wait itself
_CONNECT_TIMEOUT: Final = 10  # seconds that a server may take to answer
_WRITER_LOCK: Final = 7_421_905_113  # any number: the lock of writers to a PostgreSQL store
_CACHE_KIB: Final = 16 * 1024  # of an SQLite file that are kept in memory
_MAX_LOG_PAGES: Final = 16_384  # of the log before it is written back: 64 MiB
_MAX_IDLE: Final = 5  # connections that are kept open for the next transactions
_STREAM_ROWS: Final = 500  # that a server sends at once

# What a database reports, and what there is to do. The first pattern that matches counts.
_REMEDIES: Final = (
    (
        r"disk is full|no space left|53100|disk quota",
        "the disk is full: make room and do it again; what was stored before is safe. If there is "
        "room, the store is damaged: put back a copy of it",
    ),
    (
        r"readonly|read-only|25006",
        "it is read-only: change its permissions, or copy it to a folder where you may write",
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


@dataclass(frozen=True)
class Query:
    """A statement with a question mark for each value, and a check for each column it returns."""

    sql: str
    checks: tuple[Check, ...] = ()

    @cached_property
    def postgres_sql(self) -> str:
        """The statement as psycopg wants it."""
        return self.sql.replace("?", "%s")


@dataclass(frozen=True)
class Connection:
    """A connection in a transaction."""

    driver: Any  # a connection of sqlite3 or psycopg
    is_sqlite: bool

    def run(self, query: Query, *values: Any) -> int:
        """Run a statement and return how many rows it changed."""
        return int(self._execute(query, values).rowcount)

    def run_many(self, query: Query, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        self.driver.cursor().executemany(self._sql(query), rows)

    def rows(self, query: Query, *values: Any) -> list[tuple[Any, ...]]:
        """Run a query and return its rows; StoreError if a value cannot have been stored."""
        rows: list[tuple[Any, ...]] = self._execute(query, values).fetchall()
        for row in rows:
            for check, value in zip(query.checks, row, strict=True):
                check(value)
        return rows

    def row(self, query: Query, *values: Any) -> tuple[Any, ...] | None:
        """Run a query that returns one row at most."""
        rows = self.rows(query, *values)
        return rows[0] if rows else None

    def value(self, query: Query, *values: Any) -> Any:
        """Run a query for one value; None if it returns no row."""
        row = self.row(query, *values)
        return row[0] if row else None

    def stream(self, query: Query) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query that may be too many to hold."""
        cursor = self.driver.cursor() if self.is_sqlite else self.driver.cursor(name="stream")
        if not self.is_sqlite:
            cursor.itersize = _STREAM_ROWS
        cursor.execute(self._sql(query))
        for row in cursor:
            for check, value in zip(query.checks, row, strict=True):
                check(value)
            yield row
        cursor.close()

    def _execute(self, query: Query, values: Sequence[Any]) -> Any:
        return self.driver.execute(self._sql(query), values)

    def _sql(self, query: Query) -> str:
        return query.sql if self.is_sqlite else query.postgres_sql


class Database(ABC):
    """An open database with two kinds of transaction. Threads may share it.

    `name` is what messages call it, without any password.
    """

    is_sqlite: bool
    driver_error: type[Exception]

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = Lock()
        self._idle: list[Any] = []
        self._is_closed = False

    @abstractmethod
    def _connect(self) -> Any:
        """Return a new connection of the driver."""

    @abstractmethod
    def _begin(self, driver: Any, *, writing: bool) -> None:
        """Begin a transaction."""

    def _is_usable(self, driver: Any) -> bool:
        """Say whether a connection that was idle can be used again."""
        return True

    @property
    def _max_idle(self) -> int:
        """How many idle connections are kept."""
        return _MAX_IDLE

    def reclaim_space(self) -> None:
        """Give the space of deleted rows back to the disk, if a database does not by itself."""
        return

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees the store as it is at one moment."""
        with self._transaction(writing=False) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give a connection whose work is done completely or not at all, one writer at a time."""
        with self._transaction(writing=True) as connection:
            yield connection

    @contextmanager
    def _transaction(self, *, writing: bool) -> Iterator[Connection]:
        with self._borrow() as driver:
            self._begin(driver, writing=writing)
            yield Connection(driver, self.is_sqlite)
            driver.commit()

    @contextmanager
    def _borrow(self) -> Iterator[Any]:
        """Give a connection of the driver; errors of the driver become StoreErrors.

        After any error the transaction is undone and the connection closed.
        """
        if self._is_closed:
            raise StoreError(f"{self.name} is closed: open it again with Store.open")
        try:
            driver = self._take()
            try:
                yield driver
            except BaseException:
                with suppress(self.driver_error):
                    driver.rollback()  # statements that are still open would keep the lock
                driver.close()
                raise
            self._give_back(driver)
        except self.driver_error as error:
            raise StoreError(f"{self.name}: {_find_remedy(error)}") from error

    def _take(self) -> Any:
        """Return an idle connection, or a new one if there is none."""
        while True:
            with self._lock:
                driver = self._idle.pop() if self._idle else None
            if driver is None:
                return self._connect()
            if self._is_usable(driver):
                return driver
            driver.close()

    def _give_back(self, driver: Any) -> None:
        """Keep a connection for the next transaction, or close it."""
        with self._lock:
            is_kept = not self._is_closed and len(self._idle) < self._max_idle
            if is_kept:
                self._idle.append(driver)
        if not is_kept:
            driver.close()

    def close(self) -> None:
        """Close all connections, for good; those in use are closed after their transactions."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for driver in idle:
            driver.close()


class _SqliteDatabase(Database):
    """An SQLite file, with a log that lets readers and one writer work at the same time.

    With synchronous=NORMAL a commit survives the end of the process, however it ends. After a
    power failure the last few commits may be lost; the file stays consistent.
    """

    is_sqlite = True
    driver_error = sqlite3.Error

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path
        self._is_read_only = path.exists() and not os.access(path, os.W_OK)

    @property
    def _max_idle(self) -> int:
        """None of a read-only file: how it has to be opened depends on what its writers do."""
        return 0 if self._is_read_only else _MAX_IDLE

    def _connect(self) -> sqlite3.Connection:
        driver = sqlite3.connect(
            _file_uri(self._path, read_only=self._is_read_only),
            timeout=_LOCK_TIMEOUT / 1000,
            isolation_level=None,  # transactions begin in _begin, not where Python puts them
            check_same_thread=False,
            uri=True,
        )
        try:
            driver.execute(f"PRAGMA busy_timeout = {_LOCK_TIMEOUT}")
            if not self._is_read_only:
                _keep_log(driver)
            driver.execute("PRAGMA synchronous = NORMAL")
            driver.execute("PRAGMA trusted_schema = OFF")
            driver.execute(f"PRAGMA wal_autocheckpoint = {_MAX_LOG_PAGES}")
            driver.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        except BaseException:
            driver.close()
            raise
        return driver

    def _begin(self, driver: sqlite3.Connection, *, writing: bool) -> None:
        driver.execute("BEGIN IMMEDIATE" if writing else "BEGIN")

    def reclaim_space(self) -> None:
        """Write the file anew without the space of deleted rows."""
        with self._borrow() as driver:
            driver.execute("VACUUM")


def _keep_log(driver: sqlite3.Connection) -> None:
    """Have a file keep a log beside it.

    While other connections do the same with a new file, SQLite says at once that it is locked, and
    does not wait as it does elsewhere.
    """
    end = time.monotonic() + _LOCK_TIMEOUT / 1000
    while True:
        try:
            driver.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= end:
                raise
        time.sleep(_LOCK_PAUSE)


class _PostgresDatabase(Database):
    """A PostgreSQL database."""

    is_sqlite = False

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError as error:
            raise unavailable("PostgreSQL needs psycopg", "postgres") from error
        try:
            ports = str(psycopg.conninfo.conninfo_to_dict(url).get("port", ""))
        except psycopg.ProgrammingError as error:
            raise _wrong_url(url) from error
        if ports and not ports.replace(",", "").isdigit():
            raise _wrong_url(url)
        super().__init__(_hide_password(url))
        self.driver_error = psycopg.Error
        self._url = url

    def _connect(self) -> Any:
        import psycopg

        return psycopg.connect(self._url, connect_timeout=_CONNECT_TIMEOUT)

    def _begin(self, driver: Any, *, writing: bool) -> None:
        """Begin a transaction; psycopg sends BEGIN before the first statement."""
        from psycopg import IsolationLevel

        # A writer sees what the one before it committed as soon as it has the lock.
        driver.isolation_level = None if writing else IsolationLevel.REPEATABLE_READ
        if writing:
            driver.execute(f"SELECT pg_advisory_xact_lock({_WRITER_LOCK})")

    def _is_usable(self, driver: Any) -> bool:
        """Ask the server, which may have closed the connection in the meantime."""
        try:
            driver.autocommit = True  # or a transaction would begin here
            driver.execute("SELECT 1")
            driver.autocommit = False
        except self.driver_error:
            return False
        return True


def connect(location: str | os.PathLike[str], *, create: bool) -> Database:
    """Return the database at a path or URL. It connects when it is first used."""
    if isinstance(location, str) and "://" in location:
        return _connect_url(location, create=create)
    check_argument(
        "location", location, (str, os.PathLike), "the path of a file, or postgresql://…"
    )
    path = os.fspath(location)
    if not isinstance(path, str) or not path.strip() or "\0" in path or path == ":memory:":
        raise StoreError("the store has no name: give the path of a file, or postgresql://…")
    return _connect_file(Path(path), create=create)


def _connect_url(url: str, *, create: bool) -> Database:
    scheme, _, rest = url.partition("://")
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return _PostgresDatabase(f"postgresql://{rest}")
    path = unquote(rest.partition("?")[0].partition("/")[2])  # sqlite:///path
    if scheme != "sqlite" or not path or "\0" in path or path == ":memory:":
        raise _wrong_url(url)
    return _connect_file(Path(path), create=create)


def _connect_file(path: Path, *, create: bool) -> Database:
    """Return the database in a file; StoreError if there is none and none can be created."""
    try:
        exists = path.exists()
        if path.is_dir():
            raise StoreError(f"{path} is a folder: name a file in it")
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}: check the path") from error
    if not exists and not create:
        raise StoreError(f"there is no store {path}: make one with `tamis store add`")
    if not exists and not path.absolute().parent.is_dir():
        raise StoreError(f"the folder of {path} does not exist: create it first")
    return _SqliteDatabase(path)


def _wrong_url(url: str) -> StoreError:
    """Return the error for a URL of no database that a store can be in."""
    return StoreError(
        f"{url.split('@')[-1]!r} is no database that tamis knows: give the path of a file, or "
        "postgresql://user:password@host:port/database"
    )


def _hide_password(url: str) -> str:
    """Return a URL as messages show it: without its password, and without options."""
    try:
        parts = urlsplit(url)
    except ValueError as error:  # brackets that are around no IPv6 address
        raise _wrong_url(url) from error
    user, at, host = parts.netloc.rpartition("@")
    name, colon, _ = user.partition(":")
    hidden = f"{name}:***" if colon else name
    return f"{parts.scheme}://{hidden}{at}{host}{parts.path}"


def _file_uri(path: Path, *, read_only: bool) -> str:
    """Return the URI of an SQLite file; one that may not be written is opened for reading only.

    Reading a file with a log needs a second file beside it. It exists while a process has the file
    open that may write. If it does not exist and cannot be created, nobody changes the file.
    """
    uri = f"file:{quote(os.fsencode(path.absolute()))}"
    if not read_only:
        return uri
    log, shared = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
    is_open = shared.exists() or (log.exists() and log.stat().st_size > 0)
    return f"{uri}?mode=ro" if is_open else f"{uri}?immutable=1"


def _find_remedy(error: Exception) -> str:
    """Return what to do about an error of a driver, or its first line."""
    message = str(error).strip()
    code = getattr(error, "sqlstate", None) or ""
    for pattern, remedy in _REMEDIES:
        if re.search(pattern, f"{message} {code}", re.IGNORECASE):
            return remedy
    return message.splitlines()[0] if message else type(error).__name__

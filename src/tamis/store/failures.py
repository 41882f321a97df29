"""What went wrong in a database, in words that say what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from tamis.errors import StoreError

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

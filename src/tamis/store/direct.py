"""Statements of SQLAlchemy, compiled once and run by the driver itself.

A put runs a dozen statements that take the database some microseconds each; what SQLAlchemy does
for each run would take several times as long. Transactions are SQLAlchemy's all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ClauseElement, Connection, Dialect
from sqlalchemy.sql.compiler import SQLCompiler

from tamis.store.checked import Check, Checked

Values = Mapping[str, Any]


def rows(
    connection: Connection, statement: ClauseElement, values: Values
) -> Sequence[tuple[Any, ...]]:
    """Run a statement and return its rows."""
    made = compiled(statement, connection.dialect, tuple(values))
    cursor = driver_cursor(connection)
    cursor.execute(made.sql, made.values(values))
    found: Sequence[tuple[Any, ...]] = cursor.fetchall() if cursor.description else ()
    for row in found:
        # PostgreSQL also gives the number of a new row when nobody wants it.
        for check, value in zip(made.checks, row, strict=False):
            check(value)
    return found


def run_sql(connection: Connection, sql: str, values: Sequence[Any]) -> Any:
    """Run a statement in the driver's own SQL, with a question mark for each value."""
    cursor = driver_cursor(connection)
    cursor.execute(in_driver_style(connection, sql), values)
    return cursor


def driver_cursor(connection: Connection) -> Any:
    """Return a cursor of the driver, in the connection's transaction."""
    return connection.connection.cursor()


def in_driver_style(connection: Connection, sql: str) -> str:
    """Return SQL with the driver's signs for values."""
    return sql if connection.dialect.paramstyle == "qmark" else sql.replace("?", "%s")


class Compiled(NamedTuple):
    """A statement as SQL, its own values, and the names of all if they go by their order.

    What it gives is checked column by column, as SQLAlchemy would do it.
    """

    sql: str
    own: Values
    order: Sequence[str] | None
    checks: Sequence[Check]

    def values(self, given: Values) -> Values | Sequence[Any]:
        """Return all values as the driver wants them."""
        every = {**self.own, **given}
        return every if self.order is None else [every[name] for name in self.order]


@lru_cache(maxsize=256)
def compiled(statement: ClauseElement, dialect: Dialect, names: tuple[str, ...]) -> Compiled:
    """Return a statement for which values of some names are given."""
    made = statement.compile(dialect=dialect, column_keys=list(names))
    assert isinstance(made, SQLCompiler)  # as it is of whatever can be run
    own = {name: value for name, value in made.params.items() if name not in names}
    checks = [checked(column.type).check for column in getattr(statement, "exported_columns", ())]
    return Compiled(str(made), own, made.positiontup, checks)


def checked(kind: object) -> Checked:
    """Return the type of a column, which is one that checks."""
    assert isinstance(kind, Checked)
    return kind

"""The schema of a store: made anew, brought up to date, or refused."""

from __future__ import annotations

import re
from typing import Final

from sqlalchemy import Connection, inspect, text

from tamis.errors import StoreError
from tamis.store.failures import damaged

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

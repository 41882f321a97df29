"""The schema of a store: made anew, brought up to date, or refused."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, inspect, text

from tamis.errors import StoreError

VERSION_TABLE: Final = "tamis_version"
NEWEST: Final = "4"  # the last step in migrations/versions


def is_ready(connection: Connection, name: str) -> bool:
    """Say whether a database is a store of this tamis; raises StoreError if it can be none."""
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
    if not str(found or "0").isdecimal() or int(found or 0) > int(NEWEST):
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

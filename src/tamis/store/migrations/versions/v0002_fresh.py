"""Hashes of new pieces, before they go into the table of all."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, LargeBinary

revision = "2"
down_revision = "1"

_NUMBER = BigInteger().with_variant(Integer, "sqlite")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "fresh",
        Column("first", _NUMBER, primary_key=True, autoincrement=False),
        Column("hashes", LargeBinary, nullable=False),
    )

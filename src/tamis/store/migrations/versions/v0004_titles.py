"""Contents are known by their title and text, and by the text alone."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, LargeBinary

revision = "4"
down_revision = "3"


def upgrade() -> None:
    """Add what tells texts that are the same; until now that was what contents were known by."""
    op.add_column("content", Column("said", LargeBinary))
    op.execute("UPDATE content SET said = digest")

"""Parts of the index of words are merged sixteen at a time."""

from __future__ import annotations

from alembic import op

revision = "3"
down_revision = "2"


def upgrade() -> None:
    """Have each word written fewer times: what a search reads more is far less than that."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("INSERT INTO word_index(word_index, rank) VALUES ('automerge', 16)")

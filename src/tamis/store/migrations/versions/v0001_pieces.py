"""Pieces in packs, pages as lists of pieces, an index of words."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, ForeignKey, Integer, LargeBinary, SmallInteger, Text

revision = "1"
down_revision = None

# The tables as they are in this step: what tables.py says may change in a later one.
_NUMBER = BigInteger().with_variant(Integer, "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "site",
        Column("id", _NUMBER, primary_key=True),
        Column("host", Text, nullable=False, unique=True),
    )
    op.create_table(
        "page",
        Column("id", _NUMBER, primary_key=True),
        Column("key", LargeBinary, nullable=False, unique=True),
        Column("url", Text, nullable=False),
        Column("site_id", _NUMBER, ForeignKey("site.id"), nullable=False, index=True),
    )
    op.create_table(
        "content",
        Column("id", _NUMBER, primary_key=True),
        Column("digest", LargeBinary, nullable=False, unique=True),
        Column("language", Text, index=True),
        Column("words", Integer, nullable=False),
        Column("sketch", LargeBinary),
        sqlite_autoincrement=True,
    )
    _make_versions()
    _make_pieces()
    _make_index()


def _make_versions() -> None:
    op.create_table(
        "version",
        Column("id", _NUMBER, primary_key=True),
        Column("page_id", _NUMBER, ForeignKey("page.id"), nullable=False),
        Column("content_id", _NUMBER, ForeignKey("content.id"), index=True),
        Column("current", SmallInteger, nullable=False),
        Column("fetched_at", BigInteger, nullable=False),
        Column("whole", SmallInteger, nullable=False),
        Column("title", Text),
        Column("author", Text),
        Column("published", Integer),
        Column("language", Text),
        Column("page_type", Text),
        Column("raw_bytes", Integer, nullable=False),
        Column("source_bytes", Integer, nullable=False),
        Column("digest", LargeBinary, nullable=False),
        Column("pieces", LargeBinary, nullable=False),
    )
    op.create_index("version_instant", "version", ["page_id", "fetched_at"], unique=True)


def _make_pieces() -> None:
    op.create_table(
        "piece",
        Column("hash", LargeBinary, primary_key=True),
        Column("id", BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "pack",
        Column("first", _NUMBER, primary_key=True, autoincrement=False),
        Column("count", Integer, nullable=False),
        Column("site_id", _NUMBER, ForeignKey("site.id"), nullable=False),
        Column("base", _NUMBER),
        Column("edition", Integer, nullable=False),
        Column("data", LargeBinary, nullable=False),
    )
    op.create_index("pack_site", "pack", ["site_id", "base"])


def _make_index() -> None:
    if op.get_bind().dialect.name == "sqlite":
        # Words come ready made (store/words.py), parted by spaces: this only tells them apart.
        op.execute(
            "CREATE VIRTUAL TABLE word_index USING fts5(title, body, content='', "
            "tokenize=\"unicode61 remove_diacritics 0 categories 'L* M* N* Co Pc'\")"
        )
        op.execute("CREATE VIRTUAL TABLE word_counts USING fts5vocab(word_index, row)")
    else:
        op.execute(
            "CREATE TABLE word_index ("
            "content_id bigint PRIMARY KEY REFERENCES content(id) ON DELETE CASCADE, "
            "words tsvector NOT NULL)"
        )
        op.execute("CREATE INDEX word_index_words ON word_index USING gin(words)")

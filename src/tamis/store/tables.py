"""The tables of a store, the same in every database."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)

# A whole number that SQLite counts up by itself, and that does not end in PostgreSQL.
Number: Final = BigInteger().with_variant(Integer, "sqlite")

METADATA: Final = MetaData()

SITE: Final = Table(
    "site",
    METADATA,
    Column("id", Number, primary_key=True),
    Column("host", Text, nullable=False, unique=True),
)
# Addresses may be longer than an index entry of PostgreSQL, so a hash is what they are found by.
PAGE: Final = Table(
    "page",
    METADATA,
    Column("id", Number, primary_key=True),
    Column("key", LargeBinary, nullable=False, unique=True),
    Column("url", Text, nullable=False),
    Column("site_id", Number, ForeignKey("site.id"), nullable=False, index=True),
)
# What pages say, each once: their title and informative blocks. The index of words has a row for
# each row of this. `said` tells of two whether their blocks say the same, whatever their titles.
CONTENT: Final = Table(
    "content",
    METADATA,
    Column("id", Number, primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("said", LargeBinary),
    Column("language", Text, index=True),
    Column("words", Integer, nullable=False),
    Column("sketch", LargeBinary),  # MinHash; none where there is too little to compare
    sqlite_autoincrement=True,  # a number is never given twice: the index may know an old one
)
VERSION: Final = Table(
    "version",
    METADATA,
    Column("id", Number, primary_key=True),
    Column("page_id", Number, ForeignKey("page.id"), nullable=False),
    Column("content_id", Number, ForeignKey("content.id"), index=True),
    Column("current", SmallInteger, nullable=False),  # 1 for what was fetched last, else 0
    Column("fetched_at", BigInteger, nullable=False),  # microseconds since 1970, UTC
    Column("whole", SmallInteger, nullable=False),  # 1 for keep="all", 0 for keep="content"
    Column("title", Text),
    Column("author", Text),
    Column("published", Integer),  # a day, counted as date.toordinal does
    Column("language", Text),
    Column("page_type", Text),
    Column("raw_bytes", Integer, nullable=False),
    Column("source_bytes", Integer, nullable=False),
    Column("digest", LargeBinary, nullable=False),  # of the hashes of its pieces
    Column("pieces", LargeBinary, nullable=False),
    UniqueConstraint("page_id", "fetched_at", name="version_instant"),
)
# The hash of each piece and its number. Numbers rise, so that a page's list of them is short.
PIECE: Final = Table(
    "piece",
    METADATA,
    Column("hash", LargeBinary, primary_key=True),
    Column("id", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
# The hashes of packs that are not in the table of pieces yet, end to end, by their first numbers.
FRESH: Final = Table(
    "fresh",
    METADATA,
    Column("first", Number, primary_key=True, autoincrement=False),
    Column("hashes", LargeBinary, nullable=False),
)
# The bytes of pieces that were stored together: those numbered `first` to `first + count`.
PACK: Final = Table(
    "pack",
    METADATA,
    Column("first", Number, primary_key=True, autoincrement=False),
    Column("count", Integer, nullable=False),
    Column("site_id", Number, ForeignKey("site.id"), nullable=False),
    Column("base", Number),  # the pack that this one is packed against
    Column("edition", Integer, nullable=False),  # how often garbage was taken out of it
    Column("data", LargeBinary, nullable=False),
    Index("pack_site", "site_id", "base"),
)

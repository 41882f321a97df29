"""The tables of a store, the same in every database."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Column,
    ForeignKey,
    Index,
    MetaData,
    Table,
    UniqueConstraint,
    type_coerce,
)

from tamis.store.checked import CheckedBytes, CheckedNumber, CheckedText
from tamis.store.times import FIRST_MOMENT, LAST_DAY, LAST_MOMENT

DIGEST: Final = 16  # bytes of a hash: two pieces never have the same one
SKETCH: Final = 64  # values of a sketch: similarity is known to ± 0.05
SKETCH_VALUE: Final = 4  # bytes of each
MOST_PIECES: Final = 2**20  # of a page, two and a half times the nodes that a page may have
LARGEST_SIZE: Final = 2**31  # bytes that a page may be said to have

Number: Final = CheckedNumber()
Text: Final = CheckedText()
Bytes: Final = CheckedBytes()
Digest: Final = CheckedBytes(DIGEST)
YesOrNo: Final = CheckedNumber(0, 1)
Size: Final = CheckedNumber(0, LARGEST_SIZE)

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
    Column("key", Digest, nullable=False, unique=True),
    Column("url", Text, nullable=False),
    Column("site_id", Number, ForeignKey("site.id"), nullable=False, index=True),
)
# What pages say, each once: their title and informative blocks. The index of words has a row for
# each row of this. `said` tells of two whether their blocks say the same, whatever their titles.
CONTENT: Final = Table(
    "content",
    METADATA,
    Column("id", Number, primary_key=True),
    Column("digest", Digest, nullable=False, unique=True),
    Column("said", Digest),
    Column("language", Text, index=True),
    Column("words", Number, nullable=False),
    Column(
        "sketch", CheckedBytes(SKETCH * SKETCH_VALUE)
    ),  # MinHash; none where there is too little to compare
    sqlite_autoincrement=True,  # a number is never given twice: the index may know an old one
)
VERSION: Final = Table(
    "version",
    METADATA,
    Column("id", Number, primary_key=True),
    Column("page_id", Number, ForeignKey("page.id"), nullable=False),
    Column("content_id", Number, ForeignKey("content.id"), index=True),
    Column("current", YesOrNo, nullable=False),  # 1 for what was fetched last, else 0
    Column(
        "fetched_at", CheckedNumber(FIRST_MOMENT, LAST_MOMENT), nullable=False
    ),  # microseconds since 1970, UTC
    Column("whole", YesOrNo, nullable=False),  # 1 for keep="all", 0 for keep="content"
    Column("title", Text),
    Column("author", Text),
    Column("published", CheckedNumber(1, LAST_DAY)),  # a day, counted as date.toordinal does
    Column("language", Text),
    Column("page_type", Text),
    Column("raw_bytes", Size, nullable=False),
    Column("source_bytes", Size, nullable=False),
    Column("digest", Digest, nullable=False),  # of the hashes of its pieces
    Column("pieces", Bytes, nullable=False),
    UniqueConstraint("page_id", "fetched_at", name="version_instant"),
)
# The hash of each piece and its number. Numbers rise, so that a page's list of them is short.
PIECE: Final = Table(
    "piece",
    METADATA,
    Column("hash", Digest, primary_key=True),
    Column("id", Number, nullable=False),
    sqlite_with_rowid=False,
)
# The hashes of packs that are not in the table of pieces yet, end to end, by their first numbers.
FRESH: Final = Table(
    "fresh",
    METADATA,
    Column("first", Number, primary_key=True, autoincrement=False),
    Column("hashes", CheckedBytes(step=DIGEST), nullable=False),
)
# The bytes of pieces that were stored together: those numbered `first` to `first + count`.
PACK: Final = Table(
    "pack",
    METADATA,
    Column("first", Number, primary_key=True, autoincrement=False),
    Column("count", CheckedNumber(0, MOST_PIECES), nullable=False),
    Column("site_id", Number, ForeignKey("site.id"), nullable=False),
    Column("base", Number),  # the pack that this one is packed against
    Column("edition", Number, nullable=False),  # how often garbage was taken out of it
    Column("data", Bytes, nullable=False),
    Index("pack_site", "site_id", "base"),
)
AFTER_PACK: Final = type_coerce(PACK.c.first + PACK.c.count, Number)  # the number after its last

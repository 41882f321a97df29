"""The block store: every piece of a page once, pages as lists of pieces; search.

`Store` is in `store`. A page that is put goes through `prepare` (cut, tokenize, hash) and `write`;
`read` gives it back; `search` ranks contents by `index`; `gc` deletes what is no longer needed. All
of them run plain SQL through `database`; `schema` has the tables and their migrations.
"""

from __future__ import annotations

from importlib.util import find_spec

from tamis.errors import unavailable

_LAZY = ("Stemmer", "datasketch", "pyarrow")  # loaded when they are first needed

try:
    for _name in _LAZY:
        if find_spec(_name) is None:
            raise ModuleNotFoundError(name=_name)
    from tamis.store import columns
    from tamis.store._text import hash_tokens
    from tamis.store.columns import DIGEST_SIZE, MAX_PIECES, MINHASH_VALUES
    from tamis.store.database import Connection, Database, Query
    from tamis.store.export import export_row
    from tamis.store.gc import Collection, collect_garbage
    from tamis.store.hashes import PieceHashes, count_pieces, delete_hashes
    from tamis.store.index import ContentFilter, IndexQuery, parse_query
    from tamis.store.minhash import (
        MIN_SIMILARITY,
        Duplicates,
        compute_minhash,
        hash_shingles,
        similarity,
    )
    from tamis.store.packs import (
        MAX_PAGE_BYTES,
        build_pack,
        compress,
        decode_pieces,
        decompress,
        encode_pieces,
    )
    from tamis.store.page import Difference, Keep, Piece, StoredPage, Version, build_document
    from tamis.store.prepare import (
        PreparedPage,
        compute_digest,
        cut_pieces,
        owned_spans,
        piece_spans,
        prepare_page,
        url_site,
    )
    from tamis.store.schema import MIGRATIONS, migration_statements, open_database
    from tamis.store.search import Filter, Hit
    from tamis.store.stats import SiteStats, Stats
    from tamis.store.store import Store, StoreWriter
    from tamis.store.tokenizer import SCRIPTS, TokenCache, Tokenizer, detect_language
except ModuleNotFoundError as error:
    if str(error.name).startswith("tamis"):
        raise
    raise unavailable(f"the store needs {error.name}", "store") from error

__all__ = [
    "DIGEST_SIZE",
    "MAX_PAGE_BYTES",
    "MAX_PIECES",
    "MIGRATIONS",
    "MINHASH_VALUES",
    "MIN_SIMILARITY",
    "SCRIPTS",
    "Collection",
    "Connection",
    "ContentFilter",
    "Database",
    "Difference",
    "Duplicates",
    "Filter",
    "Hit",
    "IndexQuery",
    "Keep",
    "Piece",
    "PieceHashes",
    "PreparedPage",
    "Query",
    "SiteStats",
    "Stats",
    "Store",
    "StoreWriter",
    "StoredPage",
    "TokenCache",
    "Tokenizer",
    "Version",
    "build_document",
    "build_pack",
    "collect_garbage",
    "columns",
    "compress",
    "compute_digest",
    "compute_minhash",
    "count_pieces",
    "cut_pieces",
    "decode_pieces",
    "decompress",
    "delete_hashes",
    "detect_language",
    "encode_pieces",
    "export_row",
    "hash_shingles",
    "hash_tokens",
    "migration_statements",
    "open_database",
    "owned_spans",
    "parse_query",
    "piece_spans",
    "prepare_page",
    "similarity",
    "url_site",
]

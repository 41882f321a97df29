"""The block store: every block once, pages as lists of blocks; SQLite, PostgreSQL; search."""

from __future__ import annotations

from importlib.util import find_spec

from tamis.errors import unavailable

_LATER = ("alembic", "Stemmer", "datasketch", "pyarrow")  # loaded when they are first needed

try:
    for _name in _LATER:
        if find_spec(_name) is None:
            raise ModuleNotFoundError(name=_name)
    from tamis.store import export, gc, hashes, minhash, prepare, read, store, tokenizer
    from tamis.store.database import Database, opened
    from tamis.store.export import export_row
    from tamis.store.gc import Collection
    from tamis.store.index import Among, Asked, query_parts
    from tamis.store.minhash import (
        LEAST,
        Duplicates,
        compute_minhash,
        shingles,
        similarity,
        word_hashes,
    )
    from tamis.store.packs import (
        LARGEST_PAGE,
        build_pack,
        compress,
        decode_pieces,
        decompress,
        encode_pieces,
    )
    from tamis.store.page import Difference, Keep, Piece, StoredPage, Version, document_of
    from tamis.store.prepare import cut_pieces, owned_spans, url_site
    from tamis.store.search import Filter, Hit
    from tamis.store.stats import SiteStats, Stats
    from tamis.store.store import Store
    from tamis.store.tables import DIGEST, METADATA, MOST_PIECES, SKETCH
    from tamis.store.tokenizer import SCRIPTS, TokenCache, Tokenizer, detect_language
except ModuleNotFoundError as error:
    if str(error.name).startswith("tamis"):
        raise
    raise unavailable(f"the store needs {error.name}", "store") from error

__all__ = [
    "DIGEST",
    "LARGEST_PAGE",
    "LEAST",
    "METADATA",
    "MOST_PIECES",
    "SCRIPTS",
    "SKETCH",
    "Among",
    "Asked",
    "Collection",
    "Database",
    "Difference",
    "Duplicates",
    "Filter",
    "Hit",
    "Keep",
    "Piece",
    "SiteStats",
    "Stats",
    "Store",
    "StoredPage",
    "TokenCache",
    "Tokenizer",
    "Version",
    "build_pack",
    "compress",
    "compute_minhash",
    "cut_pieces",
    "decode_pieces",
    "decompress",
    "detect_language",
    "document_of",
    "encode_pieces",
    "export",
    "export_row",
    "gc",
    "hashes",
    "minhash",
    "opened",
    "owned_spans",
    "prepare",
    "query_parts",
    "read",
    "shingles",
    "similarity",
    "store",
    "tokenizer",
    "url_site",
    "word_hashes",
]

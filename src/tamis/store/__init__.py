"""The block store: every block once, pages as lists of blocks; SQLite, PostgreSQL; search."""

from __future__ import annotations

from importlib.util import find_spec

from tamis.errors import unavailable

_LATER = ("alembic", "Stemmer", "datasketch", "pyarrow")  # loaded when they are first needed

try:
    for _name in _LATER:
        if find_spec(_name) is None:
            raise ModuleNotFoundError(name=_name)
    from tamis.store.gc import Collected
    from tamis.store.minhash import Duplicates
    from tamis.store.page import Difference, Piece, StoredPage, Version
    from tamis.store.search import Hit
    from tamis.store.stats import SiteStats, Stats
    from tamis.store.store import Store
except ModuleNotFoundError as error:
    if str(error.name).startswith("tamis"):
        raise
    raise unavailable(f"the store needs {error.name}", "store") from error

__all__ = [
    "Collected",
    "Difference",
    "Duplicates",
    "Hit",
    "Piece",
    "SiteStats",
    "Stats",
    "Store",
    "StoredPage",
    "Version",
]

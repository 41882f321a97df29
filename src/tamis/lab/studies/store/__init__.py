"""Studies of the block store: the bytes that it takes, and what a search in it finds."""

from __future__ import annotations

from tamis.lab.studies.store.large_store import QUERIES, QUESTIONS, LargeStores
from tamis.lab.studies.store.search import (
    SearchStudy,
    measure_search,
    measure_search_speed,
    search_tables,
)
from tamis.lab.studies.store.storage import (
    ALL,
    STORAGE_MEASURES,
    Sample,
    StorageStudy,
    measure_storage,
    read_archive_samples,
    read_samples,
    storage_charts,
    storage_tables,
)

__all__ = [
    "ALL",
    "QUERIES",
    "QUESTIONS",
    "STORAGE_MEASURES",
    "LargeStores",
    "Sample",
    "SearchStudy",
    "StorageStudy",
    "measure_search",
    "measure_search_speed",
    "measure_storage",
    "read_archive_samples",
    "read_samples",
    "search_tables",
    "storage_charts",
    "storage_tables",
]

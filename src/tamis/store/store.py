"""Store: pages as lists of blocks, every block once; history, duplicates, search."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Self

from sqlalchemy import func, select

from tamis.content import Document
from tamis.errors import InputError, check_argument
from tamis.page import Page
from tamis.store.database import Database, opened
from tamis.store.export import export_rows
from tamis.store.gc import Collection, collect_garbage, delete_page
from tamis.store.hashes import Hashes
from tamis.store.index import Fts5, TsVector, WordIndex
from tamis.store.minhash import LEAST, Duplicates, find_duplicates
from tamis.store.packs import PackCache
from tamis.store.page import Difference, Keep, StoredPage, Version
from tamis.store.prepare import page_key, prepare_page
from tamis.store.read import (
    current_row,
    difference,
    history_rows,
    next_pages,
    stored_page,
    version_of,
    version_row,
)
from tamis.store.search import Filter, Hit, Marks, Search
from tamis.store.stats import Stats, stats
from tamis.store.tables import PAGE
from tamis.store.tokenizer import Tokenizer
from tamis.store.write import put

MARKS: Marks = ("**", "**")
LARGEST = 2**31  # bytes of a page


class Store:
    """A store of pages in an SQLite file or a PostgreSQL database.

    It may be used by several threads, and by several processes that each open it themselves.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._index: WordIndex = Fts5() if database.is_sqlite else TsVector()
        self._words = Tokenizer()
        self._shelf = PackCache()
        self._hashes = Hashes()

    @classmethod
    def open(cls, place: str | os.PathLike[str], *, create: bool = True) -> Self:
        """Open the store in a file, or at postgresql://…; it is made if it is not there.

        Raises StoreError with what to do if it cannot be opened.
        """
        return cls(opened(place, create=create))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self._database.name}>"

    def close(self) -> None:
        """Close the store: whatever is asked of it afterwards raises StoreError."""
        self._database.close()

    def __len__(self) -> int:
        with self._database.reading() as connection:
            return connection.execute(select(func.count()).select_from(PAGE)).scalar_one()

    def __contains__(self, url: str) -> bool:
        with self._database.reading() as connection:
            asked = select(PAGE.c.id).where(PAGE.c.key == page_key(url))
            return connection.execute(asked).scalar() is not None

    def __iter__(self) -> Iterator[StoredPage]:
        return self.pages()

    def put(
        self,
        url: str,
        html: str | bytes | Page | Document,
        fetched_at: datetime | None = None,
        *,
        keep: Keep = "all",
        raw_bytes: int | None = None,
    ) -> None:
        """Store a page under its address, as a whole or not at all.

        `keep="all"` keeps what gives back the page's normalised source byte for byte, "content"
        only its informative blocks. `fetched_at` is now unless it is given; a second page of the
        same address and time takes the place of the first. `raw_bytes` is the size that the page
        came with, for `stats`; of a document nothing else tells it.
        """
        page = prepare_page(url, html, fetched_at, keep, self._words)
        if raw_bytes is not None:
            check_argument("raw_bytes", raw_bytes, int, "the number of bytes")
            if not 0 <= raw_bytes < LARGEST:
                raise InputError(f"raw_bytes is {raw_bytes}: give the size of the page in bytes")
            page = replace(page, raw_bytes=raw_bytes)
        with self._database.writing() as connection:
            put(connection, page, self._index, self._shelf, self._hashes)

    def get(self, url: str, version: int = -1) -> StoredPage | None:
        """Return a page, or None if the store does not have it; version 1 is the oldest."""
        check_argument("version", version, int, "its number: 1 is the oldest, -1 the newest")
        with self._database.reading() as connection:
            if version == -1:
                row = current_row(connection, url)
            else:
                rows = history_rows(connection, url)
                row = version_row(rows, version) if rows else None
            return stored_page(connection, row, self._shelf) if row is not None else None

    def history(self, url: str) -> tuple[Version, ...]:
        """Return all versions of a page, the oldest first; none if the store does not have it."""
        with self._database.reading() as connection:
            return tuple(map(version_of, history_rows(connection, url)))

    def diff(self, url: str, a: int = -2, b: int = -1) -> Difference:
        """Return what changed from version `a` to version `b`; 1 is the oldest, -1 the newest."""
        with self._database.reading() as connection:
            rows = history_rows(connection, url)
            if not rows:
                raise InputError(f"{url} is not in the store: check the address")
            return difference(connection, rows, (a, b), self._shelf)

    def pages(self, site: str | None = None, *, every: bool = False) -> Iterator[StoredPage]:
        """Yield all pages, of a site if one is given, and with `every` their older versions too.

        The store may be written to in the meantime.
        """
        last = (-1, 0)
        while True:
            with self._database.reading() as connection:
                found, last = next_pages(connection, last, site, self._shelf, every=every)
            if not found:
                return
            yield from found

    def search(
        self,
        query: str,
        *,
        site: str | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        page_type: str | None = None,
        limit: int = 10,
        marks: Marks = MARKS,
    ) -> list[Hit]:
        """Return the pages whose informative blocks have all words of a query, the best first.

        If no page has all, those that have some. Words in "quotes" stand side by side. Of pages
        that say the same there is one, with the addresses of the others. `since` and `until` are
        about the day that a page states or, if it states none, on which it was fetched.
        """
        check_argument("query", query, str, "the words to look for as str")
        check_argument("limit", limit, int, "how many pages to return")
        chosen = Filter(site, since, until, page_type)
        with self._database.reading() as connection:
            search = Search(connection, self._index, self._words, self._shelf, chosen)
            return search.hits(query, limit, marks)

    def duplicates(self, *, near: bool = True, least: float = LEAST) -> list[Duplicates]:
        """Return the groups of pages that say the same; with `near`, nearly the same.

        `least` is the share of threes of words that two pages must have in common for that.
        """
        check_argument("least", least, (int, float), "a share between 0 and 1")
        if not 0 < least <= 1:
            raise InputError(f"least is {least}: give a share above 0, and at most 1")
        with self._database.reading() as connection:
            return list(find_duplicates(connection, near=near, least=least))

    def export(
        self, path: str | os.PathLike[str], form: str | None = None, *, every: bool = False
    ) -> int:
        """Write all pages to a file, as "jsonl" or "parquet", and return how many."""
        return export_rows(self.pages(every=every), Path(path), form)

    def delete(self, url: str) -> bool:
        """Delete a page with its history, and say whether it was there; then collect garbage."""
        with self._database.writing() as connection:
            return delete_page(connection, page_key(url))

    def gc(self) -> Collection:
        """Throw away what no page needs any more, and give the room back."""
        with self._database.writing() as connection:
            # What is packed anew must not be remembered before it is stored for good.
            found = collect_garbage(connection, self._index, self._words, PackCache(), self._hashes)
        if self._database.is_sqlite:
            self._database.vacuum()
        return found

    def stats(self) -> Stats:
        """Return how much the store holds of each site, and how much it saves."""
        with self._database.reading() as connection:
            return stats(connection, self._index)

"""Store: pages as lists of pieces, every piece once; history, duplicates, search."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Final, Self

from tamis.content import Document
from tamis.errors import InputError, check_argument
from tamis.page import Page
from tamis.store.columns import MAX_STATED_SIZE
from tamis.store.database import Connection, Database
from tamis.store.export import export_pages
from tamis.store.gc import Collection, collect_garbage, delete_page
from tamis.store.hashes import PieceHashes
from tamis.store.index import Fts5Index, QueryPart, TsVectorIndex, WordIndex
from tamis.store.minhash import MIN_SIMILARITY, Duplicates, find_duplicates
from tamis.store.packs import PackCache
from tamis.store.page import Difference, Keep, StoredPage, Version
from tamis.store.prepare import PreparedPage, prepare_page
from tamis.store.read import (
    build_page,
    build_version,
    compare_versions,
    count_contents,
    count_pages,
    has_page,
    is_content_elsewhere,
    pick_version,
    read_current_text,
    read_next_pages,
    select_current,
    select_history,
)
from tamis.store.schema import open_database
from tamis.store.search import Filter, Hit, Marks, Search
from tamis.store.stats import Stats, compute_stats
from tamis.store.tokenizer import Tokenizer
from tamis.store.write import write_page

_MARKS: Final[Marks] = ("**", "**")


@dataclass(frozen=True)
class StoreWriter:
    """A transaction of a store: what is written by it is stored together, or not at all.

    `connection` is for tables that others keep in the store's database.
    """

    connection: Connection
    _index: WordIndex
    _packs: PackCache
    _hashes: PieceHashes

    def put(self, page: PreparedPage) -> None:
        """Store a page that `prepare_page` has made ready."""
        write_page(self.connection, page, self._index, self._packs, self._hashes)

    def has_text(self, page: PreparedPage) -> bool:
        """Say whether the newest version of a page has the same text in its informative blocks."""
        text = page.content.text_digest if page.content else None
        return read_current_text(self.connection, page.url) == (text,)

    def is_duplicate(self, page: PreparedPage) -> bool:
        """Say whether a page of another URL has the same title and text."""
        content = page.content
        return content is not None and is_content_elsewhere(
            self.connection, content.digest, page.url
        )


class Store:
    """A store of pages in an SQLite file or a PostgreSQL database.

    Several threads may share it. Several processes may use the same store if each opens it itself.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._index: WordIndex = Fts5Index() if database.is_sqlite else TsVectorIndex()
        self._tokenizer = Tokenizer()
        self._packs = PackCache()
        self._hashes = PieceHashes()

    @classmethod
    def open(cls, location: str | os.PathLike[str], *, create: bool = True) -> Self:
        """Open the store in a file, or at postgresql://…; it is created if it does not exist.

        Raises StoreError, which says what to do, if it cannot be opened.
        """
        return cls(open_database(location, create=create))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self._database.name}>"

    def close(self) -> None:
        """Close the store: afterwards every method raises StoreError."""
        self._database.close()

    def __len__(self) -> int:
        with self._database.reading() as connection:
            return count_pages(connection)

    def __contains__(self, url: str) -> bool:
        with self._database.reading() as connection:
            return has_page(connection, url)

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
        """Store a page under its URL, completely or not at all.

        `keep="all"` keeps what is needed to give back the page's normalised source byte for byte,
        "content" only its informative blocks. `fetched_at` is now unless it is given; a second
        page of the same URL and time replaces the first. `raw_bytes` is the size of the page as it
        was received, for `stats`; a document does not have it.
        """
        page = prepare_page(url, html, fetched_at, keep, self._tokenizer)
        if raw_bytes is not None:
            check_argument("raw_bytes", raw_bytes, int, "the number of bytes")
            if not 0 <= raw_bytes < MAX_STATED_SIZE:
                raise InputError(f"raw_bytes is {raw_bytes}: give the size of the page in bytes")
            page = replace(page, raw_bytes=raw_bytes)
        with self._database.writing() as connection:
            write_page(connection, page, self._index, self._packs, self._hashes)

    @contextmanager
    def writing(self) -> Iterator[StoreWriter]:
        """Give a transaction that writes, for several pages at once and tables of others."""
        try:
            with self._database.writing() as connection:
                yield StoreWriter(connection, self._index, self._packs, self._hashes)
        except BaseException:
            # They may have seen what was undone: pieces whose numbers will be given again.
            self._packs, self._hashes = PackCache(), PieceHashes()
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees the store as it is at one moment, for tables of others."""
        with self._database.reading() as connection:
            yield connection

    def count_words(self, words: str, language: str | None) -> tuple[dict[str, int], int]:
        """Return about how many texts have each token of some words, and how many there are."""
        tokens = set(self._tokenizer.tokens(words, language))
        with self._database.reading() as connection:
            counts = {
                token: self._index.count_matches(connection, QueryPart(((token,),)))
                for token in tokens
            }
            return counts, count_contents(connection)

    def get(self, url: str, version: int = -1) -> StoredPage | None:
        """Return a page, or None if the store does not have it; version 1 is the oldest."""
        check_argument("version", version, int, "its number: 1 is the oldest, -1 the newest")
        with self._database.reading() as connection:
            if version == -1:
                row = select_current(connection, url)
            else:
                rows = select_history(connection, url)
                row = pick_version(rows, version) if rows else None
            return build_page(connection, row, self._packs) if row is not None else None

    def history(self, url: str) -> tuple[Version, ...]:
        """Return all versions of a page, the oldest first; none if the store does not have it."""
        with self._database.reading() as connection:
            return tuple(map(build_version, select_history(connection, url)))

    def diff(self, url: str, a: int = -2, b: int = -1) -> Difference:
        """Return what changed from version `a` to version `b`; 1 is the oldest, -1 the newest."""
        with self._database.reading() as connection:
            rows = select_history(connection, url)
            if not rows:
                raise InputError(f"{url} is not in the store: check the URL")
            before, after = pick_version(rows, a), pick_version(rows, b)
            return compare_versions(connection, before, after, self._packs)

    def pages(self, site: str | None = None, *, all_versions: bool = False) -> Iterator[StoredPage]:
        """Yield all pages, or those of a site; with `all_versions` their older versions too.

        The store may be written to in the meantime.
        """
        last = (-1, 0)
        while True:
            with self._database.reading() as connection:
                pages, last = read_next_pages(
                    connection, last, site, self._packs, all_versions=all_versions
                )
            if not pages:
                return
            yield from pages

    def search(
        self,
        query: str,
        *,
        site: str | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        page_type: str | None = None,
        limit: int = 10,
        marks: Marks = _MARKS,
    ) -> list[Hit]:
        """Return the pages whose informative blocks have all words of a query, the best first.

        If no page has all, those that have any. Words in "quotes" are a phrase. Pages with the
        same text are one hit, with the URLs of the copies. `since` and `until` are compared with
        the day that a page states or, if it states none, on which it was fetched.
        """
        check_argument("query", query, str, "the words to look for as str")
        check_argument("limit", limit, int, "how many pages to return")
        pages = Filter(site, since, until, page_type)
        with self._database.reading() as connection:
            search = Search(connection, self._index, self._tokenizer, self._packs, pages)
            return search.find_hits(query, limit, marks)

    def duplicates(
        self, *, near: bool = True, min_similarity: float = MIN_SIMILARITY
    ) -> list[Duplicates]:
        """Return the groups of pages with the same text; with `near`, with nearly the same.

        `min_similarity` is the share of sequences of three words that two pages must have in
        common to be nearly the same.
        """
        check_argument("min_similarity", min_similarity, (int, float), "a share between 0 and 1")
        if not 0 < min_similarity <= 1:
            raise InputError(
                f"min_similarity is {min_similarity}: give a share above 0, and at most 1"
            )
        with self._database.reading() as connection:
            return list(find_duplicates(connection, near=near, min_similarity=min_similarity))

    def export(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,
        *,
        all_versions: bool = False,
        formats: Sequence[str] = (),
    ) -> int:
        """Write all pages to a file, as "jsonl" or "parquet", and return how many.

        `formats` are columns beside the text: posts, comments.
        """
        return export_pages(self.pages(all_versions=all_versions), Path(path), format, formats)

    def delete(self, url: str) -> bool:
        """Delete a page with its history, and say whether it was there; `gc` frees its pieces."""
        with self._database.writing() as connection:
            return delete_page(connection, url)

    def gc(self) -> Collection:
        """Delete what no page needs any more, and give the space back."""
        with self._database.writing() as connection:
            # Packs that are written anew must not be cached before the transaction is committed.
            collection = collect_garbage(
                connection, self._index, self._tokenizer, PackCache(), self._hashes
            )
        self._database.reclaim_space()
        return collection

    def stats(self) -> Stats:
        """Return how much the store holds of each site, and how much it saves."""
        with self._database.reading() as connection:
            return compute_stats(connection, self._index)

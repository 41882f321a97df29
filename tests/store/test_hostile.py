"""Stores that others wrote or damaged: every outcome is right, or an error that says what to do."""

from __future__ import annotations

import json
import math
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
import zstandard

import tamis
from helpers.bounds import bounded
from helpers.news import address, news, sentences
from tamis.errors import InputError, StoreError, TamisError, TooLarge
from tamis.store import (
    MAX_PAGE_BYTES,
    MAX_PIECES,
    Store,
    build_pack,
    compress,
    compute_digest,
    decode_pieces,
    decompress,
    encode_pieces,
    migration_statements,
)

DAY = datetime(2026, 3, 1, tzinfo=UTC)
OTHER = "https://other.example/story/3"
TABLES = (
    *("site", "page", "content", "version", "piece", "fresh", "pack"),
    "tamis_version",
    "word_index_data",
    "word_index_idx",
    "word_index_docsize",
    "word_index_config",
    "sqlite_sequence",
)
BOMB = zstandard.ZstdCompressor().compress(bytes(2 * MAX_PAGE_BYTES))
LIES = b"\x28\xb5\x2f\xfd\xe0" + (2**50).to_bytes(8, "little") + b"\x01\0\0"  # says 2**50 bytes
VALUES: dict[str, Any] = {
    "null": None,
    "0": 0,
    "-1": -1,
    "2**62": 2**62,
    "largest": 2**63 - 1,
    "smallest": -(2**63),
    "-1.5": -1.5,
    "infinite": math.inf,
    "empty text": "",
    "text": "a text",
    "digits": "12",
    "empty": b"",
    "hash": b"\x07" * 16,
    "not UTF-8": "CAST(x'ff80' AS TEXT)",
}
PACKED: dict[str, Any] = {
    "bytes": b"\xff" * 1000,
    "bomb": BOMB,
    "lies": LIES,
    "nothing packed": zstandard.ZstdCompressor().compress(b""),
    "zeros packed": zstandard.ZstdCompressor().compress(bytes(1000)),
    "highest packed": zstandard.ZstdCompressor().compress(b"\xff" * 1000),
    "far pieces": encode_pieces([(2**61, True), (5, False), (2**61, True)]),
    "the same piece": encode_pieces([(1, True)] * 1000),
}


HOLD_BYTES = (
    ("version", "pieces"),
    ("fresh", "hashes"),
    ("pack", "data"),
    ("word_index_data", "block"),
)
FILTERS: tuple[dict[str, Any], ...] = ({}, {"site": "news.example", "since": "2020-01-01"})
REMEDIES = ("put back a copy", "upgrade", ".recover", "check the URL", "numbered from 1")


def columns() -> list[tuple[str, str]]:
    """Return all tables and columns of a store, also those that SQLite makes for itself."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE tamis_version (version_num VARCHAR(32) NOT NULL)")
        for sql in migration_statements(0, is_sqlite=True):
            connection.execute(sql)
        return [
            (table, row[1])
            for table in TABLES
            for row in connection.execute(f"PRAGMA table_info({table})")
        ]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with several versions, sites and copies, a page of content alone, and garbage."""
    path = tmp_path_factory.mktemp("built") / "store.db"
    with Store.open(path) as store:
        for number in range(3):
            store.put(address(number), news(number), DAY)
        store.put(address(0), news(0, extra=f"<p>{sentences(70, 3)}</p>"), DAY + timedelta(1))
        store.put(OTHER, news(3, host="other.example"), DAY, keep="content")
        store.put("https://copy.example/1", news(1), DAY)
        store.gc()  # puts the hashes into their table
        store.put(address(4), news(4), DAY)  # and these are fresh
        store.put(address(5), news(5), DAY)
        store.delete(address(5))
    return path


def sources() -> set[bytes]:
    """All that a page of the store may be, but for the one of content alone."""
    every = [news(number) for number in range(9)]
    every.append(news(0, extra=f"<p>{sentences(70, 3)}</p>"))
    return {tamis.parse(html).source for html in every}


SOURCES = sources()


def check_page(page: Any) -> None:
    """A page that comes out is one that was put, and all of it can be used."""
    version = page.version
    if version.keep == "all" and len(page.source) == version.source_bytes:
        assert page.source in SOURCES or b"other.example" in page.source
    assert isinstance(version.fetched_at, datetime)
    assert isinstance(version.published, date | None)
    for value in (version.title, version.author, version.language, version.page_type):
        assert isinstance(value, str | None)
    assert isinstance(version.url, str)
    assert json.dumps(version.as_dict())
    assert isinstance(page.text, str)
    assert isinstance(page.document.markdown, str)
    assert all(isinstance(piece.text + piece.html, str) for piece in page.pieces)
    assert repr(page)


def try_reading(store: Store, folder: Path) -> None:
    """Ask a store for everything."""
    with explained():
        assert len(store) >= 0
        assert isinstance(address(0) in store, bool)
    for url in (address(0), address(1), OTHER, address(4)):
        with explained():
            if page := store.get(url):
                check_page(page)
        with explained():
            assert all(json.dumps(version.as_dict()) for version in store.history(url))
    with explained():
        if page := store.get(address(0), 1):
            check_page(page)
    with explained():
        assert all(piece.text for piece in store.diff(address(0)).added)
    with explained():
        for page in store.pages(all_versions=True):
            check_page(page)
    with explained():
        for page in store.pages("news.example"):
            check_page(page)
    try_searching(store)
    for near in (True, False):
        with explained():
            assert all(
                len(group.urls) > 1 for group in store.duplicates(near=near, min_similarity=0.3)
            )
    with explained():
        assert json.dumps(store.stats().as_dict())
    for name in ("out.jsonl", "out.parquet"):
        with explained():
            store.export(folder / name, all_versions=True)


def try_searching(store: Store) -> None:
    """Search a store in all ways."""
    for chosen in FILTERS:
        for query in ("story bridge", "nothing river"):
            with explained():
                for hit in store.search(query, **chosen):
                    assert math.isfinite(hit.score)
                    assert hit.snippet + hit.url + hit.site


def try_writing(store: Store) -> None:
    """Change a store in all ways, and look whether what was put is there."""
    with explained():
        store.put(address(0), news(6), DAY + timedelta(2))
        store.put(address(7), news(7), DAY)
    with explained():
        store.put(address(8), news(1), keep="content")
    with explained():
        store.delete(address(1))
    with explained():
        store.gc()
    with explained():
        if page := store.get(address(7)):
            check_page(page)
    try_searching(store)


@contextmanager
def explained() -> Iterator[None]:
    """What is an error is one that says what to do."""
    try:
        yield
    except TamisError as error:
        message = str(error)
    else:
        return
    assert any(remedy in message for remedy in REMEDIES), message


def try_all(path: Path, folder: Path) -> None:
    """Ask a store for everything, then change it and ask again."""
    with explained(), Store.open(path) as store:
        try_reading(store, folder)
        try_writing(store)


def is_set(path: Path, column: tuple[str, str], value: Any) -> bool:
    """Set a column of all rows to a value, or of the last row; say whether that is possible."""
    table, name = column
    key = {"piece": "hash", "word_index_idx": "segid", "word_index_config": "k"}.get(table, "rowid")
    sign, values = ("?", (value,)) if value != VALUES["not UTF-8"] else (value, ())
    for where in ("1", f"{key} = (SELECT max({key}) FROM {table})"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            try:
                sql = f"UPDATE {table} SET {name} = {sign} WHERE {where}"
                count = connection.execute(sql, values).rowcount
                connection.commit()
            except sqlite3.Error:
                continue  # what the database does not take is not in any file
            return count > 0
    return False


@pytest.mark.slow
@pytest.mark.parametrize("column", columns(), ids=".".join)
def test_any_value_in_any_column(built: Path, tmp_path: Path, column: tuple[str, str]) -> None:
    path = tmp_path / "store.db"
    values = VALUES | PACKED if column in HOLD_BYTES else VALUES
    times = 0
    for value in values.values():
        shutil.copy(built, path)
        if is_set(path, column, value):
            with bounded():
                try_all(path, tmp_path)
            times += 1
    assert times


def edited(path: Path, sql: str, *values: Any) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql, values)
        connection.commit()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE pack SET base = first",
        "UPDATE pack SET base = (SELECT max(first) FROM pack)",
        "UPDATE pack SET base = (SELECT min(p.first) FROM pack p WHERE p.first > pack.first)",
        "UPDATE pack SET base = (SELECT max(p.first) FROM pack p WHERE p.first < pack.first)",
        "UPDATE pack SET base = first + 1 WHERE base IS NULL",
        "DELETE FROM pack WHERE base IS NULL",
        "UPDATE pack SET count = count + 1",
        "DELETE FROM site",
        "DELETE FROM content",
        "DELETE FROM version",
        "DELETE FROM word_index_data",
        "DROP TABLE word_index",
        "DROP TABLE fresh",
        "DROP TABLE content",
        "ALTER TABLE version DROP COLUMN title",
        "DELETE FROM tamis_version",
        "UPDATE version SET page_id = (SELECT min(id) FROM page), fetched_at = id",
        "UPDATE page SET id = -id",
        "UPDATE page SET key = randomblob(16)",
    ],
)
def test_rows_that_do_not_go_together(built: Path, tmp_path: Path, sql: str) -> None:
    path = tmp_path / "store.db"
    shutil.copy(built, path)
    edited(path, sql)
    with bounded():
        try_all(path, tmp_path)


def test_a_pack_that_is_its_own_base_is_told(built: Path, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    shutil.copy(built, path)
    edited(path, "UPDATE pack SET base = first")
    with Store.open(path) as store:
        for work in (lambda: store.get(address(0)), store.gc, lambda: store.search("story")):
            with pytest.raises(StoreError, match="damaged"):
                work()


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TRIGGER t AFTER INSERT ON version BEGIN DELETE FROM page; END",
        f"CREATE VIEW v AS {ENDLESS} SELECT * FROM n",
        f"DROP TABLE site; CREATE VIEW site AS {ENDLESS} SELECT i AS id, 'a' AS host FROM n",
        "ALTER TABLE page ADD COLUMN more AS (zeroblob(1000000000))",
    ],
)
def test_what_would_run_by_itself_is_refused(built: Path, tmp_path: Path, sql: str) -> None:
    path = tmp_path / "store.db"
    shutil.copy(built, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(sql)
    with bounded(), pytest.raises(StoreError, match="no store has: put back a copy"):
        Store.open(path)


def repacked(path: Path, pieces: list[bytes], numbers: list[int]) -> None:
    """Let a store hold one page of these pieces, its digests and sizes all as they should be."""
    with Store.open(path) as store:
        store.put(address(1), news(1), DAY)
    hashes = [compute_digest(piece) for piece in pieces]
    whole = b"".join(hashes[number - 1] for number in numbers)
    size = sum(len(pieces[number - 1]) for number in numbers)
    edited(path, "DELETE FROM pack")
    row = (1, len(pieces), 1, None, 0, compress(build_pack(1, pieces)))
    edited(path, "INSERT INTO pack VALUES (?, ?, ?, ?, ?, ?)", *row)
    values = (encode_pieces((number, True) for number in numbers), compute_digest(whole), size)
    edited(path, "UPDATE version SET pieces = ?, digest = ?, source_bytes = ?", *values)


@pytest.mark.parametrize(
    "source",
    [
        b"\xfc9o- \x81\xb0\xfc\x84",  # which was read without end
        b"<p>&`(\xce\xa0s",
        b"<p>\xff\xfe",
        b"<div>" * 3000,
        b"</p></html><!--",
        b"plain text",
        b"<table><td><svg><p><script>" * 10,
    ],
)
def test_a_source_that_was_never_a_page(tmp_path: Path, source: bytes) -> None:
    path = tmp_path / "store.db"
    repacked(path, [source[:3], source[3:]], [1, 2])
    with Store.open(path) as store, bounded():
        with explained():
            page = store.get(address(1))
            assert page
            assert page.source == source
        with explained():
            assert page
            assert isinstance(page.text + page.document.markdown + page.document.html, str)
        with explained():
            store.export(tmp_path / "out.jsonl")


def test_one_piece_many_times_is_not_more_than_a_page(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    repacked(path, [b"<p>" + b"x" * 2**20], [1] * 100_000)  # a hundred gigabytes
    edited(path, "UPDATE version SET source_bytes = 1000")
    with Store.open(path) as store, bounded():
        for work in (lambda: store.get(address(1)), lambda: list(store)):
            with pytest.raises(StoreError, match="damaged"):
                work()


def test_lists_and_packs_that_say_too_much_are_told() -> None:
    zipped = zstandard.ZstdCompressor().compress
    for data in (BOMB, LIES, zipped(bytes(2 * MAX_PIECES)), zipped(b"\xff" * 30), b"", b"x"):
        with bounded(megabytes=400), pytest.raises(StoreError, match="damaged"):
            decode_pieces(data)
    whole = compress(build_pack(1, [b"one", b"two"]))
    for count, data in ((2, BOMB), (2, LIES), (MAX_PIECES, whole), (1, whole), (3, whole)):
        with bounded(megabytes=400), pytest.raises(StoreError, match="damaged"):
            decompress(1, count, data)
    pack = decompress(1, 2, whole)
    assert pack.pieces() == [b"one", b"two"] == [pack.piece(1), pack.piece(2)]


def test_garbage_is_told_from_pieces_by_their_numbers_however_large(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        store.put(address(1), news(1), DAY)
    for table, column in (("pack", "first"), ("fresh", "first")):
        edited(path, f"UPDATE {table} SET {column} = {2**61}")
    edited(
        path, "UPDATE version SET pieces = ?", encode_pieces([(2**61, True), (2**61 + 1, False)])
    )
    with Store.open(path) as store, bounded(megabytes=600):
        assert store.gc().pieces > 0


def test_a_page_that_a_store_would_not_give_back_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path / "store.db") as store:
        for name, limit in (("MAX_PAGE_BYTES", 1000), ("MAX_PIECES", 3)):
            with monkeypatch.context() as patch:
                patch.setattr(f"tamis.store.prepare.{name}", limit)
                with pytest.raises(TooLarge, match="store it in parts"):
                    store.put(address(1), news(1))
        assert len(store) == 0


@pytest.mark.parametrize("hours", [14, -14])
def test_a_time_that_its_zone_takes_out_of_the_calendar_is_told(tmp_path: Path, hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    with Store.open(tmp_path / "store.db") as store:
        for moment in (datetime.min, datetime.max):
            store.put(address(1), news(1), moment.replace(tzinfo=UTC))
        assert len(store.history(address(1))) == 2
        moment = (datetime.min if hours > 0 else datetime.max).replace(tzinfo=zone)
        with pytest.raises(InputError, match="years 1 to 9999"):
            store.put(address(1), news(1), moment)


def test_large_pages_are_read_and_written_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(tmp_path / "store.db") as store:
        for number in range(7):
            store.put(address(number), news(number), DAY)
            store.put(address(number), news(number + 50), DAY + timedelta(1))
        every = [(page.url, page.version.fetched_at) for page in store.pages(all_versions=True)]
        newest = [page.url for page in store]
        monkeypatch.setattr("tamis.store.read._BATCH_BYTES", 3 * len(news(1)))
        monkeypatch.setattr("tamis.store.export._BATCH_CHARS", 3 * len(news(1)))
        assert [
            (page.url, page.version.fetched_at) for page in store.pages(all_versions=True)
        ] == every
        assert len(every) == 14
        monkeypatch.setattr("tamis.store.read._BATCH", 3)
        assert [
            (page.url, page.version.fetched_at) for page in store.pages(all_versions=True)
        ] == every
        assert [page.url for page in store] == newest == [address(number) for number in range(7)]
        assert [page.url for page in store.pages("news.example")] == newest
        assert store.export(tmp_path / "out.parquet", all_versions=True) == 14

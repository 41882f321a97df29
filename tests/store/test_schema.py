"""Stores of earlier versions, of newer ones, and migrations that are interrupted or race."""

from __future__ import annotations

import gzip
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

import tamis
from helpers.news import address, news
from tamis.errors import StoreError
from tamis.store import MIGRATIONS, Query, Store, migration_statements, open_database

# A file that was written before the store had migrations of its own, by SQLAlchemy and Alembic.
RECORDED = Path(__file__).with_name("recorded") / "schema-4.db.gz"
DAY = datetime(2026, 3, 1, tzinfo=UTC)


def unpack_recorded(folder: Path) -> Path:
    path = folder / "store.db"
    path.write_bytes(gzip.decompress(RECORDED.read_bytes()))
    return path


def run(location: str | Path, *statements: str) -> None:
    """Run statements on a store."""
    database = open_database(location, create=False)
    with database.writing() as connection:
        for sql in statements:
            connection.run(Query(sql))
    database.close()


def schema(path: Path) -> list[tuple[str, ...]]:
    """Return all columns and indexes of an SQLite file."""
    with closing(sqlite3.connect(path)) as connection:
        names = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
            )
        ]
        columns = [
            (table, *map(str, row[1:]))
            for table in names
            for row in connection.execute(f"PRAGMA table_info({table})")
        ]
        indexes = [
            (table, *map(str, row[1:]))
            for table in names
            for row in connection.execute(f"PRAGMA index_list({table})")
        ]
        keys = [
            (table, *map(str, row[2:5]))
            for table in names
            for row in connection.execute(f"PRAGMA foreign_key_list({table})")
        ]
    return sorted(columns) + sorted(indexes) + sorted(keys)


def test_a_store_that_was_written_before_is_read_and_written(tmp_path: Path) -> None:
    path = unpack_recorded(tmp_path)
    with Store.open(path) as store:
        assert len(store) == 5
        for number in (1, 2):
            page = store.get(address(number))
            assert page is not None
            assert page.source == tamis.parse(news(number)).source
            assert page.version.fetched_at == DAY
        assert [version.fetched_at.day for version in store.history(address(0))] == [1, 2]
        assert "correction" in store.diff(address(0)).added[0].text
        assert [hit.url for hit in store.search("correction")] == [address(0)]
        assert [group.exact for group in store.duplicates()] == [True]
        pieces = store.stats().pieces
        store.put("https://other.example/2", news(2))
        # The page's two last paragraphs and its footer are shared. The headline was noise to the
        # method of then, and is content now: the first paragraph and what is before it are new.
        assert store.stats().pieces == pieces + 2
        store.put("https://third.example/2", news(2))
        assert store.stats().pieces == pieces + 2
        store.put(address(9), news(9))
        store.delete(address(1))
        assert store.gc().pieces == 0  # a mirror has the page as well
        assert store.search('"Story 9 of the day"')[0].url == address(9)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_new_store_has_the_tables_of_a_recorded_one(tmp_path: Path) -> None:
    Store.open(tmp_path / "new.db").close()
    assert schema(tmp_path / "new.db") == schema(unpack_recorded(tmp_path))


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_store_of_an_earlier_schema_is_migrated(location: str, version: int) -> None:
    is_sqlite = "://" not in location
    with Store.open(location) as store:
        store.put(address(1), news(1))
        store.gc()  # no hash is fresh any more
        pieces = store.stats().pieces
    undo = {1: ["DROP TABLE fresh"], 2: [], 3: ["ALTER TABLE content DROP COLUMN said"]}
    if is_sqlite:
        undo[2] = ["INSERT INTO word_index(word_index, rank) VALUES ('automerge', 4)"]
    statements = [sql for number in range(version, 4) for sql in undo[number]]
    run(location, *statements, f"UPDATE tamis_version SET version_num = '{version}'")
    with Store.open(location) as store:
        store.put("https://mirror.example/1", news(1))
        assert store.stats().pieces == pieces
        page = store.get(address(1))
        assert page is not None
        assert page.source == tamis.parse(news(1)).source
        assert [group.exact for group in store.duplicates()] == [True]
        with store._database.reading() as connection:
            number = connection.value(
                Query("SELECT version_num FROM tamis_version", (lambda _: None,))
            )
        assert number == str(len(MIGRATIONS))
    if is_sqlite:
        with closing(sqlite3.connect(location)) as driver:
            sql = "SELECT v FROM word_index_config WHERE k = 'automerge'"
            assert driver.execute(sql).fetchall() == [(16,)]


def test_a_store_of_a_newer_tamis_is_refused(store: Store, location: str) -> None:
    with store._database.writing() as connection:
        connection.run(Query("UPDATE tamis_version SET version_num = '99'"))
    with pytest.raises(StoreError, match="newer tamis"):
        Store.open(location)


def test_a_migration_that_fails_leaves_nothing(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_a_mistake(version: int, *, is_sqlite: bool) -> list[str]:
        return [*migration_statements(version, is_sqlite=is_sqlite), "INSERT INTO nothing DEFAULT"]

    with monkeypatch.context() as patch:
        patch.setattr("tamis.store.schema.migration_statements", with_a_mistake)
        with pytest.raises(StoreError):
            Store.open(location)
    with pytest.raises(StoreError, match="no store yet"):
        Store.open(location, create=False)
    with Store.open(location) as store:
        store.put(address(1), news(1))
        assert len(store) == 1


def test_many_open_a_new_store_at_once(location: str) -> None:
    start = threading.Barrier(8)
    errors: list[BaseException] = []

    def put(number: int) -> None:
        try:
            start.wait()
            with Store.open(location) as store:
                store.put(address(number), news(number))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    with Store.open(location) as store:
        assert len(store) == 8

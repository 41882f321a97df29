"""Which pieces a store has: fresh ones, those in their table, and both after garbage is taken."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from sqlalchemy import Connection

import tamis
from helpers.news import address, news
from tamis.store import DIGEST, Database, Store, hashes, opened


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let fresh hashes go into their table after every few pages."""
    monkeypatch.setattr(hashes, "MOST_FRESH", 40)


def test_pieces_are_stored_once_however_fresh_they_are(store: Store, small: None) -> None:
    for number in range(30):
        store.put(address(number), news(number))
    pieces = store.stats().pieces
    for number in range(30):
        store.put(f"https://mirror.example/{number}", news(number))
    assert store.stats().pieces == pieces
    for number in range(30):
        page = store.get(f"https://mirror.example/{number}")
        assert page is not None
        assert page.source == tamis.parse(news(number)).source


def test_stores_see_what_others_put_and_collect(place: str, small: None) -> None:
    with Store.open(place) as one, Store.open(place) as other:
        for number in range(40):
            (one if number % 3 else other).put(address(number), news(number))
            if number % 10 == 9:
                one.delete(address(number - 1))
                other.gc()
        pieces = one.stats().pieces
        for number in range(40):
            if number % 10 != 8:
                other.put(f"https://mirror.example/{number}", news(number))
                page = one.get(f"https://mirror.example/{number}")
                assert page is not None
                assert page.source == tamis.parse(news(number)).source
        assert one.stats().pieces == pieces
        assert one.gc().pieces == 0


@contextmanager
def undone(database: Database) -> Iterator[Connection]:
    """Give a connection whose work is undone in the end."""
    with suppress(ZeroDivisionError), database.writing() as connection:
        yield connection
        raise ZeroDivisionError


def test_what_was_undone_is_not_known(place: str) -> None:
    known = hashes.Hashes()
    database = opened(place, create=True)
    one, two, three = (bytes([number]) * DIGEST for number in range(3))
    with undone(database) as connection:
        known.add(connection, 1, [one, two])
    with database.writing() as connection:
        assert known.numbers(connection, [one, two, three]) == {}
        known.add(connection, 1, [three])
    with undone(database) as connection:
        assert known.numbers(connection, [one, two, three]) == {three: 1}
        known.settle(connection)
    with database.writing() as connection:
        known.add(connection, 2, [one])
    with database.writing() as connection:
        assert known.numbers(connection, [one, two, three]) == {three: 1, one: 2}
        known.settle(connection)
        hashes.forget(connection, [one])
    with database.writing() as connection:
        assert known.numbers(connection, [one, two, three]) == {three: 1}
        assert hashes.count(connection) == 1
    database.close()


def test_a_store_of_the_first_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        store.put(address(1), news(1))
        store.gc()  # no hash is fresh any more
        pieces = store.stats().pieces
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE fresh")
        connection.execute("ALTER TABLE content DROP COLUMN said")
        connection.execute("INSERT INTO word_index(word_index, rank) VALUES ('automerge', 4)")
        connection.execute("UPDATE tamis_version SET version_num = '1'")
    connection.close()
    with Store.open(path) as store:
        store.put("https://mirror.example/1", news(1))
        assert store.stats().pieces == pieces
        page = store.get(address(1))
        assert page is not None
        assert page.source == tamis.parse(news(1)).source
    with sqlite3.connect(path) as connection:
        asked = "SELECT v FROM word_index_config WHERE k = 'automerge'"
        assert connection.execute(asked).fetchall() == [(16,)]
    connection.close()

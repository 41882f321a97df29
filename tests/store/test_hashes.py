"""Which pieces a store has: fresh ones, those in their table, and both after garbage is taken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

import tamis
from helpers.news import address, news
from tamis.store import (
    DIGEST_SIZE,
    Connection,
    Database,
    PieceHashes,
    Store,
    count_pieces,
    delete_hashes,
    open_database,
)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let fresh hashes go into their table after every few pages."""
    monkeypatch.setattr("tamis.store.hashes._MAX_FRESH", 40)


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


def test_stores_see_what_others_put_and_collect(location: str, small: None) -> None:
    with Store.open(location) as first, Store.open(location) as second:
        for number in range(40):
            (first if number % 3 else second).put(address(number), news(number))
            if number % 10 == 9:
                first.delete(address(number - 1))
                second.gc()
        pieces = first.stats().pieces
        for number in range(40):
            if number % 10 != 8:
                second.put(f"https://mirror.example/{number}", news(number))
                page = first.get(f"https://mirror.example/{number}")
                assert page is not None
                assert page.source == tamis.parse(news(number)).source
        assert first.stats().pieces == pieces
        assert first.gc().pieces == 0


@contextmanager
def undone(database: Database) -> Iterator[Connection]:
    """Give a connection whose work is undone in the end."""
    with suppress(ZeroDivisionError), database.writing() as connection:
        yield connection
        raise ZeroDivisionError


def test_what_was_undone_is_not_remembered(location: str) -> None:
    hashes = PieceHashes()
    database = open_database(location, create=True)
    one, two, three = (bytes([number]) * DIGEST_SIZE for number in range(3))
    with undone(database) as connection:
        hashes.add(connection, 1, [one, two])
    with database.writing() as connection:
        assert hashes.find_numbers(connection, [one, two, three]) == {}
        hashes.add(connection, 1, [three])
    with undone(database) as connection:
        assert hashes.find_numbers(connection, [one, two, three]) == {three: 1}
        hashes.merge(connection)
    with database.writing() as connection:
        hashes.add(connection, 2, [one])
    with database.writing() as connection:
        assert hashes.find_numbers(connection, [one, two, three]) == {three: 1, one: 2}
        hashes.merge(connection)
        delete_hashes(connection, [one])
    with database.writing() as connection:
        assert hashes.find_numbers(connection, [one, two, three]) == {three: 1}
        assert count_pieces(connection) == 1
    database.close()

"""The way to the database: transactions, connections and values, the same for both databases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tamis.errors import StoreError
from tamis.store import Database, Query, open_database

INSERT = Query("INSERT INTO site (host) VALUES (?)")
COUNT = Query("SELECT count(*) FROM site", (lambda _: None,))
HOSTS = Query("SELECT host FROM site ORDER BY id", (lambda _: None,))


@pytest.fixture
def database(location: str) -> Iterator[Database]:
    database = open_database(location, create=True)
    yield database
    database.close()


def count_sites(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.value(COUNT))


def insert_and_fail(database: Database, error: Exception) -> None:
    with database.writing() as connection:
        connection.run(INSERT, "a.example")
        raise error


def test_work_that_fails_is_undone(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        insert_and_fail(database, ZeroDivisionError())
    with pytest.raises(StoreError, match="no table has this name"):
        insert_and_fail(database, database.driver_error("no table has this name"))
    assert count_sites(database) == 0
    with database.writing() as connection:
        assert connection.run(INSERT, "a.example") == 1
    assert count_sites(database) == 1


def test_a_reader_sees_one_moment(database: Database) -> None:
    with database.writing() as writer:
        writer.run(INSERT, "a.example")
    with database.reading() as reader:
        assert reader.value(COUNT) == 1
        with database.writing() as writer:
            writer.run(INSERT, "b.example")
            assert writer.value(COUNT) == 2
        assert reader.value(COUNT) == 1
    assert count_sites(database) == 2


def test_rows_are_streamed_in_order(database: Database) -> None:
    hosts = [f"{number}.example" for number in range(1200)]
    with database.writing() as connection:
        connection.run_many(INSERT, [(host,) for host in hosts])
        assert [host for (host,) in connection.stream(HOSTS)] == hosts
        connection.run_many(INSERT, [])
        assert connection.row(Query("SELECT id FROM page", (lambda _: None,))) is None


def test_values_are_checked(database: Database) -> None:
    def refuse(value: object) -> None:
        raise StoreError(f"{value} is wrong")

    with pytest.raises(StoreError, match="0 is wrong"), database.reading() as connection:
        connection.rows(Query(COUNT.sql, (refuse,)))


def test_a_connection_that_the_server_closed_is_replaced(postgres: object) -> None:
    if not isinstance(postgres, str):
        pytest.skip(f"not tested on PostgreSQL: {postgres}")
    from helpers.postgres import new_database

    location = new_database(postgres)
    database, other = (open_database(location, create=True) for _ in range(2))
    own_process = Query("SELECT pg_backend_pid()", (lambda _: None,))
    with database.reading() as connection:
        process = connection.value(own_process)
    with other.writing() as connection:
        connection.rows(Query("SELECT pg_terminate_backend(?)", (lambda _: None,)), process)
    assert count_sites(database) == 0
    database.close()
    other.close()


@pytest.mark.parametrize("name", ["a b.db", "100%.db", "ü#?.db"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    open_database(path, create=True).close()
    assert path.exists()
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    open_database(str(path), create=False).close()


def test_a_file_may_be_named_by_a_url(tmp_path: Path) -> None:
    open_database(f"sqlite:///{tmp_path}/a%20b.db", create=True).close()
    assert (tmp_path / "a b.db").exists()


def test_messages_have_no_password() -> None:
    for url in (
        "postgresql://tamis:secret@127.0.0.1:1/base",
        "postgresql://tamis@127.0.0.1:1/base?password=secret",
    ):
        with pytest.raises(StoreError, match=r"127\.0\.0\.1:1/base: the server") as raised:
            open_database(url, create=True)
        assert "secret" not in str(raised.value)

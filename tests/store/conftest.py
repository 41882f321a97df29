"""Every test of a store runs on SQLite and, where there is a server, on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.postgres import NoServer, new_database, server
from tamis.store import Store


@pytest.fixture(scope="session")
def postgres() -> Iterator[str | NoServer]:
    """The URL of a server that runs for the tests, or why there is none."""
    try:
        with server() as url:
            yield url
    except NoServer as error:
        yield error


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store of the test's own can be made."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    found = request.getfixturevalue("postgres")
    if isinstance(found, NoServer):
        pytest.skip(f"not tested on PostgreSQL: {found}")
    return new_database(found)


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    with Store.open(place) as opened:
        yield opened

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
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The path or URL of a store that does not exist yet."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    server_url = request.getfixturevalue("postgres")
    if isinstance(server_url, NoServer):
        pytest.skip(f"not tested on PostgreSQL: {server_url}")
    return new_database(server_url)


@pytest.fixture
def store(location: str) -> Iterator[Store]:
    with Store.open(location) as store:
        yield store

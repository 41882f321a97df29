"""What tests of crawls share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.postgres import NoServer, new_database, server

from .forks import Forks


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """Crawls that start at once."""
    with Forks() as process:
        yield process


@pytest.fixture(scope="session")
def postgres() -> Iterator[str | NoServer]:
    """The URL of a server that runs for the tests, or why there is none."""
    try:
        with server() as url:
            yield url
    except NoServer as error:
        yield error


@pytest.fixture
def postgres_store(postgres: str | NoServer) -> str:
    """The URL of a database of the test's own."""
    if isinstance(postgres, NoServer):
        pytest.skip(f"not tested on PostgreSQL: {postgres}")
    return new_database(postgres)


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store of the test's own can be made."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    url: str = request.getfixturevalue("postgres_store")
    return url

"""One server for the tests that need no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from serve.servers import ServerProcess


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder: Path = tmp_path_factory.mktemp("server")
    options = ("--workers", "1", "--queue", "64", "--allow-private", "--max-body", "8")
    with ServerProcess(*options, "--no-render", folder=folder) as running:
        yield running

"""One server for the tests that need no other, and the inspector of a town's pages in Chromium."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from serve.inspecting import HOST, Tab, town_page
from serve.servers import ServerProcess
from tamis.render import chromium_path
from tamis.store import Store


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder: Path = tmp_path_factory.mktemp("server")
    options = ("--workers", "1", "--queue", "64", "--allow-private", "--max-body", "8")
    with ServerProcess(*options, "--no-render", folder=folder) as running:
        yield running


@pytest.fixture(scope="module")
def inspected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder: Path = tmp_path_factory.mktemp("inspector")
    with Store.open(folder / "pages.db") as store:
        for number in range(8):
            store.put(f"https://{HOST}/{number}", town_page(number))
        url = f"https://{HOST}/0"
        store.put(url, town_page(0).replace("old town", "new town"), datetime.now(UTC))
        store.put("https://other.example/", "<p>A page of another site with a few words.</p>")
    options = ("--workers", "1", "--queue", "64", "--deadline", "240", "--store", "pages.db")
    with ServerProcess(*options, folder=folder) as up:
        yield up


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        chromium = driver.chromium.launch(executable_path=chromium_path(), args=sandbox)
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser: Any, inspected: ServerProcess) -> Iterator[Tab]:
    opened = Tab(browser, inspected)
    yield opened
    opened.context.close()
    assert not opened.errors
    assert opened.hosts <= {f"127.0.0.1:{inspected.port}", ""}  # no request leaves the machine

"""Fixtures: a real HTTP server on this machine, and what host names stand for."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpcore
import pytest

from helpers.fetch_server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        # A short poll, as closing waits for it.
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield running
        running.shutdown()


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were connected to: none is, the attempt fails."""
    addresses: list[str] = []

    def connect(self: object, host: str, *_: object, **__: object) -> None:
        addresses.append(host)
        raise httpcore.ConnectError("not in a test")

    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", connect)
    return addresses


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Host names of the test and the addresses they stand for; each look-up takes one."""
    addresses: dict[str, list[str]] = {}
    real = socket.getaddrinfo

    def look_up(host: str, port: Any, *args: Any, **options: Any) -> Any:
        return real(addresses[host].pop(0) if host in addresses else host, port, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return addresses

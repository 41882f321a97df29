"""Which addresses a fetch may connect to."""

from __future__ import annotations

import socket
import time

import pytest

from tamis.errors import FetchError
from tamis.source import is_public, resolve_host


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.255.255.254",
        "168.63.129.16",
        "169.254.169.254",
        "172.16.0.1",
        "192.0.0.192",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fe80::1%1",
        "fec0::1",
        "ff02::1",
    ],
)
def test_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "93.184.216.34",
        "172.32.0.1",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
        "2606:4700::1",
    ],
)
def test_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f000001", "2130706433", "127.1", "0177.0.0.1"])
def test_all_spellings_are_one_address(host: str) -> None:
    assert resolve_host(host, 80, 5) == ["127.0.0.1"]


@pytest.mark.parametrize(("host", "port"), [("x" * 70 + ".test", 80), ("a..test", 80), ("", -1)])
def test_hosts_that_cannot_be(host: str, port: int) -> None:
    with pytest.raises(FetchError, match="was not found"):
        resolve_host(host, port, 5)


def test_a_slow_resolver_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def look_up(*_: object, **__: object) -> list[object]:
        time.sleep(0.5)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(FetchError, match="in time"):
        resolve_host("slow.test", 80, 0.05)

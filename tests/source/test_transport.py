"""Which addresses a fetch may connect to, and how it connects; no test leaves this machine."""

from __future__ import annotations

import socket
import ssl
import time
from typing import TYPE_CHECKING

import httpcore
import pytest

from tamis.errors import FetchError, SourceError
from tamis.source import Fetch, is_public, resolve_host, transport

if TYPE_CHECKING:
    from .conftest import Server

PAGE = b"<html><body>A page</body></html>"
LOCAL = Fetch(timeout=5, allow_private=True)


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


def test_the_host_is_that_of_the_url(server: Server, hosts: dict[str, list[str]]) -> None:
    hosts["page.test"] = ["127.0.0.1"]
    sent = LOCAL.get(f"http://page.test:{server.port}/headers").data.decode()
    assert f"Host: page.test:{server.port}" in sent


def test_proxies_of_the_environment_are_not_used(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert LOCAL.get(f"{server.url}/page").data == PAGE


@pytest.mark.parametrize("target", ["http://10.0.0.1/", "http://169.254.169.254/x", "//[::1]/"])
def test_redirects_to_private_addresses(
    server: Server, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The server of the test passes for a public one.
    monkeypatch.setattr(transport, "is_public", lambda ip: ip == "127.0.0.1" or is_public(ip))
    with pytest.raises(FetchError, match="not a public address"):
        Fetch(timeout=5).get(f"{server.url}/to/{target}")


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "[::1]",
        "10.1.2.3",
        "localhost",
        "169.254.169.254",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "127.1",
        "0",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::]",
        "[fe80::1%251]",
        "100.64.0.1",
        "224.0.0.1",
        "1.1.1.1@127.0.0.1",
        "\uff11\uff12\uff17.0.0.1",
        "127\u30020\u30020\u30021",
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_private_addresses_are_refused_before_connecting(
    connections: list[str], scheme: str, host: str
) -> None:
    with pytest.raises(SourceError, match=r"not a public address: allow_private|not a URL"):
        Fetch(timeout=5).get(f"{scheme}://{host}:8080/")
    assert connections == []


def test_one_private_address_is_enough(
    connections: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "resolve_host", lambda *_: ["1.1.1.1", "10.0.0.1"])
    with pytest.raises(FetchError, match=r"page.test \(10.0.0.1\) is not a public address"):
        Fetch(timeout=5).get("http://page.test/")
    assert connections == []


def test_the_checked_address_is_the_one_connected_to(
    connections: list[str], hosts: dict[str, list[str]]
) -> None:
    hosts["rebind.test"] = ["1.1.1.1", "127.0.0.1"]
    with pytest.raises(FetchError, match="was not fetched"):
        Fetch(timeout=5).get("http://rebind.test/")
    assert connections == ["1.1.1.1"]
    assert hosts["rebind.test"] == ["127.0.0.1"]


def test_the_next_address_is_tried(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing listens on the first: the server has the port on the second only.
    monkeypatch.setattr(transport, "resolve_host", lambda *_: ["127.0.0.2", "127.0.0.1"])
    assert LOCAL.get(f"http://two.test:{server.port}/page").data == PAGE


def test_tls_is_for_the_name_and_not_for_the_address(
    monkeypatch: pytest.MonkeyPatch, hosts: dict[str, list[str]]
) -> None:
    names: list[str | None] = []

    class Stream(httpcore.NetworkStream):
        def start_tls(
            self, context: ssl.SSLContext, server_hostname: str | None = None, *_: object
        ) -> httpcore.NetworkStream:
            assert context.check_hostname
            names.append(server_hostname)
            raise httpcore.ConnectError("not in a test")

        def close(self) -> None:
            pass

    hosts["secure.test"] = ["1.1.1.1"]
    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", lambda *_, **__: Stream())
    with pytest.raises(FetchError):
        Fetch(timeout=5).get("https://secure.test/")
    assert names == ["secure.test"]


def test_no_tls_where_it_is_expected(server: Server) -> None:
    with pytest.raises(FetchError, match="was not fetched"):
        LOCAL.get(f"https://127.0.0.1:{server.port}/page")


def test_nothing_listens(server: Server) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(FetchError, match="was not fetched"):
            LOCAL.get(f"http://127.0.0.1:{unused.getsockname()[1]}/")

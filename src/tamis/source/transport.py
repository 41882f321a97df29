"""Addresses: what a host name stands for, and which of that a fetch may connect to.

Connections that keep to a deadline and to public addresses, as a transport for httpx.

Imported by `fetch` only when a URL is fetched, as httpx takes long to import.
"""

from __future__ import annotations

import queue
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, cast

import httpcore
import httpx

from tamis.errors import FetchError

# Not public, though `is_global` of some Python versions says so: protocol assignments (with the
# metadata service of a cloud), 6to4 relays and the inner service of a cloud; then Teredo,
# documentation and 6to4.
_NOT_PUBLIC_4 = ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")
_NOT_PUBLIC_6 = ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
_PUBLIC_6 = "2000::/3"
_NAT64 = "64:ff9b::/96"


def resolve_host(host: str, port: int, timeout: float) -> list[str]:
    """All addresses of a host, in the order to try them; FetchError if there are none in time."""
    answers: queue.SimpleQueue[list[str] | Exception] = queue.SimpleQueue()
    # The resolver takes no time-out, so it is asked in a thread that can be left behind.
    asking = threading.Thread(target=_ask, args=(host, port, answers), daemon=True)
    asking.start()
    try:
        answer = answers.get(timeout=max(timeout, 0))
    except queue.Empty:
        raise FetchError(f"host {host} was not found in time: try again later") from None
    if isinstance(answer, Exception):
        raise FetchError(f"host {host} was not found ({answer}): check the URL") from answer
    return answer


def _ask(host: str, port: int, answers: queue.SimpleQueue[list[str] | Exception]) -> None:
    """Put the addresses of a host, or why there are none, into `answers`."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        answers.put(list(dict.fromkeys(str(info[4][0]) for info in found)))
    except (OSError, ValueError, OverflowError) as error:
        answers.put(error)


def is_public(address: str) -> bool:
    """Whether `address` belongs to a machine on the public internet, as far as its number tells."""
    ip = ip_address(address)
    return _is_public_4(ip) if isinstance(ip, IPv4Address) else _is_public_6(ip)


def _is_public_4(ip: IPv4Address) -> bool:
    special = ip.is_multicast or ip.is_reserved or any(ip in ip_network(n) for n in _NOT_PUBLIC_4)
    return ip.is_global and not special


def _is_public_6(ip: IPv6Address) -> bool:
    # Two kinds of IPv6 addresses are an IPv4 address in disguise: the latter counts.
    if ip.ipv4_mapped is not None:
        return _is_public_4(ip.ipv4_mapped)
    if ip in ip_network(_NAT64):
        return _is_public_4(IPv4Address(int(ip) & 0xFFFFFFFF))
    special = any(ip in ip_network(network) for network in _NOT_PUBLIC_6)
    return ip in ip_network(_PUBLIC_6) and ip.is_global and not special


_DAY = 86_400.0  # seconds; the system takes no endless time-out, and none of centuries
_SocketOptions = Iterable[httpcore.SOCKET_OPTION] | None


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment after which nothing is waited for any more."""

    end: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """The moment `seconds` from now."""
        return cls(time.monotonic() + seconds)

    def left(self) -> float:
        """Seconds until the deadline; raises httpcore's time-out when there are none."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("deadline passed")
        return min(left, _DAY)


class _Stream(httpcore.NetworkStream):
    """A stream that waits no longer than until the deadline.

    A time-out per read is not enough: a server that sends a byte now and then never meets it.
    """

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        # The name is that of the URL, not the address: it is what the certificate is checked for.
        stream = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left())
        return _Stream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore.NetworkBackend):
    """Connects to the very addresses that were checked.

    Checking the name and leaving the connection to a second look-up would let a name server answer
    the first with a public and the second with a private address.
    """

    def __init__(self, deadline: Deadline, *, allow_private: bool) -> None:
        self._deadline = deadline
        self._allow_private = allow_private
        self._network = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: _SocketOptions = None,
    ) -> httpcore.NetworkStream:
        addresses = resolve_host(host, port, self._deadline.left())
        if not self._allow_private:
            _check(host, addresses)
        failed: Exception = httpcore.ConnectError(f"{host} has no address")
        for index, address in enumerate(addresses):
            # Shared out, so that a first address that never answers leaves time for the next.
            share = self._deadline.left() / (len(addresses) - index)
            try:
                stream = self._network.connect_tcp(
                    address, port, share, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
            else:
                return _Stream(stream, self._deadline)
        raise failed


def _check(host: str, addresses: list[str]) -> None:
    """FetchError if any of the addresses of a host is not public."""
    for address in addresses:
        if not is_public(address):
            which = host if host == address else f"{host} ({address})"
            what = "allow_private (--allow-private) permits it if you trust it"
            raise FetchError(f"{which} is not a public address: {what}")


class _Body(httpx.SyncByteStream):
    """The body of a response of httpcore, for httpx."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        # A synchronous pool gives a synchronous stream; the annotation of httpcore allows both.
        yield from cast(Iterable[bytes], self._response.stream)

    def close(self) -> None:
        self._response.close()


class GuardedTransport(httpx.BaseTransport):
    """What httpx sends requests through: guarded connections, for one fetch."""

    def __init__(self, deadline: Deadline, *, allow_private: bool) -> None:
        backend = _Backend(deadline, allow_private=allow_private)
        self._pool = httpcore.ConnectionPool(network_backend=backend)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; the errors are those of httpcore."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        response = self._pool.handle_request(
            httpcore.Request(request.method, url, headers=request.headers.raw)
        )
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Body(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

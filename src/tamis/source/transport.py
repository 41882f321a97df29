"""Connections that keep to a deadline and to public IP addresses, as a transport for httpx.

Addresses are IP addresses here. `fetch` imports this module only when a URL is fetched, as httpx
takes longer to import than most extractions take.
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

from tamis.errors import FetchError, PrivateAddress

# Not public, although `is_global` is true for them in some versions of Python. IPv4: protocol
# assignments (with a cloud's metadata service), 6to4 relays, a cloud's internal service. IPv6:
# Teredo, documentation, 6to4.
_NOT_PUBLIC_4 = ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")
_NOT_PUBLIC_6 = ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
_PUBLIC_6 = "2000::/3"
_NAT64 = "64:ff9b::/96"
_MAX_WAIT = 86_400.0  # seconds; the system takes no infinite time-out, and none of centuries
_SocketOptions = Iterable[httpcore.SOCKET_OPTION] | None


def resolve_host(host: str, port: int, timeout: float) -> list[str]:
    """Return the addresses of a host, in the order to try them; FetchError if none come in time."""
    answers: queue.SimpleQueue[list[str] | Exception] = queue.SimpleQueue()
    # The resolver takes no time-out, so it runs in a thread that can be left behind.
    threading.Thread(target=_look_up_host, args=(host, port, answers), daemon=True).start()
    try:
        answer = answers.get(timeout=max(timeout, 0))
    except queue.Empty:
        raise FetchError(f"host {host} was not found in time: try again later") from None
    if isinstance(answer, Exception):
        raise FetchError(f"host {host} was not found ({answer}): check the URL") from answer
    return answer


def _look_up_host(host: str, port: int, answers: queue.SimpleQueue[list[str] | Exception]) -> None:
    """Put the addresses of a host, or the error, into `answers`."""
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        answers.put(list(dict.fromkeys(str(info[4][0]) for info in infos)))
    except (OSError, ValueError, OverflowError) as error:
        answers.put(error)


def is_public(address: str) -> bool:
    """Say whether an address is on the public internet, as far as its number shows."""
    ip = ip_address(address)
    return _is_public_4(ip) if isinstance(ip, IPv4Address) else _is_public_6(ip)


def _is_public_4(ip: IPv4Address) -> bool:
    special = ip.is_multicast or ip.is_reserved or any(ip in ip_network(n) for n in _NOT_PUBLIC_4)
    return ip.is_global and not special


def _is_public_6(ip: IPv6Address) -> bool:
    # Two kinds of IPv6 addresses stand for an IPv4 address, which is what counts.
    if ip.ipv4_mapped is not None:
        return _is_public_4(ip.ipv4_mapped)
    if ip in ip_network(_NAT64):
        return _is_public_4(IPv4Address(int(ip) & 0xFFFFFFFF))
    special = any(ip in ip_network(network) for network in _NOT_PUBLIC_6)
    return ip in ip_network(_PUBLIC_6) and ip.is_global and not special


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment until which connections may wait."""

    end: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """Return the deadline in so many seconds from now."""
        return cls(time.monotonic() + seconds)

    def left(self) -> float:
        """Return the seconds until the deadline; raise httpcore's time-out if there are none."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("deadline passed")
        return min(left, _MAX_WAIT)


class _DeadlineStream(httpcore.NetworkStream):
    """A stream that waits no longer than until the deadline.

    A time-out per read is not enough: a server that sends one byte now and then never exceeds it.
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
        # The certificate is checked for the host name of the URL, not for the address.
        stream = self._stream.start_tls(ssl_context, server_hostname, self._deadline.left())
        return _DeadlineStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _GuardedBackend(httpcore.NetworkBackend):
    """Connects to the same addresses that were checked.

    If the connection looked the host up again, a name server could answer the first look-up with a
    public address and the second with a private one.
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
            _check_public(host, addresses)
        last_error: Exception = httpcore.ConnectError(f"{host} has no address")
        for index, address in enumerate(addresses):
            # Each address gets a share, so that one that never answers leaves time for the next.
            share = self._deadline.left() / (len(addresses) - index)
            try:
                stream = self._network.connect_tcp(
                    address, port, share, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last_error = error
            else:
                return _DeadlineStream(stream, self._deadline)
        raise last_error


def _check_public(host: str, addresses: list[str]) -> None:
    """Raise PrivateAddress if any of the addresses of a host is not public."""
    for address in addresses:
        if not is_public(address):
            which = host if host == address else f"{host} ({address})"
            what = "allow_private (--allow-private) permits it if you trust it"
            raise PrivateAddress(f"{which} is not a public address: {what}")


class _ResponseBody(httpx.SyncByteStream):
    """The body of a response from httpcore, for httpx."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        # A synchronous pool gives a synchronous stream; httpcore's annotation allows both.
        yield from cast(Iterable[bytes], self._response.stream)

    def close(self) -> None:
        self._response.close()


class GuardedTransport(httpx.BaseTransport):
    """A transport for httpx, for one fetch: its connections keep to the rules of this module."""

    def __init__(self, deadline: Deadline, *, allow_private: bool) -> None:
        backend = _GuardedBackend(deadline, allow_private=allow_private)
        self._pool = httpcore.ConnectionPool(network_backend=backend)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; errors are those of httpcore."""
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
            stream=_ResponseBody(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()

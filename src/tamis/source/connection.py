"""Connections that keep to a deadline and to public addresses, as a transport for httpx.

Imported by `fetch` only when a URL is fetched, as httpx takes long to import.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import httpcore
import httpx

from tamis.errors import FetchError
from tamis.source.addresses import is_public, resolved

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
        addresses = resolved(host, port, self._deadline.left())
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

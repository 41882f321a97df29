"""Whatever an address is and whatever a server answers, a fetch gives a page or a FetchError."""

from __future__ import annotations

import gzip
import socket
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import httpcore
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tamis.errors import FetchError
from tamis.source import Fetch, Source

LOCAL = Fetch(timeout=5, allow_private=True, max_bytes=100_000, max_redirects=2)
PAGE = b"<html><body>A page</body></html>"
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


class RawServer:
    """Answers connections with the bytes that it is given, one after the other, whatever they are.

    The last answer is given to all further connections as well.
    """

    def __init__(self) -> None:
        self.answers: Sequence[bytes] = (b"",)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):  # until it is closed
            while True:
                connection, _ = self.listener.accept()
                answer, *rest = self.answers
                self.answers = rest or (answer,)
                with connection, suppress(OSError):
                    connection.settimeout(5)
                    request = connection.recv(65536)
                    tls = request.startswith(b"\x16")  # which has no end to wait for
                    while (
                        not tls and b"\r\n\r\n" not in request and (part := connection.recv(65536))
                    ):
                        request += part
                    connection.sendall(answer)


@pytest.fixture(scope="module")
def raw() -> Iterator[RawServer]:
    """A server that all connections lead to; no name is looked up outside this machine."""
    server = RawServer()
    look_up, connect = socket.getaddrinfo, httpcore.SyncBackend.connect_tcp

    def numeric(host: str, port: Any, *_: object, **__: object) -> Any:
        if host == "page.test":
            host = "127.0.0.1"
        flags = socket.AI_NUMERICHOST
        return look_up(host, port, type=socket.SOCK_STREAM, flags=flags)

    def here(self: Any, host: str, port: int, *rest: Any, **options: Any) -> Any:
        return connect(self, "127.0.0.1", server.port, *rest, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", numeric)
        patch.setattr(httpcore.SyncBackend, "connect_tcp", here)
        yield server
    server.listener.close()


def fetched(url: str, fetch: Fetch = LOCAL) -> Source | FetchError:
    """Return what a fetch gives; any error but a FetchError fails the test."""
    try:
        return fetch.get(url)
    except FetchError as error:
        return error


# Addresses ------------------------------------------------------------------------------------

# fmt: off
ODD_HOSTS = [
    "", "xn--", "xn--a", "xn--0", "xn--\u00fc", "a.xn--", "XN--A.test", "xn--a-ecp.test", "xn--zz",
    "\u00fc.test", "\u2488", "ab\u0661.test", "\u00ad", "\u200d.test", "\u65e5\u672c.test",
    "[::1]", "[::1%25lo]", "[fe80::1%lo]", "[::1%]", "[", "]", "[v1.x]", "[::ffff:127.0.0.1]",
    "0", "127.1", "0x7f.1", "1.2.3.4.5", "256.1.1.1", "2130706433", ".", "a..b", "-", "_", "%00",
    "a%20b", "%zz", "a b", "a\tb", "a\0b", "\udcff", "a" * 64, "a." * 130, "page.test.", "*",
]
# fmt: on
CHARACTERS = st.one_of(
    st.sampled_from("abxn--.:/?#[]@%&=+~\\ \t\r\n\0\x7f\u00fc\u0661\u200d\udcff\u65e5"),
    st.characters(),
)
HOSTS = st.one_of(
    st.sampled_from(ODD_HOSTS),
    st.text(CHARACTERS, max_size=12),
    st.text("abc-0\u00fc.", max_size=8).map("xn--{}".format),
    st.ip_addresses(v=6).map("[{}]".format),
)
USERS = st.one_of(st.just(""), st.text(CHARACTERS, max_size=6).map("{}@".format))
PORTS = st.one_of(
    st.just(""),
    st.sampled_from([":", ":0", ":-1", ":65536", ":99999999999", ":x", ":8 0", ":\u0661", ":+8"]),
    st.integers(0, 70000).map(":{}".format),
)
SCHEMES = st.sampled_from(["http://", "https://", "HTTP://", "http:", "http:///", "//", "", "ftp:"])
URLS = st.one_of(
    st.tuples(SCHEMES, USERS, HOSTS, PORTS, st.text(CHARACTERS, max_size=12)).map("".join),
    st.tuples(st.just("http://"), HOSTS, st.just("/")).map("".join),
    st.text(CHARACTERS, max_size=20),
)


@settings(max_examples=400, deadline=None)
@given(url=URLS)
@example(url="http://xn--/")
@example(url="http://" + "a." * 3000)
@example(url="http://a/" + "x" * 70_000)
def test_addresses(raw: RawServer, url: str) -> None:
    raw.answers = (HTML + b"\r\n" + PAGE,)
    fetched(url)
    fetched(url, Fetch(timeout=5))


@settings(max_examples=300, deadline=None)
@given(target=URLS, cookie=st.sampled_from(["", "a=b", "=;;", "a=b; Domain=xn--; Path=\x00"]))
@example(target="http://xn--/", cookie="")
@example(target="//xn--a/", cookie="a=b; domain=test")
@example(target="http://[::1%25lo]/", cookie="a=b")
def test_redirects(raw: RawServer, target: str, cookie: str) -> None:
    head = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: "
    location = target.encode("utf-8", "surrogateescape" if target.isascii() else "replace")
    set_cookie = f"\r\nSet-Cookie: {cookie}".encode() if cookie else b""
    raw.answers = (head + location + set_cookie + b"\r\n\r\n", HTML + b"\r\n" + PAGE)
    fetched("http://page.test/")


# Answers --------------------------------------------------------------------------------------

PACKED = [
    gzip.compress(PAGE, mtime=0),
    gzip.compress(PAGE, mtime=0)[:-9],
    gzip.compress(PAGE, mtime=0)[:7],
    zlib.compress(PAGE),
    zlib.compress(PAGE, wbits=-15)[:-3],
    gzip.compress(gzip.compress(bytes(10**6), mtime=0), mtime=0),
]
CHUNKED = [
    b"4\r\n<p>a\r\n0\r\n\r\n",
    b"4\r\n<p>a",
    b"zz\r\n<p>\r\n",
    b"-1\r\n\r\n",
    b"ffffffffffffffffffff\r\n<p>",
    b"4;x=" + b"y" * 70_000 + b"\r\n<p>a\r\n0\r\n\r\n",
    b"0\r\nTrailer: \xff\r\n\r\n",
    b"\r\n\r\n",
]
BODIES = st.one_of(st.sampled_from([PAGE, *PACKED, *CHUNKED]), st.binary(max_size=60))
VALUES = st.one_of(
    st.binary(max_size=30),
    st.sampled_from(
        [
            b"text/html;charset=",
            b"text/html; charset*=utf-16''%ff",
            b"text/html; charset*=x'y'%E2",
            b'text/html; charset="',
            b"text/html;charset=\xff\xfe",
            b"text/html; charset*0=u; *1=8",
            b"gzip",
            b"deflate",
            b"gzip, deflate",
            b"br",
            b"identity",
            b"x-gzip,",
            b"\xff",
            b",",
            b"chunked",
            b"chunked, chunked",
            b"gzip, chunked",
            b"-1",
            b"0",
            b"5",
            b"9" * 30,
            b"9" * 5000,
            b"1, 2",
            b"\xd9\xa1",
            b"1e3",
            b"close",
            b"upgrade",
            b"x" * 200_000,
            b"http://xn--/",
            b"//xn--a",
            b"/\xff",
            b"a=b; expires=x",
            b"0; url=http://xn--/",
        ]
    ),
)
# fmt: off
NAMES = st.sampled_from([
    b"Content-Type", b"Content-Encoding", b"Content-Length", b"Transfer-Encoding", b"Location",
    b"Set-Cookie", b"Connection", b"Upgrade", b"Refresh", b"X", b"", b"X Y", b"\xff", b" X",
])
# fmt: on
LINES = st.lists(st.tuples(NAMES, VALUES).map(b": ".join), max_size=5).map(b"\r\n".join)
STATUSES = st.one_of(
    st.sampled_from(
        [
            b"HTTP/1.1 200 OK",
            b"HTTP/1.0 200 OK",
            b"HTTP/1.1 200",
            b"HTTP/1.1 301 Moved",
            b"HTTP/1.1 100 Continue",
            b"HTTP/1.1 101 Switching Protocols",
            b"HTTP/1.1 103 Early",
            b"HTTP/1.1 204 No Content",
            b"HTTP/1.1 304 Not",
            b"HTTP/1.1 999 \xff",
            b"HTTP/2 200",
            b"HTTP/1.1 000 None",
            b"HTTP/1.1 99999 Many",
            b"ICY 200 OK",
            b"",
            b"<html>",
        ]
    ),
    st.binary(max_size=20),
)


@settings(max_examples=500, deadline=None)
@given(status=STATUSES, lines=LINES, body=BODIES)
@example(status=b"HTTP/1.1 200 OK", lines=b"Content-Length: " + b"9" * 5000, body=PAGE)
@example(status=b"HTTP/1.1 200 OK", lines=b"X: " + b"x" * 10**6, body=PAGE)
@example(status=b"HTTP/1.1 200 OK", lines=b"X: y\r\n" * 60_000 + b"Y: z", body=PAGE)
@example(status=b"HTTP/1.1 200 OK", lines=b"Content-Encoding: gzip", body=PACKED[1])
@example(status=b"HTTP/1.1 200 OK", lines=b"Transfer-Encoding: chunked", body=CHUNKED[2])
@example(status=b"HTTP/1.1 101 Switching Protocols", lines=b"Upgrade: x", body=PAGE)
@example(
    status=b"HTTP/1.1 200 OK",
    lines=b"Content-Type: text/html; charset*0; charset*=utf-16''%ff",
    body=PAGE,
)
def test_answers(raw: RawServer, status: bytes, lines: bytes, body: bytes) -> None:
    separator = b"\r\n" if lines else b""
    raw.answers = (status + b"\r\n" + lines + separator + b"\r\n" + body,)
    fetched("http://page.test/")


@settings(max_examples=200, deadline=None)
@given(encoding=st.sampled_from([b"gzip", b"deflate", b"gzip, gzip", b"br"]), body=BODIES)
def test_bodies(raw: RawServer, encoding: bytes, body: bytes) -> None:
    raw.answers = (HTML + b"Content-Encoding: " + encoding + b"\r\n\r\n" + body,)
    fetched("http://page.test/")

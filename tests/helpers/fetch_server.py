"""A real HTTP server on this machine, with one path per behaviour."""

from __future__ import annotations

import gzip
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

PAGE = b"<html><body>A page</body></html>"
BOMB = gzip.compress(bytes(50_000_000))


class Handler(BaseHTTPRequestHandler):
    """Answers by the first part of the path; the rest is its argument."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Keep the output of the tests clean."""

    def do_GET(self) -> None:
        action, _, argument = self.path.removeprefix("/").partition("/")
        self.server.seen.append(self.path)  # type: ignore[attr-defined]
        getattr(self, f"_{action}")(argument)

    def _send(self, body: bytes = PAGE, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        headers = {"Content_Type": "text/html", "Content_Length": str(len(body))} | headers
        for name, value in headers.items():
            if value:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def _page(self, _: str) -> None:
        self._send()

    def _type(self, argument: str) -> None:
        self._send(Content_Type=unquote(argument))

    def _status(self, argument: str) -> None:
        self._send(status=int(argument))

    def _headers(self, _: str) -> None:
        self._send(str(self.headers).encode())

    def _size(self, argument: str) -> None:
        self._send(b"x" * int(argument))

    def _endless(self, _: str) -> None:
        self._send(b"", Content_Length="", Connection="close")
        while True:
            self.wfile.write(b"x" * 65536)

    def _promise(self, argument: str) -> None:
        self._send(b"", Content_Length=argument)
        time.sleep(5)

    def _short(self, _: str) -> None:
        self._send(Content_Length="1000")
        self.close_connection = True

    def _drip(self, _: str) -> None:
        self._send(b"", Content_Length="1000")
        self._slowly(b"x" * 1000)

    def _dripheader(self, _: str) -> None:
        self._slowly(b"HTTP/1.1 200 OK\r\nX-Filler: " + b"x" * 1000)

    def _slowly(self, data: bytes) -> None:
        for byte in data:
            self.wfile.write(bytes([byte]))
            time.sleep(0.05)

    def _gzip(self, _: str) -> None:
        self._send(gzip.compress(PAGE), Content_Encoding="gzip")

    def _deflate(self, _: str) -> None:
        self._send(zlib.compress(PAGE), Content_Encoding="deflate")

    def _rawdeflate(self, _: str) -> None:
        self._send(zlib.compress(PAGE, wbits=-15), Content_Encoding="deflate")

    def _bomb(self, _: str) -> None:
        self._send(BOMB, Content_Encoding="gzip")

    def _nested(self, _: str) -> None:
        self._send(gzip.compress(BOMB), Content_Encoding="gzip, gzip")

    def _coding(self, argument: str) -> None:
        self._send(Content_Encoding=argument)

    def _to(self, argument: str) -> None:
        self._send(b"", 302, Location=unquote(argument))

    def _nowhere(self, _: str) -> None:
        self._send(b"", 302)

    def _loop(self, _: str) -> None:
        self._send(b"", 301, Location="/loop")

    def _count(self, argument: str) -> None:
        left = int(argument)
        self._send(b"", 307, Location=f"/count/{left - 1}" if left > 1 else "/page")

    def _cookie(self, _: str) -> None:
        if "seen=1" in self.headers.get("Cookie", ""):
            self._send()
        else:
            self._send(b"", 302, Location="/cookie", Set_Cookie="seen=1")


class Server(ThreadingHTTPServer):
    """A server that keeps the requested paths; clients may give up connections."""

    daemon_threads = True
    # Do not wait for handlers that are still dripping.
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[str] = []
        self.port: int = self.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients are expected to hang up."""

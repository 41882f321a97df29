"""Servers on this machine: HTTP with byte ranges, and S3 by moto."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@contextmanager
def serve_http(files: dict[str, bytes]) -> Iterator[str]:
    """Serve files by their paths, whole or in ranges; give the URL of the server."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self.answer(with_body=False)

        def do_GET(self) -> None:
            self.answer(with_body=True)

        def answer(self, *, with_body: bool) -> None:
            data = files.get(self.path.lstrip("/"))
            if data is None:
                self.send_error(404)
                return
            start, stop, status = 0, len(data), 200
            if span := self.headers.get("Range", "").removeprefix("bytes="):
                first, _, last = span.partition("-")
                start, stop, status = int(first), min(int(last or len(data)) + 1, len(data)), 206
            self.send_response(status)
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Content-Length", str(stop - start))
            if status == 206:
                self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(data)}")
            self.end_headers()
            if with_body:
                self.wfile.write(data[start:stop])

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

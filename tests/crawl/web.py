"""Webs to crawl: servers on loopback, a port for each host, that do what tests want."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS = [
    "".join(random.Random(number).choices("abcdefghijklmnopqrstuvwxyz", k=7))
    for number in range(3_000)
]


@dataclass(frozen=True)
class Reply:
    """An answer of a server."""

    body: bytes | str = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Route = Reply | Callable[["Handler"], Reply | None]


@dataclass(frozen=True)
class Hit:
    """A request that came in."""

    path: str
    time: float
    headers: Mapping[str, str]


class Handler(BaseHTTPRequestHandler):
    """Answers from the routes of its server; a route may also write to the socket itself."""

    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        hit = Hit(self.path, time.time(), dict(self.headers.items()))
        with self.server.lock:
            self.server.hits.append(hit)
        route = self.server.routes.get(self.path) or self.server.fallback
        reply = route(self) if callable(route) else route
        if reply is None:
            return
        body = reply.body.encode() if isinstance(reply.body, str) else reply.body
        headers = {"Content-Type": "text/html", "Content-Length": str(len(body)), **reply.headers}
        self.send_response(reply.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """One host."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.routes: dict[str, Route] = {"/robots.txt": Reply(status=404)}
        self.fallback: Route = Reply("<p>Not here", 404)
        self.hits: list[Hit] = []
        self.lock = threading.Lock()

    def handle_error(self, request: Any, address: Any) -> None:
        pass  # crawlers are killed, and hang up on endless streams

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def paths(self) -> list[str]:
        """Return the paths that were asked for, without robots.txt."""
        with self.lock:
            return [hit.path for hit in self.hits if hit.path != "/robots.txt"]


@contextmanager
def serve(count: int = 1) -> Iterator[list[Server]]:
    """Run servers until the end of the block."""
    servers = [Server() for _ in range(count)]
    for server in servers:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield servers
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def article(number: int, links: Iterable[str] = (), head: str = "", frame: str = "") -> str:
    """Return a page with text that no other number has, and links in it."""
    chance = random.Random(number)

    def sentence() -> str:
        return " ".join(chance.choices(WORDS, k=18)).capitalize() + "."

    paragraphs = [f"<p>{sentence()} {sentence()}</p>" for _ in range(4)]
    paragraphs += [f'<p>{sentence()} <a href="{link}">{sentence()}</a></p>' for link in links]
    title = " ".join(chance.choices(WORDS, k=4))
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title>{head}</head><body>"
        f'<nav><a href="/">Home</a> {frame}</nav><main><h1>{title}</h1>{"".join(paragraphs)}'
        "</main><footer>All rights reserved</footer></body></html>"
    )


def add_tree(server: Server, count: int, branches: int = 5) -> None:
    """Give a server pages that are linked as a tree, /0 being that of the start."""
    for number in range(count):
        children = range(number * branches + 1, min((number + 1) * branches + 1, count))
        server.routes[f"/{number or ''}"] = Reply(article(number, [f"/{n}" for n in children]))

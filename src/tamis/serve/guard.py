"""Guard: who may ask, how much, and what every answer carries.

It stands around the whole application: the host name, the origin and the token are checked before
anything is read; bodies are bounded in size and time; every answer has a request id and headers
that keep browsers from doing anything with it that was not meant.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
import secrets
import time
import traceback
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tamis.serve.metrics import Metrics
from tamis.serve.problems import Problem
from tamis.serve.settings import ServeSettings

LOGGER: Final = logging.getLogger("tamis.serve")
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_API_POLICY: Final = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'"
_HEADERS: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
)
_OPEN_PATHS: Final = frozenset({"/healthz", "/", "/favicon.ico"})  # the page has the token, not we
_OPEN_FOLDER: Final = "/assets/"
_LONG_BODIES: Final = frozenset({"/v1/batch"})  # bounded line by line
_PREFLIGHT_SECONDS: Final = "600"
_MAX_BUFFERED: Final = 16  # bodies of the greatest size, of all requests together


class Guard:
    """The outermost layer of the service, in plain ASGI."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._digests = {_digest(token) for token in settings.tokens}
        self._names = {"localhost", settings.host.lower(), *map(str.lower, settings.names)}
        self._under_way: dict[bytes, int] = {}  # requests by token
        self._buffered = 0  # bytes of bodies
        self._max_buffered = _MAX_BUFFERED * settings.max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope, send, self._settings.origins)
        token: bytes | None = None
        body = _Body(self, scope["path"] in _LONG_BODIES, receive)
        try:
            headers = Headers(scope=scope)
            self._check_host(headers)
            if self._is_preflight(scope, headers):
                await answer.send_preflight()
                return
            token = self._check_token(scope["path"], headers)
            self._check_length(scope["path"], headers)
            if scope["method"] == "HEAD":  # the server leaves the body out
                scope = {**scope, "method": "GET"}
            await self._app(scope, body.receive, answer.send)
        except Problem as problem:
            await answer.send_problem(problem)
        except HTTPException as error:
            await answer.send_problem(Problem(error.status_code, "refused", str(error.detail)))
        except Exception as error:
            _log_bug(answer.request_id, error)
            await answer.send_problem(
                Problem(500, "bug", "the service has a bug: please report it with the request id")
            )
        finally:
            self._buffered -= body.size
            if token is not None:
                self._under_way[token] -= 1
            self._note(scope, answer)

    # Checks -------------------------------------------------------------------------------------

    def _check_host(self, headers: Headers) -> None:
        """Refuse names that are not ours: a foreign name may be made to lead to this machine."""
        host = headers.get("host", "")
        if not self._is_own_name(host):
            raise Problem(
                421,
                "wrong-host",
                f"this service does not answer to {host[:80]!r}: name it with --name",
            )
        origin = headers.get("origin")
        if origin is None or origin in self._settings.origins:
            return
        if urlsplit(origin).netloc.lower() != host.lower():
            raise Problem(403, "foreign-origin", "pages of other origins may not call: see --cors")

    def _is_own_name(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            if name in self._names:
                return True
            ip_address(name)
        except ValueError:
            return False
        return True

    def _is_preflight(self, scope: Scope, headers: Headers) -> bool:
        return (
            scope["method"] == "OPTIONS"
            and headers.get("origin") in self._settings.origins
            and "access-control-request-method" in headers
        )

    def _check_token(self, path: str, headers: Headers) -> bytes | None:
        """Return the digest of the token; every token is compared, in constant time."""
        if path in _OPEN_PATHS or path.startswith(_OPEN_FOLDER):
            return None
        scheme, _, given = headers.get("authorization", "").partition(" ")
        digest = _digest(given.strip() if scheme.lower() == "bearer" else "")
        matches = [hmac.compare_digest(digest, known_digest) for known_digest in self._digests]
        if not any(matches):
            raise Problem(
                401,
                "no-token",
                "send the token of this service: Authorization: Bearer TOKEN",
                {"WWW-Authenticate": 'Bearer realm="tamis"'},
            )
        count = self._under_way.get(digest, 0)
        if count >= self._settings.max_per_token:
            raise Problem(
                429,
                "too-many",
                f"{count} requests with this token are under way: wait for them",
                {"Retry-After": "1"},
            )
        self._under_way[digest] = count + 1
        return digest

    def _check_length(self, path: str, headers: Headers) -> None:
        length = headers.get("content-length", "")
        if path in _LONG_BODIES or not length.isdecimal():
            return
        if int(length) > self._settings.max_body:
            raise self.too_large()

    def too_large(self) -> Problem:
        """Return the problem of a body that is too large."""
        limit = self._settings.max_body
        return Problem(413, "too-large", f"the body has more than {limit:,} bytes: see --max-body")

    def count_bytes(self, count: int) -> None:
        """Account for bytes of a body; all bodies together have a limit as well."""
        self._buffered += count
        if self._buffered > self._max_buffered:
            raise Problem(
                503, "queue-full", "too much is being sent at once: try again later",
                {"Retry-After": "1"},
            )  # fmt: skip

    @property
    def settings(self) -> ServeSettings:
        """The settings of the service."""
        return self._settings

    # Notes --------------------------------------------------------------------------------------

    def _note(self, scope: Scope, answer: _Answer) -> None:
        """Count and log a request: its route, never its address, body or token."""
        route = getattr(scope.get("route"), "path", None) or "other"
        elapsed = time.perf_counter() - answer.start
        self._metrics.requests.labels(route, _method_label(scope["method"]), answer.status).inc()
        self._metrics.seconds.labels(route).observe(elapsed)
        if LOGGER.isEnabledFor(logging.INFO):
            entry = {
                "request": answer.request_id,
                "method": _method_label(scope["method"]),
                "route": route,
                "status": answer.status,
                "ms": round(1000 * elapsed, 1),
                "bytes": answer.size,
            }
            LOGGER.info(json.dumps(entry))


class _Body:
    """The body of a request as it is received, within limits on size and time."""

    def __init__(self, guard: Guard, is_long: bool, receive: Receive) -> None:
        self._guard = guard
        self._is_long = is_long
        self._receive = receive
        self._is_whole = False
        self._end: float | None = None
        self.size = 0

    async def receive(self) -> Message:
        """Return the next message; what comes after the body is waited for without a limit."""
        if self._is_whole:
            return await self._receive()
        now, settings = asyncio.get_running_loop().time(), self._guard.settings
        if self._end is None or self._is_long:  # a batch may take its time, but not stand still
            self._end = now + settings.body_timeout
        try:
            async with asyncio.timeout_at(self._end):
                message = await self._receive()
        except TimeoutError:
            raise Problem(
                408,
                "too-slow",
                f"the body did not arrive within {settings.body_timeout:g} s: send it faster",
                {"Connection": "close"},
            ) from None
        if message["type"] == "http.request":
            self._is_whole = not message.get("more_body", False)
            count = len(message.get("body", b""))
            if not self._is_long:
                self.size += count
                self._guard.count_bytes(count)
                if self.size > settings.max_body:
                    raise self._guard.too_large()
        return message


class _Answer:
    """The answer to a request, with the headers that each one has."""

    def __init__(self, scope: Scope, send: Send, origins: tuple[str, ...]) -> None:
        self.request_id = secrets.token_hex(8)
        self.start = time.perf_counter()
        self.status = 499  # until there is one: the client went away
        self.size = 0
        self._scope = scope
        self._send = send
        origin = Headers(scope=scope).get("origin")
        self._origin = origin if origin in origins else None
        scope.setdefault("state", {})["request_id"] = self.request_id

    async def send(self, message: Message) -> None:
        """Send a message of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            self._add_headers(headers)
        elif message["type"] == "http.response.body":
            self.size += len(message.get("body", b""))
        await self._send(message)

    def _add_headers(self, headers: MutableHeaders) -> None:
        headers["X-Request-ID"] = self.request_id
        for name, value in _HEADERS:
            headers[name] = value
        headers.setdefault("Content-Security-Policy", _API_POLICY)
        headers.setdefault("Cache-Control", "no-store")
        if self._origin is not None:
            headers["Access-Control-Allow-Origin"] = self._origin
            headers["Access-Control-Expose-Headers"] = "X-Request-ID, Retry-After"
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"
            headers.add_vary_header("Origin")

    async def send_problem(self, problem: Problem) -> None:
        """Answer with a problem, unless an answer has begun: then the connection is cut."""
        if self.status != 499:
            raise problem
        await problem.response(self.request_id)(self._scope, _receive_nothing, self.send)

    async def send_preflight(self) -> None:
        """Answer a browser that asks whether a page of a named origin may call."""
        start: Message = {
            "type": "http.response.start",
            "status": 204,
            "headers": [
                (b"access-control-allow-methods", b"GET, POST, DELETE"),
                (b"access-control-allow-headers", b"authorization, content-type"),
                (b"access-control-max-age", _PREFLIGHT_SECONDS.encode()),
            ],
        }
        await self.send(start)
        await self.send({"type": "http.response.body", "body": b""})


def _log_bug(request_id: str, error: Exception) -> None:
    """Log where an error came from, without its message: that may quote a page."""
    lines = "".join(traceback.format_tb(error.__traceback__))
    LOGGER.error("request %s failed: %s\n%s", request_id, type(error).__name__, lines)


async def _receive_nothing() -> Message:
    return {"type": "http.disconnect"}


def _digest(token: str) -> bytes:
    """Return what is compared and counted instead of a token: all are of one length."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def _method_label(method: str) -> str:
    """Return the method of a request; methods that nobody knows share a label."""
    known_methods = ("GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH")
    return method if method in known_methods else "other"

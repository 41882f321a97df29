"""Robots: whether a site lets agents have a page, by its robots.txt."""

from __future__ import annotations

import threading
import time
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from tamis.errors import FetchError, PrivateAddress
from tamis.source import Fetch

MAX_ROBOTS_BYTES: Final = 500 << 10  # RFC 9309 §2.5
_MAX_REDIRECTS: Final = 5
_MAX_HOSTS: Final = 1_000  # whose rules are kept
_MAX_AGE: Final = 3_600.0  # seconds that rules are kept
_UNREACHABLE_AGE: Final = 60.0


class RobotsCache:
    """The rules of the hosts that pages were read from. Several threads may use it."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._rules: dict[str, tuple[float, object]] = {}
        self._lock = threading.Lock()

    def check(self, url: str) -> None:
        """Raise FetchError if the host of an address does not let robots have it."""
        from tamis.crawl import Robots

        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            return  # fetching says what is wrong with it
        location = urlunsplit(
            (parts.scheme, parts.netloc.rpartition("@")[2], "/robots.txt", "", "")
        )
        rules = self._cached(location)
        if rules is None:
            status, body = _get(location, self._fetch)
            rules = Robots.from_response(status, body, self._fetch.user_agent)
            self._keep(location, rules, rules.is_reachable)
        assert isinstance(rules, Robots)
        if not rules.is_reachable:
            raise FetchError(f"{location} cannot be had now, so nothing is read: try again later")
        if not rules.allows(url):
            raise FetchError(f"{location} does not allow robots to read this page: leave it")

    def _cached(self, location: str) -> object | None:
        with self._lock:
            until, rules = self._rules.get(location, (0.0, None))
        return rules if time.monotonic() < until else None

    def _keep(self, location: str, rules: object, is_reachable: bool) -> None:
        age = _MAX_AGE if is_reachable else _UNREACHABLE_AGE
        with self._lock:
            if len(self._rules) >= _MAX_HOSTS:
                del self._rules[next(iter(self._rules))]
            self._rules[location] = (time.monotonic() + age, rules)


def _get(location: str, fetch: Fetch) -> tuple[int | None, bytes]:
    """Return status and body of a robots.txt, by the address rules of `Fetch`; None if failed."""
    import httpcore
    import httpx

    from tamis.source import Deadline, GuardedTransport

    transport = GuardedTransport(Deadline.after(fetch.timeout), allow_private=fetch.allow_private)
    headers = {"User-Agent": fetch.user_agent, "Accept-Encoding": "identity"}
    client = httpx.Client(
        transport=transport,
        trust_env=False,
        follow_redirects=True,
        max_redirects=_MAX_REDIRECTS,
        headers=headers,
    )
    try:
        with client, client.stream("GET", location) as response:
            body = bytearray()
            for chunk in response.iter_raw(1 << 16):
                body += chunk
                if len(body) >= MAX_ROBOTS_BYTES:
                    break
            return response.status_code, bytes(body)
    except PrivateAddress:
        raise
    except httpx.TooManyRedirects:
        return 404, b""  # RFC 9309 §2.3.1.2: as if there were none
    except (FetchError, httpx.HTTPError, httpx.InvalidURL, OSError, ValueError):
        return None, b""
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError):
        return None, b""

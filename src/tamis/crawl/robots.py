"""What a site lets a crawler do: robots.txt after RFC 9309, and what pages say of themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import urljoin

from protego import Protego

MAX_ROBOTS_BYTES: Final = 500 * 1024  # RFC 9309 §2.5: a crawler reads at least this much
MAX_ROBOTS_REDIRECTS: Final = 5  # §2.3.1.2
MAX_ROBOTS_AGE: Final = 24 * 3600.0  # seconds, §2.4
MAX_CRAWL_DELAY: Final = 600.0  # seconds
_MAX_SITEMAPS: Final = 1_000
_TOKEN: Final = re.compile(r"[A-Za-z_-]+")


@dataclass(frozen=True)
class Robots:
    """The rules of one host.

    `text` is that of its robots.txt, empty if there is none and all is allowed. It is None if it
    could not be had: then nothing is allowed for now.
    """

    text: str | None
    agent: str

    @classmethod
    def from_response(cls, status: int | None, body: bytes, user_agent: str) -> Robots:
        """Return the rules that follow from an answer; a status of None is a failed request.

        A 5xx status, a time-out or a broken connection forbids all for now, and so does 429, which
        asks to come back later. Any other 4xx status, and a redirect that leads nowhere, allows
        all.
        """
        agent = product_token(user_agent)
        if status is None or status >= 500 or status == 429:
            return cls(None, agent)
        if not 200 <= status < 300:
            return cls("", agent)
        text = body[:MAX_ROBOTS_BYTES].decode("utf-8", "replace").removeprefix("\ufeff")
        return cls(text.replace("\0", "\ufffd"), agent)  # PostgreSQL cannot store a NUL

    @property
    def is_reachable(self) -> bool:
        """Whether the host answered."""
        return self.text is not None

    @cached_property
    def _rules(self) -> Protego:
        return Protego.parse(self.text or "")

    def allows(self, url: str) -> bool:
        """Say whether an address may be fetched."""
        return self.text is not None and (not self.text or self._rules.can_fetch(url, self.agent))

    @cached_property
    def delay(self) -> float:
        """The seconds between two requests that the host asks for, 0 if it does not."""
        if not self.text:
            return 0.0
        delay = self._rules.crawl_delay(self.agent) or 0.0
        rate = self._rules.request_rate(self.agent)
        if rate is not None and rate.requests:
            delay = max(delay, rate.seconds / rate.requests)
        return min(max(float(delay), 0.0), MAX_CRAWL_DELAY)

    def sitemaps(self, robots_url: str) -> list[str]:
        """Return the addresses of the sitemaps that robots.txt names."""
        if not self.text:
            return []
        urls: dict[str, None] = {}
        for name in self._rules.sitemaps:
            with suppress(ValueError):  # such as http://[
                urls[urljoin(robots_url, name)] = None
        return list(urls)[:_MAX_SITEMAPS]


def product_token(user_agent: str) -> str:
    """Return the name by which robots.txt knows a crawler: the first word of its User-Agent.

    >>> product_token("tamis/1.0 (+https://example.org/)")
    'tamis'
    """
    match = _TOKEN.search(user_agent)
    return match[0] if match else "*"


@dataclass(frozen=True)
class Directives:
    """What a page allows: that it is kept (index), and that its links are followed."""

    index: bool = True
    follow: bool = True

    def __and__(self, other: Directives) -> Directives:
        return Directives(self.index and other.index, self.follow and other.follow)


def parse_directives(value: str) -> Directives:
    """Return what the value of a robots meta element or header allows.

    >>> parse_directives("noindex, follow")
    Directives(index=False, follow=True)
    """
    words = {word.strip().lower() for word in value.split(",")}
    return Directives(not words & {"noindex", "none"}, not words & {"nofollow", "none"})


def parse_robots_headers(values: Iterable[str], user_agent: str) -> Directives:
    """Return what `X-Robots-Tag` headers allow; those that name another crawler do not count."""
    directives, token = Directives(), product_token(user_agent).lower()
    for value in values:
        agent, colon, rest = value.partition(":")
        is_named = bool(colon) and "," not in agent and agent.strip().lower() not in _WITH_VALUE
        if is_named and agent.strip().lower() != token:
            continue
        directives &= parse_directives(rest if is_named else value)
    return directives


_WITH_VALUE: Final = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)

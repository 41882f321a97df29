"""What a service may do, and its limits."""

from __future__ import annotations

import os
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from tamis.errors import InputError, check_number
from tamis.source import Fetch

PORT: Final = 8642
_MIN_TOKEN_CHARS: Final = 16
_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_MAX_GRACE: Final = 5.0  # seconds beyond its deadline in which a page can end by itself


@dataclass(frozen=True)
class ServeSettings:
    """How a service is run. Sizes are in bytes, times in seconds."""

    host: str = "127.0.0.1"
    port: int = PORT
    tokens: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()  # of other sites whose scripts may call the service (CORS)
    names: tuple[str, ...] = ()  # host names that it may be called by, beside IP addresses
    store: str | None = None
    sites: Path = Path("tamis-sites")  # folder of site files; made when the first is saved
    can_fetch: bool = True
    allow_private: bool = False
    can_render: bool = True  # screenshots, where there is a Chromium
    workers: int | None = None  # as many as cores
    deadline: float = 30.0  # for the work on one page
    memory: int = 2 << 30  # that a page may add to its worker
    max_body: int = 24 << 20
    max_batch: int = 1_000  # pages
    max_queue: int = 3  # pages per worker that wait or are worked on
    max_per_token: int = 64  # requests at once
    body_timeout: float = 30.0  # for a client to send its request
    drain_timeout: float = 60.0  # for requests under way when the service is stopped

    def __post_init__(self) -> None:
        for name, low in (
            ("deadline", 0.1), ("memory", 1 << 20), ("max_body", 1), ("max_batch", 1),
            ("max_queue", 1), ("max_per_token", 1), ("body_timeout", 0.1), ("drain_timeout", 0),
        ):  # fmt: skip
            check_number(name, getattr(self, name), low)
        if any(len(token) < _MIN_TOKEN_CHARS or not token.isascii() for token in self.tokens):
            raise InputError(
                f"a token is too short to be safe: take at least {_MIN_TOKEN_CHARS} ASCII "
                "characters, or leave it out for one that is made for you"
            )
        if any(not token.isprintable() or " " in token for token in self.tokens):
            raise InputError("a token has spaces or characters that no header can hold")
        if not self.tokens and not self.is_loopback:
            raise InputError(
                f"{self.host} can be reached from elsewhere: give a token with --token or in "
                "TAMIS_TOKEN, or bind to 127.0.0.1"
            )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the service."""
        if self.host in _LOOPBACK_NAMES:
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def worker_count(self) -> int:
        """How many workers there are."""
        return self.workers or len(os.sched_getaffinity(0))

    @property
    def worker_deadline(self) -> float:
        """After how many seconds a worker that is still at its page is ended."""
        return self.deadline + min(self.deadline, _MAX_GRACE)

    @property
    def fetch(self) -> Fetch:
        """How pages are fetched."""
        return Fetch(max_bytes=min(self.max_body, 20 << 20), allow_private=self.allow_private)

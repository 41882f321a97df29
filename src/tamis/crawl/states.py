"""Addresses and hosts as the frontier hands them out, and the states that they are in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


class State(IntEnum):
    """What an address is in."""

    WAITING = 0
    LEASED = 1
    DONE = 2
    FAILED = 3
    LATER = 4  # waits for its time to be tried again
    TOO_DEEP = 5  # further from the start than the crawl goes, for now


class Kind(IntEnum):
    """What is expected at an address."""

    PAGE = 0
    SITEMAP = 1  # or a feed


class NewAddress(NamedTuple):
    """An address to add to the frontier."""

    url: str
    priority: float
    depth: int
    redirects: int = 0
    kind: Kind = Kind.PAGE


class Lease(NamedTuple):
    """An address that was taken."""

    id: int
    url: str
    host: str
    kind: Kind
    priority: float
    depth: int
    redirects: int
    tries: int
    etag: str | None
    modified: str | None
    body_digest: bytes | None
    looks: int
    outcome: str | None  # of the last look, if there was one


@dataclass(frozen=True)
class Fetched:
    """What the fetch of an address led to."""

    outcome: str
    reason: str | None = None
    size: int = 0  # bytes of the body
    etag: str | None = None
    modified: str | None = None
    body_digest: bytes | None = None  # None: as it was
    # Whether the text of the page is also that of another one; None, that it is as it was.
    is_duplicate: bool | None = None


class HostLease(NamedTuple):
    """A host that was leased, with what is known of its robots.txt."""

    id: int
    name: str
    robots: str | None  # the text; None if it must be fetched


class Unfinished(NamedTuple):
    """How many addresses of a crawl are not done, and when the next one may be fetched."""

    leased: int
    waiting: int
    later: int
    next_at: int | None  # None if none waits

    @property
    def total(self) -> int:
        """All of them."""
        return self.leased + self.waiting + self.later

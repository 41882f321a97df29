"""What a user asks of a crawl: checked once, and handed to everything that needs it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from tamis.crawl.addresses import Scope, ScopeName, canonical_url, check_start_url
from tamis.crawl.politeness import MIN_BACKOFF
from tamis.errors import InputError, UnknownName, check_argument
from tamis.source import MAX_BYTES, Fetch
from tamis.store import compute_digest

Javascript = Literal["auto", "never", "always"]
DELAY: Final = 1.0  # seconds
TIMEOUT: Final = 30.0  # seconds


@dataclass(frozen=True)
class CrawlSettings:
    """All settings of a crawl; see docs/crawl.md.

    Start addresses, scope and query say which crawl it is: with the same ones it goes on where it
    was. The others may change from one run to the next.
    """

    addresses: tuple[str, ...]
    store: str
    query: str | None = None
    scope: ScopeName = "host"
    depth: int | None = None
    max_pages: int | None = None
    delay: float = DELAY
    per_host: int = 1
    sitemap: bool = False
    javascript: Javascript = "never"
    warc: str | None = None
    records: str | None = None
    refresh: bool = False
    allow_private: bool = False
    user_agent: str = field(default_factory=lambda: Fetch().user_agent)
    concurrency: int = 32  # requests to all hosts at once
    workers: int | None = None
    timeout: float = TIMEOUT
    max_bytes: int = MAX_BYTES
    learn_sites: bool = True
    backoff: float = MIN_BACKOFF  # seconds after a first refusal or failure

    def __post_init__(self) -> None:
        check_argument("addresses", self.addresses, (tuple, list), "start addresses")
        if not self.addresses:
            raise InputError("a crawl needs an address to start with: https://example.org/")
        urls = dict.fromkeys(map(check_start_url, self.addresses))
        object.__setattr__(self, "addresses", tuple(urls))
        Scope.around((), self.scope)
        if self.javascript not in get_args(Javascript):
            names = ", ".join(get_args(Javascript))
            raise UnknownName(f"no javascript {self.javascript!r}: take one of {names}")
        for name, low in (("depth", 0), ("max_pages", 1), ("workers", 1)):
            _check_whole(name, getattr(self, name), low, optional=True)
        for name in ("per_host", "concurrency", "max_bytes"):
            _check_whole(name, getattr(self, name), 1)
        for name in ("delay", "timeout", "backoff"):
            value = getattr(self, name)
            check_argument(name, value, (int, float), "seconds")
            if not (math.isfinite(value) and value >= 0) or (name == "timeout" and not value):
                raise InputError(f"{name} is {value}: give a number of seconds")
        Fetch(user_agent=self.user_agent)  # checks it
        if self.query is not None and not self.query.strip():
            raise InputError("the query has no words: leave it out, or say what is looked for")
        suffix = Path(self.records).suffix if self.records else ".parquet"
        if suffix not in (".parquet", ".jsonl"):
            raise InputError(f"records are written as .parquet or .jsonl, not {suffix or 'so'}")

    @property
    def key(self) -> bytes:
        """What the crawl is known by in the store."""
        urls = sorted(map(canonical_url, self.addresses))
        return compute_digest(json.dumps([urls, self.scope, self.query]).encode())

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as JSON has them, without what may be secret."""
        settings = asdict(self)
        settings.pop("store")
        return settings


def _check_whole(name: str, value: object, low: int, *, optional: bool = False) -> None:
    """Raise for what is not a whole number from `low` on."""
    if optional and value is None:
        return
    check_argument(name, value, int, "a whole number")
    if isinstance(value, bool) or (isinstance(value, int) and value < low):
        raise InputError(f"{name} is {value}: give a whole number from {low} on")


def settings_from_json(text: str | bytes) -> CrawlSettings:
    """Return settings that another process wrote as JSON."""
    values = json.loads(text)
    values["addresses"] = tuple(values["addresses"])
    return CrawlSettings(**values)


def settings_to_json(settings: CrawlSettings) -> str:
    """Return settings as JSON, for another process."""
    return json.dumps(asdict(settings))


def start_addresses(addresses: str | Sequence[str]) -> tuple[str, ...]:
    """Return start addresses as a tuple; one may be given by itself."""
    return (addresses,) if isinstance(addresses, str) else tuple(addresses)

"""When a host may be asked again: one request at a time, a delay that adapts, back-off.

A `Pacer` knows nothing of the network and has no clock of its own: it is told when requests start
and end, and tells which host may be asked now, or when the next one may be.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Final

MIN_BACKOFF: Final = 5.0  # seconds after a first 429 or 503
MAX_BACKOFF: Final = 600.0
MAX_RETRY_AFTER: Final = 24 * 3600.0
MAX_DELAY: Final = 60.0  # seconds between two requests that a slow host can lead to by itself
SLOW: Final = 5.0  # seconds after which a request no longer counts among those at once
_MAX_OPEN: Final = 16  # times as many requests may be open in all, slow ones included
_BACK_OFF: Final = frozenset({429, 503})


@dataclass
class _Host:
    """What is known of one host."""

    delay: float = 0.0  # seconds between the end of a request and the next one
    asked_delay: float = 0.0  # the least that robots.txt asks for
    ready_at: float = 0.0
    open_requests: int = 0
    started_at: float = 0.0  # when the last request started
    refusals: int = 0  # 429 or 503 in a row


@dataclass
class Pacer:
    """Decides when hosts are asked.

    `delay` is the least time between two requests to a host, in seconds; `per_host` the requests to
    one host at once, `total` those to all hosts. Requests that take longer than five seconds do not
    count to `total`, so that slow hosts do not hold up others.
    """

    delay: float = 1.0
    per_host: int = 1
    total: int = 32
    min_backoff: float = MIN_BACKOFF
    clock: Callable[[], float] = time.monotonic
    _hosts: dict[str, _Host] = field(default_factory=dict, repr=False)
    _started: dict[int, tuple[str, float]] = field(default_factory=dict, repr=False)
    _recent: deque[tuple[float, int]] = field(default_factory=deque, repr=False)
    _quick: set[int] = field(default_factory=set, repr=False)  # open, and not slow yet
    _last: int = 0

    def _host(self, name: str) -> _Host:
        return self._hosts.setdefault(name, _Host(delay=self.delay))

    def set_asked_delay(self, name: str, delay: float) -> None:
        """Take note of the delay that the robots.txt of a host asks for."""
        host = self._host(name)
        host.asked_delay = delay
        host.delay = max(host.delay, delay)

    def has_capacity(self) -> bool:
        """Say whether a further request may be open, to whatever host."""
        now = self.clock()
        while self._recent and self._recent[0][0] + SLOW <= now:
            self._quick.discard(self._recent.popleft()[1])
        return len(self._quick) < self.total and len(self._started) < self.total * _MAX_OPEN

    def is_ready(self, name: str) -> bool:
        """Say whether a host may be asked now."""
        host = self._host(name)
        return host.open_requests < self.per_host and host.ready_at <= self.clock()

    def is_slow(self, name: str) -> bool:
        """Say whether a host does not answer, or must not be asked, for more than five seconds."""
        host, now = self._host(name), self.clock()
        is_waited_for = host.open_requests >= self.per_host and now - host.started_at > SLOW
        return is_waited_for or host.ready_at - now > SLOW

    def ready_at(self, name: str) -> float | None:
        """Return when a host may be asked, by the clock; None if a request to it must end first."""
        host = self._host(name)
        return None if host.open_requests >= self.per_host else host.ready_at

    def start(self, name: str) -> int:
        """Take note of a request that starts, and return the number to end it with."""
        host, now = self._host(name), self.clock()
        host.open_requests += 1
        host.started_at = now
        if self.per_host > 1:
            host.ready_at = max(host.ready_at, now + host.delay)
        self._last += 1
        self._started[self._last] = (name, now)
        self._recent.append((now, self._last))
        self._quick.add(self._last)
        return self._last

    def end(self, number: int, status: int | None, *, retry_after: float | None = None) -> float:
        """Take note of the end of a request; a status of None is a failure.

        Return the seconds until the host may be asked again.
        """
        name, started = self._started.pop(number)
        self._quick.discard(number)
        host, now = self._host(name), self.clock()
        host.open_requests -= 1
        if status in _BACK_OFF:
            host.refusals += 1
            pause = min(self.min_backoff * 2.0 ** min(host.refusals - 1, 20), MAX_BACKOFF)
            pause = max(pause, min(retry_after or 0.0, MAX_RETRY_AFTER))
            host.delay = min(max(host.delay * 2, self.delay), max(MAX_DELAY, host.asked_delay))
        else:
            is_answer = status is not None and status < 500
            host.refusals = 0 if is_answer else host.refusals
            self._adapt(host, now - started, is_answer=is_answer)
            pause = host.delay
        host.ready_at = max(host.ready_at, now + pause)
        return pause

    def _adapt(self, host: _Host, latency: float, *, is_answer: bool) -> None:
        """Move the delay of a host towards the time that it takes to answer.

        A host that takes long is asked less often, so that a crawl is at most half of its load. An
        error comes back quickly, and never makes the delay shorter.
        """
        if not self.delay and not host.asked_delay:
            return  # whoever sets no delay wants none
        floor = max(self.delay, host.asked_delay)
        target = min(max(latency, floor), max(MAX_DELAY, floor))
        if is_answer:
            host.delay = max((host.delay + target) / 2, floor)
        else:
            host.delay = max(host.delay, target)


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds that a Retry-After header asks to wait; `now` is the time since 1970.

    >>> parse_retry_after("120", 0.0)
    120.0
    """
    if not value:
        return None
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), MAX_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max(moment.timestamp() - now, 0.0), MAX_RETRY_AFTER)

"""What Prometheus can ask a service for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The counters of one service. Labels are routes, never addresses: those are few."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("route", "method", "status")
        self.requests = Counter(
            "tamis_requests", "Requests that were answered.", labels, registry=self.registry
        )
        self.seconds = Histogram(
            "tamis_request_seconds",
            "Time to answer a request.",
            ("route",),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.page_errors = Counter(
            "tamis_page_errors",
            "Pages that failed in a worker, by the kind of error.",
            ("kind",),
            registry=self.registry,
        )
        self.fetches = Counter(
            "tamis_fetches", "Addresses that were fetched.", ("outcome",), registry=self.registry
        )
        self.refused = Counter(
            "tamis_refused", "Requests that found the queue full.", registry=self.registry
        )

    def watch(self, pages_under_way: Callable[[], float]) -> None:
        """Give the number of pages that wait or are worked on."""
        gauge = Gauge(
            "tamis_pages_under_way",
            "Pages that wait for a worker or are worked on.",
            registry=self.registry,
        )
        gauge.set_function(pages_under_way)

    def render(self) -> bytes:
        """Return all of them in the text format."""
        return generate_latest(self.registry)

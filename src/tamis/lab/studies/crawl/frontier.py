"""How fast a frontier takes and gives addresses, by its size.

The time is that of the processor, so that a busy machine does not count.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from tamis.crawl import Fetched, Frontier, NewAddress, create_tables
from tamis.lab.report.report import Report, ReportTable
from tamis.lab.study import Log, Study
from tamis.store import Store

_HOSTS: Final = 50
_PRIORITIES: Final = (-1.0, -1.25, -2.0, -2.25, -2.5, -3.0, -3.25, -3.5)  # of links, breadth first
_BATCH: Final = 1_000  # addresses that are added in one transaction


@dataclass(frozen=True)
class FrontierStudy(Study):
    """Measures the rate of a large frontier against that of a small one."""

    name: ClassVar[str] = "frontier"

    limit: int = 1_000_000  # addresses of the large frontier
    small: int = 10_000  # of the small one
    taken: int = 20_000  # in each round, so that keys are merged in a small frontier as well
    rounds: int = 3

    def run(self, log: Log) -> Report:
        """Measure both in turn, after a first round that does not count."""
        rates: dict[int, list[float]] = {self.small: [], self.limit: []}
        with tempfile.TemporaryDirectory() as folder:
            log.say(f"adding {self.limit:,} addresses")
            with _open_frontier(Path(folder, "large.db"), self.limit) as large:
                for round_ in range(self.rounds + 1):
                    # A small frontier grows by what is added, so that each round has its own.
                    with _open_frontier(Path(folder, f"{round_}.db"), self.small) as small:
                        pair = [frontier.measure_rate(self.taken) for frontier in (small, large)]
                    log.say(f"round {round_}: {pair[0]:,.0f} and {pair[1]:,.0f} addresses/s")
                    if round_:
                        for values, rate in zip(rates.values(), pair, strict=True):
                            values.append(rate)
        return Report("tamis: frontier", [self._table(rates)])

    def _table(self, rates: dict[int, list[float]]) -> ReportTable:
        rows = []
        for count, values in rates.items():
            pairs = zip(values, rates[self.small], strict=True)
            ratio = statistics.median(rate / small for rate, small in pairs)
            rows.append([f"{count:,}", f"{statistics.median(values):,.0f}", f"{ratio:.2f}"])
        return ReportTable(
            "Addresses that a frontier takes and gives",
            ["addresses", "per second", "ratio"],
            rows,
            f"each is taken and done, and two are added; medians of {self.rounds} rounds, "
            "processor time",
        )


@dataclass
class _FilledFrontier:
    """A frontier in a store, with addresses of several hosts."""

    store: Store
    frontier: Frontier
    chance: random.Random

    def add_addresses(self, count: int) -> None:
        """Add addresses, as many to one host as to the others."""
        for start in range(0, count, _BATCH):
            addresses = [
                NewAddress(f"http://h{n % _HOSTS}.example/p/{n}", self._choose_priority(), 1)
                for n in range(start, min(start + _BATCH, count))
            ]
            with self.store.writing() as writer:
                self.frontier.add(writer.connection, addresses)

    def measure_rate(self, count: int) -> float:
        """Return how many addresses per second are taken and done, each with two new ones."""
        with self.store.writing() as writer:
            hosts = self.frontier.lease_hosts(writer.connection, _HOSTS)
        started, taken = time.process_time(), 0
        while taken < count:
            host = hosts[taken % len(hosts)]
            with self.store.writing() as writer:
                for lease in self.frontier.take(writer.connection, host, 10):
                    self.frontier.finish(writer.connection, lease, Fetched("new"))
                    urls = [f"{host.name}/new/{self.chance.random()}" for _ in range(2)]
                    addresses = [NewAddress(url, self._choose_priority(), 1) for url in urls]
                    self.frontier.add(writer.connection, addresses)
                    taken += 1
        seconds = time.process_time() - started
        with self.store.writing() as writer:
            for host in hosts:
                self.frontier.free_host(writer.connection, host.id)
        return taken / seconds

    def _choose_priority(self) -> float:
        return self.chance.choice(_PRIORITIES)


@contextmanager
def _open_frontier(path: Path, count: int) -> Iterator[_FilledFrontier]:
    """Create a frontier with so many addresses, and close its store at the end of the block."""
    with Store.open(path) as store:
        with store.writing() as writer:
            create_tables(writer.connection, path.name)
            frontier, _ = Frontier.open(writer.connection, b"k" * 16, {}, [])
        filled = _FilledFrontier(store, frontier, random.Random(1))
        filled.add_addresses(count)
        yield filled

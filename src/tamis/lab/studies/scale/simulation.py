"""Stragglers: a month of Common Crawl on a thousand workers, drawn from measured page times.

Each archive is a task. Its time is the sum of as many page times as it has pages. A task that fails
does so at any moment of its time, and starts again on the next free worker.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.lab.report.report import Report, ReportTable
from tamis.lab.studies.samples import sample_pages
from tamis.lab.study import Log, Study

_SEED: Final = 17
_HOUR: Final = 3600.0
_SAMPLED: Final = 2_000  # archives whose pages are drawn one by one; the others are drawn from them

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cluster:
    """What a job runs on; a slow worker takes `slowness` times as long for everything."""

    workers: int = 1_000
    failure_rate: float = 0.01  # of tasks
    slow_share: float = 0.0  # of workers
    slowness: float = 4.0


class Outcome(NamedTuple):
    """How a simulated job went, in seconds."""

    makespan: float
    ideal: float  # all work shared out evenly, without failures
    tail: float  # from the first worker without work to the end
    lost: float  # share of the work that was done for nothing
    retries: int


def simulate_job(tasks: Floats, cluster: Cluster, seed: int = _SEED) -> Outcome:
    """Return how a job of tasks goes: each free worker takes the next, failed ones come last."""
    random = np.random.default_rng(seed)
    speeds = np.ones(cluster.workers)
    speeds[: int(cluster.slow_share * cluster.workers)] = cluster.slowness
    free = [(0.0, worker) for worker in range(cluster.workers)]
    heapq.heapify(free)
    queue = list(tasks[::-1])
    lost, retries, makespan, first_idle = 0.0, 0, 0.0, None
    waiting: list[tuple[float, float]] = []  # when a failed task is known, and its time
    while queue or waiting:
        now, worker = heapq.heappop(free)
        if queue:
            time = queue.pop()
        else:
            first_idle = now if first_idle is None else first_idle
            failed_at, time = heapq.heappop(waiting)
            now = max(now, failed_at)
        taken = time * speeds[worker]
        if random.random() < cluster.failure_rate:
            taken *= random.random()
            lost += taken
            retries += 1
            heapq.heappush(waiting, (now + taken, time))
        makespan = max(makespan, now + taken)
        heapq.heappush(free, (now + taken, worker))
    ideal = float(tasks.sum()) / cluster.workers
    idle = min(first_idle if first_idle is not None else makespan, min(end for end, _ in free))
    return Outcome(makespan, ideal, makespan - idle, lost / float(tasks.sum()), retries)


def draw_tasks(page_times: Sequence[float], archives: int, pages: int, seed: int = _SEED) -> Floats:
    """Return the times of archives, each the sum of page times that are drawn."""
    random = np.random.default_rng(seed)
    times = np.asarray(page_times)
    sampled = np.array(
        [random.choice(times, pages).sum() for _ in range(min(archives, _SAMPLED))], np.float64
    )
    return sampled if archives <= _SAMPLED else random.choice(sampled, archives)


@dataclass(frozen=True)
class StragglersStudy(Study):
    """Simulates jobs of a month of Common Crawl."""

    name: ClassVar[str] = "stragglers"

    dataset: str = "wcxb-dev"
    limit: int = 400  # pages whose times are measured
    archives: int = 100_000
    pages: int = 30_000  # of each archive

    def run(self, log: Log) -> Report:
        """Measure page times, and simulate."""
        page_times = measure_page_times(sample_pages(self.dataset, self.limit))
        log.say(f"measured {len(page_times)} pages")
        whole = draw_tasks(page_times, self.archives, self.pages)
        clusters = {
            "no failures": Cluster(failure_rate=0.0),
            "1 % of tasks fail": Cluster(),
            "1 % fail, 1 % of workers take 4 times as long": Cluster(slow_share=0.01),
        }
        rows = []
        for name, cluster in clusters.items():
            for kind, tasks in (
                ("one task per archive", whole),
                ("ten archives per task", whole.reshape(-1, 10).sum(axis=1)),
            ):
                outcome = simulate_job(tasks, cluster)
                rows.append(
                    [
                        f"{name}, {kind}",
                        f"{outcome.makespan / _HOUR:.2f}",
                        f"{outcome.makespan / outcome.ideal:.3f}",
                        f"{outcome.tail / 60:.1f}",
                        f"{100 * outcome.lost:.2f}",
                    ]
                )
        heads = ["job", "hours", "hours, ideal = 1", "tail in minutes", "% of work lost"]
        mean = float(np.mean(page_times))
        core_hours = mean * self.archives * self.pages / _HOUR
        lead = (
            f"{self.archives:,} archives of {self.pages:,} pages on {Cluster().workers:,} workers; "
            f"times drawn from {len(page_times)} pages of {self.dataset}, by processor time."
        )
        remarks = [
            f"A page takes {1000 * mean:.1f} ms on average (median "
            f"{1000 * float(np.median(page_times)):.1f}, greatest {1000 * max(page_times):.0f}): "
            f"{core_hours:,.0f} core-hours for all.",
            f"An archive takes {float(whole.mean()) / 60:.1f} minutes, "
            f"± {float(whole.std()) / 60:.2f}.",
        ]
        table = ReportTable("Stragglers", heads, rows)
        return Report("tamis: stragglers", [table], lead=lead, remarks=remarks)


def measure_page_times(pages: Sequence[bytes]) -> list[float]:
    """Return the processor seconds that each page takes, with all that a row has."""
    from time import process_time

    from tamis.scale import Options, PageInput, build_extractor

    extract = build_extractor(Options())
    times = []
    for html in pages:
        started = process_time()
        extract(PageInput(html, "https://example.org/"))
        times.append(process_time() - started)
    return times

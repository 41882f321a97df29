"""Places → outcomes, in this process or in several."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from tamis.cli.job import Job, Outcome
from tamis.errors import TamisError
from tamis.source import Place, Source

WINDOW = 8  # pages under way per process: enough to keep it busy, few to lose


def outcomes(places: Iterable[Place], job: Job, jobs: int) -> Iterator[Outcome]:
    """Yield the outcome of each place, in the order of the places."""
    if jobs == 1:
        yield from map(job.outcome, places)
        return
    waiting = iter(places)
    while True:
        lost: list[Place | Source] = []
        yield from pooled(waiting, job, jobs, lost)
        if not lost:
            return
        # A process died, and nobody knows over which page: each gets a process of its own.
        for place in lost:
            yield alone(place, job)


def pooled(
    places: Iterator[Place], job: Job, jobs: int, lost: list[Place | Source]
) -> Iterator[Outcome]:
    """Yield outcomes from a pool of processes; what it takes to its grave is added to `lost`."""
    under_way: deque[tuple[Place | Source, Future[Outcome]]] = deque()
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=ignore_interrupt)
    try:
        while True:
            while len(under_way) < WINDOW * jobs and (place := next(places, None)) is not None:
                item = from_stdin(place, job)
                if isinstance(item, Outcome):
                    yield item
                else:
                    under_way.append((item, pool.submit(job.outcome, item)))
            if not under_way:
                return
            yield under_way[0][1].result()
            under_way.popleft()
    except BrokenProcessPool:
        lost += [item for item, _ in under_way]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def alone(place: Place | Source, job: Job) -> Outcome:
    """Return the outcome of a place worked on in a process of its own."""
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=ignore_interrupt) as pool:
        try:
            return pool.submit(job.outcome, place).result()
        except BrokenProcessPool:
            said = "the process that worked on this page died (out of memory?)"
            return job.failure(place.name, said, "ProcessDied")


def from_stdin(place: Place, job: Job) -> Place | Source | Outcome:
    """Read standard input here: other processes do not have it."""
    if place.kind != "stdin" or place.problem:
        return place
    try:
        return job.read(place)
    except TamisError as error:
        return job.failure(place.name, str(error), type(error).__name__)


def ignore_interrupt() -> None:
    """Leave Ctrl-C to the process that the user started."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

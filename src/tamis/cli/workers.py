"""Places → outcomes, in this process or in several."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process

from tamis.cli.items import Item
from tamis.cli.job import Job, Outcome
from tamis.cli.slow import hush
from tamis.errors import TamisError
from tamis.source import Input, Source

WINDOW = 8  # pages under way per process: enough to keep it busy, few to lose


def outcomes(items: Iterable[Item], job: Job, jobs: int) -> Generator[Outcome, None, None]:
    """Yield the outcome of each place or page, in their order."""
    if jobs == 1:
        for item in items:
            yield item if isinstance(item, Outcome) else job.outcome(item)
        return
    waiting = iter(items)
    while True:
        lost: list[Item] = []
        yield from pooled(waiting, job, jobs, lost)
        if not lost:
            return
        # A process died, and nobody knows over which page: they are done one at a time.
        yield from one_by_one(lost, job)


def pooled(items: Iterator[Item], job: Job, jobs: int, lost: list[Item]) -> Iterator[Outcome]:
    """Yield outcomes from a pool of processes; what it takes to its grave is added to `lost`."""
    under_way: deque[tuple[Item, Future[Outcome] | None]] = deque()
    with pool_of(jobs) as pool:
        try:
            while True:
                while (
                    len(under_way) < WINDOW * jobs and (next_one := next(items, None)) is not None
                ):
                    under_way.append((from_stdin(next_one, job), None))
                    item, _ = under_way[-1]
                    if not isinstance(item, Outcome):
                        under_way[-1] = (item, submitted(pool, job, item))
                if not under_way:
                    return
                item, future = under_way[0]
                outcome = item if isinstance(item, Outcome) else future.result() if future else None
                under_way.popleft()
                if outcome is not None:
                    yield outcome
        except BrokenProcessPool:
            lost += [finished(item, future) for item, future in under_way]


def one_by_one(items: list[Item], job: Job) -> Iterator[Outcome]:
    """Yield the outcomes of items worked on alone, so that it is known which one is deadly."""
    waiting = deque(items)
    while waiting:
        with pool_of(1) as pool:
            try:
                while waiting:
                    item = waiting[0]
                    outcome = (
                        item if isinstance(item, Outcome) else submitted(pool, job, item).result()
                    )
                    waiting.popleft()
                    yield outcome
            except BrokenProcessPool:
                said = "the process that worked on this page died (out of memory?)"
                yield job.failure(waiting.popleft().name, said, "ProcessDied")


@contextmanager
def pool_of(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes; if its work is given up, they are ended at once."""
    others = set(active_children())
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=be_a_worker)
    try:
        yield pool
    except BaseException:
        for child in set(active_children()) - others:
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def submitted(pool: ProcessPoolExecutor, job: Job, item: Input | Source) -> Future[Outcome]:
    """Submit an item; a process that starts here knows no Ctrl-C from its first moment."""
    if not hasattr(signal, "pthread_sigmask"):
        return pool.submit(job.outcome, item)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(job.outcome, item)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def finished(item: Item, future: Future[Outcome] | None) -> Item:
    """Return the outcome of an item where it is known, else the item."""
    if future is None or not future.done() or future.cancelled() or future.exception():
        return item
    return future.result()


def from_stdin(place: Item, job: Job) -> Item:
    """Read standard input here: other processes do not have it."""
    if not isinstance(place, Input) or place.kind != "stdin" or place.problem:
        return place
    try:
        return job.read(place)
    except TamisError as error:
        return job.failure(place.name, str(error), type(error).__name__)


def be_a_worker() -> None:
    """Leave Ctrl-C and warnings to the process that the user started, and do not outlive it."""
    hush()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=die_with_parent, daemon=True).start()


def die_with_parent() -> None:
    """End this process when the one that started it has ended, however that came about."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

"""Work → outcomes, in this process or in several."""

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
from typing import Final

from tamis.cli.messages import silence_uncompiled_warning
from tamis.cli.tasks import Outcome, PageTask, Work
from tamis.errors import TamisError
from tamis.source import Input, Source

_WINDOW: Final = 8  # pages under way per process: enough to keep it busy, few to lose


def run_tasks(work: Iterable[Work], task: PageTask, jobs: int) -> Generator[Outcome, None, None]:
    """Yield the outcome of each input or source, in their order."""
    if jobs == 1:
        for page in work:
            yield page if isinstance(page, Outcome) else task.run(page)
        return
    waiting = iter(work)
    while True:
        lost: list[Work] = []
        yield from _run_in_pool(waiting, task, jobs, lost)
        if not lost:
            return
        # A process died, and it is unknown over which page: they are done one at a time.
        yield from _run_alone(lost, task)


def _run_in_pool(
    work: Iterator[Work], task: PageTask, jobs: int, lost: list[Work]
) -> Iterator[Outcome]:
    """Yield outcomes from a pool of processes; if the pool dies, add what is undone to `lost`."""
    under_way: deque[tuple[Work, Future[Outcome] | None]] = deque()
    with open_pool(jobs) as pool:
        try:
            while True:
                while (
                    len(under_way) < _WINDOW * jobs and (next_page := next(work, None)) is not None
                ):
                    under_way.append((_read_stdin(next_page, task), None))
                    page, _ = under_way[-1]
                    if not isinstance(page, Outcome):
                        under_way[-1] = (page, _submit(pool, task, page))
                if not under_way:
                    return
                page, future = under_way[0]
                outcome = page if isinstance(page, Outcome) else future.result() if future else None
                under_way.popleft()
                if outcome is not None:
                    yield outcome
        except BrokenProcessPool:
            lost += [_outcome_or_work(page, future) for page, future in under_way]


def _run_alone(work: list[Work], task: PageTask) -> Iterator[Outcome]:
    """Yield the outcomes of pages run one at a time, to find the one that kills its process."""
    waiting = deque(work)
    while waiting:
        with open_pool(1) as pool:
            try:
                while waiting:
                    page = waiting[0]
                    outcome = (
                        page if isinstance(page, Outcome) else _submit(pool, task, page).result()
                    )
                    waiting.popleft()
                    yield outcome
            except BrokenProcessPool:
                message = "the process that worked on this page died (out of memory?)"
                yield task.fail(waiting.popleft().name, message, "ProcessDied")


@contextmanager
def open_pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of processes; if its work is given up, they are ended at once."""
    others = set(active_children())
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_start_worker)
    try:
        yield pool
    except BaseException:
        for child in set(active_children()) - others:
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _submit(pool: ProcessPoolExecutor, task: PageTask, page: Input | Source) -> Future[Outcome]:
    """Submit a page; a process that starts now ignores Ctrl-C from its first moment."""
    if not hasattr(signal, "pthread_sigmask"):
        return pool.submit(task.run, page)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(task.run, page)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _outcome_or_work(page: Work, future: Future[Outcome] | None) -> Work:
    """Return the outcome of a page if there is one, else the page."""
    if future is None or not future.done() or future.cancelled() or future.exception():
        return page
    return future.result()


def _read_stdin(page: Work, task: PageTask) -> Work:
    """Read standard input here, as other processes do not have it."""
    if not isinstance(page, Input) or page.kind != "stdin" or page.problem:
        return page
    try:
        return task.read(page)
    except TamisError as error:
        return task.fail(page.name, str(error), type(error).__name__)


def _start_worker() -> None:
    """Leave Ctrl-C and warnings to the process that the user started, and do not outlive it."""
    silence_uncompiled_warning()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    """End this process when the one that started it has ended, for whatever reason."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)

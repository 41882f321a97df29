"""Work → outcomes, in this process or in several."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from tamis.cli.tasks import Outcome, PageTask, Work
from tamis.errors import DeadlineExceeded, OutOfMemory, TamisError, WorkerDied
from tamis.source import Input, Source

if TYPE_CHECKING:
    from tamis import workers

    _Page = Input | Source
    _Reply = workers.Outcome[_Page, Outcome]

_WINDOW: Final = 32  # pages under way per process: a slow one holds up the outcomes behind it


# Errors of pages that cost their worker: a task does not raise others, but for fatal ones.
_COSTLY: Final = {error.__name__ for error in (DeadlineExceeded, OutOfMemory, WorkerDied)}


def run_tasks(work: Iterable[Work], task: PageTask, jobs: int) -> Generator[Outcome, None, None]:
    """Yield the outcome of each input or source, in their order.

    With several jobs a page that hangs, crashes or needs too much memory costs itself alone. One
    job is this process, which is faster for few pages, but such a page ends it.
    """
    if jobs > 1:
        yield from _run_in_pool(work, task, jobs)
        return
    for page in work:
        yield page if isinstance(page, Outcome) else _run_here(page, task)


def _run_here(page: Input | Source, task: PageTask) -> Outcome:
    try:
        return task.run(page)
    except MemoryError:
        message = "the page needs more memory than there is"
        return task.fail(page.name, message, OutOfMemory.__name__)


def _run_in_pool(work: Iterable[Work], task: PageTask, jobs: int) -> Generator[Outcome, None, None]:
    """Yield outcomes from workers; when nobody wants more, the workers are ended at once."""
    from tamis.workers import MEMORY, Pool

    # The limit would hold for a browser as well, which has one of its own.
    memory = MEMORY if task.rendering is None else None
    deadline, window = task.max_seconds, _WINDOW * jobs
    under_way: deque[Outcome | Future[_Reply]] = deque()
    pool: Pool[_Page, Outcome]
    with Pool(partial(_build, task), workers=jobs, deadline=deadline, memory=memory) as pool:
        for page in work:
            ready = _read_stdin(page, task)
            under_way.append(ready if isinstance(ready, Outcome) else pool.submit(ready))
            # Pages are submitted in batches, which wake the pool less often.
            min_left = 3 * window // 4 if len(under_way) == window else window
            while under_way and (len(under_way) > min_left or _is_done(under_way[0])):
                yield _wait(under_way.popleft(), task)
        while under_way:
            yield _wait(under_way.popleft(), task)


def _build(task: PageTask) -> Callable[[_Page], Outcome]:
    """Return what a worker does with a page."""
    import_module("tamis.pipeline")  # it takes time, which is not the first page's
    return task.run


def _is_done(entry: Outcome | Future[_Reply]) -> bool:
    return isinstance(entry, Outcome) or entry.done()


def _wait(entry: Outcome | Future[_Reply], task: PageTask) -> Outcome:
    """Return an outcome when it is there; raise an error that is about all pages."""
    if isinstance(entry, Outcome):
        return entry
    reply = entry.result()
    if reply.kind is None or reply.kind in {error.__name__ for error in task.fatal_errors}:
        return reply.unwrap()
    fail = task.fail if reply.kind in _COSTLY else task.fail_unexpectedly
    return fail(reply.input.name, str(reply.error), reply.kind)


def _read_stdin(page: Work, task: PageTask) -> Work:
    """Read standard input here, as workers do not have it."""
    if not isinstance(page, Input) or page.kind != "stdin" or page.problem:
        return page
    try:
        return task.read(page)
    except TamisError as error:
        return task.fail(page.name, str(error), type(error).__name__)

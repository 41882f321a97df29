"""A pool of workers: pages in, outcomes out."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from queue import SimpleQueue
from types import TracebackType
from typing import Final, Generic, TypeVar, cast

from tamis.errors import Unavailable, WrongType, check_argument
from tamis.workers import worker
from tamis.workers.dispatcher import Dispatcher
from tamis.workers.messages import Setup, describe_error, encode
from tamis.workers.outcome import Outcome

DEADLINE: Final = 60.0  # seconds for a page: above that of extract(), which ends most pages itself
MEMORY: Final = 2 << 30  # bytes that a page may add to its worker
MAX_GROWTH: Final = 1 << 30  # bytes that a worker may grow by before another takes over
_MAX_AHEAD = 32  # pages per worker that `map` reads ahead of the outcomes that were taken

Input = TypeVar("Input")
Value = TypeVar("Value")


class Pool(Generic[Input, Value]):
    """Processes that read pages, with a deadline and a memory limit for each page.

    `factory` is called once in each worker and returns the task: what is costly to load is loaded
    there. The task gets one input per page and returns a value. Factory, inputs and values must be
    picklable. A page that overstays the deadline, needs more memory than `memory` bytes or kills
    its worker has an outcome that says so; the worker is replaced and no other page is affected.
    No page is started twice. None removes a limit; the memory limit needs Linux, and holds for
    programs that the task starts as well (a browser needs `memory=None`).

    A worker is replaced after `max_pages` pages and when it has grown by `max_growth` bytes.
    Workers are started when pages wait. Use the pool in a `with` statement, or close it.
    """

    def __init__(
        self,
        factory: Callable[[], Callable[[Input], Value]],
        *,
        workers: int | None = None,
        deadline: float | None = DEADLINE,
        memory: int | None = MEMORY,
        max_pages: int | None = None,
        max_growth: int | None = MAX_GROWTH,
    ) -> None:
        if os.name != "posix":
            raise Unavailable("workers need Linux, macOS or another Unix: read pages one by one")
        if worker.is_importing_main:
            raise RuntimeError(
                "a pool is made while a worker imports the script that needs it: "
                'put what the script does below if __name__ == "__main__"'
            )
        check_argument("factory", factory, Callable, "a function that returns the task")  # type: ignore[arg-type]
        self.workers = _count_cores() if workers is None else workers
        for name, value in (
            ("workers", self.workers), ("deadline", deadline), ("memory", memory),
            ("max_pages", max_pages), ("max_growth", max_growth),
        ):  # fmt: skip
            if value is not None and not value > 0:
                raise WrongType(f"{name} is {value!r}: give a number above zero")
        try:
            setup = encode(Setup(factory, memory, max_pages, max_growth))
        except Exception as error:
            message = f"factory cannot be sent to a worker: {describe_error(error)}"
            raise WrongType(f"{message}; give a function or class of a module") from error
        self._dispatcher = Dispatcher(setup, self.workers, deadline)
        self._close = weakref.finalize(self, self._dispatcher.close)

    def submit(self, page: Input) -> Future[Outcome[Input, Value]]:
        """Hand in a page, and return the future of its outcome. Never blocks.

        Whoever submits decides how many pages are under way. With asyncio:
        `await asyncio.wrap_future(pool.submit(page))`. A page that is cancelled before it is given
        to a worker is not read. The future raises nothing of the page's own, only
        WorkerStartFailed when there are no workers, and CancelledError when the pool was closed.
        """
        return cast("Future[Outcome[Input, Value]]", self._dispatcher.submit(page))

    def map(
        self, inputs: Iterable[Input], *, ordered: bool = True, ahead: int | None = None
    ) -> Generator[Outcome[Input, Value], None, None]:
        """Yield the outcomes of all inputs, in their order or else (`ordered=False`) as they come.

        The inputs are read by a thread of their own, so that outcomes come out while the next input
        is waited for; at most `ahead` of them are read before their outcomes are taken. An
        exception that `inputs` raises is raised after the outcomes of all inputs before it. To
        read standard input so, open it anew, `open(0, "rb", closefd=False)`: Python cannot end
        while a thread waits for `sys.stdin`.
        """
        limit = _MAX_AHEAD * self.workers if ahead is None else ahead
        if limit < 1:
            raise WrongType(f"ahead is {ahead!r}: give a number above zero")
        return _Mapping(self, inputs, limit, ordered=ordered).outcomes()

    @property
    def under_way(self) -> int:
        """Pages that were submitted and have no outcome yet."""
        return self._dispatcher.under_way

    def start(self) -> None:
        """Start all workers now, and return when all are ready; raises WorkerStartFailed."""
        self._dispatcher.start()

    def close(self) -> None:
        """End all workers at once. Pages without an outcome are cancelled."""
        self._close()

    def __enter__(self) -> Pool[Input, Value]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()


class _Mapping(Generic[Input, Value]):
    """One call of `Pool.map`: a thread that reads inputs, and what it hands to the consumer."""

    def __init__(
        self, pool: Pool[Input, Value], inputs: Iterable[Input], ahead: int, *, ordered: bool
    ) -> None:
        self._pool = pool
        self._inputs = inputs
        self._ordered = ordered
        self._slots = threading.Semaphore(ahead)
        self._batch = max(1, ahead // 4)  # slots are handed back in batches: fewer threads wake up
        self._is_over = False
        self._futures: set[Future[Outcome[Input, Value]]] = set()  # without an outcome
        # Futures as their outcomes are wanted; at the end their number, with what was raised.
        self._queue: SimpleQueue[
            Future[Outcome[Input, Value]] | tuple[int, BaseException | None]
        ] = SimpleQueue()

    def outcomes(self) -> Generator[Outcome[Input, Value], None, None]:
        """Yield the outcomes."""
        threading.Thread(target=self._feed, name="tamis inputs", daemon=True).start()
        taken, total, error = 0, None, None
        try:
            while taken != total:
                entry = self._queue.get()
                if isinstance(entry, tuple):
                    total, error = entry
                    continue
                outcome = entry.result()
                del entry
                taken += 1
                if taken % self._batch == 0:
                    self._slots.release(self._batch)
                yield outcome
                del outcome
            if error is not None:
                raise error
        finally:
            self._is_over = True
            self._slots.release()  # the thread may wait for it
            for future in list(self._futures):  # nobody will take them
                future.cancel()

    def _feed(self) -> None:
        count, raised = 0, None
        try:
            inputs = iter(self._inputs)
            while self._take_slot():
                try:
                    page = next(inputs)
                except StopIteration:
                    break
                if self._is_over:
                    break
                future = self._pool.submit(page)
                del page
                count += 1
                self._futures.add(future)
                if self._ordered:
                    self._queue.put(future)
                future.add_done_callback(self._note_outcome)
                del future
        except BaseException as error:  # for the consumer to see
            raised = error
        self._queue.put((count, raised))

    def _take_slot(self) -> bool:
        """Wait until the consumer has taken enough; return whether it wants more."""
        self._slots.acquire()
        return not self._is_over

    def _note_outcome(self, future: Future[Outcome[Input, Value]]) -> None:
        self._futures.discard(future)
        if not self._ordered:
            self._queue.put(future)


def _count_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

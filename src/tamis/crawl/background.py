"""What runs beside the requests of a crawl: tasks, timers, files, and the thread that commits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from tamis.crawl.committer import Committer
from tamis.store import StoreWriter

T = TypeVar("T")


class Background:
    """Runs things in the event loop of a crawl, and in threads of its own.

    `wake` is called when there may be a next request, `on_error` with what goes wrong in a task.
    """

    def __init__(self, committer: Committer, on_error: Callable[[Exception], None]) -> None:
        self.wake: Callable[[], None] = lambda: None
        self._committer = committer
        self._on_error = on_error
        self._tasks: set[asyncio.Task[Any]] = set()
        self._timers: set[asyncio.TimerHandle] = set()
        self._wake_at = 0.0
        self._thread = ThreadPoolExecutor(1, "tamis files")

    async def commit(self, operation: Callable[[StoreWriter], T]) -> T:
        """Run an operation on the store, and return its result when it is stored for good."""
        return await asyncio.wrap_future(self._committer.submit(operation))

    async def run_in_thread(self, function: Callable[[], T]) -> T:
        """Run what waits for a disk or a database, one function at a time."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside; what goes wrong in it ends the crawl."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)

        def note_end(ended: asyncio.Task[Any]) -> None:
            self._tasks.discard(ended)
            if not ended.cancelled() and (error := ended.exception()) is not None:
                self._on_error(error if isinstance(error, Exception) else RuntimeError(str(error)))

        task.add_done_callback(note_end)

    def wake_in(self, seconds: float) -> None:
        """Wake after some time; a timer that rings earlier is enough."""
        loop = asyncio.get_running_loop()
        moment = loop.time() + seconds
        if loop.time() < self._wake_at <= moment:
            return
        self._wake_at = moment

        def ring() -> None:
            self._timers.discard(handle)
            self.wake()

        handle = loop.call_at(moment, ring)
        self._timers.add(handle)

    async def stop(self) -> None:
        """End all tasks and timers; commits are still possible."""
        for handle in self._timers:
            handle.cancel()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def close(self) -> None:
        """End the threads when all that was handed in is done."""
        self._committer.close()
        self._thread.shutdown()

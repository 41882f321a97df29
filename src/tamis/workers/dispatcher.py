"""The thread that gives pages to workers, hears their replies, and replaces them when they die."""

from __future__ import annotations

import os
import pickle
import selectors
import signal
import threading
import time
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tamis.errors import DeadlineExceeded, WorkerDied, WorkerStartFailed
from tamis.workers.messages import SETUP, Reply, describe_error, encode_parts
from tamis.workers.outcome import Outcome
from tamis.workers.process import WorkerProcess, describe_status

_MAX_GIVEN = 5  # pages per worker, the one it works on included; what waits can be taken back
_MAX_WAIT = 1.0  # seconds until processes and deadlines are looked at
_MAX_START_FAILURES = 3  # in a row
_START_PAUSE = 0.2  # seconds after a start that failed; doubled with each
_MAX_START_PAUSE = 30.0
_START_DEADLINE = 300.0  # seconds for imports and the factory
_MAX_LEAVING = 10.0  # seconds that a worker has to end by itself when another takes over
_EXIT_PAUSE = 1.0  # seconds that workers have to end by themselves when the pool is closed


@dataclass(slots=True, eq=False)
class _Page:
    """One page on its way through the pool."""

    number: int
    input: Any
    future: Future[Outcome[Any, Any]] = field(default_factory=Future)


_Worker = WorkerProcess[_Page]


class Dispatcher:
    """All that a pool does, in one thread; `submit`, `start` and `close` may come from any."""

    def __init__(self, setup: bytes, workers: int, deadline: float | None) -> None:
        self._setup = setup
        self._max_workers = workers
        self._deadline = deadline
        self._late_message = f"the page took more than {deadline or 0:g} s: its worker was ended"
        self._workers: list[_Worker] = []
        self._waiting: deque[_Page] = deque()
        self._leaving: list[_Worker] = []  # they need no more pages, and are ending
        self._clock = _Clock()
        self._was_ready = False
        self._start_failures = 0
        self._next_start = self._next_check = 0.0

        self._lock = threading.Condition()  # for all below
        self._incoming: list[_Page] = []
        self._count = 0  # pages so far
        self._under_way = 0
        self._is_awake = self._is_closing = self._starts_all = False
        self._ready_count = 0
        self._failure: Exception | None = None  # why no page can be read any more

        self._process_id = os.getpid()
        self._wake_end, self._wake_start = os.pipe()
        os.set_blocking(self._wake_end, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._wake_end, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, name="tamis workers", daemon=True)
        self._thread.start()

    # From any thread ----------------------------------------------------------------------------

    @property
    def under_way(self) -> int:
        """Pages that were submitted and have no outcome yet."""
        return self._under_way

    def submit(self, page_input: Any) -> Future[Outcome[Any, Any]]:
        """Hand in a page; never blocks."""
        with self._lock:
            if self._is_closing:
                raise RuntimeError("the pool is closed")
            self._count += 1
            page = _Page(self._count, page_input)
            if self._failure is not None:
                page.future.set_exception(self._failure)
                return page.future
            self._under_way += 1
            self._incoming.append(page)
            self._wake()
        return page.future

    def start(self) -> None:
        """Start all workers, and return when they are ready for pages."""
        with self._lock:
            self._starts_all = True
            self._wake()
            self._lock.wait_for(
                lambda: self._ready_count >= self._max_workers or self._failure or self._is_closing
            )
            if self._failure is not None:
                raise self._failure

    def close(self) -> None:
        """End all workers at once; pages without an outcome are cancelled."""
        if os.getpid() != self._process_id:  # a fork of the process that has the workers
            return
        with self._lock:
            self._is_closing = True
            self._wake()
            self._lock.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _wake(self) -> None:
        if not self._is_awake:
            self._is_awake = True
            os.write(self._wake_start, b"!")

    # The thread ---------------------------------------------------------------------------------

    def _run(self) -> None:
        # Signals are for the main thread. Workers start with this mask: none meets Ctrl-C.
        signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
        try:
            while self._take_incoming():
                self._start_workers()
                self._give_pages()
                self._take_back_pages()
                self._wait()
                self._check_deadlines()
        except BaseException as error:  # a bug here must not leave futures without an answer
            self._fail(error if isinstance(error, Exception) else RuntimeError(repr(error)))
            raise
        finally:
            self._end_all()

    def _take_incoming(self) -> bool:
        """Take over the pages that were submitted; return whether to go on."""
        with self._lock:
            self._waiting += self._incoming
            self._incoming.clear()
            return not self._is_closing

    def _start_workers(self) -> None:
        """Start as many workers as there are pages that would have to wait."""
        missing = self._max_workers - len(self._workers)
        if missing <= 0 or self._failure is not None or self._clock.now() < self._next_start:
            return
        starting = sum(not worker.is_ready for worker in self._workers)
        behind = sum(max(0, len(worker.pages) - 1) for worker in self._workers)
        idle = sum(worker.is_ready and not worker.pages for worker in self._workers)
        wanted = len(self._waiting) + behind - starting - idle
        for _ in range(missing if self._starts_all else min(wanted, missing)):
            try:
                worker: _Worker = WorkerProcess(self._clock.now())
            except OSError as error:  # no more processes or descriptors
                self._count_start_failure(f"no process can be started: {error}")
                return
            self._workers.append(worker)
            self._selector.register(worker.replies, selectors.EVENT_READ, worker)
            worker.send(SETUP, [self._setup])
            self._watch_writing(worker)

    def _give_pages(self) -> None:
        """Give the pages that wait to those workers that have the fewest."""
        if not self._waiting:
            return
        ready = [worker for worker in self._workers if worker.is_ready]
        while self._waiting and ready:
            worker = min(ready, key=lambda worker: len(worker.pages))
            if len(worker.pages) >= _MAX_GIVEN:
                return
            self._give(worker, self._waiting.popleft())

    def _give(self, worker: _Worker, page: _Page) -> None:
        if page.future.cancelled():
            self._finish(page, Outcome(page.input))
            return
        try:
            parts = encode_parts(page.input)
        except Exception as error:
            message = f"the input cannot be sent to a worker: {describe_error(error)}"
            self._finish(page, Outcome(page.input, error=message, kind=type(error).__name__))
            return
        if not worker.pages:
            worker.since = self._clock.now()
        worker.give(page.number, page, parts)
        self._watch_writing(worker)

    def _take_back_pages(self) -> None:
        """Let no worker idle while pages wait behind the page of another."""
        for idle in self._workers:
            if idle.is_ready and not idle.pages and not self._waiting:
                busiest = max(self._workers, key=lambda worker: len(worker.pages))
                if len(busiest.pages) > 1 and (page := busiest.take_back()) is not None:
                    self._give(idle, page)

    def _wait(self) -> None:
        """Wait for replies, new pages or the next deadline, and hear what there is."""
        for key, events in self._selector.select(self._seconds_to_wait()):
            worker: _Worker | None = key.data
            if worker is None:
                with self._lock:
                    with suppress(BlockingIOError):
                        os.read(self._wake_end, 64)
                    self._is_awake = False
            elif worker not in self._workers:
                continue  # it was buried a moment ago
            elif events & selectors.EVENT_WRITE:
                worker.flush()
                self._watch_writing(worker)
            else:
                self._hear(worker)
                if worker.has_ended:
                    self._bury(worker)
        for worker in list(self._leaving):
            if not worker.is_alive() or self._clock.now() >= worker.since + _MAX_LEAVING:
                worker.kill()
                worker.close()
                self._leaving.remove(worker)

    def _seconds_to_wait(self) -> float | None:
        """Return the time until something is to be looked at; None if only news can bring work."""
        waits = []
        if self._leaving:
            waits.append(_MAX_WAIT / 10)
        if self._next_start > self._clock.now() and (self._waiting or self._starts_all):
            waits.append(self._next_start - self._clock.now())
        waits += [
            end - self._clock.now()
            for worker in self._workers
            if (end := self._end_of_patience(worker)) is not None
        ]
        if any(worker.pages for worker in self._workers):
            waits.append(_MAX_WAIT)
        # Longer waits would be lost on the clock.
        return max(0.0, min(_MAX_WAIT, *waits)) if waits else None

    def _watch_writing(self, worker: _Worker) -> None:
        """Have the selector tell when the worker's pipe takes more, if there is more."""
        if worker.has_unsent == worker.is_watched:
            return
        worker.is_watched = worker.has_unsent
        if worker.is_watched:
            self._selector.register(worker.tasks, selectors.EVENT_WRITE, worker)
        else:
            self._selector.unregister(worker.tasks)

    # Replies and ends ---------------------------------------------------------------------------

    def _hear(self, worker: _Worker) -> None:
        """Hear the replies of a worker."""
        for number, content in worker.receive():
            try:
                reply = Reply(*pickle.loads(content))
            except Exception as error:
                message = f"the value cannot be read: {describe_error(error)}"
                reply = Reply(error=message, kind=type(error).__name__)
            del content
            if number == SETUP:
                if reply.kind is not None:
                    worker.start_error = f"{reply.kind}: {reply.error}\n\n{reply.traceback}"
                    continue
                worker.is_ready = self._was_ready = True
                self._start_failures, self._next_start = 0, 0.0
                self._count_ready()
            else:
                page = worker.pages.pop(number)
                worker.since = self._clock.now()
                self._finish(page, Outcome(page.input, *reply))

    def _bury(self, worker: _Worker, error: Exception | None = None) -> None:
        """Remove a worker that died or is to die; the page it worked on is lost, no other."""
        self._remove(worker)
        if worker.has_ended:
            self._take_back_all(worker)
            if worker.is_ready and not worker.pages:  # it works on none: it has done enough
                worker.let_go()
                worker.since = self._clock.now()
                self._leaving.append(worker)
                return
        if error is None and worker.start_error is None:
            worker.wait()  # for its own status
        status = worker.kill()
        self._hear(worker)  # what it said before its end
        self._take_back_all(worker)
        worker.close()
        if not worker.is_ready:
            reason = worker.start_error or f"it {describe_status(status)} before its first page"
            self._count_start_failure(reason, is_certain=worker.start_error is not None)
        if error is None:
            error = WorkerDied(f"the worker that read this page {describe_status(status)}")
        elapsed = self._clock.now() - worker.since
        for page in worker.pages.values():
            message, kind = str(error), type(error).__name__
            self._finish(page, Outcome(page.input, None, message, kind, elapsed=elapsed))

    def _take_back_all(self, worker: _Worker) -> None:
        unstarted: list[_Page] = []
        while (page := worker.take_back()) is not None:
            unstarted.append(page)
        self._waiting.extendleft(reversed(unstarted))

    def _remove(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        self._selector.unregister(worker.replies)
        if worker.is_watched:
            self._selector.unregister(worker.tasks)
        self._count_ready()

    def _end_of_patience(self, worker: _Worker) -> float | None:
        if not worker.is_ready:
            return worker.since + _START_DEADLINE
        if worker.pages and self._deadline is not None:
            return worker.since + self._deadline
        return None

    def _check_deadlines(self) -> None:
        """End the workers whose page takes too long, and those that died without a word."""
        for worker in [worker for worker in self._workers if self._is_late(worker)]:
            worker.freeze()
            self._hear(worker)  # it may have been done in the meantime
            if self._is_late(worker):
                self._bury(worker, DeadlineExceeded(self._late_message))
            else:
                worker.thaw()
        if self._clock.now() >= self._next_check:
            self._next_check = self._clock.now() + _MAX_WAIT
            # A process that a worker has started can keep the pipe of a dead worker open.
            for worker in [worker for worker in self._workers if not worker.is_alive()]:
                self._bury(worker)

    def _is_late(self, worker: _Worker) -> bool:
        end = self._end_of_patience(worker)
        return end is not None and self._clock.now() >= end

    def _count_start_failure(self, reason: str, *, is_certain: bool = False) -> None:
        """Try again after a pause, unless no worker is left and it failed often."""
        self._start_failures += 1
        pause = min(_START_PAUSE * 2.0 ** min(self._start_failures, 10), _MAX_START_PAUSE)
        self._next_start = self._clock.now() + pause
        is_certain = is_certain and not self._was_ready
        if is_certain or (self._start_failures >= _MAX_START_FAILURES and not self._workers):
            self._fail(WorkerStartFailed(f"no worker can be started: {reason}"))

    def _count_ready(self) -> None:
        with self._lock:
            self._ready_count = sum(worker.is_ready for worker in self._workers)
            self._lock.notify_all()

    def _finish(self, page: _Page, outcome: Outcome[Any, Any]) -> None:
        with self._lock:
            self._under_way -= 1
        if page.future.set_running_or_notify_cancel():
            page.future.set_result(outcome)

    def _fail(self, failure: Exception) -> None:
        """Answer all pages with an error: none can be read any more."""
        with self._lock:
            self._failure = self._failure or failure
            self._waiting += self._incoming
            self._incoming.clear()
            self._lock.notify_all()
        for worker in list(self._workers):
            self._waiting.extend(worker.pages.values())
            worker.pages.clear()
        for page in self._waiting:
            with self._lock:
                self._under_way -= 1
            if page.future.set_running_or_notify_cancel():
                page.future.set_exception(failure)
        self._waiting.clear()

    def _end_all(self) -> None:
        """End all workers and leave nothing behind."""
        with self._lock:
            self._is_closing = True
            self._waiting += self._incoming
            self._incoming.clear()
        for worker in self._workers:
            if worker.is_ready and not worker.pages:
                worker.let_go()
                self._leaving.append(worker)
            else:
                self._waiting += worker.pages.values()
                worker.kill()
                worker.close()
        end = time.monotonic() + _EXIT_PAUSE
        for worker in self._leaving:
            worker.wait(end - time.monotonic())
            worker.kill()
            worker.close()
        self._selector.close()
        with self._lock:
            os.close(self._wake_end)
            os.close(self._wake_start)
            self._is_awake = True  # nobody writes to it any more
            self._under_way = 0
        for page in self._waiting:
            page.future.cancel()
            page.future.set_running_or_notify_cancel()


class _Clock:
    """Seconds in which this process was running: a job that was stopped (Ctrl-Z) misses none."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._now = 0.0

    def now(self) -> float:
        """Return the time, which goes on by little more than a wait from call to call."""
        last, self._last = self._last, time.monotonic()
        self._now += min(self._last - last, 1.5 * _MAX_WAIT)
        return self._now

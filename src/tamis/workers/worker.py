"""The worker's side: a process that reads one page after the other until its pool lets it go."""

from __future__ import annotations

import errno
import io
import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tamis.errors import OutOfMemory
from tamis.workers.limits import MemoryLimit, die_with_parent, volunteer_for_oom
from tamis.workers.messages import CLAIM, HEADER, SETUP, Reply, Setup, describe_error, encode

_MIN_PAGES = 100  # a worker that has grown is replaced only after so many: starting costs time
_MEGABYTE = 1 << 20

is_importing_main = False  # while the user's script is imported: it must not make a pool then
_has_main = False  # whether it was imported


def main() -> None:
    """Run a worker; its arguments are the numbers that `process.WorkerProcess` starts it with."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's; blocked until here
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    parent, tasks, claims, replies = (int(argument) for argument in sys.argv[2:6])
    die_with_parent(parent)
    volunteer_for_oom()
    for descriptor in (tasks, claims, replies):
        os.set_inheritable(descriptor, False)
    worker = _Worker(tasks, claims, replies, sys.argv[6] or None, sys.argv[7] or None)
    with suppress(BrokenPipeError, EOFError):  # the pool was closed
        worker.run()


class _Worker:
    """Reads tasks, claims them, runs them and replies."""

    def __init__(
        self, tasks: int, claims: int, replies: int, main_name: str | None, main_path: str | None
    ) -> None:
        self._tasks = _Message(io.FileIO(tasks))
        self._claims = claims
        self._replies = replies
        self._main = (main_name, main_path)
        self._claimed: int | None = None  # a page that is claimed, but not read yet

    def run(self) -> None:
        """Build the task, then work until the pool closes the pipe or it is time for another."""
        self._tasks.next()
        try:
            setup: Setup = self._decode()
            task = setup.factory()
        except BaseException as error:
            self._send(SETUP, encode(_failure(error)))
            os.close(self._replies)
            return
        memory = MemoryLimit(setup.memory)
        self._send(SETUP, encode(Reply()))
        count = 0
        while True:
            number = self._next_page()
            reply, kind = self._run_page(task, memory)
            self._send(number, reply)
            count += 1
            if kind == OutOfMemory.__name__ or _is_worn(setup, count, memory):
                os.close(self._replies)  # the pool need not wait for the end of the interpreter
                return

    def _run_page(
        self, task: Callable[[Any], Any], memory: MemoryLimit
    ) -> tuple[bytes, str | None]:
        """Return the reply to a page as bytes, and the kind of its error; raises nothing."""
        memory.begin_page()
        start = time.perf_counter()
        try:
            value = task(self._decode())
            elapsed, peak = time.perf_counter() - start, memory.page_peak()
            reply = encode((value, None, None, None, elapsed, peak))  # a Reply takes longer
            memory.end_page()
            return reply, None
        except BaseException as error:
            memory.end_page()
            elapsed, peak = time.perf_counter() - start, memory.page_peak()
            failure = _failure(error, memory, elapsed, peak)
            return encode(failure), failure.kind

    def _next_page(self) -> int:
        """Go to the next page that the pool has not taken back, and return its number."""
        while True:
            number = self._tasks.next()
            if self._claimed is None:
                with suppress(BlockingIOError):
                    claim = os.read(self._claims, CLAIM.size)
                    if not claim:
                        raise EOFError
                    (self._claimed,) = CLAIM.unpack(claim)
            if number == self._claimed:
                self._claimed = None
                return number

    def _send(self, number: int, content: bytes) -> None:
        header = HEADER.pack(number, len(content))
        written = os.writev(self._replies, (header, content)) - HEADER.size
        if written < len(content):  # a pipe takes the header, but not always all that follows
            rest = memoryview(content)[max(0, written) :]
            while rest:
                rest = rest[os.write(self._replies, rest) :]

    def _decode(self) -> Any:
        """Return the content of the message: what a page is, or the set-up."""
        return _Unpickler(self._tasks, self._main).load()


class _Message:
    """The content of one message after the other, as a file: it is read where it is needed.

    So large bytes in it are read from the pipe into the object that they become, and copied once.
    """

    def __init__(self, pipe: io.FileIO) -> None:
        self._pipe = pipe
        self._left = 0  # bytes of the content that were not read yet

    def next(self) -> int:
        """Go to the next message, past what is left of this one, and return its number."""
        while self._left:
            self.read(min(self._left, _MEGABYTE))
        self._left = HEADER.size
        number, self._left = HEADER.unpack(self.read(HEADER.size))
        return int(number)

    def read(self, size: int) -> bytes:
        """Return so many bytes."""
        content = bytearray(size)
        self.readinto(content)
        return bytes(content)

    def readinto(self, buffer: bytearray | memoryview) -> int:
        """Fill a buffer; EOFError if the pool has closed the pipe, or the message is shorter."""
        view = memoryview(buffer).cast("B")
        size = len(view)
        if size > self._left:
            raise EOFError
        while view:
            count = self._pipe.readinto(view)
            if not count:
                raise EOFError
            self._left -= count
            view = view[count:]
        return size

    def readline(self) -> bytes:
        """Raise EOFError: what is read has no lines."""
        raise EOFError


class _Unpickler(pickle.Unpickler):
    """Imports the user's script when the first of its classes or functions is needed."""

    def __init__(self, file: _Message, main: tuple[str | None, str | None]) -> None:
        super().__init__(file)
        self._main = main

    def find_class(self, module: str, name: str) -> Any:
        """Return a class or function by its name."""
        if module == "__main__" and not _has_main:
            _import_main(*self._main)
        return super().find_class(module, name)


def _import_main(name: str | None, path: str | None) -> None:
    """Import the script that the parent runs, under another name, as multiprocessing does."""
    global is_importing_main, _has_main
    from multiprocessing.spawn import prepare

    is_importing_main = _has_main = True
    try:
        if name:
            prepare({"init_main_from_name": name})
        elif path:
            prepare({"init_main_from_path": path})
    finally:
        is_importing_main = False


def _failure(
    error: BaseException,
    memory: MemoryLimit | None = None,
    elapsed: float = 0.0,
    peak: int | None = None,
) -> Reply:
    """Return the reply for an exception, as words: exceptions themselves may not be picklable."""
    kind, message = type(error).__name__, describe_error(error)
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        kind = OutOfMemory.__name__
        message = "the page needs more memory than a worker may use"
        if memory is not None and memory.limit is not None:
            message += f": {memory.limit / _MEGABYTE:.0f} MB"
    lines = traceback.format_exception(error, limit=-20)
    return Reply(None, message, kind, "".join(lines), elapsed, peak)


def _is_worn(setup: Setup, count: int, memory: MemoryLimit) -> bool:
    """Say whether a worker has done enough pages, or has grown too much, and is to be replaced."""
    if setup.max_pages is not None and count >= setup.max_pages:
        return True
    has_grown = setup.max_growth is not None and memory.growth > setup.max_growth
    return has_grown and count >= _MIN_PAGES
